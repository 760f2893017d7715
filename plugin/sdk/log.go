package sdk

import (
	"context"
	"os"

	"github.com/hashicorp/go-hclog"
)

// Logger returns the connector's logger. In a method's handler its lines carry
// the execution, the call's seq and the method. The host gives them its own
// format, level and label. Never log a secret or a whole argument.
func Logger(ctx context.Context) hclog.Logger {
	s := scopeFrom(ctx)
	switch {
	case s.mounted == nil:
		return stderrLogger(hclog.Trace)
	case s.call == nil:
		return s.mounted.logger
	}
	return s.mounted.logger.With("execution", s.call.ExecutionID, "seq", s.call.Seq, "method", s.call.Method)
}

// stderr is standard error as the process got it: go-plugin replaces
// os.Stderr by a pipe whose lines are no log lines to the host.
var stderr = os.Stderr

// stderrLogger writes JSON lines to standard error.
func stderrLogger(level hclog.Level) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Level: level, Output: stderr, JSONFormat: true})
}
