//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
)

// person sits at a pseudo-terminal.
type person struct {
	t      *testing.T
	master *os.File
	path   string

	mu      sync.Mutex
	seen    bytes.Buffer  // all that was on the screen
	from    int           // what was looked at already
	changed chan struct{} // closed at the next change
}

func newPerson(t *testing.T) *person {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, master: master, path: slave.Name(), changed: make(chan struct{})}
	var reading sync.WaitGroup
	reading.Go(p.read)
	t.Cleanup(func() {
		_ = slave.Close() // held open until here: the end of the last one would end the screen
		_ = master.Close()
		reading.Wait()
	})
	return p
}

func (p *person) read() {
	buffer := make([]byte, 4096)
	for {
		n, err := p.master.Read(buffer)
		p.mu.Lock()
		p.seen.Write(buffer[:n])
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// sees waits for a text on the screen, after the one that was waited for before.
func (p *person) sees(text string) {
	p.t.Helper()
	late := time.After(30 * time.Second)
	for {
		p.mu.Lock()
		screen := p.seen.String()[p.from:]
		i := strings.Index(screen, text)
		if i >= 0 {
			p.from += i + len(text)
		}
		changed := p.changed
		p.mu.Unlock()
		if i >= 0 {
			return
		}
		select {
		case <-changed:
		case <-late:
			p.t.Errorf("%q does not appear in\n%s", text, screen)
			return
		}
	}
}

func (p *person) types(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.master, text); err != nil {
		p.t.Error(err)
	}
}

// screen is all that was shown.
func (p *person) screen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.String()
}

// approver is a host with waiting calls that notes what is decided.
type approver struct {
	service
	approved []core.ApproveRequest
	rejected []core.RejectRequest
}

func newApprover() *approver {
	a := &approver{}
	a.pending = func(string) ([]core.Pending, error) { return waiting(), nil }
	a.approve = func(_ context.Context, r core.ApproveRequest) (*core.Outcome, error) {
		a.approved = append(a.approved, r)
		return completed(), nil
	}
	a.reject = func(r core.RejectRequest) (*core.Reply, error) {
		a.rejected = append(a.rejected, r)
		return &core.Reply{ExecutionID: "x1", Status: "rejected", Changed: true, Message: "Rejected."}, nil
	}
	return a
}

const question = "Approve this call?"

// line is what a person waits for and then types.
type line struct{ sees, types string }

