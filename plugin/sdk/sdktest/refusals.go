package sdktest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/codemode-go/codemode/plugin/wire"
)

// testArguments: what does not fit the schema is refused and does nothing.
func testArguments(t *testing.T, b bench) {
	s := b.subject(t)
	before := s.state()
	for _, m := range s.offer().Methods {
		for what, args := range wrongArguments(m) {
			call := s.raw(m.Name, args)
			_, err := s.connector.Invoke(t.Context(), call, nil)
			switch e, ok := own(err); {
			case b.HostChecks && (err == nil || ok):
			case err == nil:
				t.Errorf("%s accepts arguments %s", m.Name, what)
			case !ok || e.Code != wire.CodeInvalidArgument:
				t.Errorf("%s: got %v for arguments %s, want %s", m.Name, err, what, wire.CodeInvalidArgument)
			}
		}
	}
	if !b.HostChecks {
		s.wantState(before, "wrong arguments have changed something")
	}
}

// wrongArguments are arguments that the method's schema does not allow.
func wrongArguments(m *wire.Method) map[string]json.RawMessage {
	wrong := map[string]json.RawMessage{"that are a list": json.RawMessage(`[]`), "that are no JSON": json.RawMessage(`{`)}
	var schema struct {
		Required   []string        `json:"required"`
		Additional json.RawMessage `json:"additionalProperties"`
	}
	if json.Unmarshal(m.InputSchema, &schema) != nil {
		return wrong
	}
	if len(schema.Required) > 0 {
		wrong["without "+schema.Required[0]] = json.RawMessage(`{}`)
	}
	if string(schema.Additional) == "false" {
		wrong["that it does not know"] = json.RawMessage(`{"sdktest_unknown":1}`)
	}
	return wrong
}

// testAbsent: a method that is not there is not found, and an ability that is
// not declared is not there.
func testAbsent(t *testing.T, b bench) {
	s := b.subject(t)
	before := s.state()
	_, err := s.connector.Invoke(t.Context(), s.raw("sdktest_unknown", json.RawMessage(`{}`)), nil)
	s.wantCode(err, "a method that is not there", wire.CodeNotFound)
	for _, m := range s.offer().Methods {
		call := s.raw(m.Name, json.RawMessage(`{}`))
		for ability, try := range s.undeclared(m, call) {
			if err := try(); err == nil {
				t.Errorf("%s does not declare %s, and answers it", m.Name, ability)
			} else if e, ok := own(err); !ok || !slices.Contains([]wire.Code{wire.CodeUnsupported, wire.CodeInvalidArgument}, e.Code) {
				t.Errorf("%s does not declare %s: got %v, want %s", m.Name, ability, err, wire.CodeUnsupported)
			}
		}
	}
	s.wantState(before, "what is not there has changed something")
}

// undeclared are the abilities that a method does not declare.
func (s *subject) undeclared(m *wire.Method, call *wire.Call) map[string]func() error {
	ctx := s.t.Context()
	tries := map[string]func() error{}
	if !m.Prepares {
		tries["Prepare"] = func() error { _, err := s.connector.Prepare(ctx, call); return err }
	}
	if !m.Reverts {
		tries["Revert"] = func() error { return s.connector.Revert(ctx, reverting(call, nil)) }
	}
	if !m.Reconciles {
		tries["Reconcile"] = func() error { _, err := s.connector.Reconcile(ctx, call); return err }
	}
	if !m.Previews {
		tries["Preview"] = func() error { _, err := s.connector.Preview(ctx, call); return err }
	}
	return tries
}
