package program

import (
	"strings"
	"testing"
)

func TestDeepTextIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ unit, end string }{
		"arrays":            {"[", "]"},
		"parentheses":       {"(", ")"},
		"blocks":            {"{", "}"},
		"objects":           {"x={a:", "}"},
		"functions":         {"function f(){", "}"},
		"arrow bodies":      {"x=>{", "}"},
		"calls":             {"f(", ")"},
		"templates":         {"`${", "}`"},
		"nested in strings": {"f('(',", ")"},
		"after regexps":     {`f(/"/,`, ")"},
		"negations":         {"!", ""},
		"negations in rows": {"!\n", ""},
		"arrows":            {"()=>", ""},
		"arrows in rows":    {"()=>\n", ""},
		"conditionals":      {"a?b:", ""},
		"ifs":               {"if(1)", ""},
		"ifs in rows":       {"if(1)\n", ""},
		"else ifs":          {"if(1){}else ", ""},
		"else ifs with ;":   {"if(1)a;else ", ""},
		"labels":            {"a:\n", ""},
		"assignments":       {"a=", ""},
		"powers":            {"a**", ""},
		"sums":              {"a+", ""},
		"members":           {"a.", ""},
		"types":             {"A<", ""},
		"awaits":            {"await ", ""},
		"comments between":  {"/* ; */[", "]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const times = 20_000
			text := "let ok = 1;\n" + strings.Repeat(c.unit, times) + "1" + strings.Repeat(c.end, times)
			_, err := Compile(Source{Text: text})
			if err == nil || !strings.Contains(err.Error(), "nested too deeply") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestLongTextIsNotDeep(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"statements":            "f(1, 2);\n",
		"statements without ;":  "f(1, 2)\n",
		"assignments":           "x = y\n",
		"returns":               "if (x) return\n",
		"blocks":                "if (x) { y() } else { z() }\n",
		"functions":             "function f() { return { a: [1, 2, 3] } }\n",
		"classes":               "class A { m() { return 1 } }\n",
		"cases":                 "switch (x) {\ncase 'a':\ncase 'b':\n  y()\n  break\n}\n",
		"loops":                 "for (const x of xs) { if (x) continue; y(x) }\n",
		"types":                 "interface A { a: string; b: B<C> }\n",
		"types without ;":       "interface A {\n a: string\n b: B[]\n}\n",
		"templates":             "s = `a ${b} { ( [ ${c}`;\n",
		"strings":               "s = '({[' + \"((({\";\n",
		"regular expressions":   "r = /[(\\/\"]{2}(/.test('(');\n",
		"comments":              "// don't ((( \n/* { isn't [ */\n",
		"division":              "x = a / b / c;\n",
		"division by a bracket": "x = (a) / b[1] / c;\n",
		"chains":                "x.map(y => y + 1).filter(Boolean).reduce((a, b) => a + b, 0)\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat(unit, 3_000)
			c := &code{text: text, model: strings.Split(text, "\n")}
			if err := c.checkNesting(); err != nil {
				t.Error(err)
			}
		})
	}
	for name, text := range map[string]string{
		"array":  "[" + strings.Repeat("{ a: 1, b: ['x', -1] },\n", 5_000) + "]",
		"switch": "switch (x) {" + strings.Repeat("case 'a':\n", 5_000) + "}",
		"sum":    strings.Repeat("'abc' +\n", 500) + "''",
		"else":   strings.Repeat("if (x) { y() } else ", 200) + "{}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &code{text: text, model: strings.Split(text, "\n")}
			if err := c.checkNesting(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDeepTextIsPlaced(t *testing.T) {
	t.Parallel()
	_, err := Compile(Source{Text: "1;\n" + strings.Repeat("[", maxBrackets+1)})
	e, ok := err.(*Error)
	if !ok || e.Line != 2 || e.Column != maxBrackets {
		t.Errorf("got %+v", err)
	}
}
