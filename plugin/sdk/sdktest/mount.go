package sdktest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// Serve serves the connector and ends the process, where Run has started this
// program as the connector's; otherwise it returns at once. TestMain calls it
// first of all, and Options.Path is os.Executable's.
func Serve(open func() *sdk.Connector) {
	if os.Getenv(wire.Handshake.MagicCookieKey) != wire.Handshake.MagicCookieValue {
		return
	}
	sdk.Serve(open())
	os.Exit(0)
}

// closeTime is what a connector has to close.
const closeTime = 2 * time.Second

// inProcess mounts a connector as an embedder does.
func inProcess(t *testing.T, w World, said *ear) wire.Connector {
	t.Helper()
	c := w.Connector
	if c.Logger == nil {
		c.Logger = hclog.New(&hclog.LoggerOptions{Output: said, Level: hclog.Trace})
	}
	mounted, err := c.InProcess()
	if err != nil {
		t.Fatal(err)
	}
	if c.Close != nil {
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), closeTime)
			defer cancel()
			if err := c.Close(ctx); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	return mounted
}

// asProcess starts the connector as a host does.
func (s *suite) asProcess(t *testing.T, _ World, said *ear) wire.Connector {
	t.Helper()
	p := &process{exited: make(chan struct{})}
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: wire.VersionedPlugins(nil),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		SkipHostEnv:      true,
		Logger:           hclog.NewNullLogger(),
		Stderr:           said,
		SyncStdout:       said,
		SyncStderr:       said,
		RunnerFunc: func(_ hclog.Logger, handshake *exec.Cmd, _ string) (runner.Runner, error) {
			return p, p.command(s.Path, s.Args, append(s.Env[:len(s.Env):len(s.Env)], handshake.Env...))
		},
	})
	conn, err := client.Client()
	if err != nil {
		client.Kill()
		t.Fatalf("the connector cannot be started: %v\n%s", err, said)
	}
	raw, err := conn.Dispense(wire.PluginName)
	if err != nil {
		t.Fatalf("the connector is not dispensed: %v", err)
	}
	c := raw.(*wire.Client)
	t.Cleanup(func() {
		_ = p.stdin.Close() // as a host's death does
		if !s.soon(p.exited) {
			t.Error("the process goes on although its standard input, and with it its host, has ended")
		}
		c.Close()
		client.Kill()
	})
	return c
}
