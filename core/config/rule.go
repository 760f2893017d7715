package config

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/codemode-go/codemode/core/policy"
)

// rule reads one rule block.
func (l *loader) rule(block *hcl.Block) policy.Rule {
	r := policy.Rule{Place: place(block.DefRange)}
	content := l.decode(block, []attribute{
		patterns(&r.Methods), effect(&r.Effect), text("reason", &r.Reason), {name: "when"},
	})
	if attr := content.Attributes["when"]; attr != nil {
		if c := l.condition(attr.Expr); c != nil {
			r.When = c
		}
	}
	return r
}

// patterns reads a rule's methods. An empty list would name every method, which nobody means who writes it.
func patterns(to *[]string) attribute {
	a := texts("methods", to)
	take := a.take
	a.take = func(v cty.Value) error {
		if err := take(v); err != nil {
			return err
		}
		if len(*to) == 0 || slices.Contains(*to, "") {
			return fmt.Errorf("the list names methods, with * and ?; leave it out for all methods")
		}
		return nil
	}
	return a
}

func effect(to *policy.Effect) attribute {
	return attribute{name: "effect", required: true, kind: cty.String, take: func(v cty.Value) error {
		*to = policy.Effect(v.AsString())
		switch *to {
		case policy.Allow, policy.Deny, policy.Approve:
			return nil
		}
		known := []string{string(policy.Allow), string(policy.Deny), string(policy.Approve)}
		return fmt.Errorf(`an effect is "allow", "deny" or "approve".%s`, suggestion(v.AsString(), known))
	}}
}
