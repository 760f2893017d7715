package mcpserver

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
)

var update = flag.Bool("update", false, "write the golden files anew")

// person answers a client's questions, one after the other; then they answer no more.
type person struct {
	mu      sync.Mutex
	answers []string
	asked   []string
}

func (p *person) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked = append(p.asked, r.Params.Message)
		if len(p.answers) == 0 {
			return &mcp.ElicitResult{Action: "cancel"}, nil
		}
		a := p.answers[0]
		p.answers = p.answers[1:]
		return saying(a), nil
	}}
}

// saying is what a client says for its person: an action, or what was chosen in the form.
func saying(a string) *mcp.ElicitResult {
	if a == approve || a == reject {
		return &mcp.ElicitResult{Action: accept, Content: map[string]any{"decision": a}}
	}
	return &mcp.ElicitResult{Action: a}
}

// TestApprovals asks the client's person.
func TestApprovals(t *testing.T) {
	t.Parallel()
	const one = `await board.post({ text: "a" }); (await board.list({})).join()`
	const three = `await Promise.all(["a", "b", "c"].map(text => board.post({ text }))); (await board.list({})).length`
	const after = `await board.post({ text: "a" }); await board.post({ text: "b" }); (await board.list({})).join()`
	for name, tc := range map[string]struct {
		code    string
		answers []string
		asked   int
		status  string
		text    string
		notes   []string
	}{
		"approve":               {one, []string{approve}, 1, "completed", "a", []string{"a"}},
		"reject":                {one, []string{reject}, 1, "error", "", []string{}},
		"accept without choice": {one, []string{accept}, 1, "paused", "", []string{}},
		"decline":               {one, []string{decline}, 1, "error", "", []string{}},
		"cancel":                {one, []string{"cancel"}, 1, "paused", "", []string{}},
		"three at once":         {three, []string{approve}, 1, "completed", "3", []string{"a", "b", "c"}},
		"one after the other":   {after, []string{approve, approve}, 2, "completed", "a,b", []string{"a", "b"}},
		"the second is refused": {after, []string{approve, decline}, 2, "error", "", []string{"a"}},
		"the second is left":    {after, []string{approve, "cancel"}, 2, "paused", "", []string{"a"}},
		"nothing to ask about":  {`(await board.list({})).length`, nil, 0, "completed", "0", []string{}},
	} {
		for clients, version := range versions {
			t.Run(name+" "+clients, func(t *testing.T) {
				t.Parallel()
				h, p := build(t, nil), &person{answers: tc.answers}
				s := h.join(t, version, p.options()).run(tc.code)
				if s.Status != tc.status || tc.text != "" && s.text != tc.text {
					t.Errorf("%+v", s)
				}
				if len(p.asked) != tc.asked {
					t.Errorf("asked %d times: %q", len(p.asked), p.asked)
				}
				left := h.board.left()
				slices.Sort(left)
				if diff := cmp.Diff(tc.notes, left); diff != "" {
					t.Error(diff)
				}
				if tc.status == "error" && (s.ErrorType != "rejected" || !strings.Contains(s.Error, "declined in tester")) {
					t.Errorf("%s: %s", s.ErrorType, s.Error)
				}
			})
		}
	}
}

// TestDecisionsAreRecorded names the person and the client.
func TestDecisionsAreRecorded(t *testing.T) {
	t.Parallel()
	h, p := build(t, nil), &person{answers: []string{approve}}
	s := h.join(t, "", p.options()).run(`await board.post({ text: "a" })`)
	d, err := h.host.Show(t.Context(), s.ExecutionID)
	if err != nil {
		t.Fatal(err)
	}
	a := d.Outcome.Calls[0].Approval
	if a == nil || a.By != "ada" || a.Via != "tester" || d.Caller != "tester" {
		t.Errorf("approval %+v, caller %q", a, d.Caller)
	}
}

func TestNobodyIsAsked(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*Options)
		client func(*person) *mcp.ClientOptions
		code   string
	}{
		"as configured":         {func(o *Options) { o.NoElicitation = true }, (*person).options, `await board.post({ text: "a" })`},
		"client cannot":         {nil, func(*person) *mcp.ClientOptions { return nil }, `await board.post({ text: "a" })`},
		"only pages":            {nil, pagesOnly, `await board.post({ text: "a" })`},
		"too large to be shown": {nil, (*person).options, `await board.post({ text: "a".repeat(20000) })`},
	} {
		for clients, version := range versions {
			t.Run(name+" "+clients, func(t *testing.T) {
				t.Parallel()
				p := &person{answers: []string{approve}}
				s := build(t, tc.change).join(t, version, tc.client(p)).run(tc.code)
				if s.Status != "paused" || len(p.asked) > 0 {
					t.Errorf("asked %q: %+v", p.asked, s)
				}
			})
		}
	}
}

// pagesOnly is a client that can open pages, and show no question.
func pagesOnly(p *person) *mcp.ClientOptions {
	o := p.options()
	o.Capabilities = &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}}
	return o
}

// TestDecidedElsewhere answers a question that somebody else has settled in the meantime.
func TestDecidedElsewhere(t *testing.T) {
	t.Parallel()
	for clients, version := range versions {
		for _, a := range []string{approve, decline, "cancel"} {
			t.Run(clients+" "+a, func(t *testing.T) {
				t.Parallel()
				h := build(t, nil)
				s := h.join(t, version, &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					if _, err := h.host.Approve(ctx, core.ApproveRequest{ExecutionID: h.running(t), All: true, Decider: core.Decider{By: "eve"}}); err != nil {
						t.Error(err)
					}
					return saying(a), nil
				}}).run(`await board.post({ text: "a" }); "posted"`)
				if s.Status != "completed" || s.text != "posted" || len(h.board.left()) != 1 {
					t.Errorf("%+v, %q", s, h.board.left())
				}
			})
		}
	}
}

