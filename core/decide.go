package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/schema"
)

// owner takes an execution over, or returns the one whose pass runs here. The caller holds the execution's lock. The text says,
// instead, why nothing can be done with this id.
func (h *Host) owner(ctx context.Context, id string) (x *engine.Execution, text string, err error) {
	if d := h.running(id); d != nil {
		return d.x, "", nil
	}
	head, err := h.store.Head(ctx, id)
	if err == nil {
		x, err = h.engine.Open(ctx, id)
	}
	switch {
	case errors.Is(err, journal.ErrNotFound):
		return nil, fmt.Sprintf("There is no execution %q.", id), nil
	case err != nil:
		return nil, "", err
	}
	busy := false
	x.View(func(s *journal.State) { busy = s.Status == journal.StatusRunning || s.RollingBack })
	if !busy {
		return x, "", nil
	}
	switch others, err := h.lease.others(ctx, head); {
	case err != nil:
		return nil, "", err
	case others:
		return nil, elsewhere, nil
	}
	return x, "", nil
}

// decisionsOf says what is decided in an execution, or why nothing can be.
type decisionsOf func(*journal.State) (list []engine.Decision, text string)

// decide records decisions and, for an execution that can go on, runs the next pass to its outcome.
func (h *Host) decide(ctx context.Context, id string, decisions decisionsOf) (*Outcome, error) {
	d, out, err := h.decideAndDrive(ctx, id, decisions)
	if out != nil || err != nil {
		return out, err
	}
	return h.await(ctx, d)
}

// await waits for a pass. The pass goes on when ctx ends first.
func (h *Host) await(ctx context.Context, d *driven) (*Outcome, error) {
	select {
	case <-d.done:
		return d.outcome, d.err
	case <-ctx.Done():
		return nil, fmt.Errorf("execution %s goes on: %w", d.x.ID(), context.Cause(ctx))
	}
}

func (h *Host) decideAndDrive(ctx context.Context, id string, decisions decisionsOf) (*driven, *Outcome, error) {
	h.registry.load(ctx)
	defer h.locks.lock(id)()
	x, text, err := h.owner(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if text != "" {
		return nil, engine.StateError(id, text), nil
	}
	var list []engine.Decision
	var labels []string
	informs := false // the decision is recorded, and nothing goes on
	x.View(func(s *journal.State) {
		informs = s.Status.Terminal() || s.RollingBack
		if text = h.cannotResume(s); text != "" {
			return
		}
		if list, text = decisions(s); text == "" && len(list) == 0 {
			text = nothingWaits(s)
		}
		labels = dispatched(s, list)
	})
	if text == "" {
		text = h.unavailable(ctx, labels, "Decide")
	}
	if text != "" {
		return nil, h.refusal(x, text), nil
	}
	d := h.running(id) // before it is decided: a pass that picks the decision up may have ended right after
	picked, err := x.Decide(ctx, list)
	if err != nil {
		return h.undecided(x, err)
	}
	if picked {
		return d, nil, nil
	}
	ended := false
	x.View(func(s *journal.State) { ended = s.Status.Terminal() })
	if informs || ended {
		h.hook(ctx, x)
		if informs {
			return nil, recordedOutcome(x, list), nil
		}
		return nil, h.stateOutcome(x), nil
	}
	d, err = h.drive(x, nil)
	return d, nil, err
}

// nothingWaits says why there is nothing to decide.
func nothingWaits(s *journal.State) string {
	if s.Status.Terminal() {
		return fmt.Sprintf("The execution is %s, not paused.", s.Status)
	}
	return "No call of this execution waits for an approval."
}

// dispatched lists the connectors of the calls that these decisions have carried out.
func dispatched(s *journal.State, list []engine.Decision) []string {
	var labels []string
	for _, d := range list {
		if c := s.Calls[d.Seq]; c != nil && (d.Decision == journal.DecisionApprove || d.Decision == journal.DecisionAgain) {
			labels = append(labels, c.Issued.Connector)
		}
	}
	return labels
}

// unavailable says which of these connectors cannot be used now; empty: all can. An approval is not to be spent on a
// failure that its connector alone is the cause of.
func (h *Host) unavailable(ctx context.Context, labels []string, again string) string {
	for _, label := range labels {
		if err := h.registry.need(ctx, label); err != nil {
			return fmt.Sprintf("%s. %s again when it is; nothing was changed.", upperFirst(err.Error()), again)
		}
	}
	return ""
}

func (h *Host) undecided(x *engine.Execution, err error) (*driven, *Outcome, error) {
	var u *engine.UndecidableError
	if errors.As(err, &u) {
		return nil, h.refusal(x, upperFirst(u.Error())+"."), nil
	}
	if overtaken(err) {
		return nil, engine.StateError(x.ID(), taken), nil
	}
	return nil, nil, err
}

// refusal is the outcome of a decision that was not taken: it says what waits now.
func (h *Host) refusal(x *engine.Execution, text string) *Outcome {
	out := engine.StateError(x.ID(), text)
	x.View(func(s *journal.State) { out.Pending = h.pendingOf(s) })
	return out
}

func (h *Host) stateOutcome(x *engine.Execution) *Outcome {
	var out *Outcome
	x.View(func(s *journal.State) { out = h.outcomeOf(s) })
	return out
}

// recordedOutcome answers decisions that no pass follows: what the execution once came to is no outcome of theirs.
func recordedOutcome(x *engine.Execution, list []engine.Decision) *Outcome {
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = "call " + d.Seq + " " + decidedText(&journal.Decided{Decision: d.Decision, By: d.By, Note: d.Note})
	}
	out := &Outcome{ExecutionID: x.ID(), Changed: true, Message: "Recorded, and nothing was run: " + strings.Join(texts, "; ") + "."}
	x.View(func(s *journal.State) { out.Status = string(s.Status) })
	return out
}

