package control

import (
	"errors"
	"fmt"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

// ErrNoHolder says that no process serves the journal now, or that the one that did is about to leave it. The request
// was not carried out: open the journal, or ask again.
var ErrNoHolder = errors.New("no process serves the journal")

// SilentError says that a process has the journal and does not answer.
type SilentError struct {
	PID   int
	Cause error
}

func (e *SilentError) Error() string {
	return fmt.Sprintf("process %d has the journal open and does not answer; stop it, or wait for it, and try again", e.PID)
}

func (e *SilentError) Unwrap() error { return e.Cause }

// LostError says that the holder went away while it worked on a request. What it had recorded stands.
type LostError struct {
	PID   int
	Cause error
}

func (e *LostError) Error() string {
	return fmt.Sprintf("process %d, which had the journal open, went away before it answered: "+
		"look at the execution, and resume it if it was left running", e.PID)
}

func (e *LostError) Unwrap() error { return e.Cause }

// MismatchError says that the holder works under another configuration, or speaks another version, than its guest.
// Nothing was done.
type MismatchError struct {
	Holder Holder `json:"holder"`
	Guest  Holder `json:"guest"`
}

func (e *MismatchError) Error() string {
	if e.Holder.Version != e.Guest.Version {
		return fmt.Sprintf("process %d, which has the journal open, is another version of codemode (control version %d, here %d); "+
			"it only answers what reads, and rejections; stop it or use its version", e.Holder.PID, e.Holder.Version, e.Guest.Version)
	}
	return fmt.Sprintf("process %d, which has the journal open, works under another configuration: %s there, %s here; "+
		"it only answers what reads, and rejections; stop it, or use the same files and variables", e.Holder.PID, e.Holder.Config, e.Guest.Config)
}

// The codes of errors on the wire.
const (
	codeNotFound = "not_found"
	codeDamaged  = "damaged"
	codeSnippet  = "snippet"
	codeStopped  = "stopped"
	codeLeaving  = "leaving" // the holder takes no requests any more
	codeMismatch = "mismatch"
	codeSecret   = "secret"    // a wrong one
	codeNoSecret = "no_secret" // none, where one is needed
	codeOther    = "other"
)

// fault is an error as it crosses the socket: its text, and what a caller can branch on.
type fault struct {
	Code     string         `json:"code"`
	Message  string         `json:"message"`
	ID       string         `json:"id,omitempty"`
	After    int64          `json:"after,omitempty"`
	Part     string         `json:"part,omitempty"`
	Cause    string         `json:"cause,omitempty"`
	Mismatch *MismatchError `json:"mismatch,omitempty"`
}

func faultOf(err error) fault {
	f := fault{Code: codeOther, Message: err.Error()}
	var notFound *core.NotFoundError
	var damaged *journal.DamagedError
	var snippet *core.SnippetError
	var mismatch *MismatchError
	var secret *SecretError
	switch {
	case errors.As(err, &notFound):
		f.Code, f.ID = codeNotFound, notFound.ID
	case errors.As(err, &damaged):
		f.Code, f.ID, f.After, f.Cause, f.Part = codeDamaged, damaged.ID, damaged.After, damaged.Cause, damaged.Part
	case errors.As(err, &snippet):
		f.Code, f.Cause = codeSnippet, snippet.Reason
	case errors.As(err, &mismatch):
		f.Code, f.Mismatch = codeMismatch, mismatch
	case errors.As(err, &secret) && secret.Missing:
		f.Code = codeNoSecret
	case errors.As(err, &secret):
		f.Code = codeSecret
	case errors.Is(err, engine.ErrStopped):
		f.Code = codeStopped
	case errors.Is(err, ErrNoHolder):
		f.Code = codeLeaving
	}
	return f
}

// err is the error again. Its text is the whole one, and errors.Is and As find what caused it.
func (f fault) err() error {
	var cause error
	switch f.Code {
	case codeNotFound:
		cause = &core.NotFoundError{ID: f.ID}
	case codeDamaged:
		cause = &journal.DamagedError{ID: f.ID, After: f.After, Cause: f.Cause, Part: f.Part}
	case codeSnippet:
		cause = &core.SnippetError{Reason: f.Cause}
	case codeMismatch:
		cause = f.Mismatch
	case codeSecret, codeNoSecret:
		cause = &SecretError{Missing: f.Code == codeNoSecret}
	case codeStopped:
		cause = engine.ErrStopped
	case codeLeaving:
		cause = ErrNoHolder
	}
	if cause == nil || f.Code == codeMismatch && f.Mismatch == nil {
		return errors.New(f.Message)
	}
	return &remoteError{text: f.Message, cause: cause}
}

// remoteError is an error of the holder.
type remoteError struct {
	text  string
	cause error
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.cause }
