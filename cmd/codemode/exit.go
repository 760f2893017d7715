package main

import (
	"errors"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
)

// The exit codes.
const (
	exitDone      = 0
	exitFailed    = 1 // the execution ended in error, or a check found something
	exitUsage     = 2 // usage, configuration, or the host itself
	exitPaused    = 3
	exitUnchanged = 4 // nothing was changed, or what was named is not there
)

// exitError ends the process with a code. What is to be said has been said.
type exitError int

func (exitError) Error() string { return "" }

// exit is the error that makes a command end with this code; nil for exitDone.
func exit(code int) error {
	if code == exitDone {
		return nil
	}
	return exitError(code)
}

// exitCode is what a command's error makes of the process.
func exitCode(err error) int {
	var code exitError
	var missing *core.NotFoundError
	var snippet *core.SnippetError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &missing), errors.As(err, &snippet):
		return exitUnchanged
	}
	return exitUsage
}

// outcomeExit is the exit code of an outcome.
func outcomeExit(o *core.Outcome) int {
	switch {
	case o.Message != "": // a decision was recorded: how the execution ended is not its outcome
		return exitDone
	case o.ErrorType == engine.ErrorState:
		return exitUnchanged
	case o.Status == string(journal.StatusError):
		return exitFailed
	case o.Status == string(journal.StatusPaused):
		return exitPaused
	}
	return exitDone
}
