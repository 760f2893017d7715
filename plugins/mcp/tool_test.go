package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/tools/txtar"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// TestMethods compares the methods that become of testdata's tools.
func TestMethods(t *testing.T) {
	t.Parallel()
	const path = "testdata/methods.txtar"
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tools := string(archive.Files[0].Data)
	renewed := &txtar.Archive{Comment: archive.Comment, Files: archive.Files[:1]}
	for i, trusted := range []bool{false, true} {
		name := map[bool]string{false: "untrusted", true: "trusted"}[trusted]
		c := mount(t, listing(tools), map[string]any{"trusted": trusted})
		got := render(t, c)
		renewed.Files = append(renewed.Files, txtar.File{Name: name, Data: []byte(got)})
		if *update {
			continue
		}
		if diff := cmp.Diff(string(archive.Files[i+1].Data), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(renewed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// listing starts servers with one page of tools.
func listing(tools string) starter {
	return answering(func(string, json.RawMessage) (string, error) { return `{"tools":` + tools + `}`, nil })
}

// render says in words what the methods are.
func render(t *testing.T, c wire.Connector) string {
	t.Helper()
	methods, err := c.Methods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, m := range methods {
		var facts []string
		for fact, holds := range map[string]bool{
			"read-only": m.ReadOnly, "idempotent": m.Idempotent, "destructive": m.Destructive, "approval": m.RequiresApproval,
		} {
			if holds {
				facts = append(facts, fact)
			}
		}
		slices.Sort(facts)
		fmt.Fprintf(&out, "%s: %q\n  %s\n  in:  %s\n  out: %s\n", m.Name, m.Description, strings.Join(facts, ", "), m.InputSchema, m.OutputSchema)
	}
	return out.String()
}

// names returns the methods' names.
func names(t *testing.T, c wire.Connector) []string {
	t.Helper()
	methods, err := c.Methods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range methods {
		all = append(all, m.Name)
	}
	return all
}

func TestAllPages(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "pages"}, &mcp.ServerOptions{PageSize: 3})
	var want []string
	for i := range 10 {
		name := fmt.Sprintf("tool-%d", i)
		addTool(s, name, "text")
		want = append(want, name)
	}
	if diff := cmp.Diff(want, names(t, mount(t, serving(s), nil))); diff != "" {
		t.Error(diff)
	}
}

// addTool adds a tool that answers with a text.
func addTool(s *mcp.Server, name, text string) {
	s.AddTool(&mcp.Tool{Name: name, InputSchema: anyObject}, says(text))
}

func TestPagesInCircles(t *testing.T) {
	t.Parallel()
	c := mount(t, answering(func(string, json.RawMessage) (string, error) {
		return `{"tools":[],"nextCursor":"again"}`, nil
	}), nil)
	_, err := c.Methods(t.Context())
	if e := told(t, err); e.Code != sdk.Unavailable || !strings.Contains(e.Message, "circles") {
		t.Errorf("got %v", e)
	}
}

// TestNoTools: a server may have none and not even know the question.
func TestNoTools(t *testing.T) {
	t.Parallel()
	c := mount(t, answering(func(string, json.RawMessage) (string, error) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "what?"}
	}), nil)
	if got := names(t, c); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestListFails(t *testing.T) {
	t.Parallel()
	c := mount(t, answering(func(string, json.RawMessage) (string, error) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the database is down"}
	}), nil)
	_, err := c.Methods(t.Context())
	if e := told(t, err); e.Code != sdk.Unavailable || !strings.Contains(e.Message, "the database is down") {
		t.Errorf("got %v", e)
	}
}

// TestWatch: the host hears that the list has changed and then gets the new one.
func TestWatch(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "growing"}, nil)
	addTool(s, "first", "one")
	c := mount(t, serving(s), nil)
	if diff := cmp.Diff([]string{"first"}, names(t, c)); diff != "" {
		t.Error(diff)
	}
	changes := watch(t, c)
	addTool(s, "second", "two")
	if change := within(t, changes); !change.MethodsChanged || change.Health != "" {
		t.Errorf("got %+v", change)
	}
	if diff := cmp.Diff([]string{"first", "second"}, names(t, c)); diff != "" {
		t.Error(diff)
	}
	if got, err := invoke(t, c, "second", ""); err != nil || got != `"two"` {
		t.Errorf("got %s, %v", got, err)
	}
	s.RemoveTools("first")
	within(t, changes)
	names(t, c)
	_, err := invoke(t, c, "first", "")
	if e := told(t, err); e.Code != sdk.NotFound || e.Effect != sdk.EffectNone {
		t.Errorf("a tool that is gone: %v", e)
	}
}
