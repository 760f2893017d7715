package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// starter is what a connector starts servers with.
type starter = func(*Config, hclog.Logger) (server, error)

var anyObject = json.RawMessage(`{"type":"object"}`)

// says is a tool that answers with a text.
func says(text string) mcp.ToolHandler {
	return returns(&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}})
}

// returns is a tool that answers with a result.
func returns(r *mcp.CallToolResult) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return r, nil }
}

// with returns a server whose only tool is named m.
func with(h mcp.ToolHandler) starter {
	s := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	s.AddTool(&mcp.Tool{Name: "m", InputSchema: anyObject}, h)
	return serving(s)
}

// TestResults: what a real server sends arrives, in its own order and digits.
func TestResults(t *testing.T) {
	t.Parallel()
	text := func(s string) mcp.Content { return &mcp.TextContent{Text: s} }
	tests := map[string]struct {
		result mcp.CallToolResult
		config map[string]any
		want   string
	}{
		"structured": {
			result: mcp.CallToolResult{StructuredContent: json.RawMessage(`{"z":12345678901234567890,"a":{"$bytes":"AA=="}}`)},
			want:   `{"z":12345678901234567890,"a":{"$$bytes":"AA=="}}`,
		},
		"text": {
			result: mcp.CallToolResult{Content: []mcp.Content{text("1.10")}},
			want:   `"1.10"`,
		},
		"texts": {
			result: mcp.CallToolResult{Content: []mcp.Content{text("a"), text("b")}},
			want:   `"a\nb"`,
		},
		"JSON text": {
			result: mcp.CallToolResult{Content: []mcp.Content{text(`[{"b":1,"a":2}]`)}},
			want:   `[{"b":1,"a":2}]`,
		},
		"JSON text, not parsed": {
			result: mcp.CallToolResult{Content: []mcp.Content{text(`[1]`)}},
			config: map[string]any{"parse_text": false},
			want:   `"[1]"`,
		},
		"image": {
			result: mcp.CallToolResult{Content: []mcp.Content{text("a"), &mcp.ImageContent{Data: []byte{0, 1, 2}, MIMEType: "image/png"}}},
			want:   `{"content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":{"$bytes":"AAEC"}}]}`,
		},
		"audio": {
			result: mcp.CallToolResult{Content: []mcp.Content{&mcp.AudioContent{Data: []byte{3}, MIMEType: "audio/wav"}}},
			want:   `{"content":[{"type":"audio","mimeType":"audio/wav","data":{"$bytes":"Aw=="}}]}`,
		},
		"resource": {
			result: mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///a", Blob: []byte{4}}}}},
			want:   `{"content":[{"type":"resource","resource":{"uri":"file:///a","blob":{"$bytes":"BA=="}}}]}`,
		},
		"link": {
			result: mcp.CallToolResult{Content: []mcp.Content{&mcp.ResourceLink{URI: "file:///a", Name: "a"}}},
			want:   `{"content":[{"type":"resource_link","uri":"file:///a","name":"a"}]}`,
		},
		"raw structured": {
			result: mcp.CallToolResult{StructuredContent: json.RawMessage(`{"z":1,"a":{"$bytes":"AA=="}}`), Content: []mcp.Content{text("[1]")}},
			config: map[string]any{"result": "raw"},
			want:   `{"content":[{"type":"text","text":"[1]"}],"structuredContent":{"z":1,"a":{"$$bytes":"AA=="}}}`,
		},
		"raw text": {
			result: mcp.CallToolResult{Content: []mcp.Content{text("[1]")}},
			config: map[string]any{"result": "raw"},
			want:   `{"content":[{"type":"text","text":"[1]"}]}`,
		},
		"raw nothing": {
			result: mcp.CallToolResult{Content: []mcp.Content{}},
			config: map[string]any{"result": "raw"},
			want:   `{"content":[]}`,
		},
		"nothing": {
			result: mcp.CallToolResult{Content: []mcp.Content{}},
			want:   "undefined",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := invoke(t, mount(t, with(returns(&test.result)), test.config), "m", "{}")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestArguments: tags become what MCP can carry, and everything else stays.
func TestArguments(t *testing.T) {
	t.Parallel()
	c := mount(t, with(func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}}}, nil
	}), map[string]any{"parse_text": false})
	tests := map[string]struct{ args, want string }{
		"order":      {`{"z":1,"a":"<&>"}`, `{"z":1,"a":"<&>"}`},
		"digits":     {`{"n":12345678901234567890,"f":1.0}`, `{"n":12345678901234567890,"f":1.0}`},
		"bytes":      {`{"b":{"$bytes":"AAEC"}}`, `{"b":"AAEC"}`},
		"big":        {`{"n":{"$bigint":"123456789012345678901234567890"}}`, `{"n":123456789012345678901234567890}`},
		"look-alike": {`{"b":{"$$bytes":"AAEC"}}`, `{"b":{"$bytes":"AAEC"}}`},
		"null":       {`{"x":null}`, `{"x":null}`},
		"none":       {``, `{}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := invoke(t, c, "m", test.args)
			if err != nil {
				t.Fatal(err)
			}
			want, err := json.Marshal(test.want)
			if err != nil {
				t.Fatal(err)
			}
			if !equalJSON(t, got, string(want)) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// equalJSON compares two JSON strings by what they spell.
func equalJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y string
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return x == y
}

func TestArgumentsThatAreNotJSON(t *testing.T) {
	t.Parallel()
	_, err := invoke(t, mount(t, with(says("x")), nil), "m", `{"$":`)
	if e := told(t, err); e.Code != sdk.InvalidArgument {
		t.Errorf("got %v", e)
	}
}

func TestToolFails(t *testing.T) {
	t.Parallel()
	failed := &mcp.CallToolResult{
		IsError:           true,
		Content:           []mcp.Content{&mcp.TextContent{Text: "quota exceeded"}, &mcp.TextContent{Text: "come back tomorrow"}},
		StructuredContent: json.RawMessage(`{"limit":10}`),
	}
	_, err := invoke(t, mount(t, with(returns(failed)), nil), "m", "{}")
	want := &wire.Error{
		Code: sdk.Internal, Message: "quota exceeded\ncome back tomorrow", Effect: sdk.EffectUnknown,
		Details: json.RawMessage(`{"limit":10}`),
	}
	if diff := cmp.Diff(want, told(t, err)); diff != "" {
		t.Error(diff)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		refused jsonrpc.Error
		want    wire.Error
	}{
		"invalid params": {
			jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "path is missing", Data: json.RawMessage(`{"path":"$"}`)},
			wire.Error{Code: sdk.InvalidArgument, Message: "path is missing", Details: json.RawMessage(`{"path":"$"}`)},
		},
		"method not found": {
			jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no such tool"},
			wire.Error{Code: sdk.NotFound, Message: "no such tool"},
		},
		"internal": {
			jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "oops"},
			wire.Error{Code: sdk.Internal, Message: "oops"},
		},
		"own code": {
			jsonrpc.Error{Code: -32001, Message: "oops", Data: json.RawMessage(`{"$bigint":"1"}`)},
			wire.Error{Code: sdk.Internal, Message: "oops", Details: json.RawMessage(`{"$$bigint":"1"}`)},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := mount(t, answering(func(method string, _ json.RawMessage) (string, error) {
				if method == "tools/list" {
					return `{"tools":[{"name":"m","inputSchema":{}}]}`, nil
				}
				return "", &test.refused
			}), nil)
			_, err := invoke(t, c, "m", "{}")
			if diff := cmp.Diff(&test.want, told(t, err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestUnusableAnswer: the server has done something, nobody knows what.
func TestUnusableAnswer(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{`[]`, `"text"`, `{"content":7}`} {
		c := mount(t, answering(func(method string, _ json.RawMessage) (string, error) {
			if method == "tools/list" {
				return `{"tools":[{"name":"m","inputSchema":{}}]}`, nil
			}
			return answer, nil
		}), nil)
		_, err := invoke(t, c, "m", "{}")
		if e := told(t, err); e.Code != sdk.Internal || e.Effect == sdk.EffectNone {
			t.Errorf("%s: got %v", answer, e)
		}
	}
}

// TestCancellation: the end of a call's context reaches the tool, and the
// session goes on.
func TestCancellation(t *testing.T) {
	t.Parallel()
	entered, cancelled := make(chan struct{}), make(chan struct{})
	s := mcp.NewServer(&mcp.Implementation{Name: "slow"}, nil)
	addTool(s, "quick", "done")
	s.AddTool(&mcp.Tool{Name: "slow", InputSchema: anyObject}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(entered)
		<-ctx.Done()
		close(cancelled)
		return nil, ctx.Err()
	})
	c := mount(t, serving(s), nil)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := invokeIn(ctx, c, "slow", "{}")
		result <- err
	}()
	within(t, entered)
	cancel()
	if err := within(t, result); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	within(t, cancelled)
	if got, err := invoke(t, c, "quick", "{}"); err != nil || got != `"done"` {
		t.Errorf("the next call: %s, %v", got, err)
	}
}

// TestProgress: what a server says of a call reaches whoever made it.
func TestProgress(t *testing.T) {
	t.Parallel()
	heard := make(chan struct{})
	c := mount(t, with(func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		params := &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Message: "half", Progress: 1, Total: 2}
		if err := r.Session.NotifyProgress(ctx, params); err != nil {
			return nil, err
		}
		select { // a report of a call that has ended would be dropped
		case <-heard:
		case <-ctx.Done():
		}
		return &mcp.CallToolResult{}, nil
	}), nil)
	var got []wire.Progress
	call := &wire.Call{ExecutionID: "e", Seq: "0", Method: "m", Args: json.RawMessage("{}")}
	_, err := c.Invoke(t.Context(), call, func(p wire.Progress) {
		got = append(got, p)
		close(heard)
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]wire.Progress{{Message: "half", Done: 1, Total: 2}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestElicitationIsRefused: a server that wants to ask learns that nobody answers, and its tool fails with that.
func TestElicitationIsRefused(t *testing.T) {
	t.Parallel()
	c := mount(t, with(func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Sure?", RequestedSchema: anyObject})
		return nil, err
	}), nil)
	_, err := invoke(t, c, "m", "{}")
	if e := told(t, err); !strings.Contains(e.Message, "elicitation") {
		t.Errorf("got %+v", e)
	}
}

// TestUnsaidIsLogged: a text beside structured content is not lost.
func TestUnsaidIsLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	c := newConnector(with(returns(&mcp.CallToolResult{
		StructuredContent: json.RawMessage(`{"rows":[1]}`),
		Content:           []mcp.Content{&mcp.TextContent{Text: "1 of 3 rows" + strings.Repeat("!", 5000)}},
	})))
	made := c.sdk()
	made.Logger = hclog.New(&hclog.LoggerOptions{Output: &log, Level: hclog.Info})
	mounted, err := made.InProcess()
	if err != nil {
		t.Fatal(err)
	}
	if err := mounted.Configure(t.Context(), &wire.ConfigureRequest{Config: json.RawMessage(`{"command":"/bin/sh"}`)}); err != nil {
		t.Fatal(err)
	}
	got, err := invoke(t, mounted, "m", "{}")
	if err := errors.Join(err, c.close(t.Context())); err != nil || got != `{"rows":[1]}` {
		t.Errorf("got %s, %v", got, err)
	}
	if !strings.Contains(log.String(), "1 of 3 rows") || log.Len() > 3000 {
		t.Errorf("the log is %.500s", log.String())
	}
}
