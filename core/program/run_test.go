package program_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core/program"
	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// prelude is the least that compiled programs need of their surroundings, with connectors that only echo.
const prelude = `"use strict";
Symbol.asyncIterator ??= Symbol("Symbol.asyncIterator");
Symbol.dispose ??= Symbol("Symbol.dispose");
Symbol.asyncDispose ??= Symbol("Symbol.asyncDispose");
var lines = [];
var console = { log: (...a) => { lines.push(a.join(" ")) } };
var codemode = {
	step: async (name, fn) => fn(),
	search: async q => ({ results: [], query: q }),
};
var github = {
	list_issues: async a => [{ number: 1, title: "one", open: true }, { number: 2, title: "two", open: false }],
	create_issue: async a => ({ number: 3, ...a }),
	merge_pull_request: async a => { if (a.number === 13) throw new Error("conflict"); return { merged: true, number: a.number } },
};
var tracker = { create: async a => a };
var namespaces = { github, tracker };
`

// evaluate runs JS, the form that a Program has, in a bare goja, and describes the result in one text.
func evaluate(js, input string) (string, error) {
	vm := goja.New()
	vm.SetMaxCallStackSize(2000)
	if _, err := vm.RunString(prelude); err != nil {
		return "", fmt.Errorf("prelude: %w", err)
	}
	deny := func(string) ([]byte, error) { return nil, errors.New("denied") }
	ast, err := parser.ParseFile(nil, "code", js, 0, parser.WithSourceMapLoader(deny))
	if err != nil {
		return "", fmt.Errorf("parse: %w", err)
	}
	compiled, err := goja.CompileAST(ast, false)
	if err != nil {
		return "", fmt.Errorf("compile: %w", err)
	}
	value, err := vm.RunProgram(compiled)
	if err != nil {
		return "", fmt.Errorf("evaluate: %w", err)
	}
	entry, ok := goja.AssertFunction(value)
	if !ok {
		return "", fmt.Errorf("evaluates to %s, not to a function", value)
	}
	argument := goja.Undefined()
	if input != "" {
		if argument, err = vm.RunString("(" + input + ")"); err != nil {
			return "", fmt.Errorf("input: %w", err)
		}
	}
	value, err = entry(goja.Undefined(), argument, vm.Get("namespaces"))
	if err != nil {
		return "", fmt.Errorf("call: %w", err)
	}
	return describe(vm, value)
}

func describe(vm *goja.Runtime, value goja.Value) (string, error) {
	var b strings.Builder
	for _, line := range vm.Get("lines").Export().([]any) {
		fmt.Fprintf(&b, "log: %v\n", line)
	}
	promise, ok := value.Export().(*goja.Promise)
	if !ok {
		return "", fmt.Errorf("the entry returned %s, not a promise", value)
	}
	switch promise.State() {
	case goja.PromiseStatePending:
		b.WriteString("pending\n")
	case goja.PromiseStateRejected:
		b.WriteString("throws: " + thrown(vm, promise.Result()) + "\n")
	default:
		text, err := vm.RunString(`v => v === undefined ? "undefined" : typeof v === "function" ? "a function" : JSON.stringify(v)`)
		if err != nil {
			return "", err
		}
		stringify, _ := goja.AssertFunction(text)
		result, err := stringify(goja.Undefined(), promise.Result())
		if err != nil {
			return "", err
		}
		b.WriteString("result: " + result.String() + "\n")
	}
	return b.String(), nil
}

// place matches a place in the program or in a module.
var place = regexp.MustCompile(`[ (]((?:program|module/[^\s:()]+):\d+:\d+)`)

// thrown renders an error with those frames of its stack that are the model's own.
func thrown(vm *goja.Runtime, value goja.Value) string {
	object, ok := value.(*goja.Object)
	if !ok {
		return value.String()
	}
	text := object.String()
	stack := object.Get("stack")
	if stack == nil {
		return text
	}
	for line := range strings.SplitSeq(stack.String(), "\n") {
		if m := place.FindStringSubmatch(line); m != nil {
			text += " @" + strings.TrimPrefix(m[1], "program:")
		}
	}
	return text
}

// must compiles a text that has to compile.
func must(t testing.TB, text string) *program.Program {
	t.Helper()
	p, err := program.Compile(program.Source{Text: text})
	if err != nil {
		t.Fatalf("Compile(%q): %v", text, err)
	}
	return p
}
