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
		refused, err := a.askSettle(ctx, s, req, meaning)
		if err != nil {
			return err
		}
		if refused != "" {
			return a.outcome(engine.StateError(req.ExecutionID, refused))
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

// inDoubt finds what a request settles, or says why it cannot, before anybody is asked. Without either, it is a call that
// ended in an error which leaves its effect open.
func inDoubt(ctx context.Context, s *session, req core.SettleRequest) (*core.Pending, string, error) {
	list, err := pendingOf(ctx, s, req.ExecutionID)
	var unknown *core.NotFoundError
	if errors.As(err, &unknown) {
		return nil, fmt.Sprintf("There is no execution %q.", req.ExecutionID), nil
	}
	if err != nil {
		return nil, "", err
	}
	i := slices.IndexFunc(list, func(c core.Pending) bool { return c.Seq == req.Seq && c.Kind == engine.PendingInDoubt })
	if i >= 0 {
		return &list[i], cannotSettle(&list[i], req), nil
	}
	if req.How == core.SettleAgain || req.How == core.SettleEnd {
		return nil, fmt.Sprintf("Call %s does not wait to be settled.", req.Seq), nil
	}
	return nil, "", nil
}

// cannotSettle says why what is in doubt is not to be settled so; empty: it may be.
func cannotSettle(c *core.Pending, req core.SettleRequest) string {
	switch {
	case slices.Contains(c.Settle, req.How):
		return ""
	case c.Revert:
		return fmt.Sprintf("Of call %s the revert is in doubt: say --result undefined if it happened, --not-done if it did not, "+
			"or --again to have the next rollback try it again.", req.Seq)
	}
	return fmt.Sprintf("The execution has ended, and nothing of it runs again: of call %s it can only be said whether it happened, "+
		"with --result or --not-done.", req.Seq)
}

// askSettle shows the call and asks a person whether it is to be settled so. The text says why it is not; empty: it is.
func (a *app) askSettle(ctx context.Context, s *session, req core.SettleRequest, meaning string) (refused string, err error) {
	t, err := a.openTerminal()
	if err != nil {
		return "", err
	}
	defer t.close()
	c, refused, err := inDoubt(ctx, s, req)
	if err != nil || refused != "" {
		return refused, err
	}
	text := fmt.Sprintf("\nCall %s of execution %s\n", req.Seq, req.ExecutionID)
	if c != nil {
		text = "\n" + t.page.Call(*c)
	}
	if err := t.show(text + "\n" + meaning + "\n"); err != nil {
		return "", err
	}
	yes, err := t.confirm(ctx, "Settle it so?")
	if err == nil && !yes {
		refused = "Nothing was settled."
	}
	return refused, err
}
