package program_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core/program"
	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
	"golang.org/x/tools/txtar"
)

// FuzzCompile holds that any text either is a program whose form evaluates to a function, or has a fault with a
// place in the text.
func FuzzCompile(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.txtar")
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".code") {
				f.Add(string(file.Data))
			}
		}
	}
	f.Add("/*\n\"import*/return 1") // the last line begins before the end of the head
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			t.Skip()
		}
		p, err := program.Compile(program.Source{Text: text, Namespaces: namespaces})
		if err != nil {
			checkFault(t, text, err)
			return
		}
		checkForm(t, text, p)
	})
}

// FuzzModule holds the same of a text as a module, whose faults are placed in it.
func FuzzModule(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/modules.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		if strings.HasSuffix(file.Name, ".module") {
			f.Add(string(file.Data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			t.Skip()
		}
		p, err := program.Compile(program.Source{
			Text:    "import * as m from 'm.js'; (await import('m.js')) === m",
			Modules: []program.Module{{Name: "m.js", Text: text}, {Name: "money.js", Text: "export const format = 1, add = 2"}},
		})
		if err == nil {
			checkForm(t, text, p)
			return
		}
		checkFault(t, text, err)
		if e, _ := errors.AsType[*program.Error](err); e.Module != "m.js" {
			t.Fatalf("%q: the fault is placed in %q: %v", text, e.Module, e)
		}
	})
}

func checkForm(t *testing.T, text string, p *program.Program) {
	vm := goja.New()
	ast, err := goja.Parse("code", p.JS, parser.WithSourceMapLoader(func(string) ([]byte, error) { return nil, errors.New("denied") }))
	if err != nil {
		t.Fatalf("%q compiles to what goja cannot parse: %v", text, err)
	}
	code, err := goja.CompileAST(ast, false)
	if err != nil {
		t.Fatalf("%q compiles to what goja cannot compile: %v", text, err)
	}
	value, err := vm.RunProgram(code)
	if err != nil {
		t.Fatalf("%q: evaluating the form fails: %v", text, err)
	}
	if _, ok := goja.AssertFunction(value); !ok {
		t.Fatalf("%q compiles to no function", text)
	}
}

func checkFault(t *testing.T, text string, err error) {
	var e *program.Error
	if !errors.As(err, &e) {
		t.Fatalf("%q: not a *program.Error: %v", text, err)
	}
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	if e.Line < 0 || e.Line > len(lines) || e.Line > 0 && (e.Column < 1 || e.Column > len(lines[e.Line-1])+1) {
		t.Fatalf("%q: line %d, column %d is no place in the text (%s)", text, e.Line, e.Column, e.Message)
	}
	if e.Message == "" || strings.Contains(e.Message, "esbuild") {
		t.Fatalf("%q: message %q", text, e.Message)
	}
}