// cannotResume says why a pass cannot begin; empty: one can, or one runs.
func (h *Host) cannotResume(s *journal.State) string {
	if s.Status.Terminal() {
		return ""
	}
	var missing []string
	for _, c := range s.Begun.Connectors {
		if !h.registry.has(c.Label) {
			missing = append(missing, fmt.Sprintf("%q", c.Label))
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return "This execution requires connector(s) " + strings.Join(missing, ", ") +
		", which are not configured. Configure them and decide again; nothing was changed."
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Approve allows waiting calls and runs the execution on until it completes, fails or pauses for the rest. An
// approval of anything but what waits now changes nothing; the outcome says what waits.
func (h *Host) Approve(ctx context.Context, req ApproveRequest) (*Outcome, error) {
	if !req.All && len(req.Calls) == 0 {
		return engine.StateError(req.ExecutionID, "Name the calls to approve, or all of them."), nil
	}
	return h.decide(ctx, req.ExecutionID, func(s *journal.State) ([]engine.Decision, string) {
		calls := req.Calls
		if req.All {
			calls = nil
			for _, p := range engine.PendingOf(s) {
				if p.Kind == engine.PendingApproval {
					calls = append(calls, Shown{Seq: p.Seq, Digest: p.Digest})
				}
			}
		}
		list := make([]engine.Decision, 0, len(calls))
		for _, c := range calls {
			list = append(list, decision(journal.DecisionApprove, c, req.Decider))
		}
		return list, ""
	})
}

func decision(word string, c Shown, by Decider) engine.Decision {
	return engine.Decision{Seq: c.Seq, Digest: c.Digest, Args: c.Args, Decision: word, By: by.By, Via: by.Via, Note: by.Note}
}

// Refuse tells the program that a person refused a call, and runs it on: the program gets an error and may go on without.
func (h *Host) Refuse(ctx context.Context, req RejectRequest) (*Outcome, error) {
	if req.Note == "" {
		return engine.StateError(req.ExecutionID, "Say in a note why the call is refused."), nil
	}
	return h.decide(ctx, req.ExecutionID, func(*journal.State) ([]engine.Decision, string) {
		return []engine.Decision{decision(journal.DecisionRefuse, Shown{Seq: req.Seq, Digest: req.Digest}, req.Decider)}, ""
	})
}

// Reject rejects a waiting call and ends its execution. It undoes nothing. The reply says whether it really ended it.
func (h *Host) Reject(ctx context.Context, req RejectRequest) (*Reply, error) {
	if req.Note == "" {
		return &Reply{ExecutionID: req.ExecutionID, Message: "Say in a note why the call is rejected."}, nil
	}
	unlock := h.locks.lock(req.ExecutionID)
	var d *driven
	x, text, err := h.owner(ctx, req.ExecutionID)
	if err == nil && text == "" {
		d = h.running(req.ExecutionID)
		_, err = x.Decide(ctx, []engine.Decision{decision(journal.DecisionReject, Shown{Seq: req.Seq, Digest: req.Digest}, req.Decider)})
		if err == nil && d == nil {
			h.hook(ctx, x)
		}
	}
	unlock()
	var u *engine.UndecidableError
	switch {
	case text != "":
		return &Reply{ExecutionID: req.ExecutionID, Message: text}, nil
	case errors.As(err, &u):
		return h.reply(x, false, upperFirst(u.Error())+"."), nil
	case overtaken(err):
		return &Reply{ExecutionID: req.ExecutionID, Message: taken}, nil
	case err != nil:
		return nil, err
	}
	if d != nil {
		if _, err := h.await(ctx, d); err != nil {
			return nil, err
		}
	}
	return h.reply(x, true, "Rejected; the execution has ended. What it had done stays done: roll it back to undo it."), nil
}

func (h *Host) reply(x *engine.Execution, changed bool, text string) *Reply {
	r := &Reply{ExecutionID: x.ID(), Changed: changed, Message: text}
	x.View(func(s *journal.State) { r.Status = string(s.Status) })
	return r
}

// Settle records what a person knows of a call whose effect is in doubt, and runs the execution on.
func (h *Host) Settle(ctx context.Context, req SettleRequest) (*Outcome, error) {
	if !slices.Contains([]string{SettleAgain, SettleDone, SettleNotDone, SettleEnd}, req.How) {
		return engine.StateError(req.ExecutionID, fmt.Sprintf("A call is not settled by %q.", req.How)), nil
	}
	return h.decide(ctx, req.ExecutionID, func(s *journal.State) ([]engine.Decision, string) {
		d := decision(req.How, Shown{Seq: req.Seq}, req.Decider)
		if c := s.Calls[req.Seq]; c != nil && req.How == SettleDone {
			d.Result = req.Result
			if err := h.checkResult(c.Issued, req.Result); err != nil {
				return nil, fmt.Sprintf("Call %s is not settled: %v.", req.Seq, err)
			}
		}
		return []engine.Decision{d}, ""
	})
}

// checkResult holds a person's word on what a call gave to what its connector could have said.
func (h *Host) checkResult(i *journal.Issued, result json.RawMessage) error {
	if result == nil {
		return nil
	}
	if !json.Valid(result) {
		return errors.New("the result is not JSON")
	}
	if n, most := utf8.RuneCount(result), h.options.Limits.Value; n > most {
		return fmt.Errorf("the result has %d characters, %d at most can be recorded", n, most)
	}
	m, err := h.registry.Lookup(i.Connector, i.Method)
	if err != nil {
		return nil // a method that is gone has no schema to hold it to
	}
	s, err := schema.Compile(m.OutputSchema)
	if err == nil && s != nil {
		err = s.Validate(result)
	}
	if err != nil {
		return fmt.Errorf("the result: %w", err)
	}
	return nil
}

// Resume continues an execution that a former process left running, or whose decisions it did not carry out. It
// decides nothing.
func (h *Host) Resume(ctx context.Context, id string) (*Outcome, error) {
	h.registry.load(ctx)
	d, out, err := h.resume(ctx, id)
	if out != nil || err != nil {
		return out, err
	}
	return h.await(ctx, d)
}

func (h *Host) resume(ctx context.Context, id string) (*driven, *Outcome, error) {
	defer h.locks.lock(id)()
	if d := h.running(id); d != nil {
		return d, nil, nil
	}
	x, text, err := h.owner(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if text != "" {
		return nil, engine.StateError(id, text), nil
	}
	var labels []string
	x.View(func(s *journal.State) {
		switch text = h.cannotResume(s); {
		case text != "":
		case s.Status.Terminal():
			text = fmt.Sprintf("The execution is %s: there is nothing to resume.", s.Status)
		case !hasWork(s):
			text = "The execution waits for a person: there is nothing to resume."
		}
		labels = underway(s)
	})
	if text == "" {
		text = h.unavailable(ctx, labels, "Resume")
	}
	if text != "" {
		return nil, h.refusal(x, text), nil
	}
	d, err := h.drive(x, nil)
	return d, nil, err
}

// underway lists the connectors of the calls that a pass carries out without asking anybody.
func underway(s *journal.State) []string {
	var labels []string
	for _, seq := range s.Order {
		c := s.Calls[seq]
		if c.Issued.Connector != sandbox.Platform && (c.State == journal.CallQueued || c.State == journal.CallExecuting) {
			labels = append(labels, c.Issued.Connector)
		}
	}
	return labels
}

// hasWork reports whether a pass would do anything: the last one broke off, or a decision has not been carried out.
func hasWork(s *journal.State) bool {
	if s.Status == journal.StatusRunning {
		return true
	}
	return s.Status == journal.StatusPaused && slices.ContainsFunc(s.Order, func(seq string) bool {
		c := s.Calls[seq]
		return c.Decision != nil && c.Outcome == nil && !c.Waiting()
	})
}

// Rollback undoes what an execution has done, the last call first. Where ctx or the host ends first, the call that is
// being reverted is awaited and recorded, and the next rollback goes on from there; until then nothing can be decided.
func (h *Host) Rollback(ctx context.Context, req RollbackRequest) (*Rollback, error) {
	ctx, end, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	h.registry.load(ctx)
	defer h.locks.lock(req.ExecutionID)()
	x, text, err := h.owner(ctx, req.ExecutionID)
	if err != nil {
		return nil, err
	}
	if text != "" {
		return &Rollback{ExecutionID: req.ExecutionID, Message: text, Reverted: []engine.RevertRecord{}}, nil
	}
	var account *Rollback
	if req.DryRun {
		account, err = x.PlanRollback(ctx)
	} else {
		account, err = x.Rollback(ctx, req.By, req.Note)
	}
	if account != nil && account.Changed {
		h.hook(ctx, x)
	}
	if overtaken(err) {
		return &Rollback{ExecutionID: req.ExecutionID, Message: taken, Reverted: []engine.RevertRecord{}}, nil
	}
	var u *engine.UndecidableError
	if errors.As(err, &u) {
		status := ""
		x.View(func(s *journal.State) { status = string(s.Status) })
		return &Rollback{ExecutionID: req.ExecutionID, Status: status, Message: upperFirst(u.Error()) + ".", Reverted: []engine.RevertRecord{}}, nil
	}
	return account, err
}
