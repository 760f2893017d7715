package sandbox

import (
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"

	"github.com/codemode-go/codemode/core/program"
)

// snippetSource is the file name of a snippet's text. Its own frames appear in
// stacks under the names in its source map, which are relative to this one, so
// that its lines are not taken for the program's.
const snippetSource = "snippet/text"

// runSnippet issues a run call. Its completion brings the snippet's body.
func (s *session) runSnippet(args []goja.Value) goja.Value {
	name := at(args, 0)
	if !goja.IsString(name) {
		return s.rejection("codemode.run takes the name of a snippet and its input")
	}
	if f := s.frames.current(); f.depth() >= MaxDepth {
		return s.rejection(fmt.Sprintf("codemode.run: snippets can run each other at most %d deep", MaxDepth))
	}
	return s.platform(MethodRun, nil, namedValue{"name", name}, namedValue{"input", at(args, 1)})
}

// snippetOf returns the snippet that completes a call, if one does.
func snippetOf(c Call, value []byte) (Snippet, bool) {
	var body Snippet
	if c.Connector != Platform || c.Method != MethodRun {
		return body, false
	}
	err := json.Unmarshal(value, &body)
	return body, err == nil && body.JS != ""
}

// runBody runs a snippet in a frame of its own, in the first pass as in every
// replay. The run call's promise follows the promise of its outcome.
func (s *session) runBody(p *pending, body Snippet) error {
	compiled, err := load(snippetSource, &program.Program{JS: body.JS})
	if err != nil {
		return fmt.Errorf("snippet %q: %w", body.Name, err)
	}
	var args struct {
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(p.call.Args, &args); err != nil {
		return fmt.Errorf("snippet %q: read its input: %w", body.Name, err)
	}
	input, err := s.realm.decode(s.vm, args.Input)
	if err != nil {
		return fmt.Errorf("snippet %q: read its input: %w", body.Name, err)
	}
	entry, err := s.entry(compiled)
	if err != nil {
		return fmt.Errorf("snippet %q: %w", body.Name, err)
	}
	inner := &frame{seq: p.call.Seq, parent: p.frame, snippet: true}
	outcome, err := s.run(inner, entry, input, s.env)
	if err != nil {
		return err
	}
	return p.resolve(s.vm.ToValue(outcome))
}
