package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
)

func TestMCPFlags(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"mcp x":                                  "unknown command",
		"mcp --tools codemode,shell":             `"shell"`,
		"mcp --http 8080":                        "HOST:PORT",
		"mcp --http :8080":                       "other machines could connect",
		"mcp --http 0.0.0.0:8080":                "other machines could connect",
		"mcp --http example.com:8080":            "other machines could connect",
		"mcp --token-file f":                     "--token-file is for --http",
		"mcp --label x":                          "NAME=VALUE",
		"mcp install":                            "accepts 1 arg",
		"mcp install nonesuch":                   "claude-code, claude-desktop",
		"mcp install cursor --name a.b":          "--name",
		"mcp install cursor --config nonesuch":   "nonesuch",
		"serve x":                                "unknown command",
		"mcp --http 127.0.0.1:0 --config no.hcl": "no.hcl",
	} {
		s := newCommand("")
		s.does(t, exitUsage, strings.Fields(line)...)
		if !strings.Contains(s.err.String(), says) {
			t.Errorf("%s says %q, without %q", line, s.err.String(), says)
		}
	}
}

// TestMCPInstall prints an entry, and merges it.
func TestMCPInstall(t *testing.T) {
	config, _ := boardConfiguration(t, "")
	t.Chdir(t.TempDir())
	s := newCommand(config)
	s.does(t, 0, "--config", config, "mcp", "install", "claude-code", "--name", "house")
	says(t, &s.out, `"house"`, `"mcp"`, config)
	says(t, &s.err, ".mcp.json")
	if _, err := os.Stat(".mcp.json"); err == nil {
		t.Error("it was written")
	}
	for i, want := range []bool{true, false} {
		if got := answers[installation](t, config, 0, "mcp", "install", "claude-code", "--write"); got.Changed != want || filepath.Base(got.Path) != ".mcp.json" {
			t.Errorf("time %d: %+v", i, got)
		}
	}
	var file struct {
		MCPServers map[string]struct{ Args []string } `json:"mcpServers"`
	}
	text, err := os.ReadFile(".mcp.json")
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil || len(file.MCPServers["codemode"].Args) != 3 {
		t.Errorf("%s: %v", text, err)
	}
}

// mcpProcess is codemode mcp as it runs in a process of its own, with its client.
type mcpProcess struct {
	*mcp.ClientSession
	stop  context.CancelFunc
	ended chan int
	says  *stage
}

// startMCP serves a client in this process.
func startMCP(t *testing.T, config string, o *mcp.ClientOptions, args ...string) *mcpProcess {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	s := newCommand(config)
	s.in, s.app.out = fromClient, toClient
	ctx, stop := context.WithCancel(t.Context())
	p := &mcpProcess{stop: stop, ended: make(chan int, 1), says: s}
	go func() {
		p.ended <- s.run(ctx, s.under(config, append([]string{"mcp"}, args...)...))
		fromClient.CloseWithError(io.ErrClosedPipe) // one that could not begin reads nothing
		toClient.Close()
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, o).
		Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		stop()
		t.Fatalf("%v: exit code %d: %s", err, <-p.ended, &s.err)
	}
	p.ClientSession = session
	t.Cleanup(func() {
		session.Close()
		stop()
	})
	return p
}

// hangUp ends the client's stream, and waits for the process.
func (p *mcpProcess) hangUp(t *testing.T) {
	t.Helper()
	p.Close()
	if code := <-p.ended; code != 0 {
		t.Errorf("exit code %d: %s", code, &p.says.err)
	}
}

// run runs a program and returns its outcome as the client gets it.
func (p *mcpProcess) run(t *testing.T, code string) core.Outcome {
	t.Helper()
	r, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: "codemode", Arguments: map[string]any{"code": code}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r.StructuredContent)
	var out core.Outcome
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func accepts() *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "approve"}}, nil
	}}
}

