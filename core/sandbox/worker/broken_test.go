package worker

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
)

// broken is a sandbox in a child of which a program has taken over the process: at the point that the program's text
// names, a fault happens. Any other program runs as it should.
type broken struct{ sandbox.Sandbox }

// faults are what a taken over process may do in the middle of its protocol. What returns leaves the answer to follow.
var faults = map[string]func(){
	"exits":        func() { os.Exit(0) },
	"panics":       func() { panic("taken over") },
	"garbage":      func() { say("this is no frame at all") },
	"half a frame": func() { say("\x00\x00\x01\x00{\"turn\""); os.Exit(0) },
	"huge frame":   func() { say("\xff\xff\xff\xff") },
	"flood":        func() { say("\x00\xff\xff\xff" + strings.Repeat("x", 20<<20)) },
	"forged turn":  func() { say(frame(`{"turn":{"result":{"value":"ImZvcmdlZCI="}}}`)) },
	"forged value": func() { say(frame(`{"turn":{"result":{"value":"Zm9yZ2Vk"}}}`)) },
	"forged call": func() {
		say(frame(`{"turn":{"calls":[{"seq":"9","connector":"files","method":"read","args":"e30=","digest":"AAAA"}]}}`))
	},
	"forged close":   func() { say(frame(`{"closed":{}}`)) },
	"forged failure": func() { say(frame(`{"failed":"forged"}`)) },
	"closes its out": func() { _ = os.Stdout.Close() },
	"cries":          func() { _, _ = os.Stderr.WriteString(strings.Repeat("out of order\n", 1<<20)) },
	"silence":        func() { select {} },
	"lasting work":   func() { go func() { select {} }() },
}

// frame puts a message into a frame.
func frame(text string) string {
	return string(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
}

func say(text string) { _, _ = os.Stdout.WriteString(text) }

// fail makes a fault happen whose name follows a point's.
func fail(point, text string) {
	if _, rest, ok := strings.Cut(text, point+": "); ok {
		name, _, _ := strings.Cut(rest, `"`)
		faults[name]()
	}
}

func (b broken) Compile(ctx context.Context, src program.Source) (*program.Program, error) {
	fail("compile", src.Text)
	return b.Sandbox.Compile(ctx, src)
}

func (b broken) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Session, error) {
	fail("start", spec.Program.JS)
	s, err := b.Sandbox.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	if strings.Contains(spec.Program.JS, "attempts") {
		return attempting{s, spec.Input}, nil
	}
	return brokenSession{s, spec.Program.JS}, nil
}

type brokenSession struct {
	sandbox.Session
	text string
}

func (b brokenSession) Resume(ctx context.Context, completions []sandbox.Completion) (sandbox.Turn, error) {
	if len(completions) > 0 {
		fail("resume", b.text)
	}
	return b.Session.Resume(ctx, completions)
}

func (b brokenSession) Close() error {
	fail("close", b.text)
	return b.Session.Close()
}

// attempting is a session that makes attempts on the walls in place of its program.
type attempting struct {
	sandbox.Session
	target []byte
}

func (a attempting) Resume(context.Context, []sandbox.Completion) (sandbox.Turn, error) {
	value, err := json.Marshal(attemptAll(a.target))
	if err != nil {
		return sandbox.Turn{}, err
	}
	return sandbox.Turn{Result: &sandbox.Result{Value: value}}, nil
}

// TestBrokenChildren: whatever a child does, at whichever point of its protocol, costs its program at most; the next one
// is served.
func TestBrokenChildren(t *testing.T) {
	p := open(t, Options{})
	p.grace = 200 * time.Millisecond
	tight := limits
	tight.CPU = 200 * time.Millisecond
	for name := range faults {
		for _, point := range []string{"compile", "start", "resume", "close"} {
			if name == "silence" && (point == "compile" || point == "close") {
				continue // they have seconds of patience
			}
			t.Run(name+"/"+point, func(t *testing.T) {
				t.Parallel()
				t.Log(runBroken(t, p, tight, `const fault = "`+point+`: `+name+`"; await files.read({}); return fault`))
				if got := value(t, complete(t, begin(t, p, "await files.read({}); return 'next'"))); got != `"next"` {
					t.Errorf("the next program: %s", got)
				}
			})
		}
	}
}

// runBroken runs a program and says in words what became of it. A sandbox may fail, but not hang.
func runBroken(t *testing.T, p *Pool, limits sandbox.Limits, text string) string {
	t.Helper()
	compiled, err := p.Compile(t.Context(), program.Source{Text: text, Namespaces: map[string][]string{"files": {"read"}}})
	if err != nil {
		return "compile: " + err.Error()
	}
	s, err := p.Start(t.Context(), sandbox.Spec{Program: compiled, Start: epoch, Namespaces: namespaces, Limits: limits})
	if err != nil {
		return "start: " + err.Error()
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	var next []sandbox.Completion
	for range 3 {
		turn, err := s.Resume(t.Context(), next)
		if err != nil {
			return "resume: " + err.Error()
		}
		if turn.Result != nil || turn.Exceeded != nil || turn.Diverged != nil {
			return value(t, turn)
		}
		next = nil
		for _, c := range turn.Calls {
			next = append(next, sandbox.Completion{Seq: c.Seq, Connector: c.Connector, Method: c.Method, At: epoch, Value: c.Args})
		}
	}
	return "no end"
}
