package policy

import (
	"fmt"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/catalog"
)

// Policy judges calls by the rules of each connector. It is immutable and safe
// for concurrent use.
type Policy struct {
	rules map[string][]Rule
	log   hclog.Logger
}

// New returns the policy of these rules, by connector label and in the order in
// which they are tried. Conditions that cannot be evaluated are reported to log;
// nil discards the reports.
func New(rules map[string][]Rule, log hclog.Logger) *Policy {
	if log == nil {
		log = hclog.NewNullLogger()
	}
	own := make(map[string][]Rule, len(rules))
	for label, list := range rules {
		own[label] = append([]Rule(nil), list...)
	}
	return &Policy{rules: own, log: log}
}

// Judge says what is to be done with a call. The first rule that matches wins,
// and may lower what the method declares; without one the declaration holds.
// A condition that cannot be evaluated counts as true where the rule denies or
// asks and as false where it allows.
func (p *Policy) Judge(c Call) Verdict {
	v := p.judge(c)
	if c.AskWrites && v.Effect == Allow && !c.Method.ReadOnly {
		return Verdict{Effect: Approve, Rule: "every write of this execution waits for a person"}
	}
	return v
}

func (p *Policy) judge(c Call) Verdict {
	for i, r := range p.rules[c.Connector] {
		if r.Names(c.Method) && p.holds(i, r, c) {
			return Verdict{Effect: r.effect(), Rule: r.title(c.Connector, i), Reason: r.Reason}
		}
	}
	return Verdict{Effect: declared(c.Method), Rule: declaration(c.Connector, c.Method)}
}

// holds evaluates a rule's condition, and decides for it when it has no answer.
func (p *Policy) holds(i int, r Rule, c Call) bool {
	if r.When == nil {
		return true
	}
	yes, err := r.When.Holds(c)
	if err == nil {
		return yes
	}
	counts := r.effect() != Allow
	p.log.Warn("a rule's condition cannot be evaluated", "connector", c.Connector, "method", c.Method.Name,
		"rule", r.title(c.Connector, i), "counts_as", counts, "error", err)
	return counts
}

// Effective says what policy makes of a method whatever its arguments are:
// asks, that a call of it waits for a person or may wait; denied, that every
// call of it is refused.
func (p *Policy) Effective(connector string, m *catalog.Method) (asks, denied bool) {
	possible := map[Effect]bool{}
	for _, r := range p.rules[connector] {
		if !r.Names(m) {
			continue
		}
		possible[r.effect()] = true
		if r.When == nil {
			return possible[Approve], possible[Deny] && len(possible) == 1
		}
	}
	possible[declared(m)] = true
	return possible[Approve], false
}

// Names reports whether the rule speaks of a method, by its listed or its raw name.
func (r Rule) Names(m *catalog.Method) bool {
	if len(r.Methods) == 0 {
		return true
	}
	for _, pattern := range r.Methods {
		if Match(pattern, m.Name) || Match(pattern, m.Raw) {
			return true
		}
	}
	return false
}

// effect is the rule's effect; a word that is none must not let a call through.
func (r Rule) effect() Effect {
	switch r.Effect {
	case Allow, Approve:
		return r.Effect
	}
	return Deny
}

// title names the i-th rule of a connector for people.
func (r Rule) title(connector string, i int) string {
	title := fmt.Sprintf("connector %s, rule %d", connector, i+1)
	if r.Place != "" {
		title += " at " + r.Place
	}
	return title
}

func declared(m *catalog.Method) Effect {
	if m.RequiresApproval {
		return Approve
	}
	return Allow
}

func declaration(connector string, m *catalog.Method) string {
	if m.RequiresApproval {
		return fmt.Sprintf("%s.%s declares that it needs approval", connector, m.Name)
	}
	return fmt.Sprintf("%s.%s declares that it needs no approval", connector, m.Name)
}
