package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/internal/safetext"
)

const (
	// question is the name of the one question of a round.
	question = "approval"
	// maxRounds is how often one call asks. Clients give up after ten answers that ask.
	maxRounds = 8
	// maxQuestion is how much a person is shown, in characters. What is larger is not asked here: nobody is to approve
	// what they have not seen.
	maxQuestion = 16_000
)

// The answers of a client's person: what clients call them, and what the form offers.
const (
	accept  = "accept"
	decline = "decline"
	approve = "approve"
	reject  = "reject"
)

// form asks for a choice, and not for mere consent: there are agents that accept a form without fields for their person
// when they are told to ask for nothing.
var form = json.RawMessage(`{"type":"object","properties":{"decision":{"type":"string","title":"Decision",` +
	`"description":"Choose approve to let it happen.","enum":["` + approve + `","` + reject + `"]}},"required":["decision"]}`)

// choice is what a person decided; "" if they decided nothing.
func choice(said *mcp.ElicitResult) string {
	decision, _ := said.Content["decision"].(string)
	switch {
	case said.Action == decline, said.Action == accept && decision == reject:
		return reject
	case said.Action == accept && decision == approve:
		return approve
	}
	return ""
}

// carry takes an outcome to the client: it asks the person about what waits, where the client can, until nothing waits
// or nobody answers.
func (s *Server) carry(ctx context.Context, c *client, out *core.Outcome, round int) (*mcp.CallToolResult, error) {
	for ; ; round++ {
		shown, text, ok := s.askable(c, out, round)
		if !ok {
			return s.reply(out), nil
		}
		ask := &mcp.ElicitParams{Message: text, RequestedSchema: form, Mode: "form"}
		state := pendingRound{ID: out.ExecutionID, Calls: shown, Round: round}
		if c.retries {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{question: ask}, RequestState: s.sign(state)}, nil
		}
		said, err := c.session.Elicit(ctx, ask)
		if err != nil { // the client gave the call up, or cannot ask after all: it stays pending
			s.logger.Info("a client's person was not asked", "client", c.name, "execution", out.ExecutionID, "error", err)
			return s.reply(out), nil
		}
		var again bool
		if out, again, err = s.decide(ctx, c, state, choice(said)); err != nil {
			return nil, err
		}
		if !again {
			return s.reply(out), nil
		}
	}
}

// answered goes on with a call for which the person was asked.
func (s *Server) answered(ctx context.Context, c *client, p *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
	state, err := s.verify(p.RequestState)
	said, ok := p.InputResponses[question].(*mcp.ElicitResult)
	if err != nil || !ok || !c.asks {
		return s.reply(engine.StateError("", "This is no answer to a question that was asked here; nothing was decided.")), nil
	}
	out, again, err := s.decide(ctx, c, state, choice(said))
	if err != nil {
		return nil, err
	}
	if !again {
		return s.reply(out), nil
	}
	return s.carry(ctx, c, out, state.Round+1)
}

// decide does what the person said, and reports whether they may be asked again.
func (s *Server) decide(ctx context.Context, c *client, state pendingRound, choice string) (out *core.Outcome, again bool, err error) {
	by := core.Decider{By: s.options.User, Via: c.name}
	switch choice {
	case approve:
		out, err = s.pass(ctx, c, state.ID, func(ctx context.Context) (*core.Outcome, error) {
			return s.host.Approve(ctx, core.ApproveRequest{ExecutionID: state.ID, Calls: state.Calls, Decider: by})
		})
		if err != nil {
			return nil, false, err
		}
		if out.ErrorType != engine.ErrorState {
			return out, true, nil
		}
		// Something else waits now, or somebody else has decided.
		s.logger.Info("an approval came too late", "execution", state.ID, "reason", out.Error)
		out, err = s.standing(ctx, state.ID)
		return out, true, err
	case reject:
		by.Note = "declined in " + c.name
		call := state.Calls[0]
		_, err = s.host.Reject(context.WithoutCancel(ctx), core.RejectRequest{ExecutionID: state.ID, Seq: call.Seq, Digest: call.Digest, Decider: by})
		if err != nil {
			return nil, false, fmt.Errorf("execution %s: %w", state.ID, err)
		}
	}
	out, err = s.standing(ctx, state.ID) // without a decision too: it may have been decided elsewhere
	return out, false, err
}

// askable is what the person can be asked about an outcome, and the question.
func (s *Server) askable(c *client, out *core.Outcome, round int) (calls []core.Shown, text string, ok bool) {
	if out.Status != string(journal.StatusPaused) || !c.asks || round >= maxRounds {
		return nil, "", false
	}
	var b strings.Builder
	for _, p := range out.Pending {
		if p.Kind != engine.PendingApproval {
			continue
		}
		calls = append(calls, core.Shown{Seq: p.Seq, Digest: p.Digest})
		b.WriteString("\n\n" + callText(p))
	}
	if len(calls) == 0 {
		return nil, "", false
	}
	what := "A program wants to make this call, which needs your approval."
	if len(calls) > 1 {
		what = fmt.Sprintf("A program wants to make these %d calls, which need your approval. Your answer is for all of them.", len(calls))
	}
	text = what + b.String() + "\n\nDeclining ends the program; what it has done stays done."
	if utf8.RuneCountInString(text) > maxQuestion {
		s.logger.Warn("what waits is too large to be shown in a client", "execution", out.ExecutionID, "calls", len(calls))
		return nil, "", false
	}
	return calls, text, true
}

// callText shows a call to a person, in full. Nothing in it can pose as the question around it: what connectors and
// programs say is indented, and characters that trick readers are escaped.
func callText(p core.Pending) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.%s", p.Connector, p.Method)
	if p.Preview != "" {
		b.WriteString("\n" + indented(p.Preview))
	}
	var args bytes.Buffer
	if json.Indent(&args, p.Args, "", "  ") != nil {
		args.Reset()
		args.Write(p.Args)
	}
	b.WriteString("\nArguments:\n" + indented(args.String()))
	if p.Reason != "" {
		b.WriteString("\nReason:\n" + indented(p.Reason))
	}
	if p.Note != "" {
		b.WriteString("\nNote:\n" + indented(p.Note))
	}
	if !p.Revertible && !p.ReadOnly {
		b.WriteString("\nIt cannot be undone.")
	}
	return b.String()
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(safetext.Escape(strings.TrimRight(text, "\n")), "\n", "\n    ")
}
