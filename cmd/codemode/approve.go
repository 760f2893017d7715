package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

// approveFlags say which calls to approve, and why.
type approveFlags struct {
	all     bool
	note    string
	args    string // a file
	digests []string
}

func newApprove(a *app) *cobra.Command {
	f := approveFlags{}
	cmd := &cobra.Command{
		Use: "approve ID [SEQ...]", Short: "Decide on the calls that wait, and go on", Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: a.executionIDs(0, journal.StatusPaused, journal.StatusRunning),
		Long: `Show the calls of an execution that wait for an approval, ask about each at
the terminal, and run the execution on. SEQs, or digests, choose among the
calls. With --args one call is executed with other arguments than the
program's.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			digests, err := pairs("digest", f.digests)
			if err != nil {
				return err
			}
			p := &approval{app: a, id: args[0], flags: f, digests: digests, seqs: args[1:]}
			if f.args != "" {
				if p.edited, err = p.editedArgs(); err != nil {
					return err
				}
			}
			if f.all && (len(p.seqs) > 0 || len(digests) > 0) {
				return errors.New("--all names every call: leave the SEQs and digests out")
			}
			return a.with(func(ctx context.Context, s *session, _ []string) error {
				p.session = s
				return p.run(ctx)
			})(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&f.all, "all", false, "decide on all of them at once")
	cmd.Flags().StringVar(&f.note, "note", "", "why")
	cmd.Flags().StringVar(&f.args, "args", "", "execute the one SEQ with the arguments, a JSON object, of this `file`; - is standard input")
	cmd.Flags().StringArrayVar(&f.digests, "digest", nil, "approve a call only as it was shown, `SEQ=HEX`; repeatable")
	return a.takesSecret(cmd)
}

// approval is one carrying out of the command.
type approval struct {
	*app
	*session
	id      string
	flags   approveFlags
	seqs    []string
	digests map[string]string
	edited  json.RawMessage // in place of the one call's arguments; nil: as the program has them
}

func (p *approval) run(ctx context.Context) error {
	alone := !p.asks(p.session)
	if alone && (p.flags.all || p.named()) {
		return p.approve(ctx, core.ApproveRequest{All: p.flags.all, Calls: p.shown(), Decider: p.decider(p.via(), p.flags.note)})
	}
	t, err := p.openTerminal()
	if err != nil {
		if alone {
			return errors.New("without a terminal, name each call with --digest SEQ=HEX, or all with --all")
		}
		return err
	}
	defer t.close()
	calls, err := p.calls(ctx)
	if err != nil {
		return err
	}
	if calls == nil {
		return exit(exitUnchanged)
	}
	if p.flags.all {
		return p.askAll(ctx, t, calls)
	}
	return p.askEach(ctx, t, calls)
}

// editedArgs reads the arguments that a person has written, which are for one call.
func (p *approval) editedArgs() (json.RawMessage, error) {
	if len(p.seqs) != 1 || p.flags.all {
		return nil, errors.New("--args is for one call: name its SEQ, and no other")
	}
	for seq := range p.digests {
		if seq != p.seqs[0] {
			return nil, errors.New("--args is for one call: leave the digests of others out")
		}
	}
	text, err := p.read(p.flags.args)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil || compact.Bytes()[0] != '{' {
		return nil, fmt.Errorf("--args %s: the arguments are not one JSON object", p.flags.args)
	}
	return compact.Bytes(), nil
}

// named reports whether every call that is named is named with its digest.
func (p *approval) named() bool {
	return len(p.digests) > 0 && !slices.ContainsFunc(p.seqs, func(seq string) bool { return p.digests[seq] == "" })
}

// shown are the calls as the digests name them, in the order of their seqs.
func (p *approval) shown() []core.Shown {
	var list []core.Shown
	for seq, digest := range p.digests {
		list = append(list, core.Shown{Seq: seq, Digest: digest, Args: p.edited})
	}
	slices.SortFunc(list, func(a, b core.Shown) int { return journal.CompareSeq(a.Seq, b.Seq) })
	return list
}

// calls are those to ask about. Nil: there are none, which has been said.
func (p *approval) calls(ctx context.Context) ([]core.Pending, error) {
	waiting, err := pendingOf(ctx, p.session, p.id)
	var unknown *core.NotFoundError
	if errors.As(err, &unknown) {
		return nil, p.nothing(fmt.Sprintf("There is no execution %q.", p.id), nil)
	}
	if err != nil {
		return nil, err
	}
	chosen := p.chosen(waiting)
	for _, seq := range p.seqs {
		if !slices.ContainsFunc(chosen, func(c core.Pending) bool { return c.Seq == seq }) {
			return nil, p.nothing(fmt.Sprintf("Call %s does not wait for an approval.", seq), waiting)
		}
	}
	for seq, digest := range p.digests {
		if !slices.ContainsFunc(chosen, func(c core.Pending) bool { return c.Seq == seq && c.Digest == digest }) {
			return nil, p.nothing(fmt.Sprintf("What waits as call %s is not what the digest names.", seq), waiting)
		}
	}
	if len(chosen) == 0 {
		return nil, p.nothing("No call of this execution waits for an approval.", waiting)
	}
	return chosen, nil
}

// chosen are the waiting approvals that the command line names; without names, all.
func (p *approval) chosen(waiting []core.Pending) []core.Pending {
	var list []core.Pending
	for _, c := range waiting {
		_, digested := p.digests[c.Seq]
		named := digested || slices.Contains(p.seqs, c.Seq) || len(p.seqs)+len(p.digests) == 0
		if named && c.Kind == engine.PendingApproval {
			list = append(list, c)
		}
	}
	return list
}

// nothing says that nothing was done, and what waits.
func (p *approval) nothing(text string, waiting []core.Pending) error {
	out := engine.StateError(p.id, text)
	out.Pending = waiting
	return p.outcome(out)
}

// askAll asks once about all calls.
func (p *approval) askAll(ctx context.Context, t *terminal, calls []core.Pending) error {
	for _, c := range calls {
		if err := t.show("\n" + t.page.Call(c)); err != nil {
			return err
		}
	}
	yes, err := t.confirm(ctx, fmt.Sprintf("\nApprove all of these (%d)?", len(calls)))
	if err != nil {
		return err
	}
	if !yes {
		return p.nothing("No call was approved.", nil)
	}
	return p.approveShown(ctx, calls)
}

// approveShown approves calls exactly as they were shown, in one request.
func (p *approval) approveShown(ctx context.Context, calls []core.Pending) error {
	req := core.ApproveRequest{Decider: p.decider(viaTerminal, p.flags.note)}
	for _, c := range calls {
		req.Calls = append(req.Calls, core.Shown{Seq: c.Seq, Digest: c.Digest, Args: p.edited})
	}
	return p.approve(ctx, req)
}

func (p *approval) approve(ctx context.Context, req core.ApproveRequest) error {
	req.ExecutionID = p.id
	ctx, err := p.authorized(ctx, p.session)
	if err != nil {
		return err
	}
	out, err := drive(ctx, p.app, p.session, p.id, func(ctx context.Context, svc control.Service) (*core.Outcome, error) {
		return svc.Approve(ctx, req)
	})
	if err != nil {
		return err
	}
	return p.outcome(out)
}
