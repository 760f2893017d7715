package config

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/codemode-go/codemode/core/declared"
)

// The kinds of blocks that add to a connector's methods.
const (
	kindPrepare   = "prepare"
	kindRevert    = "revert"
	kindReconcile = "reconcile"
	kindPreview   = "preview"
)

// declaration is one of these blocks. What it does not have is nil.
type declaration struct {
	kind, method, call           string
	at, callAt                   hcl.Range
	args, happened, result, text *expression
}

// declarationHeaders are the headers of these blocks, prepare first: the others depend on it.
func declarationHeaders() (list []hcl.BlockHeaderSchema) {
	for _, kind := range []string{kindPrepare, kindRevert, kindReconcile, kindPreview} {
		list = append(list, hcl.BlockHeaderSchema{Type: kind, LabelNames: []string{"method"}})
	}
	return list
}

// declarations reads the blocks that add to a connector's methods.
func (l *loader) declarations(blocks hcl.Blocks) (list []*declaration) {
	first := map[[2]string]*hcl.Block{}
	for _, h := range declarationHeaders() {
		for _, b := range blocks.OfType(h.Type) {
			key := [2]string{b.Type, b.Labels[0]}
			if before := first[key]; before != nil {
				l.duplicate("Duplicate "+b.Type, fmt.Sprintf("The method %q can have one %s block", b.Labels[0], b.Type), b.DefRange, before.DefRange)
				continue
			}
			first[key] = b
			prepared := first[[2]string{kindPrepare, b.Labels[0]}] != nil
			list = append(list, l.declaration(b, prepared))
		}
	}
	for _, d := range list {
		used := first[[2]string{kindRevert, d.method}] != nil || first[[2]string{kindReconcile, d.method}] != nil
		if d.kind == kindPrepare && !used {
			l.fail(d.at, "Unused prepare", fmt.Sprintf("What it reads is for a revert or a reconcile block of %q, and there is none.", d.method))
		}
	}
	return list
}

// declaration reads one block. prepared says that its method has a prepare block.
func (l *loader) declaration(b *hcl.Block, prepared bool) *declaration {
	d := &declaration{kind: b.Type, method: b.Labels[0], at: b.DefRange}
	if b.Type == kindPreview {
		content := l.decode(b, []attribute{{name: "text", required: true}})
		d.text = l.declared(content, "text", cty.String, declared.Args)
		return d
	}
	method := text("call", &d.call)
	method.required = true
	attrs := []attribute{method, {name: "args"}}
	if b.Type == kindReconcile {
		attrs = append(attrs, attribute{name: "happened", required: true}, attribute{name: "result"})
	}
	content := l.decode(b, attrs)
	if attr := content.Attributes["call"]; attr != nil {
		d.callAt = attr.Range
	}
	names := []string{declared.Args}
	if prepared && b.Type != kindPrepare {
		names = append(names, declared.Before)
	}
	read := append(names, declared.Result)
	if b.Type == kindRevert {
		names = read
	}
	d.args = l.declared(content, "args", cty.EmptyObject, names...)
	d.happened = l.declared(content, "happened", cty.Bool, read...)
	d.result = l.declared(content, "result", cty.DynamicPseudoType, read...)
	return d
}

// declared reads an attribute that is evaluated while the host works; nil: there is none, or a fault.
func (l *loader) declared(content *hcl.BodyContent, name string, kind cty.Type, names ...string) *expression {
	attr := content.Attributes[name]
	if attr == nil {
		return nil
	}
	return l.expression(attr, kind, names)
}

// blocksOf puts the blocks in the form in which the host uses them.
func blocksOf(list []*declaration) declared.Blocks {
	blocks := declared.Blocks{
		Prepare: map[string]declared.Call{}, Revert: map[string]declared.Call{},
		Reconcile: map[string]declared.Question{}, Preview: map[string]declared.Expression{},
	}
	for _, d := range list {
		call := declared.Call{Method: d.call, Args: d.args.orNone()}
		switch d.kind {
		case kindPrepare:
			blocks.Prepare[d.method] = call
		case kindRevert:
			blocks.Revert[d.method] = call
		case kindReconcile:
			blocks.Reconcile[d.method] = declared.Question{Call: call, Happened: d.happened.orNone(), Result: d.result.orNone()}
		case kindPreview:
			blocks.Preview[d.method] = d.text.orNone()
		}
	}
	return blocks
}

// orNone is e, or an interface that is nil.
func (e *expression) orNone() declared.Expression {
	if e == nil {
		return nil
	}
	return e
}
