package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/plugin/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The protocol versions whose clients are asked in different ways.
var versions = map[string]string{"stateless": "2026-07-28", "stateful": "2025-11-25"}

// board is a connector that keeps notes.
type board struct {
	mu    sync.Mutex
	notes []string
	// posting is closed when the first slow call has begun; a slow call lasts until its context ends or end is closed.
	posting, end chan struct{}
	once         sync.Once
}

type note struct {
	Text string `json:"text"`
}

func (b *board) connector() *sdk.Connector {
	return &sdk.Connector{Name: "board", Version: "1", Instructions: "Notes on a board.", Methods: []sdk.Method{
		sdk.Func[struct{}, []string]{Name: "list", Description: "List the notes.", ReadOnly: true, Call: func(context.Context, struct{}) ([]string, error) {
			return b.left(), nil
		}},
		sdk.Func[note, int]{
			Name: "post", Description: "Post a note.", Approval: sdk.Required, Call: b.post,
			Preview: func(_ context.Context, in note) (string, error) { return "Posts " + in.Text, nil },
			Revert:  func(context.Context, note, int) error { return nil },
		},
		sdk.Func[struct{}, int]{Name: "fail", Description: "Fail.", ReadOnly: true, Call: func(context.Context, struct{}) (int, error) {
			return 0, sdk.Errorf(sdk.Conflict, "the board is full")
		}},
		sdk.Func[struct{}, int]{Name: "slow", Description: "Read slowly.", ReadOnly: true, Call: func(ctx context.Context, _ struct{}) (int, error) {
			b.once.Do(func() { close(b.posting) })
			select {
			case <-b.end:
				return 1, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}},
	}}
}

func (b *board) post(_ context.Context, in note) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(b.notes, in.Text)
	return len(b.notes), nil
}

func (b *board) left() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string{}, b.notes...)
}

// house is a server with its host.
type house struct {
	board  *board
	host   *core.Host
	server *Server
}

// build makes a server over a host in memory.
func build(t *testing.T, change func(*Options)) *house {
	t.Helper()
	b := &board{posting: make(chan struct{}), end: make(chan struct{})}
	in, err := b.connector().InProcess()
	if err != nil {
		t.Fatal(err)
	}
	host, err := core.New(t.Context(), core.Options{Connectors: []core.Connector{{Label: "board", Connector: in}}})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Host: host, User: "ada", Version: "1"}
	if change != nil {
		change(&o)
	}
	s := New(t.Context(), o)
	t.Cleanup(func() {
		if err := errors.Join(host.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return &house{b, host, s}
}

// guest is a client of a server.
type guest struct {
	*mcp.ClientSession
	t *testing.T
}

// join connects a client over streams in memory.
func (h *house) join(t *testing.T, version string, o *mcp.ClientOptions) guest {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	if _, err := h.server.mcp.Connect(context.WithoutCancel(t.Context()), there, nil); err != nil {
		t.Fatal(err)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, o)
	session, err := c.Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return guest{session, t}
}

// said is what a tool returned.
type said struct {
	core.Outcome
	Next    string
	text    string // the first part
	all     string
	isError bool
}

func readReply(t *testing.T, r *mcp.CallToolResult) said {
	t.Helper()
	s := said{isError: r.IsError}
	raw, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Content {
		text := c.(*mcp.TextContent).Text
		if i == 0 {
			s.text = text
		}
		s.all += text + "\n"
	}
	return s
}

func (g guest) call(tool string, args any) said {
	g.t.Helper()
	r, err := g.CallTool(g.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		g.t.Fatal(err)
	}
	return readReply(g.t, r)
}

func (g guest) run(code string) said {
	g.t.Helper()
	return g.call(ToolRun, map[string]any{"code": code})
}

func (g guest) result(id string) said {
	g.t.Helper()
	return g.call(ToolResult, map[string]any{"executionId": id})
}

func (g guest) tools() map[string]*mcp.Tool {
	g.t.Helper()
	m := map[string]*mcp.Tool{}
	for tool, err := range g.Tools(g.t.Context(), nil) {
		if err != nil {
			g.t.Fatal(err)
		}
		m[tool.Name] = tool
	}
	return m
}

func TestTools(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	tools := h.join(t, "", nil).tools()
	if len(tools) != 2 || tools[ToolRun] == nil || tools[ToolResult] == nil {
		t.Fatalf("tools: %v", tools)
	}
	for _, want := range []string{"- board (4 methods): Notes on a board.", "The ONLY globals", "call the tool result"} {
		if !strings.Contains(tools[ToolRun].Description, want) {
			t.Errorf("the description lacks %q:\n%s", want, tools[ToolRun].Description)
		}
	}
	all := build(t, func(o *Options) { o.Tools = []string{ToolRun, ToolSearch, ToolDescribe} }).join(t, "", nil)
	if tools := all.tools(); len(tools) != 3 || strings.Contains(tools[ToolRun].Description, "call the tool result") {
		t.Errorf("chosen tools: %v", tools)
	}
	if s := all.call(ToolSearch, map[string]any{"text": "post a note"}); !strings.Contains(s.text, `"board.post"`) {
		t.Errorf("search: %s", s.text)
	}
	if s := all.call(ToolDescribe, map[string]any{"target": "board.post"}); !strings.Contains(s.text, "post(") {
		t.Errorf("describe: %s", s.text)
	}
	for tool, args := range map[string]any{ToolSearch: map[string]any{"q": 1}, ToolDescribe: map[string]any{}} {
		if s := all.call(tool, args); !s.isError || s.ErrorType != "state" {
			t.Errorf("%s with %v: %+v", tool, args, s)
		}
	}
}

// relabelled is a host that describes its tool in other words.
type relabelled struct {
	Host
	mu   sync.Mutex
	tool core.Tool
}

func (r *relabelled) Tool(context.Context) core.Tool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tool
}

func (r *relabelled) set(tool core.Tool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tool = tool
}

func TestDescriptionIsCurrent(t *testing.T) {
	t.Parallel()
	r := &relabelled{tool: core.Tool{Name: "codemode", Description: "Old."}}
	h := build(t, func(o *Options) { r.Host, o.Host = o.Host, r })
	told := make(chan struct{}, 10)
	g := h.join(t, "2025-11-25", &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} }})
	if d := g.tools()[ToolRun].Description; !strings.HasPrefix(d, "Old.") {
		t.Errorf("before: %s", d)
	}
	r.set(core.Tool{Name: "programs", Description: "New."})
	if tools := g.tools(); tools["programs"] == nil || tools[ToolRun] != nil || !strings.HasPrefix(tools["programs"].Description, "New.") {
		t.Errorf("after: %v", tools)
	}
	<-told
	if s := g.call("programs", map[string]any{"code": "1"}); s.text != "1" {
		t.Errorf("under its new name: %+v", s)
	}
}