func TestApproveAtATerminal(t *testing.T) {
	t.Parallel()
	by := core.Decider{By: "ada", Via: "terminal"}
	both := []core.ApproveRequest{{ExecutionID: "x1", Calls: []core.Shown{{Seq: "1", Digest: "d1"}, {Seq: "2", Digest: "d2"}}, Decider: by}}
	second := []core.ApproveRequest{{ExecutionID: "x1", Calls: []core.Shown{{Seq: "2", Digest: "d2"}}, Decider: by}}
	for name, tc := range map[string]struct {
		args     []string
		dialogue []line
		approved []core.ApproveRequest
		rejected []core.RejectRequest
		code     int
		says     string
	}{
		"both, in one request":  {nil, []line{{question, "y\n"}, {question, "Y\n"}}, both, nil, 0, "Execution x1 completed."},
		"one waits":             {nil, []line{{question, "n\n"}, {question, "y\n"}}, second, nil, 0, "completed"},
		"none":                  {nil, []line{{question, "n\n"}, {question, "n\n"}}, nil, nil, 4, "No call was approved."},
		"stop after one yes":    {nil, []line{{question, "y\n"}, {question, "q\n"}}, nil, nil, 4, "No call was approved."},
		"end of input":          {nil, []line{{question, "y\n"}, {question, "\x04"}}, nil, nil, 4, "No call was approved."},
		"no answer is no yes":   {nil, []line{{question, "\n"}, {"leave it waiting", ""}, {question, "yes\n"}, {question, "n\n"}, {question, "n\n"}}, nil, nil, 4, ""},
		"rejection with a note": {nil, []line{{question, "y\n"}, {question, "r\n"}, {"Why?", "\n"}, {"Why?", "not now\n"}}, nil, []core.RejectRequest{{ExecutionID: "x1", Seq: "2", Digest: "d2", Decider: core.Decider{By: "ada", Via: "terminal", Note: "not now"}}}, 0, "Execution x1 rejected."},
		"no reason":             {nil, []line{{question, "r\n"}, {"Why?", "\x04"}}, nil, nil, 4, "No call was rejected."},
		"a chosen one":          {[]string{"2"}, []line{{question, "y\n"}}, second, nil, 0, "completed"},
		"a chosen digest":       {[]string{"--digest", "2=d2"}, []line{{question, "y\n"}}, second, nil, 0, "completed"},
		"all at once":           {[]string{"--all"}, []line{{"Approve all of these (2)? Type yes:", "yes\n"}}, both, nil, 0, "completed"},
		"all, not yes":          {[]string{"--all"}, []line{{"Type yes:", "y\n"}}, nil, nil, 4, "No call was approved."},
		"an unknown one":        {[]string{"7"}, nil, nil, nil, 4, "Call 7 does not wait"},
		"one in doubt":          {[]string{"10"}, nil, nil, nil, 4, "Call 10 does not wait"},
		"another digest":        {[]string{"--digest", "2=d1"}, nil, nil, nil, 4, "not what the digest names"},
		"edited arguments":      {[]string{"2", "--args", "ARGS"}, []line{{"instead of", ""}, {question, "y\n"}}, []core.ApproveRequest{{ExecutionID: "x1", Calls: []core.Shown{{Seq: "2", Digest: "d2", Args: []byte(`{"edited":true}`)}}, Decider: by}}, nil, 0, "completed"},
		"edited, and not":       {[]string{"2", "--args", "ARGS"}, []line{{"edited", ""}, {question, "n\n"}}, nil, nil, 4, "No call was approved."},
		"JSON":                  {[]string{"--json"}, []line{{question, "y\n"}, {question, "y\n"}}, both, nil, 0, `"status": "completed"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, p := newApprover(), newPerson(t)
			s := newStage(host)
			s.tty = p.path
			s.in = strings.NewReader("y\ny\ny\n") // answers of nobody
			tc.args = slices.Clone(tc.args)
			if i := slices.Index(tc.args, "ARGS"); i >= 0 {
				tc.args[i] = writeFile(t, t.TempDir(), "args.json", `{"edited": true}`)
			}
			code := make(chan int, 1)
			go func() { code <- s.run(t.Context(), append([]string{"approve", "x1"}, tc.args...)) }()
			for _, l := range tc.dialogue {
				p.sees(l.sees)
				p.types(l.types)
			}
			if got := <-code; got != tc.code {
				t.Errorf("exit code %d, want %d: %s%s", got, tc.code, &s.out, &s.err)
			}
			if diff := cmp.Diff(tc.approved, host.approved); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.rejected, host.rejected); diff != "" {
				t.Error(diff)
			}
			says(t, &s.out, tc.says)
			if strings.Contains(s.out.String(), question) {
				t.Errorf("the question is on stdout: %s", &s.out)
			}
		})
	}
}

func TestApproveShowsAllThatIsApproved(t *testing.T) {
	t.Parallel()
	host, p := newApprover(), newPerson(t)
	long := strings.Repeat("0123456789", 300)
	host.pending = func(string) ([]core.Pending, error) {
		list := waiting()[:1]
		list[0].Args = []byte(`{"text":"` + long + `","last":"\u001b]0;x` + "\u202e" + `"}`)
		list[0].Preview = "Creates \x1b[1;1H it.\rApprove? y"
		return list, nil
	}
	s := newStage(host)
	s.tty = p.path
	code := make(chan int, 1)
	go func() { code <- s.run(t.Context(), []string{"approve", "x1"}) }()
	p.sees(question)
	p.types("q\n")
	if got := <-code; got != exitUnchanged {
		t.Errorf("exit code %d", got)
	}
	screen := strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, p.screen())
	for _, text := range []string{"tracker.create", "revertible", long, `\u001b]0;x\u202e`, `Creates\u001b[1;1Hit.\u000dApprove?y`} {
		if !strings.Contains(screen, text) {
			t.Errorf("%.60q is not on the screen", text)
		}
	}
	if strings.Contains(p.screen(), "\x1b[1;1H") {
		t.Error("the terminal obeyed a preview")
	}
}

func TestWhatWasTypedBeforeTheQuestionIsNoAnswer(t *testing.T) {
	t.Parallel()
	host, p := newApprover(), newPerson(t)
	typed := make(chan struct{})
	host.pending = func(string) ([]core.Pending, error) {
		defer close(typed)
		p.types("y\n")
		p.sees("y\r\n") // the terminal has taken it
		return waiting()[1:2], nil
	}
	s := newStage(host)
	s.tty = p.path
	code := make(chan int, 1)
	go func() { code <- s.run(t.Context(), []string{"approve", "x1"}) }()
	<-typed
	p.sees(question)
	p.types("n\n")
	if got := <-code; got != exitUnchanged || len(host.approved) > 0 {
		t.Errorf("exit code %d, approved %v", got, host.approved)
	}
}

func TestInterruptEndsAQuestion(t *testing.T) {
	t.Parallel()
	host, p := newApprover(), newPerson(t)
	s := newStage(host)
	s.tty = p.path
	ctx, interrupt := context.WithCancelCause(t.Context())
	code := make(chan int, 1)
	go func() { code <- s.run(ctx, []string{"approve", "x1"}) }()
	p.sees(question)
	interrupt(errInterrupted)
	if got := <-code; got != exitUsage || len(host.approved) > 0 {
		t.Errorf("exit code %d, approved %v", got, host.approved)
	}
	says(t, &s.err, errInterrupted.Error())
}

func TestSettleAndRollbackAtATerminal(t *testing.T) {
	t.Parallel()
	calls := []engine.CallRecord{
		{Seq: "3", Connector: "ci", Method: "write", State: "in_doubt"},
		{Seq: "4", Connector: "ci", Method: "write", State: "applied", RevertInDoubt: true},
	}
	details := map[string]*core.Detail{
		"x1": {ID: "x1", Status: "paused", Outcome: &core.Outcome{Calls: []engine.CallRecord{{Seq: "10", State: "in_doubt"}}}},
		"x2": {ID: "x2", Status: "error", Outcome: &core.Outcome{Calls: calls}},
	}
	var how []string
	host := &service{
		pending: func(string) ([]core.Pending, error) { return waiting(), nil },
		show:    func(id string) (*core.Detail, error) { return details[id], nil },
		settle: func(r core.SettleRequest) (*core.Outcome, error) {
			how = append(how, r.How+" "+r.Via)
			return completed(), nil
		},
		rollback: func(r core.RollbackRequest) (*core.Rollback, error) {
			how = append(how, "rollback "+r.Via)
			return &core.Rollback{ExecutionID: "x1", Changed: true}, nil
		},
	}
	for name, tc := range map[string]struct {
		args   string
		sees   string
		answer string
		code   int
		want   []string
	}{
		"settle":          {"settle x1 10 --again", "in doubt", "yes\n", 0, []string{"again terminal"}},
		"settle after it": {"settle x2 3 --not-done", "It is recorded as not done. Nothing is run.", "yes\n", 0, []string{"not_done terminal"}},
		"settle done":     {"settle x2 3 --result 1", "It is recorded as done. Nothing is run.", "yes\n", 0, []string{"done terminal"}},
		"settle a revert": {"settle x2 4 --not-done", "Its revert is recorded as not done.", "yes\n", 0, []string{"not_done terminal"}},
		"revert again":    {"settle x2 4 --again", "The next rollback runs its revert again.", "yes\n", 0, []string{"again terminal"}},
		"settle not":      {"settle x1 10 --end", "The execution ends", "no\n", 4, nil},
		"roll back":       {"rollback x1", "Execution x1", "yes\n", 0, []string{"rollback terminal"}},
		"not roll back":   {"rollback x1", "Execution x1", "\x04", 4, nil},
	} {
		how = nil
		p := newPerson(t)
		s := newStage(host)
		s.tty = p.path
		code := make(chan int, 1)
		go func() { code <- s.run(t.Context(), strings.Fields(tc.args)) }()
		p.sees(tc.sees)
		p.sees("Type yes:")
		p.types(tc.answer)
		if got := <-code; got != tc.code {
			t.Errorf("%s: exit code %d, want %d: %s%s", name, got, tc.code, &s.out, &s.err)
		}
		if diff := cmp.Diff(tc.want, how); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What cannot be settled as asked is not asked about.
func TestSettleWhatIsNotThereAtATerminal(t *testing.T) {
	t.Parallel()
	calls := []engine.CallRecord{{Seq: "3", Connector: "ci", Method: "write", State: "in_doubt"}}
	host := &service{
		pending: func(string) ([]core.Pending, error) { return nil, nil },
		show: func(id string) (*core.Detail, error) {
			return &core.Detail{ID: id, Status: "error", Outcome: &core.Outcome{Calls: calls}}, nil
		},
	}
	for line, text := range map[string]string{
		"settle x1 3 --again":    "No pass waits for call 3",
		"settle x1 3 --end":      "No pass waits for call 3",
		"settle x1 7 --not-done": "Execution x1 has no call 7.",
	} {
		p := newPerson(t)
		s := newStage(host)
		s.tty = p.path
		s.does(t, 4, strings.Fields(line)...)
		says(t, &s.out, "Nothing was changed. "+text)
	}
}

func TestUnknownExecutionAtATerminal(t *testing.T) {
	t.Parallel()
	unknown := &core.NotFoundError{ID: "x1"}
	host := &service{
		pending: func(string) ([]core.Pending, error) { return nil, unknown },
		show:    func(string) (*core.Detail, error) { return nil, unknown },
		settle:  func(core.SettleRequest) (*core.Outcome, error) { return nil, errors.New("the host says so") },
		rollback: func(core.RollbackRequest) (*core.Rollback, error) {
			return &core.Rollback{Message: `There is no execution "x1".`}, nil
		},
	}
	for line, code := range map[string]int{"approve x1": 4, "rollback x1": 4, "settle x1 1 --again": 2} {
		p := newPerson(t)
		s := newStage(host)
		s.tty = p.path
		s.does(t, code, strings.Fields(line)...)
	}
}
