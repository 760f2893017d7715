package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/plugin/wire"
)

// Rollback is the account of a rollback.
type Rollback struct {
	ExecutionID string         `json:"executionId"`
	Status      string         `json:"status"`  // after it
	Changed     bool           `json:"changed"` // something was reverted
	Message     string         `json:"message"`
	Reverted    []RevertRecord `json:"reverted"`
	Failed      []RevertRecord `json:"failed,omitempty"`   // the revert itself failed; the call stays applied
	NoRevert    []RevertRecord `json:"noRevert,omitempty"` // writes that cannot be reverted
	Missing     []RevertRecord `json:"missing,omitempty"`  // their connector is not there
	InDoubt     []RevertRecord `json:"inDoubt,omitempty"`  // it is not known whether the call, or its revert, took effect
}

// RevertRecord is one call in a rollback's account.
type RevertRecord struct {
	Seq       string          `json:"seq"`
	Connector string          `json:"connector"`
	Method    string          `json:"method"`
	Args      json.RawMessage `json:"args,omitempty"`
	Reason    string          `json:"reason,omitempty"`
}

// Rollback compensates for the applied calls of an execution, the last started
// first, with or without approval. It claims the execution: no pass runs and no
// decision is taken until it ends. A failed revert does not stop the rest. The
// end of ctx does, between two reverts; the claim stays, for the next rollback.
func (x *Execution) Rollback(ctx context.Context, by, note string) (*Rollback, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.rec.state
	if x.running || s.Status == journal.StatusRunning {
		return nil, &UndecidableError{Reason: fmt.Sprintf("execution %s is running: only one that is paused or has ended can be rolled back", s.ID)}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	r := &rollback{Execution: x, ctx: ctx, account: &Rollback{ExecutionID: s.ID, Reverted: []RevertRecord{}}}
	if !s.RollingBack {
		if _, err := x.rec.add(&journal.RollbackBegun{By: by, Note: note}); err != nil {
			return nil, err
		}
		if err := x.rec.flush(ctx); err != nil {
			return nil, err
		}
	}
	if unsettled, err := r.unsettled(); unsettled || err != nil {
		return r.account, err
	}
	for _, seq := range slices.Backward(slices.Clone(s.StartedOrder)) {
		err := context.Cause(ctx)
		if err == nil {
			err = r.call(s.Calls[seq])
		}
		if err != nil {
			return nil, fmt.Errorf("roll back execution %s: %w", s.ID, err)
		}
	}
	return r.account, r.end()
}

// PlanRollback tells what a rollback would do now, and does nothing. What it lists as reverted would be tried.
func (x *Execution) PlanRollback(ctx context.Context) (*Rollback, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.rec.state
	if x.running || s.Status == journal.StatusRunning {
		return nil, &UndecidableError{Reason: fmt.Sprintf("execution %s is running: only one that is paused or has ended can be rolled back", s.ID)}
	}
	r := &rollback{Execution: x, ctx: ctx, dry: true, account: &Rollback{ExecutionID: s.ID, Status: string(s.Status), Reverted: []RevertRecord{}}}
	for _, seq := range slices.Backward(slices.Clone(s.StartedOrder)) {
		if err := r.call(s.Calls[seq]); err != nil {
			return nil, err
		}
	}
	r.account.Message = counted(len(r.account.Reverted)) + " would be reverted; nothing was done"
	return r.account, nil
}

// counted counts calls for a person.
func counted(calls int) string {
	switch calls {
	case 0:
		return "no call"
	case 1:
		return "1 call"
	}
	return fmt.Sprintf("%d calls", calls)
}

type rollback struct {
	*Execution
	ctx     context.Context
	dry     bool // nothing is done
	account *Rollback
}

// unsettled reports whether it is not known what an earlier revert did. Nothing else is reverted before a person
// has settled that; the claim stays.
func (r *rollback) unsettled() (bool, error) {
	a := r.account
	for _, seq := range slices.Backward(r.rec.state.StartedOrder) {
		c := r.rec.state.Calls[seq]
		if !c.RevertInDoubt() {
			continue
		}
		rec := revertOf(c)
		rec.Reason = revertUnknown
		a.InDoubt = append(a.InDoubt, rec)
		if c.RevertEnded != nil {
			continue
		}
		// Its handler may be another host's, and at work until its deadline.
		if err := r.e.quiet(r.ctx, c.Issued.Connector, r.e.lateness(c.Revert.Deadline)); err != nil {
			return true, fmt.Errorf("call %s is being reverted: %w", seq, err)
		}
		cause := &journal.Failure{Message: "The host stopped while the call was being reverted."}
		if err := r.journal(&journal.RevertEnded{Seq: seq, Doubt: true, Failure: cause}); err != nil {
			return true, err
		}
	}
	a.Status = string(r.rec.state.Status)
	a.Message = "nothing more is reverted until it is settled what an earlier revert did"
	return len(a.InDoubt) > 0, nil
}

// revertUnknown is why a revert has to be settled.
const revertUnknown = "whether its revert took effect is not known"

func revertOf(c *journal.Call) RevertRecord {
	return RevertRecord{Seq: c.Issued.Seq, Connector: c.Issued.Connector, Method: c.Issued.Method, Args: c.Args()}
}

// call reverts one call, or notes why not.
func (r *rollback) call(c *journal.Call) error {
	rec := revertOf(c)
	a := r.account
	if c.Doubtful() && !r.dry {
		if err := r.clarify(c); err != nil {
			return err
		}
	}
	switch {
	case c.Issued.ReadOnly:
		return nil
	case c.RevertInDoubt():
		rec.Reason = revertUnknown
		a.InDoubt = append(a.InDoubt, rec)
		return nil
	case c.Doubtful():
		rec.Reason = "whether the call took effect is not known"
		a.InDoubt = append(a.InDoubt, rec)
		return nil
	case c.State != journal.CallApplied:
		return nil
	}
	conn, err := r.e.Connectors.Connector(rec.Connector)
	if err != nil {
		rec.Reason = err.Error()
		a.Missing = append(a.Missing, rec)
		return nil
	}
	m, err := r.e.Catalog.Lookup(rec.Connector, rec.Method)
	switch {
	case err != nil:
		rec.Reason = err.Error()
		a.Missing = append(a.Missing, rec)
		return nil
	case !m.Reverts:
		a.NoRevert = append(a.NoRevert, rec)
		return nil
	}
	if r.dry {
		a.Reverted = append(a.Reverted, rec)
		return nil
	}
	return r.revert(c, m, conn, rec)
}

// clarify asks the connector of a call in doubt, if it can tell, whether the call took effect.
func (r *rollback) clarify(c *journal.Call) error {
	err := r.e.Connectors.Quiet(r.ctx, c.Issued.Connector)
	var told *wire.Reconciliation
	if err == nil {
		told, err = r.e.reconcile(r.ctx, c.Issued, r.sentCall(c))
	}
	if err != nil {
		r.e.Logger.Warn("a connector cannot tell whether a call took effect", "execution", r.ID(), "call", c.Issued.Seq, "error", err)
	}
	if told == nil || told.Happened == wire.HappenedUnknown {
		return nil
	}
	return r.journal(answerOf(c.Issued, told, journal.DecisionNotDone))
}

// revert has a connector compensate for one call, journaled before and after.
func (r *rollback) revert(c *journal.Call, m *catalog.Method, conn wire.Connector, rec RevertRecord) error {
	s, attempt := r.rec.state, 1
	if c.Revert != nil {
		attempt = c.Revert.Attempt + 1
	}
	key := s.ID + "/" + rec.Seq + "/revert"
	deadline := r.e.Now().Add(r.e.Connectors.Timeout(rec.Connector, rec.Method))
	if err := r.e.Lease(); err != nil {
		return err
	}
	if err := r.journal(&journal.RevertStarted{Seq: rec.Seq, Attempt: attempt, Key: key, Deadline: deadline}); err != nil {
		return err
	}
	if err := r.e.Lease(); err != nil {
		return err
	}
	req := &wire.RevertRequest{Call: &wire.Call{
		ExecutionID: s.ID, Seq: rec.Seq, IdempotencyKey: key, Attempt: attempt, Deadline: deadline,
		Caller: s.Begun.Caller, Labels: s.Begun.Labels, Task: s.Begun.Task,
		Method: m.Raw, Args: c.Args(), Before: c.Started.Before,
	}}
	if v, has := c.Result(); has {
		req.Result = json.RawMessage(v)
	}
	req.ResultOmitted = c.Outcome != nil && c.Outcome.Omitted
	ctx, cancel := context.WithDeadline(context.WithoutCancel(r.ctx), deadline.Add(grace)) // as for the call itself
	defer cancel()
	_, err := within(ctx, r.e, func() (struct{}, error) { return struct{}{}, conn.Revert(ctx, req) })
	if err == nil {
		r.account.Reverted = append(r.account.Reverted, rec)
		return r.journal(&journal.RevertEnded{Seq: rec.Seq, Done: true})
	}
	f := failureFrom(err)
	rec.Reason = f.Message
	ended := &journal.RevertEnded{Seq: rec.Seq, Failure: f}
	if lost, sent := lostOf(err); lost && sent || timedOut(err) {
		ended.Doubt = true
		if err := r.e.Connectors.Quiet(context.WithoutCancel(r.ctx), rec.Connector); err != nil {
			r.e.Logger.Warn("a handler may still revert", "execution", s.ID, "call", rec.Seq, "error", err)
		}
		r.account.InDoubt = append(r.account.InDoubt, rec)
	} else {
		r.account.Failed = append(r.account.Failed, rec)
	}
	return r.journal(ended)
}

// journal makes one event durable.
func (r *rollback) journal(body journal.Body) error {
	if _, err := r.rec.add(body); err != nil {
		return err
	}
	return r.rec.flush(r.ctx)
}

// end ends the claim: the execution is rolled back if anything was reverted, else it is what it was.
func (r *rollback) end() error {
	s, a := r.rec.state, r.account
	status := s.Status
	a.Message = "nothing was reverted"
	if len(a.Reverted) > 0 {
		a.Changed, a.Message = true, counted(len(a.Reverted))+" reverted"
	}
	if anyReverted(s) { // by this rollback, or by one whose process died
		status = journal.StatusRolledBack
		for _, c := range s.WaitingCalls() {
			if c.State != journal.CallPending {
				continue
			}
			if _, err := r.rec.add(&journal.Withdrawn{Seq: c.Issued.Seq, Cause: "the execution was rolled back"}); err != nil {
				return err
			}
		}
	}
	a.Status = string(status)
	return r.journal(&journal.RollbackEnded{Status: status})
}

func anyReverted(s *journal.State) bool {
	return slices.ContainsFunc(s.Order, func(seq string) bool { return s.Calls[seq].State == journal.CallReverted })
}
