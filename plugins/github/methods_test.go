package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/wire"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// offered lists the methods of a connector with a configuration.
func offered(t *testing.T, config string) []*wire.Method {
	t.Helper()
	mounted, err := New().InProcess()
	if err != nil {
		t.Fatal(err)
	}
	if err := mounted.Configure(t.Context(), &wire.ConfigureRequest{Label: "github", Config: json.RawMessage(config)}); err != nil {
		t.Fatal(err)
	}
	offer, err := mounted.Methods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return offer.Methods
}

// facts are what a method declares, for people.
func facts(m *wire.Method) string {
	var list []string
	for fact, holds := range map[string]bool{
		"reads": m.ReadOnly, "idempotent": m.Idempotent, "destructive": m.Destructive, "needs approval": m.RequiresApproval,
		"prepares": m.Prepares, "reverts": m.Reverts, "reconciles": m.Reconciles, "previews": m.Previews,
	} {
		if holds {
			list = append(list, fact)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// TestMethods compares what the connector declares with testdata/methods.txt:
// effects, abilities and schemas are what programs and people rely on.
func TestMethods(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, m := range offered(t, `{"token":"x"}`) {
		fmt.Fprintf(&out, "%s: %s\n  %s\n  in:  %s\n  out: %s\n", m.Name, m.Description, facts(m), m.InputSchema, m.OutputSchema)
	}
	golden(t, "testdata/methods.txt", out.String())
}

// golden compares a text with a file, or rewrites the file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// TestEveryWriteIsSafe: every write waits for a person, who reads a preview, and
// says whether it can be undone.
func TestEveryWriteIsSafe(t *testing.T) {
	t.Parallel()
	for _, m := range offered(t, `{"token":"x"}`) {
		if m.ReadOnly {
			if m.RequiresApproval || m.Reverts {
				t.Errorf("%s reads and is treated as a write", m.Name)
			}
			continue
		}
		if !m.RequiresApproval || !m.Previews {
			t.Errorf("%s: approval %v, preview %v", m.Name, m.RequiresApproval, m.Previews)
		}
		if !m.Reverts && !strings.Contains(m.Description, "cannot be undone") {
			t.Errorf("%s has no revert and does not say that it cannot be undone", m.Name)
		}
	}
}

// TestRevertMerges: a merge has a revert only where the configuration wants it.
func TestRevertMerges(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]bool{`{"token":"x"}`: false, `{"token":"x","revert_merges":true}`: true} {
		for _, m := range offered(t, config) {
			if m.Name == "merge_pull_request" && (m.Reverts != want || strings.Contains(m.Description, "cannot be undone") == want) {
				t.Errorf("%s: reverts %v: %s", config, m.Reverts, m.Description)
			}
		}
	}
}
