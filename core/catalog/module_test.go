package catalog

import (
	"strings"
	"testing"
)

func TestValidModuleName(t *testing.T) {
	t.Parallel()
	for name, valid := range map[string]bool{
		"money.js": true, "text/lines.ts": true, "@acme/money.js": true, "a.b.js": true, "v1.2/x-y_z.mjs": true,
		"": false, "codemode": false, "fs": false, "node:fs": false, "node:fs.js": false, "./a.js": false, "../a.js": false,
		"/a.js": false, "a/../b.js": false, "a b.js": false, "a.js/b": false, "a:b.js": false, "é.js": false, ".js": false,
		"https://x/a.js": false, strings.Repeat("a", 98) + ".js": false,
	} {
		if err := ValidModuleName(name); (err == nil) != valid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestModuleExample(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]Module{
		`import "a.js"`:                     {Name: "a.js"},
		`import money from "text/money.js"`: {Name: "text/money.js", Exports: []string{"default"}},
		`import { a, b } from "a.js"`:       {Name: "a.js", Exports: []string{"a", "b", "c-d"}},
		`import a_b, { c } from "a-b.js"`:   {Name: "a-b.js", Exports: []string{"c", "default"}},
		`import * as a from "a.js"`:         {Name: "a.js", Exports: []string{"c-d"}},
	} {
		if got := m.example(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestModulesInTheToolsDescription(t *testing.T) {
	t.Parallel()
	if text := New(nil).ToolDescription(ToolOptions{}); !strings.Contains(text, "no import and no require.") || strings.Contains(text, "Modules:") {
		t.Errorf("without modules:\n%s", text)
	}
	many := make([]Module, 500)
	for i := range many {
		many[i] = Module{Name: "a.js", Exports: []string{strings.Repeat("x", 300)}}
	}
	with := New(nil, many...).ToolDescription(ToolOptions{Size: 4000})
	if !strings.Contains(with, "nothing to import but the modules below") || !strings.Contains(with, "- and ") || len(with) > 4000+1500 {
		t.Errorf("%d bytes:\n%s", len(with), with)
	}
}