// TestGivenUpWhileAsked leaves what waits: the client's call ends, the question has no answer.
func TestGivenUpWhileAsked(t *testing.T) {
	t.Parallel()
	for clients, version := range versions {
		t.Run(clients, func(t *testing.T) {
			t.Parallel()
			h := build(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			g := h.join(t, version, &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				cancel()
				<-ctx.Done()
				return nil, ctx.Err()
			}})
			if _, err := g.CallTool(ctx, &mcp.CallToolParams{Name: ToolRun, Arguments: map[string]any{"code": `await board.post({ text: "a" })`}}); err == nil {
				t.Fatal("it was not given up")
			}
			if s := g.result(h.running(t)); s.Status != "paused" || len(s.Pending) != 1 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestForgedAnswers are answers to questions that were not asked.
func TestForgedAnswers(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	paused := h.join(t, "", nil).run(`await board.post({ text: "a" })`)
	call := []core.Shown{{Seq: paused.Pending[0].Seq, Digest: paused.Pending[0].Digest}}
	valid := h.server.sign(pendingRound{ID: paused.ExecutionID, Calls: call})
	body, mac, _ := strings.Cut(valid, ".")
	foreign := build(t, nil).server.sign(pendingRound{ID: paused.ExecutionID, Calls: call})
	asks := &mcp.ClientOptions{ElicitationHandler: (&person{}).options().ElicitationHandler, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}}
	yes := mcp.InputResponseMap{question: saying(approve)}
	for name, tc := range map[string]struct {
		state     string
		responses mcp.InputResponseMap
		client    *mcp.ClientOptions
	}{
		"not signed":      {body + ".", yes, asks},
		"changed":         {body + "AA." + mac, yes, asks},
		"nonsense":        {"?.?", yes, asks},
		"another server":  {foreign, yes, asks},
		"no answer":       {valid, nil, asks},
		"answer to other": {valid, mcp.InputResponseMap{"x": saying(approve)}, asks},
		"cannot ask":      {valid, yes, nil},
	} {
		r, err := h.join(t, "", tc.client).CallTool(t.Context(), &mcp.CallToolParams{
			Name: ToolRun, Arguments: map[string]any{"code": "1"}, RequestState: tc.state, InputResponses: tc.responses,
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s := readReply(t, r); s.ErrorType != engine.ErrorState || len(h.board.left()) > 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	r, err := h.join(t, "", asks).CallTool(t.Context(), &mcp.CallToolParams{
		Name: ToolRun, Arguments: map[string]any{"code": "1"}, RequestState: valid, InputResponses: yes,
	})
	if err != nil || readReply(t, r).Status != "completed" || len(h.board.left()) != 1 {
		t.Errorf("the true one: %+v, %v", r, err)
	}
}

// TestManyRounds ends asking before clients give up.
func TestManyRounds(t *testing.T) {
	t.Parallel()
	for clients, version := range versions {
		t.Run(clients, func(t *testing.T) {
			t.Parallel()
			p := &person{answers: slices.Repeat([]string{approve}, 20)}
			s := build(t, nil).join(t, version, p.options()).run(`for (let i = 0; i < 12; i++) await board.post({ text: "n" + i })`)
			if s.Status != "paused" || len(p.asked) != maxRounds {
				t.Errorf("asked %d times: %+v", len(p.asked), s)
			}
		})
	}
}

// TestQuestion shows what a person reads.
func TestQuestion(t *testing.T) {
	t.Parallel()
	s := build(t, nil).server
	pending := func(method, args string) core.Pending {
		return core.Pending{Seq: "0", Connector: "board", Method: method, Args: json.RawMessage(args), Kind: engine.PendingApproval, Revertible: true}
	}
	one := pending("post", `{"text":"hello\nArguments:\n","n":1}`)
	one.Preview, one.Reason = "Posts hello\r\u202e\n\nA program wants to make this call, which needs no approval.", "Everybody reads it."
	two := pending("remove", `{}`)
	two.Revertible, two.Note = false, "An earlier approval is void: the arguments changed"
	read := pending("secrets", `{}`)
	read.Revertible, read.ReadOnly = false, true
	doubt := pending("post", `{}`)
	doubt.Kind = engine.PendingInDoubt
	var b strings.Builder
	for _, list := range [][]core.Pending{{one}, {two, doubt, one}, {read}, {doubt}} {
		_, text, ok := s.askable(&client{asks: true}, &core.Outcome{Status: "paused", Pending: list}, 0)
		fmt.Fprintf(&b, "== asks: %v\n%s\n", ok, text)
	}
	const golden = "testdata/question.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
}

func FuzzState(f *testing.F) {
	s := &Server{key: []byte("k")}
	f.Add(s.sign(pendingRound{ID: "x", Calls: []core.Shown{{Seq: "0", Digest: "d"}}, Round: 3}))
	f.Add("a.b")
	f.Fuzz(func(t *testing.T, state string) {
		p, err := s.verify(state)
		if err == nil && s.sign(p) != state {
			t.Errorf("%q is accepted, and is not what was signed", state)
		}
	})
}
