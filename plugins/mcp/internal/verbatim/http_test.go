package verbatim

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fetch returns a body as it comes through [HTTP].
func fetch(t *testing.T, contentType, body string) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(web.Close)
	client := &http.Client{Transport: HTTP(http.DefaultTransport)}
	resp, err := client.Get(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// verbatimOf returns the text in a message's result.
func verbatimOf(t *testing.T, message string) string {
	t.Helper()
	m, err := jsonrpc.DecodeMessage([]byte(message))
	if err != nil {
		t.Fatalf("%q: %v", message, err)
	}
	got := &mcp.CallToolResult{}
	if err := json.Unmarshal(m.(*jsonrpc.Response).Result, got); err != nil {
		t.Fatal(err)
	}
	return string(Result(got))
}

const (
	result   = `{"content":[],"structuredContent":{"z":1.0,"a":12345678901234567890}}`
	response = `{"jsonrpc":"2.0","id":1,"result":` + result + `}`
)

func TestHTTP(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(result, verbatimOf(t, fetch(t, "application/json; charset=utf-8", response))); diff != "" {
		t.Error(diff)
	}
	one := fetch(t, "text/event-stream", "event: message\r\nid: 7\r\ndata: "+response+"\r\n\r\n")
	rest, ok := strings.CutPrefix(one, "event: message\r\nid: 7\r\ndata: ")
	if !ok || verbatimOf(t, rest) != result {
		t.Errorf("got %q", one)
	}
	several := fetch(t, "text/event-stream", "data: "+strings.ReplaceAll(response, `,"id"`, ",\ndata:\"id\"")+"\n\n")
	if got := verbatimOf(t, strings.TrimPrefix(several, "data: ")); got != result {
		t.Errorf("several lines: got %q", several)
	}
}

// TestHTTPLeaves: what is no answer of a server stays as it is.
func TestHTTPLeaves(t *testing.T) {
	t.Parallel()
	events := ": ping\n\nretry: 5\n\nevent: endpoint\ndata: /messages?id=1\n\n" +
		"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\ndata: \n\ndata: cut off"
	if diff := cmp.Diff(events, strings.TrimSuffix(fetch(t, "text/event-stream", events+"\n"), "\n")); diff != "" {
		t.Error(diff)
	}
	for contentType, text := range map[string]string{
		"text/plain": response, "application/json": `{"error":"no message"}`, "": "text",
	} {
		if got := fetch(t, contentType, text); got != text {
			t.Errorf("%s: got %q", contentType, got)
		}
	}
}
