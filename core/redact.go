package core

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/schema"
)

// redacted stands for what is left out of an export.
const redacted = "[redacted]"

// secrecy says what of one call's values is secret.
type secrecy struct {
	args, result func(path []string) bool
}

func nothing([]string) bool    { return false }
func everything([]string) bool { return true }

// redactor leaves out of an execution's events what schemas declare as sensitive.
type redactor struct {
	h     *Host
	calls map[string]*secrecy // by seq
	// previews are the seqs whose arguments have a secret, which the preview may tell.
	previews map[string]bool
}

// body returns an event's body without secrets, and the names of the places where something was left out.
func (r *redactor) body(ctx context.Context, body journal.Body) (journal.Body, []string) {
	switch b := body.(type) {
	case *journal.Issued:
		r.calls[b.Seq] = r.h.secrecyOf(ctx, b)
		own := *b
		var at []string
		own.Args, at = without(r.calls[b.Seq].args, "args", b.Args)
		if len(at) > 0 && b.Preview != "" {
			own.Preview, at = redacted, append(at, "preview")
		}
		r.hide(b.Seq, len(at) > 0)
		return &own, at
	case *journal.Reissued:
		if !r.previews[b.Seq] || b.Preview == "" {
			return b, nil
		}
		own := *b
		own.Preview = redacted
		return &own, []string{"preview"}
	case *journal.Decided:
		own := *b
		var args, result []string
		own.Args, args = without(r.of(b.Seq).args, "args", b.Args)
		own.Result, result = without(r.of(b.Seq).result, "result", b.Result)
		return &own, append(args, result...)
	case *journal.Outcome:
		own := *b
		var at []string
		own.Value, at = without(r.of(b.Seq).result, "value", b.Value)
		return &own, at
	}
	return body, nil
}

func (r *redactor) hide(seq string, secret bool) {
	if !secret {
		return
	}
	if r.previews == nil {
		r.previews = map[string]bool{}
	}
	r.previews[seq] = true
}

// of is the secrecy of a call; of one that was never issued nothing is told.
func (r *redactor) of(seq string) *secrecy {
	if s := r.calls[seq]; s != nil {
		return s
	}
	return &secrecy{args: everything, result: everything}
}

// secrecyOf asks the schemas of a call's method.
func (h *Host) secrecyOf(ctx context.Context, b *journal.Issued) *secrecy {
	if b.Connector == "codemode" {
		return h.platformSecrecy(ctx, b)
	}
	m, err := h.registry.Lookup(b.Connector, b.Method)
	if err != nil {
		return &secrecy{args: everything, result: everything}
	}
	return &secrecy{args: secretIn(m.InputSchema), result: secretIn(m.OutputSchema)}
}

// platformSecrecy knows one schema: that of the input of a snippet.
func (h *Host) platformSecrecy(ctx context.Context, b *journal.Issued) *secrecy {
	open := &secrecy{args: nothing, result: nothing}
	var a runArguments
	if b.Method != "run" || h.snippets == nil || json.Unmarshal(b.Args, &a) != nil {
		return open
	}
	snippet, err := h.snippets.Snippet(ctx, a.Name, 0)
	input := secretIn(snippet.InputSchema)
	if err != nil {
		input = everything
	}
	return &secrecy{result: nothing, args: func(path []string) bool {
		return len(path) > 0 && path[0] == "input" && input(path[1:])
	}}
}

// secretIn returns what says whether a place in a value of this schema is secret.
func secretIn(raw json.RawMessage) func(path []string) bool {
	s, err := schema.Compile(raw)
	if err != nil {
		return everything
	}
	return s.Secret
}

// without returns a value without its secret places, and their names. A value that has none is the same, byte for byte.
func without(secret func(path []string) bool, name string, value []byte) ([]byte, []string) {
	if len(value) == 0 {
		return value, nil
	}
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return []byte(strconv.Quote(redacted)), []string{name} // nobody can tell
	}
	var at []string
	v = hidden(secret, v, nil, func(path []string) { at = append(at, strings.Join(append([]string{name}, path...), ".")) })
	if len(at) == 0 {
		return value, nil
	}
	slices.Sort(at)
	text, err := json.Marshal(v)
	if err != nil {
		return []byte(strconv.Quote(redacted)), []string{name}
	}
	return text, at
}

// hidden replaces the secret places in a value, and tells of each.
func hidden(secret func(path []string) bool, v any, path []string, tell func(path []string)) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return v
		}
		for name, part := range v {
			v[name] = hidden(secret, part, append(slices.Clip(path), name), tell)
		}
		return v
	case []any:
		for i, part := range v {
			v[i] = hidden(secret, part, append(slices.Clip(path), strconv.Itoa(i)), tell)
		}
		return v
	}
	if !secret(path) {
		return v
	}
	tell(path)
	return redacted
}
