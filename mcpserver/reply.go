package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/engine"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/truncate"
)

// What of an outcome a model gets, in characters. Its result has the host's own limit.
const (
	maxArgs  = 4_000 // of each call that waits
	maxError = 8_000
	maxLogs  = 8_000
)

// answer is an outcome as the tools return it.
type answer struct {
	*core.Outcome
	// Next says what the model is to do now.
	Next string `json:"next,omitempty"`
}

// reply is an outcome as a client gets it: as data for those that hand data to their model, and in short as text.
func (s *Server) reply(out *core.Outcome) *mcp.CallToolResult {
	a := answer{Outcome: shape(s.host.ForModel(out))}
	a.Next = s.next(a.Outcome)
	text := []string{summary(a.Outcome)}
	if a.Next != "" {
		text[0] += "\n\n" + a.Next
	}
	if len(a.Logs) > 0 {
		text = append(text, "Logs:\n"+strings.Join(a.Logs, "\n"))
	}
	r := &mcp.CallToolResult{StructuredContent: a, IsError: a.Status == string(journal.StatusError)}
	for _, t := range text {
		r.Content = append(r.Content, &mcp.TextContent{Text: t})
	}
	return r
}

// next says what the model is to do about an outcome. It never says how anything is approved.
func (s *Server) next(out *core.Outcome) string {
	later := ""
	if s.offers(ToolResult) {
		later = fmt.Sprintf(" Once they say so, call the tool %s with this executionId.", ToolResult)
	}
	switch out.Status {
	case string(journal.StatusPaused):
		if slices.ContainsFunc(out.Pending, func(p core.Pending) bool { return p.Kind == engine.PendingInDoubt }) {
			return "It is not known whether a call has taken effect, and a person has to find out. Tell the user that codemode waits for them, " +
				"and for which call; then stop. Do not run the program again." + later
		}
		return "A person has to approve what is pending. Tell the user that an approval waits in codemode, and for what; then stop. " +
			"Do not run the program again: it goes on by itself once they have decided." + later
	case string(journal.StatusRunning):
		if s.offers(ToolResult) {
			return fmt.Sprintf("It still runs. Call the tool %s with this executionId for its outcome; do not run the program again.", ToolResult)
		}
		return "It still runs. Do not run the program again."
	}
	return ""
}

// summary is an outcome in short.
func summary(out *core.Outcome) string {
	switch out.Status {
	case string(journal.StatusCompleted):
		return resultText(out.Result)
	case string(journal.StatusError):
		return "Error: " + out.Error
	case string(journal.StatusPaused):
		var b strings.Builder
		fmt.Fprintf(&b, "Execution %s is paused. Waiting for a person:", out.ExecutionID)
		for _, p := range out.Pending {
			fmt.Fprintf(&b, "\n- %s.%s(%s)", p.Connector, p.Method, p.Args)
		}
		return b.String()
	}
	return fmt.Sprintf("Execution %s is %s.", out.ExecutionID, out.Status)
}

// resultText is a result as text: a string is itself, all else is JSON.
func resultText(result json.RawMessage) string {
	if result == nil {
		return "undefined"
	}
	var text string
	if bytes.HasPrefix(result, []byte(`"`)) && json.Unmarshal(result, &text) == nil {
		return text
	}
	return string(result)
}

// shape shortens what can be large beside the result, part by part: it stays data of the same shape.
func shape(out *core.Outcome) *core.Outcome {
	o := *out
	o.Logs = newest(o.Logs, maxLogs)
	o.Error, _ = truncate.Text(o.Error, maxError)
	o.ErrorDetail = shortDetail(o.ErrorDetail)
	o.Pending = slices.Clone(o.Pending)
	for i := range o.Pending {
		p := &o.Pending[i]
		p.Args, _ = truncate.JSON(p.Args, maxArgs)
		p.Preview, _ = truncate.Text(p.Preview, maxArgs)
	}
	return &o
}

func shortDetail(d *engine.ErrorDetail) *engine.ErrorDetail {
	if d == nil {
		return nil
	}
	short := *d
	short.Message, _ = truncate.Text(d.Message, maxError)
	short.Cause = shortDetail(d.Cause)
	return &short
}

// newest keeps the last lines, in at most limit characters, and says how many others there were.
func newest(lines []string, limit int) []string {
	room := limit
	for i := len(lines) - 1; i >= 0; i-- {
		room -= utf8.RuneCountInString(lines[i]) + 1
		if room >= 0 {
			continue
		}
		if i == len(lines)-1 {
			last, _ := truncate.Text(lines[i], limit)
			return append(leftOut(i), last)
		}
		return append(leftOut(i+1), lines[i+1:]...)
	}
	return lines
}

func leftOut(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("[warn] %d earlier lines are not shown", n)}
}
