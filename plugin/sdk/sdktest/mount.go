package sdktest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

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
			if err := c.Close(t.Context()); err != nil && !errors.Is(err, t.Context().Err()) {
				t.Errorf("close: %v", err)
			}
		})
	}
	return mounted
}

// asProcess starts the connector as a host does, but for the encryption.
func (s *suite) asProcess(t *testing.T, _ World, said *ear) wire.Connector {
	t.Helper()
	cmd := exec.Command(s.Path, s.Args...)
	// A program that was built with -race sleeps for a second before it ends, unless it is told not to.
	cmd.Env = append(append([]string{"GORACE=atexit_sleep_ms=0"}, s.Env...), wire.Handshake.MagicCookieKey+"="+wire.Handshake.MagicCookieValue)
	cmd.Stderr = said
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("the connector cannot be started: %v", err)
	}
	t.Cleanup(func() { s.exits(t, cmd, stdin, out) })

	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("the connector ends before it serves: %s", said)
	}
	address, err := parse(line)
	if err != nil {
		t.Fatal(err)
	}
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  wire.Handshake,
		Plugins:          wire.VersionedPlugins(nil)[wire.ProtocolVersion],
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
		SyncStdout:       said,
		SyncStderr:       said,
		Reattach: &plugin.ReattachConfig{
			Protocol: plugin.ProtocolGRPC, ProtocolVersion: wire.ProtocolVersion, Test: true, Pid: cmd.Process.Pid, Addr: address,
		},
	})
	t.Cleanup(client.Kill)
	conn, err := client.Client()
	if err != nil {
		t.Fatalf("the connector cannot be reached: %v", err)
	}
	raw, err := conn.Dispense(wire.PluginName)
	if err != nil {
		t.Fatalf("the connector is not dispensed: %v", err)
	}
	c := raw.(*wire.Client)
	t.Cleanup(func() {
		c.Close()
		_ = conn.Close() // asks the connector to end, too
	})
	return c
}

// parse reads the line with which a connector says where it serves.
func parse(line string) (net.Addr, error) {
	parts := strings.Split(strings.TrimSpace(line), "|")
	if len(parts) < 5 || parts[4] != "grpc" {
		return nil, fmt.Errorf("the connector's first line on standard output is %q, and no handshake", line)
	}
	if parts[1] != fmt.Sprint(wire.ProtocolVersion) {
		return nil, fmt.Errorf("the connector speaks version %s of the contract, not %d", parts[1], wire.ProtocolVersion)
	}
	switch parts[2] {
	case "unix":
		return &net.UnixAddr{Net: "unix", Name: parts[3]}, nil
	case "tcp":
		return net.ResolveTCPAddr("tcp", parts[3])
	}
	return nil, fmt.Errorf("the connector serves on %s, which is neither unix nor tcp", parts[2])
}

// exits ends a process as a host's death does: its standard input ends.
func (s *suite) exits(t *testing.T, cmd *exec.Cmd, stdin io.Closer, out io.Reader) {
	_ = stdin.Close()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	}()
	if !s.soon(gone) {
		t.Error("the process goes on although its standard input, and with it its host, has ended")
		_ = cmd.Process.Kill()
		<-gone
	}
}