// TestMCPProcessesShareOneHost joins a second process to the first, and lets it follow when that ends.
func TestMCPProcessesShareOneHost(t *testing.T) {
	t.Parallel()
	config, notes := boardConfiguration(t, "")
	first := startMCP(t, config, accepts())
	second := startMCP(t, config, accepts())
	for i, p := range []*mcpProcess{first, second} {
		if out := p.run(t, `await board.post({ text: "hello" }); "posted"`); string(out.Result) != `"posted"` {
			t.Errorf("process %d: %+v", i, out)
		}
	}
	if list := answers[core.Page](t, config, 0, "executions"); len(list.Executions) != 2 {
		t.Errorf("executions: %+v", list)
	}
	first.hangUp(t)
	if out := second.run(t, `await board.post({ text: "again" }); (await board.list_notes({})).length`); out.Status != "completed" {
		t.Errorf("after the first has gone: %+v", out)
	}
	if n := len(texts(t, notes)); n != 3 {
		t.Errorf("%d notes", n)
	}
	second.hangUp(t)
}

// TestMCPWithASecret leaves deciding to those who have it, unless the configuration says otherwise.
func TestMCPWithASecret(t *testing.T) {
	t.Parallel()
	for set, status := range map[string]string{"": "paused", "elicitation = true": "completed"} {
		secret := writeFile(t, t.TempDir(), "secret", "open sesame")
		config, _ := boardConfiguration(t, "")
		board, err := os.ReadFile(config)
		if err != nil {
			t.Fatal(err)
		}
		config = writeFile(t, filepath.Dir(config), "guarded.hcl", string(board)+"\napprovals {\n  secret_file = \""+secret+"\"\n  "+set+"\n}\n")
		holder, guest := startMCP(t, config, accepts()), startMCP(t, config, accepts())
		for i, p := range []*mcpProcess{holder, guest} {
			if out := p.run(t, `await board.post({ text: "hello" })`); out.Status != status {
				t.Errorf("%q, process %d: %+v", set, i, out)
			}
		}
		guest.hangUp(t)
		holder.hangUp(t)
	}
}

// TestMCPOverHTTP asks for the token that it was given.
func TestMCPOverHTTP(t *testing.T) {
	t.Parallel()
	config, _ := boardConfiguration(t, "")
	token := writeFile(t, t.TempDir(), "token", "s3cret\n")
	said := &announcement{found: make(chan string, 1)}
	s := newCommand(config)
	s.app.err = said
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- s.run(ctx, s.under(config, "mcp", "--http", "127.0.0.1:0", "--token-file", token)) }()
	url := <-said.found
	for header, status := range map[string]int{"": 401, "Bearer wrong": 401} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", header)
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("%q: status %d, want %d", header, resp.StatusCode, status)
		}
	}
	transport := &http.Transport{}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, accepts()).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: url, HTTPClient: &http.Client{Transport: bearer{transport, "s3cret"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &mcpProcess{ClientSession: session}
	if out := p.run(t, `await board.post({ text: "hello" }); "posted"`); string(out.Result) != `"posted"` {
		t.Errorf("%+v", out)
	}
	session.Close()
	transport.CloseIdleConnections()
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d: %s", code, said.text)
	}
}

// bearer sends a token with each request.
type bearer struct {
	http.RoundTripper
	token string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.RoundTripper.RoundTrip(r)
}

// announcement waits for the address in what is said.
type announcement struct {
	mu    sync.Mutex
	text  string
	found chan string
}

func (a *announcement) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text += string(p)
	if _, rest, ok := strings.Cut(string(p), "Serving MCP at "); ok {
		a.found <- strings.TrimSpace(rest)
	}
	return len(p), nil
}

// TestStationRefusesAnotherHouse does not join a process that works under another configuration.
func TestStationRefusesAnotherHouse(t *testing.T) {
	t.Parallel()
	config, _ := boardConfiguration(t, "")
	first := startMCP(t, config, nil)
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	other := writeFile(t, filepath.Dir(config), "other.hcl", string(text)+"\n# another one\n")
	for _, command := range []string{"mcp", "serve"} {
		s := newCommand(other)
		s.does(t, exitUsage, s.under(other, command)...)
		says(t, &s.err, "another configuration", "other.hcl")
	}
	first.hangUp(t)
}

