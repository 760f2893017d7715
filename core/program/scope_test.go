package program

import (
	"slices"
	"testing"

	"github.com/dop251/goja/parser"
	"github.com/google/go-cmp/cmp"
)

// TestGlobals resolves names: those that the program does not declare are left.
func TestGlobals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"plain":               {"a; b.c; d['e']; ({ f: g, h })", []string{"a", "b", "d", "g", "h"}},
		"declared":            {"let a; const b = 1; var c; function d() {} class E {} a; b; c; d; E; f", []string{"f"}},
		"hoisted":             {"a(); b; function a() {} var b", nil},
		"var in a block":      {"{ { var a } } a; for (var b of []) {} b", nil},
		"let in a block":      {"{ let a; a } a", []string{"a"}},
		"function in a block": {"'use strict'; { function a() {} a() } b", []string{"b"}},
		"parameters":          {"function f(a, { b, c: d, ...e }, [g, ...h], i = a, ...j) { a; b; d; e; g; h; i; j; c }", []string{"c"}},
		"arrow parameters":    {"(a, { b }) => a + b + c; d => d", []string{"c"}},
		"defaults":            {"(a = b) => a; ({ c = d }) => c; let { e = g } = h", []string{"b", "d", "g", "h"}},
		"catch":               {"try {} catch (a) { a } try {} catch ({ b }) { b } a", []string{"a"}},
		"loops":               {"for (let a = 0; a < 1; a++) a; for (const b of c) b; for (const d in e) d; a", []string{"c", "e", "a"}},
		"function name":       {"(function a() { a }); a", []string{"a"}},
		"class name":          {"(class A { m() { A } }); A", []string{"A"}},
		"class members":       {"class A { b = c; d() { e } static { var f; f } [g]() {} #h; i() { this.#h } }", []string{"c", "e", "g"}},
		"labels":              {"a: for (;;) { break a }", nil},
		"switch":              {"switch (a) { case b: let c; c }", []string{"a", "b"}},
		"assignments":         {"let a; [a, b.c] = d; ({ e: a, f } = g); a++; h--; for (i of j) {}", []string{"b", "d", "f", "g", "h", "j", "i"}},
		"templates":           {"a`${b}`", []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, err := parser.ParseFile(nil, "", c.text, 0)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range resolve(program).references {
				if r.variable == nil {
					got = append(got, r.name)
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
