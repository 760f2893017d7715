package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/sandbox"
)

// windowBytes ends a replay window: a program that read 300 MB page by page must not meet them all at once.
const windowBytes = 8 << 20

// replay is the record that a pass works through before it goes on live.
type replay struct {
	deliveries []string        // in the order of delivery, without the calls under skipped steps
	expected   map[string]bool // recorded calls that the program has not issued yet
}

// begin starts the session, replays what is recorded, and returns the turn that goes on from there.
func (p *pass) begin() (sandbox.Turn, *ending, error) {
	s := p.rec.state
	skipped := recordedSteps(s)
	ended := map[string]bool{}
	for _, step := range skipped {
		ended[step] = true
	}
	p.replay = &replay{expected: map[string]bool{}}
	for i, seq := range s.Deliveries {
		if underAny(seq, ended) {
			continue
		}
		p.replay.deliveries = append(p.replay.deliveries, seq)
		if i < s.LogsAfter {
			p.linesBefore++
		}
	}
	for _, seq := range s.Order {
		if !underAny(seq, ended) {
			p.replay.expected[seq] = true
		}
	}
	if p.replay.empty() { // all that former passes have done is done again, and charged once
		p.usage.CPU, p.usage.Wall, p.cpuBefore = 0, 0, 0
	}
	limits := p.e.Limits.Sandbox
	limits.ReplayCPU = max(replayBound*p.usage.CPU, replayFloor)
	end, err := p.startSession(sandbox.Spec{
		Program: p.program(), Input: p.input(), Seed: s.Begun.Seed, Start: s.Created, Namespaces: p.namespaces,
		Steps: skipped, Limits: limits, Spent: p.usage.CPU, Replayed: len(p.replay.deliveries),
		DynamicCode: s.Begun.DynamicCode,
	})
	if end != nil || err != nil {
		return sandbox.Turn{}, end, err
	}
	return p.replayAll()
}

// startSession gives up the lock, for there may be no sandbox free.
func (p *pass) startSession(spec sandbox.Spec) (*ending, error) {
	p.mu.Unlock()
	session, err := p.e.Sandbox.Start(p.ctx, spec)
	p.mu.Lock()
	p.session = session
	if err == nil {
		return nil, nil
	}
	if end := p.interrupted(p.ctx); end != nil {
		return end, nil
	}
	return nil, fmt.Errorf("start the sandbox: %w", err)
}

// replayAll delivers the record in windows. All but the last turn are worked through here.
func (p *pass) replayAll() (sandbox.Turn, *ending, error) {
	rest := p.replay.deliveries
	for {
		window, left := p.window(rest)
		turn, end, err := p.resume(window...)
		if end != nil || err != nil {
			return turn, end, err
		}
		rest = left
		if len(rest) == 0 {
			return p.replayed(turn)
		}
		if end, err := p.take(turn); end != nil || err != nil {
			return turn, end, err
		}
		if p.reexecutes(rest[0]) {
			var c *sandbox.Completion
			if c, end, err = p.again(rest[0]); end != nil || err != nil {
				return turn, end, err
			}
			if turn, end, err = p.resume(*c); end != nil || err != nil {
				return turn, end, err
			}
			if rest = rest[1:]; len(rest) == 0 {
				return p.replayed(turn)
			}
			if end, err = p.take(turn); end != nil || err != nil {
				return turn, end, err
			}
		}
	}
}

// replayed ends the replay with its last turn: from here on the pass is live.
func (p *pass) replayed(turn sandbox.Turn) (sandbox.Turn, *ending, error) {
	for _, c := range turn.Calls {
		p.replay.saw(c.Seq)
	}
	missing := p.replay.missing()
	p.replay = nil
	if turn.Diverged == nil && turn.Exceeded == nil && missing != "" { // a limit has cut the replay short
		i := p.rec.state.Calls[missing].Issued
		turn.Diverged = &sandbox.Divergence{
			Seq: missing, Recorded: i.Connector + "." + i.Method, Came: "no such call",
		}
	}
	return turn, nil, nil
}

