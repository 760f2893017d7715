package core

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

// Entry is one event of an execution, told for people.
type Entry struct {
	Index int64     `json:"index"`
	At    time.Time `json:"at"`
	Kind  string    `json:"kind"`
	Seq   string    `json:"seq,omitempty"`
	Text  string    `json:"text"`
	// Args are, with a decision, the arguments that the approver has put in place of the program's; nil: none.
	Args json.RawMessage `json:"args,omitempty"`
}

// timeline tells events as they come.
type timeline struct {
	entries []Entry
	names   map[string]string // seq -> connector.method
}

func (t *timeline) add(e journal.Event) {
	kind, seq, text := t.tell(e.Body)
	entry := Entry{Index: e.Index, At: e.At, Kind: kind, Seq: seq, Text: text}
	if d, ok := e.Body.(*journal.Decided); ok {
		entry.Args = d.Args
	}
	t.entries = append(t.entries, entry)
}

func (t *timeline) tell(body journal.Body) (kind, seq, text string) {
	switch b := body.(type) {
	case *journal.Begun:
		return "begun", "", "execution began" + by(b.Caller)
	case *journal.Claimed:
		return "claimed", "", "another host process took over"
	case *journal.PassBegun:
		return "pass", "", fmt.Sprintf("pass %d began", b.Pass)
	case *journal.PassEnded:
		return "pass", "", "pass ended: " + b.Status
	case *journal.Ended:
		return "ended", "", endText(b)
	case *journal.RollbackBegun:
		return "rollback", "", "rollback began" + by(b.By)
	case *journal.RollbackEnded:
		return "rollback", "", "rollback ended: " + string(b.Status)
	case *journal.HookRound:
		return "hooks", "", fmt.Sprintf("connectors were told: %s (%s)", b.Hook, b.Status)
	case *journal.Issued:
		if t.names == nil {
			t.names = map[string]string{}
		}
		t.names[b.Seq] = b.Connector + "." + b.Method
		return "issued", b.Seq, t.names[b.Seq] + issuedText(b)
	}
	seq, text = tellCall(body)
	return kindOf(body), seq, t.names[seq] + " " + text
}

func by(who string) string {
	if who == "" {
		return ""
	}
	return ", by " + who
}

func endText(b *journal.Ended) string {
	if b.Failure == nil {
		return "execution ended: " + string(b.Status)
	}
	return fmt.Sprintf("execution ended: %s (%s): %s", b.Status, b.ErrorType, b.Failure.Message)
}

func issuedText(b *journal.Issued) string {
	text := " issued"
	if b.Verdict.Effect == "approve" {
		text += ", waits for a person"
	}
	if b.Verdict.Effect == "deny" {
		text += ", refused"
	}
	if b.Verdict.Rule != "" && b.Verdict.Effect != "allow" {
		text += " (" + b.Verdict.Rule + ")"
	}
	return text
}

func kindOf(body journal.Body) string {
	switch body.(type) {
	case *journal.Reissued:
		return "reissued"
	case *journal.Decided:
		return "decided"
	case *journal.Started:
		return "started"
	case *journal.Outcome:
		return "outcome"
	case *journal.Doubted:
		return "doubted"
	case *journal.Withdrawn:
		return "withdrawn"
	case *journal.RevertStarted, *journal.RevertEnded:
		return "revert"
	}
	return "event"
}

// tellCall tells what happened to one call.
func tellCall(body journal.Body) (seq, text string) {
	switch b := body.(type) {
	case *journal.Reissued:
		return b.Seq, "waits for a person again: " + b.Why
	case *journal.Decided:
		return b.Seq, decidedText(b)
	case *journal.Started:
		if b.Attempt > 1 {
			return b.Seq, fmt.Sprintf("started, attempt %d", b.Attempt)
		}
		return b.Seq, "started"
	case *journal.Outcome:
		if b.Failure != nil {
			return b.Seq, string(b.State) + ": " + b.Failure.Message
		}
		return b.Seq, string(b.State)
	case *journal.Doubted:
		return b.Seq, "is in doubt: " + b.Cause
	case *journal.Withdrawn:
		return b.Seq, withCause("withdrawn", b.Cause)
	case *journal.RevertStarted:
		return b.Seq, "revert started"
	case *journal.RevertEnded:
		return b.Seq, revertText(b)
	}
	return "", ""
}

func decidedText(b *journal.Decided) string {
	if b.Via == engine.ViaReconcile {
		return foundText(b)
	}
	word := map[string]string{
		journal.DecisionApprove: "approved", journal.DecisionReject: "rejected", journal.DecisionRefuse: "refused",
		journal.DecisionExpire: "expired", journal.DecisionAgain: "settled: run it again", journal.DecisionDone: "settled: it happened",
		journal.DecisionNotDone: "settled: it did not happen", journal.DecisionEnd: "settled: end the execution",
	}[b.Decision]
	if b.Args != nil {
		word += " with other arguments"
	}
	return withCause(word+by(b.By), b.Note)
}

// foundText tells what a connector found out about a call in doubt.
func foundText(b *journal.Decided) string {
	if b.Decision == journal.DecisionDone {
		return "its connector has found that it happened"
	}
	return "its connector has found that it did not happen"
}

func revertText(b *journal.RevertEnded) string {
	switch {
	case b.Done:
		return "reverted"
	case b.Doubt:
		return "revert is in doubt" + failureText(b.Failure)
	}
	return "revert failed" + failureText(b.Failure)
}

func failureText(f *journal.Failure) string {
	if f == nil {
		return ""
	}
	return ": " + f.Message
}

func withCause(text, cause string) string {
	if cause == "" {
		return text
	}
	return text + ": " + cause
}
