package program

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
)

// check refuses what is visibly wrong before anything runs.
func (u *unit) check() error {
	for _, check := range []func() error{u.checkCommonJS, u.checkAbsent, u.checkCalls, u.checkNested, u.checkPromises, u.checkDestructuring, u.checkSteps} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// global returns the name of an expression that is one which the program does not declare, or "".
func (u *unit) global(e ast.Expression) string {
	id, ok := e.(*ast.Identifier)
	if !ok || u.names.of[id] == nil || u.names.of[id].variable != nil {
		return ""
	}
	return id.Name.String()
}

// checkCommonJS refuses module.exports; typeof module finds that there is none.
func (u *unit) checkCommonJS() error {
	for _, r := range u.names.references {
		if r.variable != nil || r.typeOf || r.name != "module" && r.name != "exports" {
			continue
		}
		if u.code.module != "" {
			return u.fault(r.at, "module.exports is not available; write export before what the module offers")
		}
		return u.fault(r.at, "module.exports is not available; write export default, or call the function at the end")
	}
	return nil
}

// labels returns the namespaces in order.
func (u *unit) labels() []string { return slices.Sorted(maps.Keys(u.namespaces)) }

// checkSteps refuses steps that assign variables from outside: in a replay a step's function does not run again,
// so the variable would keep its old value.
func (u *unit) checkSteps() error {
	for _, c := range u.names.calls {
		if m := u.method(c.Callee); m == nil || m.namespace != "codemode" || m.name != "step" {
			continue
		}
		for _, argument := range c.ArgumentList {
			if !isFunction(argument) {
				continue
			}
			if r := u.outerAssignment(argument); r != nil {
				name := u.modelName(r)
				return u.fault(r.at, fmt.Sprintf(
					"a step must not assign %s, which is declared outside of it: a step runs only once, and when the program is replayed the assignment is skipped; return the value instead (%s = await codemode.step(...))", name, name))
			}
		}
	}
	return nil
}

// outerAssignment returns the first assignment in a function to a variable that is declared around it, or nil.
func (u *unit) outerAssignment(function ast.Expression) *reference {
	for _, r := range u.names.references {
		if r.write && r.variable != nil && r.scope.within(function) && !r.variable.scope.within(function) {
			return r
		}
	}
	return nil
}

// modelName returns a name as the model wrote it: esbuild renames variables that shadow others.
func (u *unit) modelName(r *reference) string {
	at, ok := u.mappings.find(u.index(r.at))
	if !ok || at.line > len(u.code.model) {
		return r.name
	}
	line := u.code.model[at.line-1]
	begin := byteColumn(line, at.column-1)
	end := begin
	for end < len(line) && isWordByte(line[end]) {
		end++
	}
	if name := line[begin:end]; name != "" && strings.HasPrefix(r.name, name) {
		return name
	}
	return r.name
}

// standard are globals that are nobody's misspelt namespace.
var standard = set(`Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date
	Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON
	Math Intl ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array
	Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set WeakMap WeakSet WeakRef Proxy Reflect Atomics
	Iterator console codemode input env arguments crypto performance URL URLSearchParams TextEncoder TextDecoder
	AbortController Buffer process window document`)
