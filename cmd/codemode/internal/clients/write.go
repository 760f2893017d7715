package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
)

// Write merges a server into the configuration at a path, and reports whether that has changed it. All else in the file
// stays as it is, comments too. A reader sees the old file or the new one.
func Write(name, path string, s Server) (changed bool, err error) {
	c := find(name)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("read the configuration of %s: %w", name, err)
	}
	merge := c.merged
	if c.toml {
		merge = c.mergedTOML
	}
	text, err := merge(old, s)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	if bytes.Equal(text, old) {
		return false, nil
	}
	if err := replace(path, text); err != nil {
		return false, fmt.Errorf("write the configuration of %s: %w", name, err)
	}
	return true, nil
}

// merged is a JSON file, which may have comments, with the server in it.
func (c client) merged(old []byte, s Server) ([]byte, error) {
	if len(bytes.TrimSpace(old)) == 0 {
		old = []byte("{}\n")
	}
	file, err := hujson.Parse(old)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	root, ok := file.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("it is no JSON object")
	}
	section := member(root, c.section)
	if section == nil {
		section = add(root, c.section, hujson.Value{Value: &hujson.Object{}}, "  ")
	}
	servers, ok := section.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("its %q is no JSON object", c.section)
	}
	entry, err := formatted(c.value(s), "    ")
	if err != nil {
		return nil, err
	}
	if present := member(servers, s.Name); present == nil {
		add(servers, s.Name, entry, "    ")
		closeAt(servers, "  ")
	} else if !same(*present, entry) {
		present.Value = entry.Value
	}
	closeAt(root, "")
	return file.Pack(), nil
}

// member is the value under a key; nil: there is none.
func member(o *hujson.Object, key string) *hujson.Value {
	for i := range o.Members {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); ok && l.String() == key {
			return &o.Members[i].Value
		}
	}
	return nil
}

// add adds a member on a line of its own.
func add(o *hujson.Object, key string, v hujson.Value, indent string) *hujson.Value {
	v.BeforeExtra = hujson.Extra(" ")
	o.Members = append(o.Members, hujson.ObjectMember{
		Name: hujson.Value{BeforeExtra: hujson.Extra("\n" + indent), Value: hujson.String(key)}, Value: v,
	})
	return &o.Members[len(o.Members)-1].Value
}

// closeAt ends an object on a line of its own, where it does not already.
func closeAt(o *hujson.Object, indent string) {
	if !bytes.Contains(o.AfterExtra, []byte("\n")) {
		o.AfterExtra = append(o.AfterExtra, []byte("\n"+indent)...)
	}
}

// formatted is a value on several lines, all but the first indented.
func formatted(v any, indent string) (hujson.Value, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(indent, "  ")
	if err := e.Encode(v); err != nil {
		return hujson.Value{}, err
	}
	return hujson.Parse(bytes.TrimSpace(b.Bytes()))
}

// same reports whether two values differ in nothing but white space and comments.
func same(a, b hujson.Value) bool {
	a, b = a.Clone(), b.Clone()
	a.Minimize()
	b.Minimize()
	return bytes.Equal(a.Pack(), b.Pack())
}

// mergedTOML is a TOML file with the server's table at its end.
func (c client) mergedTOML(old []byte, s Server) ([]byte, error) {
	table := c.table(s)
	text := string(old)
	if strings.Contains("\n"+text, "\n"+table) {
		return old, nil
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.ReplaceAll(line, " ", ""), c.header(s)) {
			return nil, fmt.Errorf("it has %s already, with something else in it; change that by hand", c.header(s))
		}
	}
	if text != "" {
		text = strings.TrimRight(text, "\n") + "\n\n"
	}
	return []byte(text + table), nil
}

// replace writes a file in the place of one that may be there. A link is followed, and the mode of the old file kept.
func replace(path string, text []byte) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