// window takes the completions that are delivered in one turn.
func (p *pass) window(seqs []string) (window []sandbox.Completion, rest []string) {
	size := 0
	for i, seq := range seqs {
		if p.reexecutes(seq) || size > windowBytes {
			return window, seqs[i:]
		}
		c := p.rec.state.Calls[seq]
		window = append(window, completionOf(c, c.Outcome, c.OutcomeAt, true))
		size += len(c.Outcome.Value)
	}
	return window, nil
}

// reexecutes reports whether a recorded delivery is dispatched again instead of replayed.
func (p *pass) reexecutes(seq string) bool {
	c := p.rec.state.Calls[seq]
	return c.Issued.Reexecute && c.State == journal.CallApplied
}

// again waits for the call at this place of the record to be executed once more. It is delivered with its recorded time.
func (p *pass) again(seq string) (*sandbox.Completion, *ending, error) {
	c := p.rec.state.Calls[seq]
	if p.open.get(seq) == nil && !p.holds(seq) {
		return nil, p.diverged(&sandbox.Divergence{Seq: seq, Recorded: c.Issued.Connector + "." + c.Issued.Method, Came: "no such call"}), nil
	}
	for {
		if i := slices.IndexFunc(p.ready, func(r sandbox.Completion) bool { return r.Seq == seq }); i >= 0 {
			d := p.ready[i]
			p.ready = slices.Delete(p.ready, i, i+1)
			return &d, nil, nil
		}
		if end := p.interrupted(p.ctx); end != nil {
			return nil, end, nil
		}
		if err := p.startQueued(); err != nil {
			return nil, nil, err
		}
		if p.holds(seq) {
			continue
		}
		if end, err := p.wait(); end != nil || err != nil {
			return nil, end, err
		}
	}
}

// holds reports whether a call's completion is ready.
func (p *pass) holds(seq string) bool {
	return slices.ContainsFunc(p.ready, func(r sandbox.Completion) bool { return r.Seq == seq })
}

// empty reports whether nothing was delivered in any former pass.
func (r *replay) empty() bool { return len(r.deliveries) == 0 }

// saw notes that the program has issued a call.
func (r *replay) saw(seq string) { delete(r.expected, seq) }

// missing returns the first recorded call that the program did not issue; empty: none is missing.
func (r *replay) missing() string {
	first := ""
	for seq := range r.expected {
		if first == "" || journal.CompareSeq(seq, first) < 0 {
			first = seq
		}
	}
	return first
}

// recordedSteps lists the steps with a recorded outcome: their functions are not run again.
func recordedSteps(s *journal.State) []string {
	var steps []string
	for _, seq := range s.Deliveries {
		i := s.Calls[seq].Issued
		if i.Connector == sandbox.Platform && i.Method == sandbox.MethodStep {
			steps = append(steps, seq)
		}
	}
	return steps
}

// suspect names the last step before a call whose function was not run again; empty: there is none.
func suspect(s *journal.State, seq string) string {
	last := ""
	for _, step := range recordedSteps(s) {
		if journal.CompareSeq(step, seq) < 0 && (last == "" || journal.CompareSeq(step, last) > 0) {
			last = step
		}
	}
	if last == "" {
		return ""
	}
	var a struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(s.Calls[last].Issued.Args, &a) != nil {
		return last
	}
	return fmt.Sprintf("%q (step %s)", a.Name, last)
}

// underAny reports whether a call was issued inside one of these steps, at any depth.
func underAny(seq string, steps map[string]bool) bool {
	for i := strings.LastIndexByte(seq, '.'); i >= 0; i = strings.LastIndexByte(seq, '.') {
		if seq = seq[:i]; steps[seq] {
			return true
		}
	}
	return false
}
