package config

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// Files lists the paths of the files that the configuration at path consists
// of: path itself, or the *.hcl files of the directory, in the order of their names.
func Files(path string) ([]string, error) {
	paths, err := filesAt(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return paths, nil
}

func filesAt(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return hclFiles(path)
	}
	return []string{path}, nil
}

// Format returns the text of one configuration file in its canonical form:
// indented by two blanks a block, the equals signs of neighbours under each
// other. It changes nothing but white space, and what it returns it leaves as
// it is. name is the file's, for messages; a syntax error is an *[Error].
func Format(name string, text []byte) ([]byte, error) {
	file, diags := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if diags = firstFault(diags); diags.HasErrors() {
		src := source{path: name, dir: filepath.Dir(name), files: map[string]*hcl.File{name: file}}
		return nil, src.report(diags)
	}
	return hclwrite.Format(text), nil
}