// TestServe keeps the host for others until it is interrupted.
func TestServe(t *testing.T) {
	t.Parallel()
	config, _ := boardConfiguration(t, "")
	serving := func() (said *announcement, stop context.CancelFunc, ended chan int) {
		said, ended = &announcement{found: make(chan string, 1)}, make(chan int, 1)
		s := newCommand(config)
		s.app.err = firstLine{said.found}
		ctx, stop := context.WithCancel(t.Context())
		go func() { ended <- s.run(ctx, s.under(config, "serve")) }()
		return said, stop, ended
	}
	one, stopOne, endedOne := serving()
	if line := <-one.found; !strings.Contains(line, "Serving "+config) {
		t.Errorf("the first says %q", line)
	}
	two, stopTwo, endedTwo := serving()
	if line := <-two.found; !strings.Contains(line, "following it when it goes") {
		t.Errorf("the second says %q", line)
	}
	stopOne()
	if code := <-endedOne; code != 0 {
		t.Errorf("exit code %d", code)
	}
	program := writeFile(t, t.TempDir(), "p.js", `1 + 1`)
	if out := answers[core.Outcome](t, config, 0, "run", program); string(out.Result) != "2" {
		t.Errorf("%+v", out)
	}
	stopTwo()
	if code := <-endedTwo; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// firstLine hands on the first thing that is said.
type firstLine struct{ to chan string }

func (f firstLine) Write(p []byte) (int, error) {
	select {
	case f.to <- string(p):
	default:
	}
	return len(p), nil
}

// TestGone says which errors mean that the host of another process is no more.
func TestGone(t *testing.T) {
	t.Parallel()
	guest, own := &session{holder: &control.Client{}}, &session{}
	for _, err := range []error{control.ErrNoHolder, &control.LostError{Cause: io.EOF}} {
		if !gone(guest, err) || gone(own, err) {
			t.Errorf("%v: %v as a guest, %v in this process", err, gone(guest, err), gone(own, err))
		}
	}
	if gone(guest, errors.New("x")) || gone(guest, nil) {
		t.Error("any error means it")
	}
}

// TestManyProgramsOfThreeClients runs under the race detector; the process that has the journal goes while the others
// are busy.
func TestManyProgramsOfThreeClients(t *testing.T) {
	t.Parallel()
	each := 100
	if testing.Short() {
		each = 20
	}
	config, notes := boardConfiguration(t, "")
	processes := []*mcpProcess{startMCP(t, config, accepts()), startMCP(t, config, accepts()), startMCP(t, config, accepts())}
	var work, first sync.WaitGroup
	for i, p := range processes {
		for worker := range 4 {
			run := func() {
				for n := worker; n < each; n += 4 {
					code := `const notes = await board.list_notes({}); notes.length >= 0`
					if n%20 == 0 {
						code = `await board.post({ text: "hello" }); true`
					}
					if out := p.run(t, code); string(out.Result) != "true" {
						t.Errorf("process %d, program %d: %+v", i, n, out)
					}
				}
			}
			if i == 0 {
				first.Go(run)
			} else {
				work.Go(run)
			}
		}
	}
	first.Wait()
	processes[0].hangUp(t)
	work.Wait()
	processes[1].hangUp(t)
	processes[2].hangUp(t)
	if n, want := len(texts(t, notes)), 3*each/20; n != want {
		t.Errorf("%d notes, want %d", n, want)
	}
}

// TestGuestIsToldAndCancels follows a program that another process runs, and ends it.
func TestGuestIsToldAndCancels(t *testing.T) {
	t.Parallel()
	config, _ := boardConfiguration(t, "")
	told := make(chan string, 100)
	holder := startMCP(t, config, nil)
	guest := startMCP(t, config, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		told <- r.Params.Message
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for message := range told {
			if strings.HasPrefix(message, "1 of 2 calls done") {
				cancel()
				return
			}
		}
	}()
	params := &mcp.CallToolParams{Name: "codemode", Arguments: map[string]any{
		"code": `await board.list_notes({}); await new Promise(done => setTimeout(done, 20000))`,
	}}
	params.SetProgressToken("p")
	if _, err := guest.CallTool(ctx, params); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	list := answers[core.Page](t, config, 0, "executions")
	for len(list.Executions) == 0 || list.Executions[0].Status == "running" { // it ends when what has started has ended
		list = answers[core.Page](t, config, 0, "executions")
	}
	if text := list.Executions[0].ErrorText; !strings.Contains(text, "cancelled by the client") {
		t.Errorf("it has ended so: %q", text)
	}
	guest.hangUp(t)
	holder.hangUp(t)
}