// TestFollow tells clients of a new description that they have not asked for.
func TestFollow(t *testing.T) {
	t.Parallel()
	r := &relabelled{tool: core.Tool{Name: "codemode", Description: "Old."}}
	h := build(t, func(o *Options) { r.Host, o.Host = o.Host, r })
	h.server.follow = time.Millisecond
	told := make(chan struct{}, 10)
	h.join(t, "2025-11-25", &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} }})
	ctx, stop := context.WithCancel(t.Context())
	var follow sync.WaitGroup
	follow.Go(func() { h.server.Follow(ctx) })
	r.set(core.Tool{}) // not known for a while
	r.set(core.Tool{Name: "codemode", Description: "New."})
	<-told
	stop()
	follow.Wait()
}

// TestOutcomes holds what a client gets to what a program did.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	g := build(t, nil).join(t, "", nil)
	for name, tc := range map[string]struct {
		code   string
		text   string
		status string
		kind   string // of the error
	}{
		"number":         {"const a = 10; a + 32", "42", "completed", ""},
		"text":           {`"<b>plain</b> & simple"`, "<b>plain</b> & simple", "completed", ""},
		"object":         {`({ a: [1, "<"] })`, `{"a":[1,"<"]}`, "completed", ""},
		"last of chain":  {`const l = await board.list({}); l.length`, "0", "completed", ""},
		"nothing":        {"let x = 1;", "undefined", "completed", ""},
		"null":           {"null", "null", "completed", ""},
		"thrown":         {`throw new Error("no way")`, "Error: no way", "error", "runtime"},
		"tool fails":     {`await board.fail({})`, "Error: the board is full", "error", "runtime"},
		"failure caught": {`try { await board.fail({}) } catch (e) { "caught: " + e.message }`, "caught: the board is full", "completed", ""},
		"unknown method": {`await board.nonesuch({})`, "", "error", ""},
		"does not parse": {`this is no program`, "", "error", "compile"},
	} {
		s := g.run(tc.code)
		if s.Status != tc.status || s.isError != (tc.status == "error") || tc.text != "" && s.text != tc.text || tc.kind != "" && s.ErrorType != tc.kind {
			t.Errorf("%s: %+v", name, s)
		}
		if s.ExecutionID == "" || s.Calls != nil {
			t.Errorf("%s: id %q, calls %v", name, s.ExecutionID, s.Calls)
		}
		if s.isError && !strings.HasPrefix(s.text, "Error: ") {
			t.Errorf("%s: %s", name, s.text)
		}
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	g := build(t, nil).join(t, "", nil)
	for _, args := range []any{map[string]any{}, map[string]any{"code": 1}, map[string]any{"code": "1", "x": 1}, nil} {
		if s := g.call(ToolRun, args); !s.isError || s.ErrorType != "state" || !strings.Contains(s.text, `{"code": "..."`) {
			t.Errorf("%v: %+v", args, s)
		}
	}
	if s := g.call(ToolRun, map[string]any{"code": "input.a + 1", "input": map[string]any{"a": 1}}); s.text != "2" {
		t.Errorf("input: %+v", s)
	}
	for _, args := range []any{map[string]any{}, map[string]any{"executionId": 1}, map[string]any{"executionId": "x"}} {
		if s := g.call(ToolResult, args); !s.isError || s.ErrorType != "state" {
			t.Errorf("result of %v: %+v", args, s)
		}
	}
}

