package codetool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/plugin/wire"
)

// issue takes a call that the program has made to where it belongs.
func (r *run) issue(c sandbox.Call, now time.Time) {
	switch {
	case c.Connector != sandbox.Platform:
		r.admit(c)
	case c.Method == sandbox.MethodStep: // its function runs in the program
	case c.Method == sandbox.MethodTimer:
		r.set(c, now)
	default:
		r.answer(c)
	}
}

// answer answers codemode.search, describe and run.
func (r *run) answer(c sandbox.Call) {
	answer, err := r.ask(c)
	if err == nil {
		var value []byte
		if value, err = encode(answer); err == nil {
			r.deliver(c, value, nil)
			return
		}
	}
	r.deliver(c, nil, &sandbox.Error{Name: callError, Code: string(wire.CodeInvalidArgument), Message: err.Error()})
}

func (r *run) ask(c sandbox.Call) (any, error) {
	var a struct {
		Query        json.RawMessage
		Target, Name string
	}
	if err := json.Unmarshal(c.Args, &a); err != nil {
		return nil, fmt.Errorf("codemode.%s cannot read what it was given: %w", c.Method, err)
	}
	switch c.Method {
	case sandbox.MethodSearch:
		q, err := catalog.ParseQuery(a.Query)
		if err != nil {
			return nil, err
		}
		return r.catalog.Search(q), nil
	case sandbox.MethodDescribe:
		return r.catalog.Describe(a.Target), nil
	case sandbox.MethodRun:
		return map[string]string{"error": fmt.Sprintf("There is no snippet named %q: nothing is saved here.", a.Name)}, nil
	}
	return nil, fmt.Errorf("codemode.%s is not known", c.Method)
}

// encode writes JSON without the escapes that are for HTML pages.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
