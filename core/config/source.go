package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// source is a configuration's text: its files, parsed.
type source struct {
	path  string // absolute
	dir   string // that holds path
	names []string
	files map[string]*hcl.File // by name, relative to dir
	// secrets are the sensitive texts that were met while the configuration was loaded.
	secrets []string
}

// open reads and parses the file or directory at path.
func open(path string) (*source, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	src := &source{path: path, dir: filepath.Dir(path), files: map[string]*hcl.File{}}
	texts, err := src.read()
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	src.names = slices.Sorted(maps.Keys(texts))
	var faults hcl.Diagnostics
	for _, name := range src.names {
		file, diags := hclsyntax.ParseConfig(texts[name], name, hcl.InitialPos)
		src.files[name] = file
		faults = append(faults, firstFault(diags)...)
	}
	if faults.HasErrors() {
		return nil, src.report(faults)
	}
	return src, nil
}

// read returns the text of each file by its name relative to dir.
func (s *source) read() (map[string][]byte, error) {
	paths, err := filesAt(s.path)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(s.dir, p)
		if err != nil {
			return nil, err
		}
		texts[filepath.ToSlash(name)] = text
	}
	return texts, nil
}

// hclFiles lists the *.hcl files of a directory, hidden ones left out: editors keep theirs there.
func hclFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".hcl") && !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	if len(paths) == 0 {
		return nil, &fs.PathError{Op: "read", Path: dir, Err: errors.New("no *.hcl file in this directory")}
	}
	return paths, nil
}

// firstFault keeps the first syntax error of a file: those behind it follow from it.
func firstFault(diags hcl.Diagnostics) hcl.Diagnostics {
	errs := slices.DeleteFunc(diags, func(d *hcl.Diagnostic) bool { return d.Severity != hcl.DiagError })
	if len(errs) < 2 {
		return errs
	}
	only := *errs[0]
	only.Detail = fmt.Sprintf("%s (%d more syntax errors follow in this file.)", only.Detail, len(errs)-1)
	return hcl.Diagnostics{&only}
}

// fingerprint hashes the files and the variables. Every part has its length in
// front, so that no two configurations run into one text.
func (s *source) fingerprint(variables map[string]string) string {
	h := sha256.New()
	for _, name := range s.names {
		// The name below path, so that a moved configuration is the same one.
		part(h, filepath.Base(name))
		part(h, string(s.files[name].Bytes))
	}
	part(h, "")
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		part(h, name)
		part(h, variables[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func part(h hash.Hash, text string) {
	fmt.Fprintf(h, "%d:%s", len(text), text)
}

// place names a range's start for people.
func place(r hcl.Range) string {
	return fmt.Sprintf("%s:%d", r.Filename, r.Start.Line)
}
