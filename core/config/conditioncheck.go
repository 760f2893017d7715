package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/core/schema"
)

// CheckConditions holds the conditions of the connector's rules against the
// input schemas of the methods that each rule names, out of all the connector's
// methods. What is wrong for all of them is an *[Error]: an argument that no
// schema knows, a comparison that never holds, a condition that can never be
// evaluated or is no boolean. What is wrong for some is a warning: there the
// rule does not do what it says.
func (c *Connector) CheckConditions(methods []*catalog.Method) (warnings []Diagnostic, err error) {
	check := conditionCheck{outlines: map[*catalog.Method]outlined{}}
	for _, r := range c.Rules {
		if when, ok := r.When.(*condition); ok {
			check.rule(r, when, methods)
		}
	}
	if check.faults.HasErrors() {
		err = c.source.report(check.faults)
	}
	return c.source.diagnostics(check.doubts), err
}

// conditionCheck is the state of one check of a connector's conditions.
type conditionCheck struct {
	outlines       map[*catalog.Method]outlined
	faults, doubts hcl.Diagnostics
}

// outlined is a method and the form of its arguments.
type outlined struct {
	method *catalog.Method
	args   schema.Outline
	kind   cty.Type // of args
}

// outline reads a method's input schema. One that cannot be read says nothing: it is not the rule's fault.
func (k *conditionCheck) outline(m *catalog.Method) outlined {
	if known, ok := k.outlines[m]; ok {
		return known
	}
	s, err := schema.Compile(m.InputSchema)
	if err != nil {
		s = nil
	}
	o := outlined{method: m, args: s.Outline()}
	o.kind = objectType(o.args, deepestForm)
	k.outlines[m] = o
	return o
}

// rule checks one rule.
func (k *conditionCheck) rule(r policy.Rule, when *condition, methods []*catalog.Method) {
	var named []outlined
	for _, m := range methods {
		if r.Names(m) {
			named = append(named, k.outline(m))
		}
	}
	if len(named) == 0 {
		return
	}
	if unknown := when.unknownArguments(named); unknown.HasErrors() {
		k.faults = append(k.faults, unknown...)
		return
	}
	for _, f := range when.findings(named, when.faults) {
		k.report(f, len(named), consequence(r.Effect))
	}
	for _, f := range when.findings(named, when.mismatches) {
		k.report(f, len(named), "")
	}
}

// report files a finding: what holds for all methods of a rule is a fault, the rest is a doubt.
func (k *conditionCheck) report(f *finding, methods int, consequence string) {
	if len(f.names) == methods {
		k.faults = append(k.faults, f.diag)
		return
	}
	f.diag.Detail += fmt.Sprintf(" So it is for %s%s.", few(f.names), consequence)
	k.doubts = append(k.doubts, f.diag)
}

// consequence says what becomes of a rule whose condition cannot be evaluated.
func consequence(effect policy.Effect) string {
	return fmt.Sprintf(", where a condition that cannot be evaluated counts as %t", effect != policy.Allow)
}

// finding is something that is wrong with a condition, and the methods for which it is.
type finding struct {
	diag  *hcl.Diagnostic
	names []string
}

// findings asks find about the calls of each method.
func (c *condition) findings(named []outlined, find func(*hcl.EvalContext) hcl.Diagnostics) []*finding {
	var list []*finding
	for _, o := range named {
		scope := c.over(cty.UnknownVal(o.kind), anyLabels, anyText, cty.StringVal(o.method.Name))
		for _, d := range find(scope) {
			i := slices.IndexFunc(list, func(f *finding) bool { return sameFault(f.diag, d) })
			if i < 0 {
				i = len(list)
				list = append(list, &finding{diag: d})
			}
			if !slices.Contains(list[i].names, o.method.Name) {
				list[i].names = append(list[i].names, o.method.Name)
			}
		}
	}
	return list
}

// few joins the first of some names.
func few(names []string) string {
	const most = 3
	if len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
