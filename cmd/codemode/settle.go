package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
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
		Args: cobra.ExactArgs(2),
		Long: `Say what happened to a call that was started and whose outcome nobody knows,
and run its execution on. Look at the service itself before you decide. Of an
execution that has ended, and of a revert, it is only recorded.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !f.again && !f.notDone && !f.end && f.result == "" {
				return errors.New("say what happened: --again, --result JSON, --not-done or --end; codemode help settle tells what each means")
			}
			req, meaning, err := f.request()
			if err != nil {
				return err
			}
			req.ExecutionID, req.Seq = args[0], args[1]
			return a.with(func(ctx context.Context, s *session, _ []string) error {
				return a.settle(ctx, s, req, meaning)
			})(cmd, args)
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

// request says what was chosen, also in words for the question.
func (f settleFlags) request() (req core.SettleRequest, meaning string, err error) {
	req.Note = f.note
	switch {
	case f.again:
		req.How, meaning = core.SettleAgain, "It runs again, with the same arguments and the same idempotency key."
	case f.notDone:
		req.How, meaning = core.SettleNotDone, "It is recorded as not done; the program gets an error that says so."
	case f.end:
		req.How, meaning = core.SettleEnd, "The execution ends; the call stays in doubt."
	case f.result == "undefined":
		req.How, meaning = core.SettleDone, "It is recorded as done, without a result."
	case !json.Valid([]byte(f.result)):
		return req, "", errors.New("--result is not JSON")
	default:
		req.How, req.Result, meaning = core.SettleDone, json.RawMessage(f.result), "It is recorded as done, with the given result."
	}
	return req, meaning, nil
}

func (a *app) settle(ctx context.Context, s *session, req core.SettleRequest, meaning string) error {
	req.Decider = a.decider(a.via(), req.Note)
	if a.asks(s) {
		yes, err := a.askSettle(ctx, s, req, meaning)
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
func (a *app) askSettle(ctx context.Context, s *session, req core.SettleRequest, meaning string) (bool, error) {
	t, err := a.openTerminal()
	if err != nil {
		return false, err
	}
	defer t.close()
	waiting, err := pendingOf(ctx, s, req.ExecutionID)
	var unknown *core.NotFoundError
	if errors.As(err, &unknown) {
		return true, nil // the host says so
	}
	if err != nil {
		return false, err
	}
	text := fmt.Sprintf("\nCall %s of execution %s\n", req.Seq, req.ExecutionID)
	if i := slices.IndexFunc(waiting, func(c core.Pending) bool { return c.Seq == req.Seq }); i >= 0 {
		text = "\n" + t.page.Call(waiting[i])
	}
	if err := t.show(text + "\n" + meaning + "\n"); err != nil {
		return false, err
	}
	return t.confirm(ctx, "Settle it so?")
}
