package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// mark is in every secret of these tests, and in every line of them.
const mark = "s3cr3t"

var secrets = map[string]string{"TOKEN": mark + `-"token"`, "KEY": mark + "-line\n" + mark + "-more\n"}

func init() {
	// These are servers that tell their secrets.
	roles["leaky"] = leak
	roles["refusing"] = refuse
}

// leak serves tools that tell the secrets in every way there is.
func leak() {
	token, key := os.Getenv("TOKEN"), os.Getenv("KEY")
	fmt.Fprintln(os.Stderr, "starting with", token)
	fmt.Fprint(os.Stderr, key)
	fmt.Fprintln(os.Stdout, "hello", token)
	s := mcp.NewServer(&mcp.Implementation{Name: "leaky"}, nil)
	add := func(name string, h mcp.ToolHandler) { s.AddTool(&mcp.Tool{Name: name, InputSchema: anyObject}, h) }
	add("environment", returns(&mcp.CallToolResult{StructuredContent: map[string]any{"env": os.Environ()}}))
	add("tell", says(token))
	add("refuse", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		data, err := json.Marshal(map[string]string{"token": token})
		if err != nil {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no use: " + token + key, Data: data}
	})
	text := &mcp.TextContent{Text: "no use: " + token + key}
	structured := map[string]string{"key": key}
	add("fail", returns(&mcp.CallToolResult{IsError: true, Content: []mcp.Content{text}, StructuredContent: structured}))
	add("add", returns(&mcp.CallToolResult{Content: []mcp.Content{text}, StructuredContent: map[string]int{"n": 1}}))
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// refuse answers every request with an error that tells a secret.
func refuse() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": request.ID, "error": map[string]any{
			"code": -32000, "message": "cannot log in with " + os.Getenv("TOKEN"),
		}})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		fmt.Println(string(answer))
	}
}

// journal is a log that can be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// mountSecretive returns a connector to a server that is a process with a role and has secrets.
func mountSecretive(t *testing.T, role string) (wire.Connector, *journal) {
	t.Helper()
	j := &journal{}
	// Its output is done when the connector is closed, which is after this test's own clean-ups.
	t.Cleanup(func() {
		if strings.Contains(j.String(), mark) {
			t.Errorf("the log tells a secret:\n%s", j)
		}
	})
	c := mountLogging(t, func(c *Config, log hclog.Logger) (server, error) { return launch(c, log) },
		map[string]any{"env": map[string]string{roleVar: role, "GORACE": "atexit_sleep_ms=0"}, "secrets": secrets},
		hclog.New(&hclog.LoggerOptions{Output: j, Level: hclog.Trace}))
	return c, j
}

// TestSecretsAreVariables: the server has them beside those of env, and nothing else.
func TestSecretsAreVariables(t *testing.T) {
	t.Parallel()
	c, _ := mountSecretive(t, "leaky")
	raw, err := invoke(t, c, "environment", "{}")
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Env []string }
	if err := json.Unmarshal([]byte(raw), &got); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got.Env)
	want := []string{"GORACE=atexit_sleep_ms=0", "KEY=" + secrets["KEY"], roleVar + "=leaky", "TOKEN=" + secrets["TOKEN"]}
	if diff := cmp.Diff(want, got.Env); diff != "" {
		t.Error(diff)
	}
}

// TestSecretsStayHidden: neither an error nor the log tells what the server
// tells of its secrets. A result is the program's, as the server gave it.
func TestSecretsStayHidden(t *testing.T) {
	t.Parallel()
	const masked = "no use: [hidden][hidden]\n"
	tests := map[string]wire.Error{
		"refuse": {Code: sdk.InvalidArgument, Message: masked},
		"fail":   {Code: sdk.Internal, Message: masked, Effect: sdk.EffectUnknown},
	}
	for method, want := range tests {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			c, _ := mountSecretive(t, "leaky")
			_, err := invoke(t, c, method, "{}")
			if diff := cmp.Diff(&want, told(t, err)); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("log", func(t *testing.T) {
		t.Parallel()
		c, j := mountSecretive(t, "leaky")
		if got, err := invoke(t, c, "add", "{}"); err != nil || got != `{"n":1}` {
			t.Errorf("got %s, %v", got, err)
		}
		if !strings.Contains(j.String(), "no use: [hidden][hidden]") {
			t.Errorf("the log lacks what the tool said:\n%s", j)
		}
	})
	t.Run("result", func(t *testing.T) {
		t.Parallel()
		c, _ := mountSecretive(t, "leaky")
		if got, err := invoke(t, c, "tell", "{}"); err != nil || !equalJSON(t, got, spellJSON(secrets["TOKEN"], false)) {
			t.Errorf("got %s, %v", got, err)
		}
	})
}

// TestSecretsOfAServerThatDoesNotStart: listing and calling fail, and tell nothing.
func TestSecretsOfAServerThatDoesNotStart(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"failing", "refusing"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			c, _ := mountSecretive(t, role)
			_, listErr := c.Methods(t.Context())
			_, callErr := invoke(t, c, "m", "{}")
			for _, err := range []error{listErr, callErr} {
				e := told(t, err)
				if strings.Contains(e.Message, mark) || !strings.Contains(e.Message, "cannot log in with [hidden]") {
					t.Errorf("got %q", e.Message)
				}
			}
		})
	}
}

// TestSecretsOfAListThatFails: what is wrong is said without them.
func TestSecretsOfAListThatFails(t *testing.T) {
	t.Parallel()
	c := mount(t, answering(func(string, json.RawMessage) (string, error) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "no rights for " + secrets["TOKEN"]}
	}), map[string]any{"secrets": secrets})
	_, err := c.Methods(t.Context())
	if e := told(t, err); strings.Contains(e.Message, mark) || !strings.Contains(e.Message, "no rights for [hidden]") {
		t.Errorf("got %q", e.Message)
	}
}