func TestLargeOutcomesShrinkInPlace(t *testing.T) {
	t.Parallel()
	g := build(t, nil).join(t, "", nil)
	s := g.run(`for (let i = 0; i < 500; i++) console.log("line " + i + " " + "x".repeat(100)); Array.from({ length: 5000 }, (_, i) => ({ i, text: "text " + i }))`)
	var list []any
	if err := json.Unmarshal(s.Result, &list); err != nil || len(s.text) > 30_000 {
		t.Errorf("result: %v, %d characters", err, len(s.text))
	}
	logs := strings.Join(s.Logs, "\n")
	if len(logs) > maxLogs+1000 || !strings.Contains(logs, "line 499 ") || !strings.Contains(s.Logs[0], "earlier lines") || !strings.Contains(logs, "was shortened") {
		t.Errorf("logs: %d characters: %s", len(logs), s.Logs[0])
	}
	big := g.run(`await board.post({ text: "x".repeat(100000) })`)
	if len(big.Pending) != 1 || len(big.Pending[0].Args) > maxArgs+100 || !json.Valid(big.Pending[0].Args) || len(big.text) > 3*maxArgs {
		t.Errorf("pending: %d characters of text", len(big.text))
	}
	failed := g.run(`throw new Error("y".repeat(100000))`)
	if len(failed.Error) > maxError+100 || len(failed.ErrorDetail.Message) > maxError+100 {
		t.Errorf("error: %d characters", len(failed.Error))
	}
}

// TestWithoutElicitation pauses, decides elsewhere, and fetches the outcome.
func TestWithoutElicitation(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	g := h.join(t, "", nil)
	s := g.run(`console.log("posting"); await board.post({ text: "hello" }); (await board.list({})).length`)
	if s.Status != "paused" || s.isError || len(s.Pending) != 1 || !strings.Contains(s.all, "board.post") {
		t.Fatalf("%+v", s)
	}
	for _, text := range []string{s.Next, s.text} {
		if !strings.Contains(text, "Tell the user that an approval waits") || !strings.Contains(text, "call the tool result") {
			t.Errorf("it says: %s", text)
		}
		if strings.Contains(text, "codemode approve") || strings.Contains(text, "--") {
			t.Errorf("it says how to approve: %s", text)
		}
	}
	if again := g.result(s.ExecutionID); again.Status != "paused" || len(again.Pending) != 1 {
		t.Errorf("still: %+v", again)
	}
	if _, err := h.host.Approve(t.Context(), core.ApproveRequest{ExecutionID: s.ExecutionID, All: true, Decider: core.Decider{By: "eve"}}); err != nil {
		t.Fatal(err)
	}
	if done := g.result(s.ExecutionID); done.Status != "completed" || done.text != "1" || len(done.Logs) == 0 {
		t.Errorf("after the approval: %+v", done)
	}
}

