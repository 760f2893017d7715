package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
)

// maxExpansion bounds the JSON that a YAML text becomes: aliases can make a few
// lines stand for gigabytes.
const maxExpansion = 64 << 20

// fromYAML translates one YAML document to JSON, keeping the order of members.
func fromYAML(text []byte) (raw.Value, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	if len(root.Content) == 0 {
		return nil, errors.New("the file is empty")
	}
	w := &yamlWriter{open: map[*yaml.Node]bool{}}
	if err := w.value(root.Content[0]); err != nil {
		return nil, err
	}
	return w.out.Bytes(), nil
}

type yamlWriter struct {
	out  bytes.Buffer
	open map[*yaml.Node]bool // aliases that are being written
}

func (w *yamlWriter) value(n *yaml.Node) error {
	if w.out.Len() > maxExpansion {
		return fmt.Errorf("line %d: the aliases make the document too large", n.Line)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return w.alias(n)
	case yaml.MappingNode:
		return w.mapping(n)
	case yaml.SequenceNode:
		return w.sequence(n)
	}
	return w.scalar(n)
}

func (w *yamlWriter) alias(n *yaml.Node) error {
	if w.open[n.Alias] {
		return fmt.Errorf("line %d: the alias *%s contains itself", n.Line, n.Value)
	}
	w.open[n.Alias] = true
	defer delete(w.open, n.Alias)
	return w.value(n.Alias)
}

func (w *yamlWriter) mapping(n *yaml.Node) error {
	w.out.WriteByte('{')
	first := true
	if err := w.pairs(n, &first, map[string]bool{}); err != nil {
		return err
	}
	w.out.WriteByte('}')
	return nil
}

// pairs writes the members of a mapping, its own before those that it merges in.
func (w *yamlWriter) pairs(n *yaml.Node, first *bool, seen map[string]bool) error {
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		name := key.Value // the status 200 is the name "200"
		if seen[name] {
			continue
		}
		seen[name] = true
		if !*first {
			w.out.WriteByte(',')
		}
		*first = false
		w.string(name)
		w.out.WriteByte(':')
		if err := w.value(value); err != nil {
			return err
		}
	}
	for _, source := range merged {
		if err := w.merge(source, first, seen); err != nil {
			return err
		}
	}
	return nil
}

func (w *yamlWriter) merge(n *yaml.Node, first *bool, seen map[string]bool) error {
	switch n.Kind {
	case yaml.AliasNode:
		if w.open[n.Alias] {
			return fmt.Errorf("line %d: the alias *%s contains itself", n.Line, n.Value)
		}
		w.open[n.Alias] = true
		defer delete(w.open, n.Alias)
		return w.merge(n.Alias, first, seen)
	case yaml.MappingNode:
		return w.pairs(n, first, seen)
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if err := w.merge(item, first, seen); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("line %d: only a mapping can be merged", n.Line)
}

func (w *yamlWriter) sequence(n *yaml.Node) error {
	w.out.WriteByte('[')
	for i, item := range n.Content {
		if i > 0 {
			w.out.WriteByte(',')
		}
		if err := w.value(item); err != nil {
			return err
		}
	}
	w.out.WriteByte(']')
	return nil
}

func (w *yamlWriter) scalar(n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!null":
		w.out.WriteString("null")
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return err
		}
		w.out.WriteString(strconv.FormatBool(b))
	case "!!int", "!!float":
		w.number(n)
	default:
		w.string(n.Value)
	}
	return nil
}

// number writes a number as it is written, if JSON can, else its value; what has no JSON form stays text.
func (w *yamlWriter) number(n *yaml.Node) {
	if json.Valid([]byte(n.Value)) {
		w.out.WriteString(n.Value)
		return
	}
	var v any
	if n.Decode(&v) == nil {
		if number, err := json.Marshal(v); err == nil {
			w.out.Write(number)
			return
		}
	}
	w.string(n.Value)
}

func (w *yamlWriter) string(s string) {
	quoted, _ := json.Marshal(s) // a string always has a JSON form
	w.out.Write(quoted)
}
