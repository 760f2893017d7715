package worker

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/codemode-go/codemode/core/sandbox"
)

// sound checks what the host takes for granted of a turn. A child in which a program has broken out of the language can
// say anything; what it says is at most what a program could have said.
func sound(t *sandbox.Turn) error {
	for _, c := range t.Calls {
		if c.Args == nil {
			continue
		}
		if !json.Valid(c.Args) || !bytes.Equal(c.Digest, sandbox.Digest(c.Args)) {
			return fmt.Errorf("%w: the arguments of call %q are not what they are said to be", errFrame, c.Seq)
		}
	}
	for _, s := range t.Steps {
		if err := soundOutcome(s.Value, s.Error); err != nil {
			return fmt.Errorf("step %q: %w", s.Seq, err)
		}
	}
	if t.Result != nil {
		if err := soundOutcome(t.Result.Value, t.Result.Error); err != nil {
			return fmt.Errorf("result: %w", err)
		}
	}
	for _, e := range t.Unhandled {
		if err := soundOutcome(nil, e); err != nil {
			return fmt.Errorf("rejection: %w", err)
		}
	}
	return nil
}

// soundOutcome checks a value or an error, and what caused that.
func soundOutcome(value []byte, e *sandbox.Error) error {
	if value != nil && !json.Valid(value) {
		return fmt.Errorf("%w: the value is no JSON", errFrame)
	}
	for ; e != nil; e = e.Cause {
		if e.Details != nil && !json.Valid(e.Details) {
			return fmt.Errorf("%w: the details of an error are no JSON", errFrame)
		}
	}
	return nil
}
