package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/declared"
	"github.com/codemode-go/codemode/core/schema"
)

// CheckDeclared holds the blocks that add to the connector's methods against
// all of these: that the methods which they name are there, that what they read
// with changes nothing, and that their expressions fit the methods' schemas.
// What is wrong is an *[Error].
func (c *Connector) CheckDeclared(methods []*catalog.Method) error {
	check := declaredCheck{methods: methods, reads: map[string]string{}}
	for _, d := range c.declarations {
		if d.kind == kindPrepare {
			check.reads[d.method] = d.call
		}
	}
	for _, d := range c.declarations {
		check.declaration(d)
	}
	if check.faults.HasErrors() {
		return c.source.report(check.faults)
	}
	return nil
}

// declaredCheck is the state of one check.
type declaredCheck struct {
	methods []*catalog.Method
	reads   map[string]string // what is called before a method
	faults  hcl.Diagnostics
}

func (k *declaredCheck) fail(at hcl.Range, summary, detail string) {
	k.faults = append(k.faults, fault(at, summary, detail))
}

// find returns the method of a name, or nil after a fault.
func (k *declaredCheck) find(name string, at hcl.Range) *catalog.Method {
	m := k.method(name)
	if m == nil {
		k.fail(at, "Unknown method", fmt.Sprintf("The connector has no method %q.%s", name, suggestion(name, k.names())))
	}
	return m
}

func (k *declaredCheck) method(name string) *catalog.Method {
	i := slices.IndexFunc(k.methods, func(m *catalog.Method) bool { return m.Name == name || m.Raw == name })
	if i < 0 {
		return nil
	}
	return k.methods[i]
}

func (k *declaredCheck) names() (list []string) {
	for _, m := range k.methods {
		list = append(list, m.Name)
	}
	return list
}

func (k *declaredCheck) declaration(d *declaration) {
	m := k.find(d.method, d.at)
	var called *catalog.Method
	if d.call != "" {
		called = k.find(d.call, d.callAt)
	}
	if m == nil || d.call != "" && called == nil {
		return
	}
	if m.ReadOnly && d.kind != kindPreview {
		k.fail(d.at, "Nothing to "+d.kind, fmt.Sprintf("%s is a read.", m.Name))
	}
	if reads := d.kind == kindPrepare || d.kind == kindReconcile; reads && !called.ReadOnly {
		k.fail(d.callAt, "Not a read", fmt.Sprintf("A %s block calls what changes nothing, and %s may change something. If it does not, a method block can say so.", d.kind, called.Name))
	}
	known := map[string]outlined{declared.Args: inputOf(m)}
	if read := k.method(k.reads[d.method]); read != nil {
		known[declared.Before] = outputOf(read)
	}
	if d.kind == kindRevert {
		known[declared.Result] = outputOf(m)
	}
	if called != nil {
		k.arguments(d, known, called)
		known[declared.Result] = outputOf(called)
	}
	for _, e := range []*expression{d.happened, d.result, d.text} {
		k.expression(e, known)
	}
}

// inputOf is the form of a method's arguments. A schema that cannot be read says nothing.
func inputOf(m *catalog.Method) outlined {
	s, _ := schema.Compile(m.InputSchema)
	o := s.Outline()
	return outlined{method: m, args: o, kind: objectType(o, deepestForm)}
}

// outputOf is the form of a method's result.
func outputOf(m *catalog.Method) outlined {
	s, _ := schema.Compile(m.OutputSchema)
	o := s.Outline()
	return outlined{method: m, args: o, kind: typeOf(o, deepestForm)}
}

// expression evaluates an expression over values of the forms that are known. It reports false after a fault.
func (k *declaredCheck) expression(e *expression, known map[string]outlined) (cty.Value, bool) {
	if e == nil {
		return cty.EmptyObjectVal, true
	}
	before := len(k.faults)
	values := map[string]cty.Value{}
	for _, name := range e.names {
		values[name] = cty.UnknownVal(known[name].kind)
	}
	for _, t := range e.expr.Variables() {
		if o, ok := known[t.RootName()]; ok {
			if detail, found := unknownStep(t, []outlined{o}); found {
				k.fail(t.SourceRange(), "Unknown property", detail)
			}
		}
	}
	if len(k.faults) > before {
		return cty.NilVal, false
	}
	v, diags := e.over(values)
	k.faults = append(k.faults, diags...)
	return v, !diags.HasErrors()
}

// arguments holds the arguments of a declared call against the schema of its method.
func (k *declaredCheck) arguments(d *declaration, known map[string]outlined, called *catalog.Method) {
	v, ok := k.expression(d.args, known)
	if !ok || !v.Type().IsObjectType() {
		return
	}
	at := d.callAt
	if d.args != nil {
		at = d.args.expr.Range()
	}
	input := inputOf(called).args
	given := v.Type().AttributeTypes()
	for name := range given {
		if !mayHave(input, name) {
			k.fail(at, "Unknown argument", fmt.Sprintf("%s does not know %s.%s", called.Name, name, suggestion(name, input.Names())))
		}
	}
	if missing := lacking(called, given); len(missing) > 0 {
		k.fail(at, "Missing argument", fmt.Sprintf("%s needs %s.", called.Name, strings.Join(missing, ", ")))
		return
	}
	if v.IsWhollyKnown() {
		k.constant(v, at, called)
	}
}

// lacking lists the arguments that a method needs and is not given.
func lacking(m *catalog.Method, given map[string]cty.Type) (list []string) {
	var s struct{ Required []string }
	if json.Unmarshal(m.InputSchema, &s) != nil {
		return nil
	}
	for _, name := range s.Required {
		if _, ok := given[name]; !ok {
			list = append(list, name)
		}
	}
	return list
}

// constant holds arguments that are the same for every call against the schema.
func (k *declaredCheck) constant(v cty.Value, at hcl.Range, called *catalog.Method) {
	s, err := schema.Compile(called.InputSchema)
	if err != nil {
		return
	}
	raw, err := ctyjson.Marshal(v, v.Type())
	if err == nil {
		err = s.Validate(raw)
	}
	if err != nil {
		k.fail(at, "Invalid arguments", fmt.Sprintf("%s cannot be called: %s", called.Name, sentence(err)))
	}
}
