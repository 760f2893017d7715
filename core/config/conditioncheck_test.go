package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/config"
	"github.com/codemode-go/codemode/core/policy"
)

func oneRule(t *testing.T, methods, expression string) *config.Connector {
	t.Helper()
	return mustLoad(t, fmt.Sprintf(`
		connector "x" {
		  plugin = "x"
		  rule {
		    methods = %s
		    when    = %s
		    effect  = "deny"
		  }
		}`, methods, expression), config.Options{}).Connectors[0]
}

func TestCheckConditionsIsStructured(t *testing.T) {
	t.Parallel()
	c := oneRule(t, `["*"]`, `args.b == 1`)
	warnings, err := c.CheckConditions([]*catalog.Method{{Name: "m", InputSchema: json.RawMessage(`{"properties": {"a": {}}}`)}})
	var e *config.Error
	if !errors.As(err, &e) || len(e.Diagnostics) != 1 || len(warnings) != 0 {
		t.Fatalf("got %v, %v", warnings, err)
	}
	d := e.Diagnostics[0]
	if d.File != "codemode.hcl" || d.Line != 6 || d.Column != 17 || len(d.Snippet) != 1 || d.Context != `connector "x"` {
		t.Errorf("got %+v", d)
	}
}

func TestCheckConditions(t *testing.T) {
	t.Parallel()
	closed := json.RawMessage(`{"properties": {"a": {"type": "string"}}}`)
	for name, tc := range map[string]struct {
		methods, when string
		offered       []*catalog.Method
		warnings      int
		err           bool
	}{
		"no methods at all":           {`["*"]`, `args.b == 1`, nil, 0, false},
		"no schema":                   {`["*"]`, `args.b == 1`, []*catalog.Method{{Name: "m"}}, 0, false},
		"an unreadable schema":        {`["*"]`, `args.b == 1`, []*catalog.Method{{Name: "m", InputSchema: json.RawMessage(`{"type": 1}`)}}, 0, false},
		"a schema that refuses all":   {`["*"]`, `args.b == 1`, []*catalog.Method{{Name: "m", InputSchema: json.RawMessage(`{"additionalProperties": false}`)}}, 0, true},
		"the raw name counts":         {`["m/x"]`, `args.b == 1`, []*catalog.Method{{Name: "m_x", Raw: "m/x", InputSchema: closed}}, 0, true},
		"other methods do not":        {`["n"]`, `args.b == 1`, []*catalog.Method{{Name: "m", InputSchema: closed}}, 0, false},
		"unknown to all":              {`["*"]`, `args.b == 1`, []*catalog.Method{{Name: "m", InputSchema: closed}, {Name: "n", InputSchema: closed}}, 0, true},
		"unknown to some":             {`["*"]`, `args.b == 1`, []*catalog.Method{{Name: "m", InputSchema: closed}, {Name: "n"}}, 1, false},
		"known to the one that it is": {`["*"]`, `method == "n" && args.b == 1`, []*catalog.Method{{Name: "m", InputSchema: closed}, {Name: "n"}}, 0, false},
		"the test behind it":          {`["*"]`, `args.b == 1 && method == "n"`, []*catalog.Method{{Name: "m", InputSchema: closed}, {Name: "n"}}, 0, false},
		"a test that is negated":      {`["*"]`, `!(method == "m" || args.b != 1)`, []*catalog.Method{{Name: "m", InputSchema: closed}, {Name: "n"}}, 0, false},
		"a test in a conditional":     {`["*"]`, `method == "m" ? args.a == "x" : args.b == 1`, []*catalog.Method{{Name: "m", InputSchema: closed}, {Name: "n"}}, 0, false},
		"types that differ":           {`["*"]`, `args.a == 1`, []*catalog.Method{{Name: "m", InputSchema: closed}, {Name: "n"}}, 1, false},
		"types behind a test":         {`["*"]`, `method == "n" && args.a == 1`, []*catalog.Method{{Name: "m", InputSchema: closed}, {Name: "n"}}, 0, false},
		"types before a test":         {`["*"]`, `args.a == 1 && method == "n"`, []*catalog.Method{{Name: "m", InputSchema: closed}, {Name: "n"}}, 1, false},
		"known to the other":          {`["*"]`, `method == "m" && args.b == 1`, []*catalog.Method{{Name: "m", InputSchema: closed}, {Name: "n"}}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			warnings, err := oneRule(t, tc.methods, tc.when).CheckConditions(tc.offered)
			if len(warnings) != tc.warnings || (err != nil) != tc.err {
				t.Errorf("got %v, %v", warnings, err)
			}
		})
	}
}

