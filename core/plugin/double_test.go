package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// modes are the processes that the test binary can be.
var modes = map[string]func(args []string){
	"connector":  func([]string) { dialLifeline(); go exitAtEOF(); serve(&double{}) },
	"heedless":   func([]string) { dialLifeline(); serve(&double{}); block() }, // ignores the end of stdin
	"leaking":    func([]string) { go exitAtEOF(); serve(&leak{}) },
	"nameless":   func([]string) { go exitAtEOF(); serve(&leak{nameless: true}) },
	"refusing":   func([]string) { go exitAtEOF(); serve(&double{refuse: true}) },
	"fragile":    func([]string) { serve(&double{exitAtConfigure: true}) },
	"lingering":  func([]string) { serve(&double{hangAtConfigure: true}) },
	"mute":       func([]string) { dialLifeline(); block() },
	"failing":    func([]string) { fmt.Fprintln(os.Stderr, "cannot open \x1b[31mthe door, key is s3cret-key"); os.Exit(7) },
	"chatty":     func([]string) { fmt.Println("hello, world"); serve(&double{}) },
	"foreign":    func([]string) { serveForeign() },
	"future":     func([]string) { serveFuture() },
	"saying":     func(args []string) { fmt.Println(expandDir(args[0])); block() },
	"descendant": func([]string) { dialLifeline(); _, _ = io.Copy(io.Discard, lifeline) }, // ends with its test
	"host":       func(args []string) { actAsHost(args) },
}

// block waits until the process is killed.
func block() {
	for {
		time.Sleep(time.Hour)
	}
}

func exitAtEOF() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// expandDir lets a handshake name the folder that the host offers.
func expandDir(line string) string {
	return strings.ReplaceAll(line, "DIR", os.Getenv("PLUGIN_UNIX_SOCKET_DIR"))
}

// lifelineVar names a socket that a process connects to for as long as it lives.
const lifelineVar = "TEST_LIFELINE"

func dialLifeline() {
	path := os.Getenv(lifelineVar)
	if path == "" {
		return
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	lifeline = conn
}

var lifeline net.Conn // keeps the connection from being collected

var server *grpc.Server

func serve(c wire.Connector) {
	config := wire.ServeConfig(c, nil)
	config.GRPCServer = func(opts []grpc.ServerOption) *grpc.Server {
		server = wire.NewGRPCServer(opts)
		return server
	}
	stderr = os.Stderr // Serve puts a pipe in its place
	goplugin.Serve(config)
}

var stderr *os.File

func serveForeign() {
	config := wire.ServeConfig(&double{}, nil)
	config.MagicCookieKey = "SOMEBODY_ELSE"
	goplugin.Serve(config)
}

func serveFuture() {
	config := wire.ServeConfig(&double{}, nil)
	config.VersionedPlugins = map[int]goplugin.PluginSet{9: config.VersionedPlugins[wire.ProtocolVersion]}
	goplugin.Serve(config)
}

// double is a connector that misbehaves on demand.
type double struct {
	refuse, exitAtConfigure, hangAtConfigure bool

	mu     sync.Mutex
	config wire.ConfigureRequest
	news   chan wire.Change
}

func (d *double) Describe(context.Context) (*wire.Description, error) {
	return &wire.Description{Name: "double", Version: "1.2.3", ConfigSchema: json.RawMessage(`{"type":"object"}`)}, nil
}

func (d *double) Configure(_ context.Context, req *wire.ConfigureRequest) error {
	switch {
	case d.exitAtConfigure:
		fmt.Fprintln(stderr, "no use")
		os.Exit(4)
	case d.hangAtConfigure:
		block()
	case d.refuse && string(req.Config) == `{}`:
		return &wire.Error{Code: wire.CodeInvalidArgument, Message: "token is missing",
			Diagnostics: []wire.Diagnostic{{Path: []string{"token"}, Summary: "token is missing"}}}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.config, d.news = *req, make(chan wire.Change)
	return nil
}

func (d *double) Methods(context.Context) (*wire.Offer, error) {
	return &wire.Offer{Instructions: "Say it.", Methods: []*wire.Method{{Name: "echo", ReadOnly: true}}}, nil
}

func (d *double) Watch(ctx context.Context, report func(wire.Change)) error {
	for {
		select {
		case change := <-d.news:
			report(change)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (d *double) Invoke(ctx context.Context, call *wire.Call, progress func(wire.Progress)) (*wire.Result, error) {
	var text string
	if err := json.Unmarshal(call.Args, &text); err != nil {
		return nil, err
	}
	switch call.Method {
	case "echo":
		return &wire.Result{Value: call.Args}, nil
	case "config":
		return &wire.Result{Value: d.config.Config}, nil
	case "environment":
		return result(os.Environ())
	case "fail":
		return nil, &wire.Error{Code: wire.CodeConflict, Message: text}
	case "exit":
		fmt.Fprintln(stderr, text)
		os.Exit(3)
	case "log":
		_, err := io.WriteString(stderr, text+"\n")
		return &wire.Result{}, err
	case "print":
		_, err := fmt.Println(text)
		return &wire.Result{}, err
	case "hang":
		progress(wire.Progress{Message: "hanging"})
		<-ctx.Done()
		return nil, ctx.Err()
	case "deafen":
		go server.Stop()
		<-ctx.Done()
		return nil, ctx.Err()
	case "descend":
		return &wire.Result{}, descend(text == "away")
	case "ask":
		answer, err := d.config.Host.Ask(ctx, call.ExecutionID, text)
		if err != nil {
			return nil, err
		}
		return result(answer)
	case "change":
		d.news <- wire.Change{MethodsChanged: true, Health: text}
		return &wire.Result{}, nil
	}
	return nil, &wire.Error{Code: wire.CodeNotFound, Message: call.Method}
}

func result(v any) (*wire.Result, error) {
	value, err := json.Marshal(v)
	return &wire.Result{Value: value}, err
}

// descend starts a process that holds this one's stdout and stderr, in this
// process's group or away from it.
func descend(away bool) error {
	cmd := exec.Command(os.Args[0], "as", "descendant")
	cmd.Stdout, cmd.Stderr = os.NewFile(1, "stdout"), os.NewFile(2, "stderr")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: away}
	return cmd.Start()
}

func (d *double) Prepare(_ context.Context, call *wire.Call) (json.RawMessage, error) {
	return call.Args, nil
}

func (d *double) Revert(context.Context, *wire.RevertRequest) error {
	return &wire.Error{Code: wire.CodeUnsupported, Message: "there is no revert"}
}

func (d *double) Reconcile(context.Context, *wire.Call) (*wire.Reconciliation, error) {
	return &wire.Reconciliation{Happened: wire.HappenedNo}, nil
}

func (d *double) Resolve(_ context.Context, call *wire.Call) (*wire.Resolution, error) {
	return &wire.Resolution{Method: call.Method, Args: call.Args}, nil
}

func (d *double) Preview(_ context.Context, call *wire.Call) (string, error) {
	return "will do " + string(call.Args), nil
}

func (d *double) PassEnded(context.Context, *wire.PassEnd) error { return nil }

func (d *double) Dispose(context.Context, *wire.Disposal) error { return nil }
