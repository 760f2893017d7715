package sdk

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

func TestRegistrationFaults(t *testing.T) {
	t.Parallel()
	call := func(context.Context, empty) (int, error) { return 0, nil }
	raw := func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil }
	ok := Func[empty, int]{Name: "ok", ReadOnly: true, Call: call}
	tests := map[string]struct {
		connector Connector
		want      string
	}{
		"nothing wrong": {Connector{Name: "c", Methods: []Method{ok}}, ""},
		"no name":       {Connector{}, "the connector has no Name"},
		"a method without a name": {
			Connector{Name: "c", Methods: []Method{ok, Func[empty, int]{ReadOnly: true, Call: call}}},
			"method number 2 has no Name",
		},
		"a nil method": {Connector{Name: "c", Methods: []Method{nil}}, "method number 1 is nil"},
		"duplicates":   {Connector{Name: "c", Methods: []Method{ok, ok}}, "method ok: there are two of this name"},
		"no call": {
			Connector{Name: "c", Methods: []Method{Func[empty, int]{Name: "w", ReadOnly: true}}},
			"method w: it has no Call",
		},
		"a write that says nothing of approval": {
			Connector{Name: "c", Methods: []Method{Func[empty, int]{Name: "w", Call: call}}},
			"method w: it may write and does not say whether it needs approval",
		},
		"a raw write that says nothing of approval": {
			Connector{Name: "c", Methods: []Method{RawMethod{Name: "w", Call: raw}}},
			"method w: it may write and does not say whether it needs approval",
		},
		"an approval that is none": {
			Connector{Name: "c", Methods: []Method{Func[empty, int]{Name: "w", Approval: "yes", Call: call}}},
			`method w: its Approval is "yes"`,
		},
		"a replay that is none": {
			Connector{Name: "c", Methods: []Method{Func[empty, int]{Name: "r", ReadOnly: true, Replay: "always", Call: call}}},
			`method r: its Replay is "always"`,
		},
		"reexecuted write": {
			Connector{Name: "c", Methods: []Method{Func[empty, int]{Name: "w", Approval: NotRequired, Replay: Reexecute, Call: call}}},
			"method w: it may write, so it cannot be reexecuted",
		},
		"reexecuted with approval": {
			Connector{Name: "c", Methods: []Method{Func[empty, int]{Name: "r", ReadOnly: true, Approval: Required, Replay: Reexecute, Call: call}}},
			"method r: it needs approval, so it cannot be reexecuted",
		},
		"destructive read": {
			Connector{Name: "c", Methods: []Method{Func[empty, int]{Name: "r", ReadOnly: true, Destructive: true, Call: call}}},
			"method r: it cannot be both ReadOnly and Destructive",
		},
		"an input that is no object": {
			Connector{Name: "c", Methods: []Method{Func[[]string, int]{Name: "r", ReadOnly: true, Call: func(context.Context, []string) (int, error) { return 0, nil }}}},
			"method r: the input type []string is neither a struct nor a map",
		},
		"an output that has no JSON": {
			Connector{Name: "c", Methods: []Method{Func[empty, chan int]{Name: "r", ReadOnly: true, Call: func(context.Context, empty) (chan int, error) { return nil, nil }}}},
			"method r: make a JSON Schema of chan int: unsupported type",
		},
		"a schema that is no JSON": {
			Connector{Name: "c", Methods: []Method{RawMethod{Name: "r", ReadOnly: true, Call: raw, OutputSchema: json.RawMessage(`{`)}}},
			"method r: its OutputSchema is not JSON",
		},
		"a schema that is no schema": {
			Connector{Name: "c", Methods: []Method{Func[empty, int]{Name: "r", ReadOnly: true, Call: call, InputSchema: json.RawMessage(`{"type":"thing"}`)}}},
			"method r: compile the schema",
		},
		"a schema that reaches for a file": {
			Connector{Name: "c", Methods: []Method{Func[empty, int]{Name: "r", ReadOnly: true, Call: call, InputSchema: json.RawMessage(`{"$ref":"file:///etc/hostname"}`)}}},
			"a schema must hold all that it refers to",
		},
		"a configuration that is no object": {
			Connector{Name: "c", Configure: Config(func(context.Context, int) error { return nil })},
			"the configuration: the input type int is neither a struct nor a map",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := test.connector.Validate()
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %s", err, test.want)
			}
			if mounted, again := test.connector.InProcess(); (again == nil) != (err == nil) || (mounted == nil) != (err != nil) {
				t.Errorf("InProcess does not agree: %v, %v", mounted, again)
			}
		})
	}
}

// TestEveryFaultIsReported: an author fixes all in one go.
func TestEveryFaultIsReported(t *testing.T) {
	t.Parallel()
	c := &Connector{Methods: []Method{Func[empty, int]{Name: "a"}, Func[empty, int]{Name: "b"}}}
	err := c.Validate()
	for _, want := range []string{"no Name", "method a: it has no Call", "may write", "method b: it has no Call"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
}

func TestSchemaOverride(t *testing.T) {
	t.Parallel()
	type input struct {
		Level string `json:"level"`
	}
	schema := json.RawMessage(`{"type":"object","properties":{"level":{"enum":["low","high"]}}}`)
	m := Func[input, int]{
		Name: "m", ReadOnly: true, InputSchema: schema, OutputSchema: json.RawMessage(`{"const":0}`),
		Call: func(context.Context, input) (int, error) { return 0, nil },
	}
	c := inProcess(t, one(m)())
	offer, err := c.Methods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m := offer.Methods[0]; string(m.InputSchema) != string(schema) || string(m.OutputSchema) != `{"const":0}` {
		t.Errorf("schemas %s, %s", m.InputSchema, m.OutputSchema)
	}
	if _, err := invoke(t, c, `{"level":"low","unknown":"is allowed by this schema"}`); err != nil {
		t.Error(err)
	}
	_, err = invoke(t, c, `{"level":"middle"}`)
	if e := asError(t, err); e == nil || e.Message != "level: must be one of low, high" {
		t.Errorf("got %v", err)
	}
}
