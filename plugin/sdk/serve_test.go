package sdk

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"github.com/codemode-go/codemode/plugin/wire"
)

// roleVar names the connector that the test binary serves as a process of its own.
const roleVar = "SDK_TEST_ROLE"

// served returns the connector of a role.
func served(role string) *Connector {
	if role == "faulty" {
		return &Connector{Name: "faulty", Methods: []Method{Func[empty, int]{Name: "w"}}}
	}
	type text struct {
		Text string `json:"text"`
	}
	return &Connector{
		Name: "real", Version: "2.0",
		Methods: []Method{
			Func[text, text]{Name: "echo", ReadOnly: true, Call: func(ctx context.Context, in text) (text, error) {
				Logger(ctx).Info("echoing", "length", len(in.Text))
				return in, nil
			}},
			Func[empty, []any]{Name: "services", ReadOnly: true, Call: usesHost},
		},
		Close: func(ctx context.Context) error {
			Logger(ctx).Info("closed")
			if role == "never closes" {
				select {}
			}
			return nil
		},
	}
}

// process is the test binary as a connector process.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
}

func start(t *testing.T, env ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.CommandContext(t.Context(), self)}
	p.cmd.Env = env
	p.cmd.Stderr = &p.stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout = bufio.NewReader(stdout)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

const cookie = "CODEMODE_CONNECTOR_COOKIE=3c1e8f5d0b7a4926a1d45f7be2c09866"

// attached is the host's end of a connector process; end asks the process to stop.
type attached struct {
	*wire.Client
	end func()
}

// attach reads the process's handshake and connects to it.
func (p *process) attach(t *testing.T) attached {
	t.Helper()
	line, err := p.stdout.ReadString('\n')
	if err != nil {
		t.Fatalf("read the handshake: %v\n%s", err, &p.stderr)
	}
	parts := strings.Split(strings.TrimSpace(line), "|")
	if len(parts) < 5 || parts[0] != "1" || parts[1] != "1" || parts[2] != "unix" || parts[4] != "grpc" {
		t.Fatalf("handshake %q", line)
	}
	host := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  wire.Handshake,
		Plugins:          wire.VersionedPlugins(nil)[wire.ProtocolVersion],
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
		Reattach: &plugin.ReattachConfig{
			Protocol: plugin.ProtocolGRPC, ProtocolVersion: 1, Test: true, Pid: p.cmd.Process.Pid,
			Addr: &net.UnixAddr{Net: "unix", Name: parts[3]},
		},
	})
	rpc, err := host.Client()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := rpc.Dispense(wire.PluginName)
	if err != nil {
		t.Fatal(err)
	}
	client := raw.(*wire.Client)
	end := sync.OnceFunc(func() { _ = rpc.Close() })
	t.Cleanup(func() {
		client.Close()
		end()
		host.Kill()
	})
	return attached{client, end}
}

// wait waits for the end of the process and returns its exit code.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	if _, err := io.Copy(io.Discard, p.stdout); err != nil {
		t.Error(err)
	}
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

func TestServe(t *testing.T) {
	t.Parallel()
	p := start(t, cookie, roleVar+"=real")
	c := p.attach(t)
	if err := c.Configure(t.Context(), &wire.ConfigureRequest{Label: "r", Host: &memoryHost{}}); err != nil {
		t.Fatal(err)
	}
	got, err := c.Invoke(t.Context(), call("services", `{}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := `[false,{"page":2,"seen":[]},true,true,false,"e: which?"]`; string(got.Value) != want {
		t.Errorf("got %s, want %s", got.Value, want)
	}

	// More than the 4 MiB that gRPC allows by default, in both directions.
	large := `{"text":"` + strings.Repeat("x", 6<<20) + `"}`
	got, err = c.Invoke(t.Context(), call("echo", large), nil)
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Value) != large {
		t.Errorf("%d bytes came back as %d", len(large), len(got.Value))
	}

	if err := p.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if code := p.wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{`"@message":"echoing"`, `"execution":"e"`, `"length":6291456`, `"@message":"closed"`} {
		if !strings.Contains(p.stderr.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, &p.stderr)
		}
	}
}

func TestServeEndsAtTheHostsWord(t *testing.T) {
	t.Parallel()
	p := start(t, cookie, roleVar+"=real")
	c := p.attach(t)
	if _, err := c.Methods(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.end() // stdin is still open
	if code := p.wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(p.stderr.String(), `"@message":"closed"`) {
		t.Errorf("Close did not run:\n%s", &p.stderr)
	}
}

// TestServeIgnoresInterrupts: a Ctrl-C in the host's terminal reaches its connectors, too.
func TestServeIgnoresInterrupts(t *testing.T) {
	t.Parallel()
	p := start(t, cookie, roleVar+"=real")
	c := p.attach(t)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Invoke(t.Context(), call("echo", `{"text":"x"}`), nil); err != nil {
		t.Error(err)
	}
	if err := p.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if code := p.wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestServeDoesNotWaitForCloseForever(t *testing.T) {
	t.Parallel()
	p := start(t, cookie, roleVar+"=never closes")
	p.attach(t)
	if err := p.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if code := p.wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if want := "did not close in time"; !strings.Contains(p.stderr.String(), want) {
		t.Errorf("the log has no %q:\n%s", want, &p.stderr)
	}
}

func TestServeByHand(t *testing.T) {
	t.Parallel()
	p := start(t, roleVar+"=real")
	if code := p.wait(t); code != 1 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"real 2.0 is a codemode connector", `connector "real" {`, os.Args[0]} {
		if !strings.Contains(p.stderr.String(), want) {
			t.Errorf("%s\nlacks %s", &p.stderr, want)
		}
	}
}

func TestServeFaultyConnector(t *testing.T) {
	t.Parallel()
	p := start(t, cookie, roleVar+"=faulty")
	if code := p.wait(t); code != 1 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"connector faulty cannot be served:", "method w: it has no Call"} {
		if !strings.Contains(p.stderr.String(), want) {
			t.Errorf("%s\nlacks %s", &p.stderr, want)
		}
	}
}
