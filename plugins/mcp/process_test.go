package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// roleVar makes the test binary a server; its value says which.
const roleVar = "MCP_TEST_ROLE"

var roles = map[string]func(){
	// mortal tells its pid and dies on demand.
	"mortal": func() {
		s := mcp.NewServer(&mcp.Implementation{Name: "mortal"}, nil)
		s.AddTool(&mcp.Tool{Name: "pid", InputSchema: anyObject, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, says(fmt.Sprint(os.Getpid())))
		die := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			fmt.Fprintln(os.Stderr, "dying with", os.Getenv("TOKEN"))
			os.Exit(9)
			return nil, nil
		}
		s.AddTool(&mcp.Tool{Name: "die_writing", InputSchema: anyObject}, die)
		s.AddTool(&mcp.Tool{Name: "die_reading", InputSchema: anyObject, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, die)
		fmt.Println("mortal server, version 1")
		if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	},
	// failing cannot start, and counts the attempts in a file.
	"failing": func() {
		count, err := os.OpenFile(os.Getenv("COUNT"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
		if err == nil {
			_, err = count.WriteString("x")
		}
		fmt.Fprintln(os.Stderr, "cannot log in with", os.Getenv("TOKEN"), err)
		os.Exit(1)
	},
}

const token = "s3cr3t-token"

// mountRole returns a connector to a server that is a process with a role.
func mountRole(t *testing.T, role string, env map[string]string) wire.Connector {
	t.Helper()
	all := map[string]string{roleVar: role, "TOKEN": token, "GORACE": "atexit_sleep_ms=0"}
	for name, value := range env {
		all[name] = value
	}
	return mount(t, func(c *Config, log hclog.Logger) (server, error) { return launch(c, log) },
		map[string]any{"env": all, "trusted": true})
}

// watch reports the connector's changes.
func watch(t *testing.T, c wire.Connector) <-chan wire.Change {
	t.Helper()
	changes := make(chan wire.Change, 100)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Watch(ctx, func(change wire.Change) { changes <- change }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Watch: %v", err)
		}
	})
	return changes
}

func TestProcess(t *testing.T) {
	t.Parallel()
	c := mountRole(t, "mortal", nil)
	if diff := cmp.Diff([]string{"die_reading", "die_writing", "pid"}, names(t, c)); diff != "" {
		t.Error(diff)
	}
	first, err := invoke(t, c, "pid", "{}")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := invoke(t, c, "pid", "{}"); err != nil || again != first {
		t.Errorf("the second call was answered by %s, %v, the first by %s", again, err, first)
	}
}

// TestDeath: a server that dies in a call is started again with the next. What
// the host is told of the call depends on whether it was a write.
func TestDeath(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method string
		want   wire.Error
	}{
		"reading": {"die_reading", wire.Error{
			Code: sdk.Unavailable, Retryable: true, Message: "the MCP server was lost during the call",
		}},
		"writing": {"die_writing", wire.Error{
			Code: sdk.Timeout, Effect: sdk.EffectUnknown, Message: "the MCP server was lost during the call, which may have taken effect",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := mountRole(t, "mortal", nil)
			first, err := invoke(t, c, "pid", "{}")
			if err != nil {
				t.Fatal(err)
			}
			changes := watch(t, c)
			_, err = invoke(t, c, test.method, "{}")
			if diff := cmp.Diff(&test.want, told(t, err)); diff != "" {
				t.Error(diff)
			}
			if ill := within(t, changes); !strings.Contains(ill.Health, "exit status 9") || ill.MethodsChanged {
				t.Errorf("after the death: %+v", ill)
			}
			if second, err := invoke(t, c, "pid", "{}"); err != nil || second == first {
				t.Errorf("after the death: %s, %v", second, err)
			}
			if well := within(t, changes); well.Health != "" {
				t.Errorf("after the start: %+v", well)
			} else if !well.MethodsChanged && !within(t, changes).MethodsChanged {
				t.Error("the methods are not listed again")
			}
		})
	}
}

// TestStartFails: an operator learns why, a program only that, and a program
// that tries in a loop starts no process each time.
func TestStartFails(t *testing.T) {
	t.Parallel()
	count := filepath.Join(t.TempDir(), "count")
	c := mountRole(t, "failing", map[string]string{"COUNT": count})
	changes := watch(t, c)
	_, err := c.Methods(t.Context())
	e := told(t, err)
	if e.Code != sdk.Unavailable || !e.Retryable || e.Effect != sdk.EffectNone {
		t.Errorf("got %+v", e)
	}
	for _, part := range []string{"exit status 1", "cannot log in with [hidden]"} {
		if !strings.Contains(e.Message, part) {
			t.Errorf("%q lacks %q", e.Message, part)
		}
	}
	if ill := within(t, changes); ill.Health == "" {
		t.Error("it passes for well")
	}
	for range 5 {
		_, err := c.Methods(t.Context())
		if e := told(t, err); e.RetryAfter <= 0 || !strings.Contains(e.Message, "exit status 1") {
			t.Errorf("got %+v", e)
		}
	}
	if attempts, err := os.ReadFile(count); err != nil || len(attempts) != 1 {
		t.Errorf("%d attempts, %v", len(attempts), err)
	}
}

// TestCallsOfADeadServer: a call that no server got did nothing, and its error
// shows nothing of what the server printed.
func TestCallsOfADeadServer(t *testing.T) {
	t.Parallel()
	good := with(says("hello"))
	var starts int
	c := newConnector(func(config *Config, log hclog.Logger) (server, error) {
		if starts++; starts == 1 {
			return good(config, log)
		}
		return launch(config, log)
	})
	t.Cleanup(func() { _ = c.close(context.Background()) })
	made := c.sdk()
	made.Logger = hclog.NewNullLogger()
	mounted, err := made.InProcess()
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"command": os.Args[0], "env": map[string]string{roleVar: "failing"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := mounted.Configure(t.Context(), &wire.ConfigureRequest{Config: config}); err != nil {
		t.Fatal(err)
	}
	if _, err := invoke(t, mounted, "m", "{}"); err != nil {
		t.Fatal(err)
	}
	c.live.end()
	_, err = invoke(t, mounted, "m", "{}")
	e := told(t, err)
	if e.Code != sdk.Unavailable || e.Effect != sdk.EffectNone || !e.Retryable {
		t.Errorf("got %+v", e)
	}
	if strings.Contains(e.Message, "cannot log in") {
		t.Errorf("a program is shown the server's log: %q", e.Message)
	}
}

// TestClosed: after Close nothing is started any more.
func TestClosed(t *testing.T) {
	t.Parallel()
	c := newConnector(with(says("hello")))
	made := c.sdk()
	made.Logger = hclog.NewNullLogger()
	mounted, err := made.InProcess()
	if err != nil {
		t.Fatal(err)
	}
	if err := mounted.Configure(t.Context(), &wire.ConfigureRequest{Config: json.RawMessage(`{"command":"/bin/sh"}`)}); err != nil {
		t.Fatal(err)
	}
	if _, err := invoke(t, mounted, "m", "{}"); err != nil {
		t.Fatal(err)
	}
	if err := c.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = invoke(t, mounted, "m", "{}")
	if e := told(t, err); e.Code != sdk.Unavailable || e.Retryable || e.Effect != sdk.EffectNone {
		t.Errorf("got %+v", e)
	}
}

// TestTurnEndsWithContext: whoever waits for another's start does not wait for ever.
func TestTurnEndsWithContext(t *testing.T) {
	t.Parallel()
	c := newConnector(nil)
	if err := c.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.session(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
