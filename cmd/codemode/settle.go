package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

// settleFlags are the ways to settle a call, of which one is taken.
type settleFlags struct {
	again, notDone, end bool
	result, note        string
}

func newSettle(a *app) *cobra.Command {
	f := settleFlags{}
	cmd := &cobra.Command{
		Use: "settle ID SEQ --again|--result JSON|--not-done|--end", Short: "Say what happened to a call whose effect is in doubt",
		Args: cobra.ExactArgs(2), ValidArgsFunction: a.executionIDs(0),
		Long: `Say what happened to a call that was started and whose outcome nobody knows,
and run its execution on. Look at the service itself before you decide. Of an
execution that has ended, and of a revert, it is only recorded.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !f.again && !f.notDone && !f.end && f.result == "" {
				return errors.New("say what happened: --again, --result JSON, --not-done or --end; codemode help settle tells what each means")
			}
			req, err := f.request()
			if err != nil {
				return err
			}
			req.ExecutionID, req.Seq = args[0], args[1]
			return a.with(func(ctx context.Context, s *session, _ []string) error { return a.settle(ctx, s, req) })(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&f.again, "again", false, "run it again: the same arguments, the same idempotency key")
	cmd.Flags().StringVar(&f.result, "result", "", "it happened, with this result: `JSON`, or undefined")
	cmd.Flags().BoolVar(&f.notDone, "not-done", false, "it did not happen: the program gets an error that says so")
	cmd.Flags().BoolVar(&f.end, "end", false, "end the execution; the call stays in doubt")
	cmd.Flags().StringVar(&f.note, "note", "", "how you know")
	cmd.MarkFlagsMutuallyExclusive("again", "result", "not-done", "end")
	return a.takesSecret(cmd)
}

// request says what was chosen.
func (f settleFlags) request() (core.SettleRequest, error) {
	req := core.SettleRequest{Decider: core.Decider{Note: f.note}}
	switch {
	case f.again:
		req.How = core.SettleAgain
	case f.notDone:
		req.How = core.SettleNotDone
	case f.end:
		req.How = core.SettleEnd
	case f.result == "undefined":
		req.How = core.SettleDone
	case !json.Valid([]byte(f.result)):
		return req, errors.New("--result is not JSON")
	default:
		req.How, req.Result = core.SettleDone, json.RawMessage(f.result)
	}
	return req, nil
}

func (a *app) settle(ctx context.Context, s *session, req core.SettleRequest) error {
	req.Decider = a.decider(a.via(), req.Note)
	if a.asks(s) {
		yes, err := a.askSettle(ctx, s, req)
		if err != nil {
			return err
		}
		if !yes {
			return a.outcome(engine.StateError(req.ExecutionID, "Nothing was settled."))
		}
		req.Via = viaTerminal
	}
	ctx, err := a.authorized(ctx, s)
	if err != nil {
		return err
	}
	out, err := drive(ctx, a, s, req.ExecutionID, func(ctx context.Context, svc control.Service) (*core.Outcome, error) {
		return svc.Settle(ctx, req)
	})
	if err != nil {
		return err
	}
	return a.outcome(out)
}

// askSettle shows the call and asks a person whether it is to be settled so.
func (a *app) askSettle(ctx context.Context, s *session, req core.SettleRequest) (bool, error) {
	t, err := a.openTerminal()
	if err != nil {
		return false, err
	}
	defer t.close()
	call, meaning, err := a.settled(ctx, s, req, t.page)
	if unknown := (*core.NotFoundError)(nil); errors.As(err, &unknown) {
		return true, nil // the host says so
	}
	if err != nil {
		return false, err
	}
	if err := t.show("\n" + call + "\n" + meaning + "\n"); err != nil {
		return false, err
	}
	return t.confirm(ctx, "Settle it so?")
}

// settled tells the call that would be settled, and what that would do. Where nothing is to be settled, that is said, and
// the error is the exit code.
func (a *app) settled(ctx context.Context, s *session, req core.SettleRequest, p render.Page) (call, meaning string, err error) {
	d, err := ask(ctx, s, func(svc control.Service) (*core.Detail, error) { return svc.Show(ctx, req.ExecutionID) })
	if err != nil {
		return "", "", err
	}
	c := callOf(d, req.Seq)
	if c == nil {
		return "", "", a.outcome(engine.StateError(req.ExecutionID, fmt.Sprintf("Execution %s has no call %s.", req.ExecutionID, req.Seq)))
	}
	meaning = settledCall(req)
	if c.RevertInDoubt || journal.Status(d.Status).Terminal() {
		meaning = settledLater(req, *c)
	}
	if meaning == "" {
		reason := fmt.Sprintf("No pass waits for call %s: what can still be said is what happened, with --result JSON or --not-done.", req.Seq)
		return "", "", a.outcome(engine.StateError(req.ExecutionID, reason))
	}
	waiting, err := pendingOf(ctx, s, req.ExecutionID)
	if err != nil {
		return "", "", err
	}
	if i := slices.IndexFunc(waiting, func(w core.Pending) bool { return w.Seq == req.Seq }); i >= 0 {
		return p.Call(waiting[i]), meaning, nil
	}
	return p.Record(*c), meaning, nil
}

// callOf finds a call; nil: there is none.
func callOf(d *core.Detail, seq string) *engine.CallRecord {
	if d.Outcome == nil {
		return nil
	}
	i := slices.IndexFunc(d.Outcome.Calls, func(c engine.CallRecord) bool { return c.Seq == seq })
	if i < 0 {
		return nil
	}
	return &d.Outcome.Calls[i]
}

// settledCall says what settling a call does that its execution waits for, or would.
func settledCall(req core.SettleRequest) string {
	switch {
	case req.How == core.SettleAgain:
		return "It runs again, with the same arguments and the same idempotency key."
	case req.How == core.SettleNotDone:
		return "It is recorded as not done; the program gets an error that says so."
	case req.How == core.SettleEnd:
		return "The execution ends; the call stays in doubt."
	case req.Result == nil:
		return "It is recorded as done, without a result."
	}
	return "It is recorded as done, with the given result."
}

// settledLater says what settling a call does that no pass waits for: one of an execution that has ended, or one whose
// revert is in doubt. Empty: it cannot be settled so.
func settledLater(req core.SettleRequest, c engine.CallRecord) string {
	what := "It"
	if c.RevertInDoubt {
		what = "Its revert"
	}
	switch {
	case req.How == core.SettleNotDone:
		return what + " is recorded as not done. Nothing is run."
	case req.How == core.SettleDone:
		return what + " is recorded as done. Nothing is run."
	case req.How == core.SettleAgain && c.RevertInDoubt:
		return "The next rollback runs its revert again. Nothing is run now."
	}
	return ""
}
