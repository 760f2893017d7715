package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/config"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// planted is a secret that golden configurations read from the environment, from
// a file and from a variable. No output may contain it.
const planted = "planted-s3cr3t"

// TestGolden loads the configuration of each archive and compares what comes of
// it with the archive's file "want": a dump, or the diagnostics. The archive's
// comment may hold lines "var NAME=VALUE", "env NAME=VALUE" and "guest". With a
// file "schema.json" the first connector is checked against it, and with
// "problems.json" those are what the connector itself reports. With "methods.json"
// its conditions are checked against these methods.
func TestGolden(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := outcome(t, archive)
			if strings.Contains(got, planted) {
				t.Errorf("the output shows a secret:\n%s", got)
			}
			if *update {
				archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
				archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(file(archive, "want")), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func file(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// outcome loads an archive's configuration and writes down what comes of it.
func outcome(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "codemode.hcl")
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "codemode.d/") {
			path = filepath.Join(dir, "codemode.d")
		}
		write(t, filepath.Join(dir, f.Name), f.Data)
	}
	c, err := config.Load(path, optionsOf(string(a.Comment)))
	if err == nil && file(a, "schema.json") != nil {
		err = check(t, c.Connectors[0], file(a, "schema.json"), file(a, "problems.json"))
	}
	var out string
	if err == nil {
		out = dump(t, c)
	}
	if err == nil && file(a, "methods.json") != nil {
		out, err = checkConditions(t, c.Connectors[0], file(a, "methods.json"))
	}
	if err != nil {
		out = err.Error() + "\n" + out
	}
	return strings.ReplaceAll(out, dir, "$DIR")
}

func check(t *testing.T, c *config.Connector, schema, problems []byte) error {
	t.Helper()
	if problems == nil {
		return c.Validate(schema)
	}
	var list []config.Problem
	if err := json.Unmarshal(problems, &list); err != nil {
		t.Fatal(err)
	}
	return c.Diagnose(list, schema)
}

// checkConditions writes down the warnings.
func checkConditions(t *testing.T, c *config.Connector, methods []byte) (string, error) {
	t.Helper()
	var list []*catalog.Method
	if err := json.Unmarshal(methods, &list); err != nil {
		t.Fatal(err)
	}
	warnings, err := c.CheckConditions(list)
	var b strings.Builder
	for _, w := range warnings {
		fmt.Fprintf(&b, "\nwarning: %s", w)
	}
	return b.String(), errors.Join(err, c.CheckDeclared(list))
}

func optionsOf(comment string) config.Options {
	env, vars := map[string]string{"SECRET": planted}, map[string]string{}
	o := config.Options{Vars: vars, UserConfigDir: "/nowhere"}
	for line := range strings.Lines(comment) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, value, _ := strings.Cut(rest, "=")
		switch word {
		case "var":
			vars[name] = value
		case "env":
			env[name] = value
		case "guest":
			o.Guest = true
		}
	}
	o.Env = func(name string) (string, bool) {
		value, set := env[name]
		return value, set
	}
	return o
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// dump writes a configuration down, secrets blacked out where the configuration says that they are.
func dump(t *testing.T, c *config.Config) string {
	t.Helper()
	if c == nil {
		return ""
	}
	var b strings.Builder
	line := func(name string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", name, text)
	}
	line("runtime", c.Runtime)
	line("sandbox", c.Sandbox)
	line("approvals", c.Approvals)
	for _, connector := range c.Connectors {
		fmt.Fprintln(&b, connector)
		fmt.Fprintf(&b, "  plugin=%s args=%q checksum=%s timeout=%s mtls=%v\n", connector.Plugin, connector.Args, connector.Checksum, connector.Timeout, connector.MTLS)
		line("  env", redacted(connector, connector.Env))
		line("  config", redacted(connector, json.RawMessage(connector.ConfigJSON)))
		line("  sensitive", connector.SensitivePaths)
		line("  hint", connector.Hint)
		fmt.Fprintf(&b, "  pacing concurrency=%d %+v %+v\n", connector.Concurrency, connector.Retries, connector.RateLimit)
		for _, r := range connector.Rules {
			fmt.Fprintf(&b, "  rule %s %q conditional=%v reason=%q at %s\n", r.Effect, r.Methods, r.When != nil, r.Reason, r.Place)
		}
		for _, m := range connector.Methods {
			line("  method", m)
		}
		for method, call := range sorted(connector.Declared.Prepare) {
			fmt.Fprintf(&b, "  prepare %s: %s args=%v\n", method, call.Method, call.Args != nil)
		}
		for method, call := range sorted(connector.Declared.Revert) {
			fmt.Fprintf(&b, "  revert %s: %s args=%v\n", method, call.Method, call.Args != nil)
		}
		for method, q := range sorted(connector.Declared.Reconcile) {
			fmt.Fprintf(&b, "  reconcile %s: %s args=%v result=%v\n", method, q.Method, q.Args != nil, q.Result != nil)
		}
		for method := range sorted(connector.Declared.Preview) {
			fmt.Fprintf(&b, "  preview %s\n", method)
		}
	}
	for _, m := range c.Modules {
		line("module "+m.Name, []string{m.Description, m.Text})
	}
	return b.String()
}

// sorted walks a map in the order of its keys.
func sorted[T any](m map[string]T) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// redacted is v as JSON without the connector's secrets.
func redacted(c *config.Connector, v any) any {
	text, _ := json.Marshal(v)
	for _, secret := range c.Secrets() {
		quoted, _ := json.Marshal(secret)
		text = bytes.ReplaceAll(text, bytes.Trim(quoted, `"`), []byte("(secret)"))
	}
	return json.RawMessage(text)
}
