package walls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
)

// Probe says which layers hold on this machine, by having s start cmd, which calls [Report] and ends. It sets the
// command's standard output and error. To bound the time, make cmd with [exec.CommandContext].
func Probe(s *Spawner, cmd *exec.Cmd) ([]Layer, error) {
	var out, diagnostics bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	outer, err := s.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("start a child to try the walls: %w", err)
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("the child that tried the walls ended with %w: %s", err, diagnostics.Bytes())
	}
	var inner []Layer
	if err := json.Unmarshal(out.Bytes(), &inner); err != nil {
		return nil, fmt.Errorf("read what the child says of its walls: %w", err)
	}
	return append(outer, inner...), nil
}

// Report is the child's half of [Probe]: it raises the walls and writes which of them hold to w.
func Report(l Limits, w io.Writer) error {
	return json.NewEncoder(w).Encode(Raise(l))
}
