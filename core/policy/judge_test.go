package policy_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/policy"
)

// when is a condition with a fixed answer.
type when struct {
	holds bool
	err   error
}

func (w when) Holds(policy.Call) (bool, error) { return w.holds, w.err }

// onCaller holds for one caller.
type onCaller string

func (o onCaller) Holds(c policy.Call) (bool, error) { return c.Caller == string(o), nil }

var (
	list   = &catalog.Method{Name: "list_issues", Raw: "issues/list", ReadOnly: true}
	create = &catalog.Method{Name: "issues_create", Raw: "issues/create", RequiresApproval: true}
	label  = &catalog.Method{Name: "add_label", Raw: "add-label"}
)

func TestJudge(t *testing.T) {
	t.Parallel()
	broken := errors.New("no such argument")
	for name, tc := range map[string]struct {
		rules  []policy.Rule
		method *catalog.Method
		call   policy.Call
		want   policy.Verdict
	}{
		"no rule, a declared approval": {method: create,
			want: policy.Verdict{Effect: policy.Approve, Rule: "github.issues_create declares that it needs approval"}},
		"no rule, nothing declared": {method: label,
			want: policy.Verdict{Effect: policy.Allow, Rule: "github.add_label declares that it needs no approval"}},
		"a rule without methods names all": {method: label,
			rules: []policy.Rule{{Effect: policy.Deny, Reason: "frozen", Place: "codemode.hcl:31"}},
			want:  policy.Verdict{Effect: policy.Deny, Rule: "connector github, rule 1 at codemode.hcl:31", Reason: "frozen"}},
		"allow lowers a declaration": {method: create,
			rules: []policy.Rule{{Methods: []string{"issues_create"}, Effect: policy.Allow}},
			want:  policy.Verdict{Effect: policy.Allow, Rule: "connector github, rule 1"}},
		"the raw name counts": {method: create,
			rules: []policy.Rule{{Methods: []string{"issues/*"}, Effect: policy.Deny}},
			want:  policy.Verdict{Effect: policy.Deny, Rule: "connector github, rule 1"}},
		"the first match wins": {method: label,
			rules: []policy.Rule{
				{Methods: []string{"list_*"}, Effect: policy.Deny},
				{Methods: []string{"add_*"}, Effect: policy.Approve},
				{Effect: policy.Deny},
			},
			want: policy.Verdict{Effect: policy.Approve, Rule: "connector github, rule 2"}},
		"another order, another verdict": {method: label,
			rules: []policy.Rule{
				{Effect: policy.Deny},
				{Methods: []string{"add_*"}, Effect: policy.Approve},
			},
			want: policy.Verdict{Effect: policy.Deny, Rule: "connector github, rule 1"}},
		"a condition that holds": {method: label, call: policy.Call{Caller: "bot"},
			rules: []policy.Rule{{When: onCaller("bot"), Effect: policy.Approve}},
			want:  policy.Verdict{Effect: policy.Approve, Rule: "connector github, rule 1"}},
		"a condition that does not": {method: label, call: policy.Call{Caller: "ann"},
			rules: []policy.Rule{{When: onCaller("bot"), Effect: policy.Approve}},
			want:  policy.Verdict{Effect: policy.Allow, Rule: "github.add_label declares that it needs no approval"}},
		"no answer counts for deny": {method: label,
			rules: []policy.Rule{{When: when{err: broken}, Effect: policy.Deny}},
			want:  policy.Verdict{Effect: policy.Deny, Rule: "connector github, rule 1"}},
		"no answer counts for approve": {method: label,
			rules: []policy.Rule{{When: when{err: broken}, Effect: policy.Approve}},
			want:  policy.Verdict{Effect: policy.Approve, Rule: "connector github, rule 1"}},
		"no answer does not count for allow": {method: create,
			rules: []policy.Rule{{When: when{holds: true, err: broken}, Effect: policy.Allow}},
			want:  policy.Verdict{Effect: policy.Approve, Rule: "github.issues_create declares that it needs approval"}},
		"an unknown effect denies": {method: list,
			rules: []policy.Rule{{When: when{err: broken}, Effect: "alow"}},
			want:  policy.Verdict{Effect: policy.Deny, Rule: "connector github, rule 1"}},
		"writes wait when asked to": {method: label, call: policy.Call{AskWrites: true},
			rules: []policy.Rule{{Effect: policy.Allow}},
			want:  policy.Verdict{Effect: policy.Approve, Rule: "every write of this execution waits for a person"}},
		"reads do not": {method: list, call: policy.Call{AskWrites: true},
			want: policy.Verdict{Effect: policy.Allow, Rule: "github.list_issues declares that it needs no approval"}},
		"a denied write stays denied": {method: label, call: policy.Call{AskWrites: true},
			rules: []policy.Rule{{Effect: policy.Deny}},
			want:  policy.Verdict{Effect: policy.Deny, Rule: "connector github, rule 1"}},
		"a rule that asks keeps its reason": {method: label, call: policy.Call{AskWrites: true},
			rules: []policy.Rule{{Effect: policy.Approve, Reason: "labels deploy"}},
			want:  policy.Verdict{Effect: policy.Approve, Rule: "connector github, rule 1", Reason: "labels deploy"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := policy.New(map[string][]policy.Rule{"github": tc.rules, "other": {{Effect: policy.Deny}}}, nil)
			tc.call.Connector, tc.call.Method = "github", tc.method
			if diff := cmp.Diff(tc.want, p.Judge(tc.call)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJudgeLogsWhatCannotBeEvaluated(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := hclog.New(&hclog.LoggerOptions{Output: &out})
	p := policy.New(map[string][]policy.Rule{"github": {{When: when{err: errors.New("no such argument")}, Effect: policy.Deny, Place: "a.hcl:3"}}}, log)
	p.Judge(policy.Call{Connector: "github", Method: label})
	for _, want := range []string{"connector=github", "method=add_label", "rule 1 at a.hcl:3", "counts_as=true", "no such argument"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log lacks %q: %s", want, out.String())
		}
	}
}

func TestNewKeepsItsOwnRules(t *testing.T) {
	t.Parallel()
	rules := map[string][]policy.Rule{"github": {{Effect: policy.Deny}}}
	p := policy.New(rules, nil)
	rules["github"][0].Effect = policy.Allow
	delete(rules, "github")
	if v := p.Judge(policy.Call{Connector: "github", Method: label}); v.Effect != policy.Deny {
		t.Errorf("got %s", v.Effect)
	}
}

func TestEffective(t *testing.T) {
	t.Parallel()
	maybe := when{}
	for name, tc := range map[string]struct {
		rules        []policy.Rule
		method       *catalog.Method
		asks, denied bool
	}{
		"declared":                       {method: create, asks: true},
		"not declared":                   {method: label},
		"lowered":                        {method: create, rules: []policy.Rule{{Effect: policy.Allow}}},
		"lowered for some":               {method: create, rules: []policy.Rule{{When: maybe, Effect: policy.Allow}}, asks: true},
		"raised for some":                {method: label, rules: []policy.Rule{{When: maybe, Effect: policy.Approve}}, asks: true},
		"raised for some, allowed else":  {method: create, rules: []policy.Rule{{When: maybe, Effect: policy.Approve}, {Effect: policy.Allow}}, asks: true},
		"denied":                         {method: create, rules: []policy.Rule{{Effect: policy.Deny}}, denied: true},
		"denied for some":                {method: label, rules: []policy.Rule{{When: maybe, Effect: policy.Deny}}},
		"denied for some and for all":    {method: label, rules: []policy.Rule{{When: maybe, Effect: policy.Deny}, {Effect: policy.Deny}}, denied: true},
		"allowed for some, denied else":  {method: label, rules: []policy.Rule{{When: maybe, Effect: policy.Allow}, {Effect: policy.Deny}}},
		"asked for some, denied else":    {method: label, rules: []policy.Rule{{When: maybe, Effect: policy.Approve}, {Effect: policy.Deny}}, asks: true},
		"behind a rule that always wins": {method: label, rules: []policy.Rule{{Effect: policy.Allow}, {Effect: policy.Approve}}},
		"rules for others":               {method: label, rules: []policy.Rule{{Methods: []string{"x*"}, Effect: policy.Deny}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asks, denied := policy.New(map[string][]policy.Rule{"github": tc.rules}, nil).Effective("github", tc.method)
			if asks != tc.asks || denied != tc.denied {
				t.Errorf("got asks %v, denied %v; want %v, %v", asks, denied, tc.asks, tc.denied)
			}
		})
	}
}
