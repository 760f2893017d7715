package plugin

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
)

// launcher starts one connector process and says in an operator's words why it could not.
type launcher struct {
	spec    *Spec
	path    string
	screen  func() *logScreen // a new one for each stream
	client  *goplugin.Client
	process *process    // nil until go-plugin asks for it
	dir     string      // the private folder of the sockets; empty until then
	noted   string      // where the launch is noted; empty: nowhere
	release func() bool // takes the process out of the launch's time limit
}

// launch starts a process of the binary at path and asks it to describe itself.
// screen is for its output. The end of ctx ends the launch, and nothing is left of a launch that failed.
func launch(ctx context.Context, spec *Spec, path string, screen func() *logScreen) (*connection, error) {
	if err := verifyChecksum(path, spec.Checksum); err != nil {
		return nil, err
	}
	l := &launcher{spec: spec, path: path, screen: screen}
	ctx, cancel := context.WithTimeout(ctx, spec.StartTimeout)
	defer cancel()
	c, err := l.start(ctx)
	if err != nil {
		l.cleanUp(err)
		return nil, fmt.Errorf("cannot start %s: %w", path, l.reason(ctx, err))
	}
	return c, nil
}

func (l *launcher) start(ctx context.Context) (*connection, error) {
	l.client = goplugin.NewClient(l.config(ctx))
	protocol, err := l.client.Client()
	if err != nil {
		return nil, err
	}
	raw, err := protocol.Dispense(wire.PluginName)
	if err != nil {
		return nil, err
	}
	client, ok := raw.(*wire.Client)
	grpc, grpcOK := protocol.(*goplugin.GRPCClient)
	if !ok || !grpcOK {
		return nil, fmt.Errorf("dispensed a %T over a %T", raw, protocol)
	}
	about, err := client.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("it cannot describe itself: %w", err)
	}
	if !l.release() {
		return nil, ctx.Err()
	}
	return &connection{
		process: l.process, dir: l.dir, noted: l.noted, client: l.client, conn: grpc.Conn, connector: client,
		about: about, asked: make(chan struct{}), gone: make(chan struct{}),
	}, nil
}

func (l *launcher) config(ctx context.Context) *goplugin.ClientConfig {
	return &goplugin.ClientConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: wire.VersionedPlugins(nil),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         !l.spec.NoMTLS,
		SkipHostEnv:      true,
		// The context is what ends a launch; go-plugin's own limit only has to be no shorter.
		StartTimeout:     l.spec.StartTimeout + time.Second,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: socketRoot()},
		// What go-plugin reports, the launcher and the supervisor say in their own words.
		Logger: hclog.NewNullLogger(),
		// Once it serves, go-plugin in the connector carries stdout and stderr over the connection.
		SyncStdout: &lineWriter{limit: lineBytes, emit: l.screen().line},
		SyncStderr: &lineWriter{limit: lineBytes, emit: l.screen().line},
		RunnerFunc: func(_ hclog.Logger, handshake *exec.Cmd, dir string) (runner.Runner, error) {
			return l.runner(ctx, handshake.Env, dir)
		},
	}
}

// runner builds the process that go-plugin is to start. The end of ctx kills
// it, which ends every wait of go-plugin's that has no limit of its own.
func (l *launcher) runner(ctx context.Context, handshake []string, dir string) (runner.Runner, error) {
	l.dir = dir
	cmd := exec.Command(l.path, l.spec.Args...)
	cmd.Dir = l.spec.Dir
	cmd.Env = append(l.spec.environ(), handshake...)
	t := terms{
		versions: slices.Sorted(maps.Keys(wire.VersionedPlugins(nil))),
		dir:      dir,
		mtls:     !l.spec.NoMTLS,
		hider:    l.screen().hider,
	}
	p, err := newProcess(cmd, t, l.screen().line, l.screen().line)
	if err != nil {
		return nil, err
	}
	if l.noted, err = note(l.spec.Notes, dir); err != nil {
		return nil, err
	}
	l.process = p
	l.release = context.AfterFunc(ctx, p.kill)
	return p, nil
}

// cleanUp leaves nothing of a launch that failed with err.
func (l *launcher) cleanUp(err error) {
	if p := l.process; p != nil && p.processID() != 0 {
		if wire.IsLost(err) {
			p.awaitExit(exitNotice) // for its own exit status
		}
		p.kill()
		<-p.exited
	}
	l.client.Kill()
	removeTraces(l.dir, l.noted, l.spec.Logger)
}

// socketRoot is where the private folders of sockets lie. The path of a socket
// has about a hundred bytes, of which go-plugin needs up to forty.
func socketRoot() string {
	const longest = 60
	if dir := os.TempDir(); len(dir) <= longest {
		return dir
	}
	return "/tmp"
}

// removeTraces removes the private folder of a connector of which nothing is left, with what it left there if it was
// killed, and the note of its launch.
func removeTraces(dir, noted string, log hclog.Logger) {
	for _, path := range []string{dir, noted} {
		if path == "" {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			log.Warn("a trace of the connector could not be removed", "error", err)
		}
	}
}