// TestStoppedHost tells that the execution goes on when the host that runs it stops.
func TestStoppedHost(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	g := h.join(t, "", nil)
	closed := make(chan error)
	go func() {
		<-h.board.posting
		closed <- h.host.Close()
	}()
	s := g.run(`await board.slow({})`)
	if s.Status != "running" || s.isError || s.ExecutionID == "" || !strings.Contains(s.Next, "do not run the program again") {
		t.Errorf("%+v", s)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestRolledBackIsTold(t *testing.T) {
	t.Parallel()
	h, p := build(t, nil), &person{answers: []string{approve}}
	g := h.join(t, "", p.options())
	s := g.run(`await board.post({ text: "a" }); "posted"`)
	if r, err := h.host.Rollback(t.Context(), core.RollbackRequest{ExecutionID: s.ExecutionID}); err != nil || r.Status != "rolled_back" {
		t.Fatalf("%+v, %v", r, err)
	}
	if s := g.result(s.ExecutionID); s.text != "posted" || !strings.Contains(s.all, "a person has rolled this execution back") {
		t.Errorf("%+v", s)
	}
}

// TestCancellation ends what runs by the client's word, and leaves what waits.
func TestCancellation(t *testing.T) {
	t.Parallel()
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := build(t, nil)
			g := h.join(t, version, nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-h.board.posting
				cancel()
			}()
			if _, err := g.CallTool(ctx, &mcp.CallToolParams{Name: ToolRun, Arguments: map[string]any{"code": "await board.slow({})"}}); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			s := g.result(h.running(t))
			if s.ErrorType != "cancelled" || !strings.Contains(s.Error, "cancelled by the client") {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestLostConnectionIsNoCancellation fetches the outcome over another connection.
func TestLostConnectionIsNoCancellation(t *testing.T) {
	t.Parallel()
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := build(t, nil)
			here, there := mcp.NewInMemoryTransports()
			if _, err := h.server.mcp.Connect(context.WithoutCancel(t.Context()), there, nil); err != nil {
				t.Fatal(err)
			}
			broken := &breakable{Transport: here}
			session, err := mcp.NewClient(&mcp.Implementation{Name: "lost", Version: "1"}, nil).
				Connect(t.Context(), broken, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			lost := make(chan error)
			go func() {
				_, err := session.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: ToolRun, Arguments: map[string]any{"code": "await board.slow({})"}})
				lost <- err
			}()
			<-h.board.posting
			if err := broken.connection.Close(); err != nil {
				t.Fatal(err)
			}
			if err := <-lost; err == nil {
				t.Error("the client noticed nothing")
			}
			session.Close()
			close(h.board.end)
			s := h.join(t, "", nil).result(h.running(t))
			if s.Status != "completed" || s.text != "1" {
				t.Errorf("%+v", s)
			}
		})
	}
}

// running is the id of the only execution, which may not be recorded yet: its program only reads.
func (h *house) running(t *testing.T) string {
	t.Helper()
	for {
		p, err := h.host.Executions(t.Context(), core.ListRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Executions) > 0 {
			return p.Executions[0].ID
		}
	}
}

// breakable is a transport whose connection can be closed without a word.
type breakable struct {
	mcp.Transport
	connection mcp.Connection
}

func (b *breakable) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := b.Transport.Connect(ctx)
	b.connection = c
	return c, err
}

func TestProgress(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.server.tick = time.Millisecond
	told := make(chan *mcp.ProgressNotificationParams, 1000)
	g := h.join(t, "", &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		select {
		case told <- r.Params:
		default:
		}
	}})
	done := make(chan error)
	go func() {
		params := &mcp.CallToolParams{Name: ToolRun, Arguments: map[string]any{"code": "await board.list({}); await board.slow({})"}}
		params.SetProgressToken("p")
		_, err := g.CallTool(t.Context(), params)
		done <- err
	}()
	last := -1.0
	for p := range told {
		if p.ProgressToken != "p" || p.Progress <= last {
			t.Errorf("progress %v of %v after %v", p.Progress, p.ProgressToken, last)
		}
		last = p.Progress
		if p.Message == "1 of 2 calls done; running board.slow" {
			break
		}
	}
	close(h.board.end)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestProgressTexts(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]core.Progress{
		"waiting for its turn": {},
		"running":              {Running: true},
		"2 of 2 calls done":    {Running: true, Calls: 2, Done: 2},
		"0 of 5 calls done; running a, b, c and 2 more": {Running: true, Calls: 5, Executing: []string{"a", "b", "c", "d", "e"}},
	} {
		if got := progressText(p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	g := h.join(t, "", nil)
	id := g.run(`"hello"`).ExecutionID
	if _, err := h.host.SaveSnippet(t.Context(), core.SaveRequest{Name: "greet", ExecutionID: id, Description: "Greets."}); err != nil {
		t.Fatal(err)
	}
	list, err := g.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 2 {
		t.Errorf("resources: %+v, %v", list, err)
	}
	templates, err := g.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 2 {
		t.Errorf("templates: %+v, %v", templates, err)
	}
	for uri, want := range map[string]string{
		"codemode://executions":       id,
		"codemode://executions/" + id: `"source":"\"hello\""`,
		"codemode://snippets":         "Greets.",
		"codemode://snippets/greet":   "Greets.",
		"codemode://snippets/other":   "",
		"codemode://executions/other": "",
		"codemode://connectors":       "",
	} {
		r, err := g.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if (err != nil) != (want == "") {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		if err == nil && (!strings.Contains(r.Contents[0].Text, want) || !json.Valid([]byte(r.Contents[0].Text))) {
			t.Errorf("%s: %s", uri, r.Contents[0].Text)
		}
	}
}
