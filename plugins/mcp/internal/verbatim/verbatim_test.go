package verbatim

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// receive returns what a Transport makes of a message.
func receive(t *testing.T, message string) jsonrpc.Message {
	t.Helper()
	c, err := Transport(&mcp.IOTransport{
		Reader: io.NopCloser(strings.NewReader(message + "\n")), Writer: nowhere{},
	}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	received, err := c.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return received
}

type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }

// receiveResult is receive for a response with this result.
func receiveResult(t *testing.T, result string) json.RawMessage {
	t.Helper()
	response, ok := receive(t, `{"jsonrpc":"2.0","id":1,"result":`+result+`}`).(*jsonrpc.Response)
	if !ok {
		t.Fatal("the message is no response any more")
	}
	return response.Result
}

func TestResult(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ result, want string }{
		"order and numbers": {`{"content":[],"structuredContent":{"z":12345678901234567890,"a":1.0}}`, ""},
		"unknown content":   {`{"content":[{"type":"video","frames":7}]}`, ""},
		"no content":        {`{"structuredContent":[1]}`, ""},
		"error":             {`{"isError":true}`, ""},
		"legacy":            {`{"toolResult":{"b":2,"a":1}}`, ""},
		"own meta":          {`{"content":[],"_meta":{"x":1}}`, ""},
		"nothing":           {`{"other":1}`, `{}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := &mcp.CallToolResult{}
			if err := json.Unmarshal(receiveResult(t, test.result), got); err != nil {
				t.Fatal(err)
			}
			want := test.want
			if want == "" {
				want = test.result
			}
			if diff := cmp.Diff(want, string(Result(got))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestResultKeepsRoundTrips: the SDK must still see that a server asks for input.
func TestResultKeepsRoundTrips(t *testing.T) {
	t.Parallel()
	got := &mcp.CallToolResult{}
	raw := receiveResult(t, `{"content":[],"resultType":"input_required","requestState":"s","isError":true}`)
	if err := json.Unmarshal(raw, got); err != nil {
		t.Fatal(err)
	}
	if got.RequestState != "s" || !got.IsError {
		t.Errorf("the result has lost fields: %+v", got)
	}
}

func TestTool(t *testing.T) {
	t.Parallel()
	const first = `{"name":"a","inputSchema":{"type":"object","properties":{"z":{},"a":{}}},"_meta":{"x":1}}`
	const second = `{"name":"b","inputSchema":{"type":"object"},"later":true}`
	got := &mcp.ListToolsResult{}
	if err := json.Unmarshal(receiveResult(t, `{"tools":[`+first+`,`+second+`],"nextCursor":"c"}`), got); err != nil {
		t.Fatal(err)
	}
	if len(got.Tools) != 2 || got.NextCursor != "c" {
		t.Fatalf("got %+v", got)
	}
	for i, want := range []string{first, second} {
		if diff := cmp.Diff(want, string(Tool(got.Tools[i]))); diff != "" {
			t.Error(diff)
		}
	}
	if raw := Tool(&mcp.Tool{Name: "c"}); raw != nil {
		t.Errorf("a tool that came another way has the text %s", raw)
	}
}

// TestOtherMessages: what is neither tools nor a call's result stays as it is.
func TestOtherMessages(t *testing.T) {
	t.Parallel()
	for _, result := range []string{
		`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}`, `{"z":1,"a":2}`, `{}`, `[1,2]`, `"text"`, `null`,
	} {
		if got := string(receiveResult(t, result)); got != result {
			t.Errorf("%s became %s", result, got)
		}
	}
	if _, ok := receive(t, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`).(*jsonrpc.Request); !ok {
		t.Error("a notification became something else")
	}
	response := receive(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`).(*jsonrpc.Response)
	if refused, ok := errors.AsType[*jsonrpc.Error](response.Error); !ok || refused.Message != "no" {
		t.Errorf("an error became %v", response.Error)
	}
	if got := string(receiveResult(t, `{"tools":7}`)); got != `{"tools":7}` {
		t.Errorf("a broken list became %s", got)
	}
}

// failing is a transport that cannot be connected, or a connection that ends.
type failing struct{ mcp.Connection }

var errBroken = errors.New("broken")

func (failing) Connect(context.Context) (mcp.Connection, error) { return nil, errBroken }
func (failing) Read(context.Context) (jsonrpc.Message, error)   { return nil, errBroken }

func TestErrorsPass(t *testing.T) {
	t.Parallel()
	if _, err := Transport(failing{}).Connect(t.Context()); !errors.Is(err, errBroken) {
		t.Errorf("Connect: %v", err)
	}
	if _, err := (connection{failing{}}).Read(t.Context()); !errors.Is(err, errBroken) {
		t.Errorf("Read: %v", err)
	}
}

// FuzzMark: whatever a result is, it stays JSON, and a call's is found whole.
func FuzzMark(f *testing.F) {
	for _, seed := range []string{
		`{"content":[],"structuredContent":{"a":1}}`, `{"tools":[{"name":"a"},null,7]}`, `{"tools":{}}`, `[]`, `{"isError":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		marked, err := mark(raw)
		if err != nil || !json.Valid(marked) {
			t.Fatalf("%s became %s, %v", raw, marked, err)
		}
	})
}
