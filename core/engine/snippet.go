package engine

import (
	"encoding/json"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/sandbox"
)

// isRun reports whether a call runs a snippet.
func isRun(i *journal.Issued) bool {
	return i.Connector == sandbox.Platform && i.Method == sandbox.MethodRun
}

// warnNotRun says in the logs that a snippet could not be run, for a program may not look at the {error} that it gets.
func (p *pass) warnNotRun(i *journal.Issued, value []byte) {
	var outcome struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(value, &outcome) == nil && outcome.Error != "" {
		p.warn("codemode.run (call %s): %s", i.Seq, outcome.Error)
	}
}

// withoutBody is what people see of a run call's outcome: which snippet ran, not its compiled text.
func withoutBody(value []byte) []byte {
	var body sandbox.Snippet
	if json.Unmarshal(value, &body) != nil || body.JS == "" {
		return value
	}
	text, err := json.Marshal(struct {
		Snippet string `json:"snippet"`
		Version int    `json:"version"`
	}{body.Name, body.Version})
	if err != nil {
		return nil
	}
	return text
}
