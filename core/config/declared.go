package config

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/codemode-go/codemode/core/declared"
)

// The kinds of values that declared expressions have.
var (
	anObject = cty.EmptyObject
	anything = cty.DynamicPseudoType
)

// declaredBlock is a block of a connector that is for one of its methods.
func declaredBlock(kind string) hcl.BlockHeaderSchema {
	return hcl.BlockHeaderSchema{Type: kind, LabelNames: []string{"method"}}
}

// declared reads the blocks that add to a connector's methods.
func (l *loader) declared(blocks hcl.Blocks) declared.Blocks {
	d := declared.Blocks{
		Prepare: map[string]declared.Call{}, Revert: map[string]declared.Call{},
		Reconcile: map[string]declared.Question{}, Preview: map[string]declared.Expression{},
	}
	prepared := l.oneEach(blocks.OfType("prepare"))
	reverts, questions := l.oneEach(blocks.OfType("revert")), l.oneEach(blocks.OfType("reconcile"))
	for name, b := range prepared {
		if reverts[name] == nil && questions[name] == nil {
			l.fail(b.DefRange, "Unused prepare", fmt.Sprintf("What it reads is for a revert or a reconcile block of %q, and there is none.", name))
		}
		d.Prepare[name], _ = l.call(b, []string{declared.Args})
	}
	before := func(name string) []string {
		if prepared[name] == nil {
			return []string{declared.Args}
		}
		return []string{declared.Args, declared.Before}
	}
	for name, b := range reverts {
		d.Revert[name], _ = l.call(b, append(before(name), declared.Result))
	}
	for name, b := range questions {
		d.Reconcile[name] = l.question(b, before(name))
	}
	for name, b := range l.oneEach(blocks.OfType("preview")) {
		content := l.decode(b, []attribute{{name: "text", required: true}})
		if e := l.declaredExpression(content, "text", cty.String, []string{declared.Args}); e != nil {
			d.Preview[name] = e
		}
	}
	return d
}

// oneEach returns blocks by the method that they are for.
func (l *loader) oneEach(blocks hcl.Blocks) map[string]*hcl.Block {
	all := map[string]*hcl.Block{}
	for _, b := range blocks {
		name := b.Labels[0]
		if before := all[name]; before != nil {
			l.duplicate("Duplicate "+b.Type, fmt.Sprintf("The method %q can have one %s block", name, b.Type), b.DefRange, before.DefRange)
			continue
		}
		all[name] = b
	}
	return all
}

// call reads a block that calls a method; more are its further attributes.
func (l *loader) call(block *hcl.Block, names []string, more ...attribute) (declared.Call, *hcl.BodyContent) {
	var c declared.Call
	method := text("call", &c.Method)
	method.required = true
	content := l.decode(block, append([]attribute{method, {name: "args"}}, more...))
	c.Args = l.declaredExpression(content, "args", anObject, names)
	return c, content
}

// question reads a reconcile block.
func (l *loader) question(block *hcl.Block, names []string) declared.Question {
	call, content := l.call(block, names, attribute{name: "happened", required: true}, attribute{name: "result"})
	names = append(names, declared.Result)
	return declared.Question{
		Call:     call,
		Happened: l.declaredExpression(content, "happened", cty.Bool, names),
		Result:   l.declaredExpression(content, "result", anything, names),
	}
}

// declaredExpression reads an attribute that is evaluated while the host works; nil: there is none, or a fault.
func (l *loader) declaredExpression(content *hcl.BodyContent, name string, kind cty.Type, names []string) declared.Expression {
	attr := content.Attributes[name]
	if attr == nil {
		return nil
	}
	if e := l.expression(attr, kind, names); e != nil {
		return e
	}
	return nil
}