func TestCheckConditionsNamesFewMethods(t *testing.T) {
	t.Parallel()
	offered := []*catalog.Method{{Name: "open"}}
	for i := range 9 {
		offered = append(offered, &catalog.Method{Name: fmt.Sprintf("m%d", i), InputSchema: json.RawMessage(`{"properties": {"a": {}}}`)})
	}
	warnings, err := oneRule(t, `["*"]`, `args.b == 1`).CheckConditions(offered)
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Detail, "m0, m1, m2 and 6 more, where") {
		t.Errorf("got %v, %v", warnings, err)
	}
}

// FuzzCheckConditions checks conditions that are none most of the time.
func FuzzCheckConditions(f *testing.F) {
	for _, expression := range []string{
		`args.repo == "x" && caller != "bot"`, `args.n > 5 || labels.team == null`, `try(args.nope, true)`, `args.list[0].name == 5`,
		`[for x in args.list : x if x.name == method] == []`, `args.n ? args.repo : "x"`, `contains(keys(args), args.repo)`, `"${args.repo}" == "y"`, `!args.flag`,
	} {
		f.Add(expression)
	}
	m := &catalog.Method{Name: "m", InputSchema: json.RawMessage(`{"additionalProperties": false, "properties": {
		"repo": {"type": "string"}, "n": {"type": "integer", "default": 1}, "flag": {"type": "boolean"},
		"list": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}}}`)}
	f.Fuzz(func(t *testing.T, expression string) {
		c, err := load(t, "connector \"x\" {\n plugin = \"x\"\n rule {\n effect = \"deny\"\n when = "+expression+"\n }\n}\n", config.Options{})
		if err != nil || len(c.Connectors) == 0 {
			return
		}
		_, err = c.Connectors[0].CheckConditions([]*catalog.Method{m})
		var e *config.Error
		if err != nil && (!errors.As(err, &e) || len(e.Diagnostics) == 0) {
			t.Fatalf("got %v", err)
		}
	})
}

// What the check finds impossible to evaluate cannot be evaluated; what it lets
// pass can be, for a call with all its arguments.
func TestCheckConditionsAgreesWithEvaluation(t *testing.T) {
	t.Parallel()
	m := &catalog.Method{Name: "m", InputSchema: json.RawMessage(`{"additionalProperties": false, "properties": {
		"s": {"type": "string"}, "n": {"type": "integer"}, "b": {"type": "boolean"}, "l": {"type": "array", "items": {"type": "string"}},
		"o": {"type": "object", "properties": {"x": {"type": "number"}}}}}`)}
	for expression, fine := range map[string]bool{
		`args.s == "a"`:                            true,
		`args.n > 5`:                               true,
		`args.b`:                                   true,
		`!args.b || args.o.x < 1`:                  true,
		`contains(args.l, args.s)`:                 true,
		`length(args.l) > 0 && args.l[0] == "a"`:   true,
		`args.s != null && upper(args.s) == "A"`:   true,
		`[for k, v in args.o : v if v > 0] != []`:  true,
		`args.x == 1`:                              false,
		`args.s`:                                   false,
		`args.l > 5`:                               false,
		`args.l && true`:                           false,
		`upper(args.o) == "A"`:                     false,
		`args.s.x == 1`:                            false,
		`args.o.y == 1`:                            false,
		`caller == "bot" && args.o > 1`:            false,
		`length([for x in args.s : x]) > 0`:        false,
		`args.n + args.o.x > 1 && "${args.b}" > 5`: false,
		`(caller == "bot" ? args.l : args.s) == 1`: false,
	} {
		c := oneRule(t, `["m"]`, expression)
		_, checked := c.CheckConditions([]*catalog.Method{m})
		_, evaluated := c.Rules[0].When.Holds(policy.Call{
			Method: m, Caller: "bot", Args: []byte(`{"s": "a", "n": 7, "b": true, "l": ["a"], "o": {"x": 0.5}}`),
		})
		if (checked == nil) != fine {
			t.Errorf("%s: got %v", expression, checked)
		}
		if (evaluated == nil) != fine {
			t.Errorf("%s: evaluation says %v", expression, evaluated)
		}
	}
}
