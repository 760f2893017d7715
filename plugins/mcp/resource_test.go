package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// library is a server with resources, a template and prompts, and a page for each.
func library() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "library"}, &mcp.ServerOptions{PageSize: 1, Instructions: "Read."})
	read := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		contents := &mcp.ResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: "1.10"}
		if r.Params.URI == "book:bytes" {
			contents = &mcp.ResourceContents{URI: r.Params.URI, Blob: []byte{0, 1, 2}}
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
	}
	s.AddResource(&mcp.Resource{URI: "book:bytes", Name: "bytes"}, read)
	s.AddResource(&mcp.Resource{URI: "book:text", Name: "text", MIMEType: "text/plain", Size: 4}, read)
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "book:{number}", Name: "by number"}, read)
	for _, name := range []string{"greet", "part"} {
		s.AddPrompt(&mcp.Prompt{
			Name: name, Description: "Says\nwhat to say.", Arguments: []*mcp.PromptArgument{{Name: "who", Required: true}, {Name: "how"}},
		}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text := &mcp.TextContent{Text: fmt.Sprintf("Greet %s.", r.Params.Arguments["who"])}
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: text}}}, nil
		})
	}
	return s
}

// TestResourcesAndPrompts: what a server has beside tools can be listed, all pages, and read.
func TestResourcesAndPrompts(t *testing.T) {
	t.Parallel()
	c := mount(t, serving(library()), nil)
	if diff := cmp.Diff([]string{"list_resources", "list_resource_templates", "read_resource", "get_prompt"}, names(t, c)); diff != "" {
		t.Fatal(diff)
	}
	tests := map[string]struct{ method, args, want string }{
		"list":      {"list_resources", "{}", `[{"uri":"book:bytes","name":"bytes"},{"uri":"book:text","name":"text","mimeType":"text/plain","size":4}]`},
		"templates": {"list_resource_templates", "{}", `[{"uriTemplate":"book:{number}","name":"by number"}]`},
		"text":      {"read_resource", `{"uri":"book:text"}`, `{"contents":[{"mimeType":"text/plain","text":"1.10","uri":"book:text"}]}`},
		"bytes":     {"read_resource", `{"uri":"book:bytes"}`, `{"contents":[{"blob":{"$bytes":"AAEC"},"uri":"book:bytes"}]}`},
		"template":  {"read_resource", `{"uri":"book:7"}`, `{"contents":[{"mimeType":"text/plain","text":"1.10","uri":"book:7"}]}`},
		"prompt":    {"get_prompt", `{"name":"greet","arguments":{"who":"Ann"}}`, `{"description":"","messages":[{"content":{"type":"text","text":"Greet Ann."},"role":"user"}]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := invoke(t, c, test.method, test.args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	_, err := invoke(t, c, "read_resource", `{"uri":"film:1"}`)
	if e := told(t, err); e.Effect == sdk.EffectUnknown {
		t.Errorf("a resource that is not there: %+v", e)
	}
}

// TestReadsOfResources: they are reads, and reading from a server that is not trusted needs an approval.
func TestReadsOfResources(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{false, true} {
		offer, err := mount(t, serving(library()), map[string]any{"trusted": trusted}).Methods(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		asked := map[string]bool{}
		for _, m := range offer.Methods {
			asked[m.Name] = m.RequiresApproval
			if !m.ReadOnly {
				t.Errorf("%s is no read", m.Name)
			}
		}
		want := map[string]bool{"list_resources": false, "list_resource_templates": false, "read_resource": !trusted, "get_prompt": !trusted}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("trusted %v: %s", trusted, diff)
		}
	}
}

// TestPromptsAreDescribed: a model finds them in the instructions, and new ones, too.
func TestPromptsAreDescribed(t *testing.T) {
	t.Parallel()
	s := library()
	c := mount(t, serving(s), nil)
	described := func() string {
		offer, err := c.Methods(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return offer.Instructions
	}
	const want = "Read.\n\nPrompts, for get_prompt:\n- greet(who, how?): Says what to say.\n- part(who, how?): Says what to say."
	if diff := cmp.Diff(want, described()); diff != "" {
		t.Error(diff)
	}
	changes := watch(t, c)
	s.AddPrompt(&mcp.Prompt{Name: "stay", Title: "Stay"}, nil)
	if change := within(t, changes); !change.MethodsChanged {
		t.Errorf("got %+v", change)
	}
	if diff := cmp.Diff(want+"\n- stay(): Stay", described()); diff != "" {
		t.Error(diff)
	}
}

// TestToolInThePlaceOfAMethod: a tool keeps its name.
func TestToolInThePlaceOfAMethod(t *testing.T) {
	t.Parallel()
	s := library()
	addTool(s, "read_resource", "the tool")
	c := mount(t, serving(s), nil)
	names(t, c)
	if got, err := invoke(t, c, "read_resource", `{"uri":"book:text"}`); err != nil || got != `"the tool"` {
		t.Errorf("got %s, %v", got, err)
	}
}
