package program

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/dop251/goja"
)

// TestExpression: the chain of names at each place that goja reports.
func TestExpression(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"const o = {};\no.go()":                          "o.go",
		"const o = {list: []};\n  o.list[0 + 1].x.foo()": "o.list[0+1].x",
		"let f;\nf()":                                        "f",
		"const a = [];\na.map(x => x).foo().bar":             "a.map(x=>x).foo",
		"return [2, 1].sort().go()":                          "[2,1].sort().go",
		"class A { #x = 1; m() { this.#x() } }\nnew A().m()": "this.#x",
	} {
		p, err := Compile(Source{Text: code})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Expression(thrownAt(t, p)); got != want {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
	if got := (&Program{JS: "(function () {})"}).Expression(1, 1); got != "" {
		t.Errorf("without a map: %q", got)
	}
}

// thrownAt runs a program and returns where its error says that it was thrown.
func thrownAt(t *testing.T, p *Program) (line, column int) {
	t.Helper()
	vm := goja.New()
	program, err := goja.Compile("", p.JS, false)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := vm.RunProgram(program)
	if err != nil {
		t.Fatal(err)
	}
	call, _ := goja.AssertFunction(entry)
	v, err := call(goja.Undefined())
	if err != nil {
		t.Fatal(err)
	}
	stack := v.Export().(*goja.Promise).Result().ToObject(vm).Get("stack").String()
	m := regexp.MustCompile(`program:(\d+):(\d+)`).FindStringSubmatch(stack)
	if m == nil {
		t.Fatalf("no place in %s", stack)
	}
	line, _ = strconv.Atoi(m[1])
	column, _ = strconv.Atoi(m[2])
	return line, column
}
