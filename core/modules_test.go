package core_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/config"
)

var moneyModule = core.Module{Name: "money.js", Description: "Formats amounts.", Text: `
export function format(a: { cents: number }): string {
  if (a.cents < 0) throw new RangeError("a negative amount");
  return (a.cents / 100).toFixed(2);
}`}

// shopModule works with a namespace: its calls are the program's.
var shopModule = core.Module{Name: "shop/stock.js", Text: `
import { format } from "money.js";
export async function drop(...ids) {
  const dropped = [];
  for (const id of ids) dropped.push(await items.remove({ id }));
  return dropped;
}
export default async () => (await items.list()).map(n => format({ cents: n }));`}

func withModules(list ...core.Module) func(*core.Options) {
	return func(o *core.Options) { o.Modules = list }
}

func TestModules(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code string
		want []string
	}{
		"by name":            {`import { format } from "money.js"; format({ cents: 5 })`, []string{"completed", `"0.05"`}},
		"default":            {`import prices from "shop/stock.js"; await prices()`, []string{"completed", `["0.01","0.02"]`}},
		"whole":              {`import * as money from "money.js"; Object.keys(money)`, []string{"completed", `["format"]`}},
		"side effect":        {`import "money.js"; 1`, []string{"completed", "1"}},
		"dynamic":            {`const { format } = await import("money.js"); format({ cents: 1 })`, []string{"completed", `"0.01"`}},
		"unknown":            {`import { x } from "mony.js"; x`, []string{"error", "compile", `did you mean "money.js"?`}},
		"a namespace":        {`import { items } from "items"; await items.list()`, []string{"error", "compile", `"items" is no module`}},
		"the host's own":     {`import { step } from "codemode"; step`, []string{"error", "compile", `"codemode" is no module`}},
		"fails in it":        {"import { format } from 'money.js';\n\nformat({ cents: -1 })", []string{"error", "runtime", `a negative amount (in the module "money.js", line 3, column 26)`}},
		"fails in a promise": {`import { drop } from "shop/stock.js"; await drop()[0].x`, []string{"error", "runtime", "Cannot read properties of"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, newItems(1, 2), withModules(moneyModule, shopModule))
			w.is(w.run(test.code), test.want...)
		})
	}
}

func TestModuleErrorsKeepThePlaceInTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1), withModules(moneyModule))
	out := w.run("import { format } from 'money.js';\n\n  format({ cents: -1 })")
	if d := out.ErrorDetail; d == nil || d.Line != 3 || d.Column != 3 {
		t.Errorf("%+v", d)
	}
}

// The calls of a module's functions are numbered, judged and replayed like the program's own, with the module as it was
// when the program began.
func TestModulesArePinned(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	modules := []core.Module{moneyModule, shopModule}
	w := newWorld(t, newItems(1, 2), func(o *core.Options) { o.Modules = modules })
	out := w.run(`import { drop } from "shop/stock.js"; const list = await items.list(); return await drop(...list)`)
	w.is(out, "paused", "1")
	modules = nil
	w.restart()
	w.is(w.approve(out.ExecutionID), "paused", "2")
	out = w.approve(out.ExecutionID)
	w.is(out, "completed", string(out.Result))
	w.effectsAre("remove 1", "remove 2")
	d, err := w.host.Show(ctx, out.ExecutionID)
	if err != nil || len(d.Modules) != 2 || d.Modules[0].Name != "money.js" || d.Modules[1].Name != "shop/stock.js" || len(d.Modules[1].Hash) != 32 {
		t.Errorf("recorded %+v, %v", d.Modules, err)
	}
	w.is(w.run(`import { format } from "money.js"; format(1)`), "error", "compile", "a program cannot import")
}

func TestModulesAreRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	module := func(name, text string) core.Module { return core.Module{Name: name, Text: text} }
	for name, test := range map[string]struct {
		modules []core.Module
		want    string
	}{
		"syntax":       {[]core.Module{moneyModule, module("a.js", "export const a = 1;\nexport const b = ;")}, `in the module "a.js": syntax error: Unexpected ";" (line 2, column 18)`},
		"circle":       {[]core.Module{module("a.js", `import "b.js"`), module("b.js", `import "a.js"`)}, "a.js -> b.js -> a.js"},
		"itself":       {[]core.Module{module("a.js", `import "a.js"`)}, "a.js -> a.js"},
		"unknown":      {[]core.Module{module("a.js", `import "b.js"`)}, `there is no module "b.js"`},
		"Node's":       {[]core.Module{module("a.js", `import fs from "node:fs"; export const a = fs`)}, `there is no module "node:fs"`},
		"twice":        {[]core.Module{moneyModule, moneyModule}, `duplicate module name "money.js"`},
		"too large":    {[]core.Module{module("a.js", strings.Repeat(" ", core.MaxModule+1))}, "its text has 262145 bytes, 262144 at most"},
		"name: host":   {[]core.Module{module("codemode", "")}, "must have an ending"},
		"name: node":   {[]core.Module{module("node:fs", "")}, "reserved"},
		"name: plain":  {[]core.Module{module("fs", "")}, "must have an ending"},
		"name: above":  {[]core.Module{module("../a.js", "")}, "a module's name is like"},
		"name: absent": {[]core.Module{module("", "")}, "a module's name is like"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, err := core.New(t.Context(), core.Options{Modules: test.modules})
			if err == nil {
				_ = h.Close()
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// Models find modules by what they are for.
func TestModulesAreTold(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, newItems(1), withModules(moneyModule))
	if text := w.host.Tool(ctx).Description; !strings.Contains(text, `- import { format } from "money.js": Formats amounts.`) {
		t.Errorf("the tool's description:\n%s", text)
	}
	found, err := w.host.Search(ctx, catalog.Query{Text: "format amounts"})
	if err != nil || len(found.Results) != 1 || found.Results[0].Path != "money.js" || found.Results[0].Kind != catalog.KindModule {
		t.Errorf("found %+v, %v", found, err)
	}
	d, err := w.host.Describe(ctx, "money.js")
	if err != nil || d.Kind != catalog.KindModule || d.Types != "import { format } from \"money.js\";\n" {
		t.Errorf("described %+v, %v", d, err)
	}
	if d, err := w.host.Describe(ctx, "mony.js"); err != nil || len(d.Matches) != 1 || d.Matches[0] != "money.js" {
		t.Errorf("unknown: %+v, %v", d, err)
	}
}

// A fault of a module names the file and the line in which it stands.
func TestModuleFaultsArePlacedInTheConfiguration(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ config, want string }{
		"a file": {`
module "a.js" {
  source = file("lib/a.js")
}`, "codemode.hcl:3: Invalid module, in module \"a.js\"\n     3 |   source = file(\"lib/a.js\")\n  lib/a.js:2:21: Syntax error: Unexpected \";\".\n  > export const b = 1 +;"},
		"text in the configuration": {`
module "a.js" {
  source = <<-EOT
    export const a = 1;
    export const b = 1 +;
  EOT
}`, "codemode.hcl:5: Invalid module, in module \"a.js\"\n     5 |     export const b = 1 +;\n"},
		"a string": {`
module "a.js" {
  source = "export const a = 1;\nexport const b = 1 +;"
}`, "Line 2, column 21 of the text: Syntax error"},
		"of another": {`
module "b.js" {
  source = "import 'a.js'"
}
module "a.js" {
  source = "import 'b.js'"
}`, "codemode.hcl:6: Invalid module"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range map[string]string{"codemode.hcl": test.config, "lib/a.js": "export const a = 1;\nexport const b = 1 +;\n"} {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c, err := config.Load(filepath.Join(dir, "codemode.hcl"), config.Options{UserConfigDir: dir})
			if err != nil {
				t.Fatal(err)
			}
			_, err = core.Inspect(t.Context(), c, core.OpenOptions{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got\n%v\nwant\n%s", err, test.want)
			}
		})
	}
}
