package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"
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

// TestRawHasNoOutputSchema: the schema of a tool's structured content is not
// that of all the tool answers.
func TestRawHasNoOutputSchema(t *testing.T) {
	t.Parallel()
	tools := `[{"name":"m","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}]`
	for result, want := range map[string]string{"value": `{"type":"object"}`, "raw": ""} {
		offer, err := mount(t, listing(tools), map[string]any{"result": result}).Methods(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(offer.Methods) != 1 || string(offer.Methods[0].OutputSchema) != want {
			t.Errorf("%s: got %+v", result, offer.Methods)
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
	offer, err := c.Methods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, m := range offer.Methods {
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
	offer, err := c.Methods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range offer.Methods {
		all = append(all, m.Name)
	}
	return all
}

// TestInstructions: what the server says of itself is what the connector offers; without it nothing is.
func TestInstructions(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"Files of the team.\nAsk first.", ""} {
		s := mcp.NewServer(&mcp.Implementation{Name: "saying"}, &mcp.ServerOptions{Instructions: want})
		addTool(s, "m", "text")
		offer, err := mount(t, serving(s), nil).Methods(t.Context())
		if err != nil || offer.Instructions != want || len(offer.Methods) != 1 {
			t.Errorf("got %+v, %v, want %q", offer, err, want)
		}
	}
}

// TestInstructionsOfAnotherServer: one that is started in the place of one that ended may say something else.
func TestInstructionsOfAnotherServer(t *testing.T) {
	t.Parallel()
	starts := 0
	c := newConnector(func(config *Config, log hclog.Logger) (server, error) {
		starts++
		s := mcp.NewServer(&mcp.Implementation{Name: "saying"}, &mcp.ServerOptions{Instructions: fmt.Sprintf("Version %d.", starts)})
		return serving(s)(config, log)
	})
	if err := c.configure(t.Context(), Config{Command: os.Args[0]}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.close(context.Background()) })
	for _, want := range []string{"Version 1.", "Version 2."} {
		if got, err := c.instructions(t.Context()); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		c.live.end()
	}
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
