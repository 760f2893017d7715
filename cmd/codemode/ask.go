package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
)

// The answers about one call.
const (
	answerYes    = "y"
	answerNo     = "n"
	answerReject = "r"
	answerQuit   = "q"
)

const answersHelp = `  y  approve it
  n  leave it waiting
  r  reject it, which ends the execution
  q  stop here, and approve nothing
`

// askEach shows one call after the other and asks about each. Nothing is sent before the last answer, but a rejection.
func (p *approval) askEach(ctx context.Context, t *terminal, calls []core.Pending) error {
	var approved []core.Pending
	for i, c := range calls {
		heading := ""
		if len(calls) > 1 {
			heading = fmt.Sprintf("\nCall %d of %d", i+1, len(calls))
		}
		if err := t.show(heading + "\n" + p.callText(t, c) + "\n"); err != nil {
			return err
		}
		answer, err := askCall(ctx, t)
		if err != nil {
			return err
		}
		switch answer {
		case answerYes:
			approved = append(approved, c)
		case answerReject:
			return p.reject(ctx, t, c)
		case answerQuit:
			return p.nothing("No call was approved.", nil)
		}
	}
	if len(approved) == 0 {
		return p.nothing("No call was approved.", nil)
	}
	return p.approveShown(ctx, approved)
}

// callText shows a call as it would be carried out.
func (p *approval) callText(t *terminal, c core.Pending) string {
	if p.edited != nil {
		return t.page.Edited(c, p.edited)
	}
	return t.page.Call(c)
}

// askCall asks until it understands. The end of input is answerQuit.
func askCall(ctx context.Context, t *terminal) (string, error) {
	for {
		answer, err := t.ask(ctx, "Approve this call? [y/n/r/q, ? for help] ")
		if errors.Is(err, io.EOF) {
			return answerQuit, nil
		}
		if err != nil {
			return "", err
		}
		switch answer = strings.ToLower(answer); answer {
		case answerYes, answerNo, answerReject, answerQuit:
			return answer, nil
		}
		if err := t.show(answersHelp); err != nil {
			return "", err
		}
	}
}

// reject asks why, and rejects a call as it was shown.
func (p *approval) reject(ctx context.Context, t *terminal, c core.Pending) error {
	note := p.flags.note
	for note == "" {
		var err error
		note, err = t.ask(ctx, "Why? ")
		if errors.Is(err, io.EOF) {
			return p.nothing("No call was rejected.", nil)
		}
		if err != nil {
			return err
		}
	}
	req := core.RejectRequest{ExecutionID: p.id, Seq: c.Seq, Digest: c.Digest, Decider: p.decider(viaTerminal, note)}
	return p.rejected(ctx, p.session, req)
}

// rejected rejects a call and tells what came of it.
func (a *app) rejected(ctx context.Context, s *session, req core.RejectRequest) error {
	reply, err := ask(ctx, s, func(svc control.Service) (*core.Reply, error) { return svc.Reject(ctx, req) })
	if err != nil {
		return err
	}
	return a.reply(reply)
}

// reply tells a reply and returns its exit code as an error.
func (a *app) reply(r *core.Reply) error {
	if err := a.answer(r, func(p render.Page) string { return p.Reply(r) }); err != nil {
		return err
	}
	if !r.Changed {
		return exit(exitUnchanged)
	}
	return nil
}
