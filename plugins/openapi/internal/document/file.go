package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
)

// file is one file of a document.
type file struct {
	document *Document
	name     string // below the source's folder or origin, with slashes
	root     raw.Value
	// objects keeps the members of the objects near the root, where most references lead.
	objects map[string]map[string]raw.Value
}

// parse reads a file as JSON or YAML; one of plain text is a JSON string.
func parse(name string, text []byte) (raw.Value, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	switch path.Ext(name) {
	case ".md", ".txt":
		return json.Marshal(string(text))
	}
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return nil, errors.New("the file is empty")
	}
	if json.Valid(trimmed) {
		return trimmed, nil
	}
	root, err := fromYAML(trimmed)
	if err == nil {
		return root, nil
	}
	if trimmed[0] == '{' {
		return nil, jsonFault(trimmed)
	}
	return nil, err
}

// jsonFault says where a text stops being JSON.
func jsonFault(text []byte) error {
	var v any
	err := json.Unmarshal(text, &v)
	if fault, ok := errors.AsType[*json.SyntaxError](err); ok {
		line := 1 + bytes.Count(text[:min(int(fault.Offset), len(text))], []byte("\n"))
		return fmt.Errorf("line %d: %w", line, err)
	}
	return err
}

// ref says where the text of a $ref in this file leads.
func (f *file) ref(text string) Ref {
	name, fragment, _ := strings.Cut(text, "#")
	name = f.join(name)
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	return Ref(name + "#" + strings.TrimSuffix(fragment, "/"))
}

// join resolves the name of a file that this one refers to.
func (f *file) join(name string) string {
	switch {
	case name == "":
		return f.name
	case strings.Contains(name, "://"):
		return strings.TrimPrefix(name, f.document.base)
	}
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	if strings.HasPrefix(name, "/") && f.document.base != "" {
		return name[1:]
	}
	return path.Join(path.Dir(f.name), name)
}

// at returns what a pointer leads to in the file; nil: nothing.
func (f *file) at(pointer string) raw.Value {
	n := f.root
	walked := ""
	for i, token := range tokens(pointer) {
		if i < indexed && n.IsObject() {
			n = f.members(walked, n)[token]
		} else {
			n = child(n, token)
		}
		if n == nil {
			return nil
		}
		walked += "/" + token
	}
	return n
}

// indexed is the depth to which the members of objects are kept: /components/schemas.
const indexed = 3

// members returns the members of the object n at a pointer.
func (f *file) members(pointer string, n raw.Value) map[string]raw.Value {
	if known, ok := f.objects[pointer]; ok {
		return known
	}
	all := map[string]raw.Value{}
	for name, value := range n.Members() {
		if _, twice := all[name]; !twice {
			all[name] = value
		}
	}
	f.objects[pointer] = all
	return all
}

// references yields the names of the other files that this one refers to; what
// stands in an example is one file too many.
func (f *file) references(yield func(name string) bool) {
	for text := range raw.Texts(f.root, "$ref") {
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		name, _, _ := strings.Cut(string(f.ref(text)), "#")
		if name != f.name && !yield(name) {
			return
		}
	}
}
