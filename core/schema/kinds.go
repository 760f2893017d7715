package schema

import (
	"maps"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// kinds is a set of JSON types without null, integers being numbers. The nil
// set says nothing: every type is in it.
type kinds map[string]bool

// kindsBySchema remembers the kinds of schemas. One that is being looked at says nothing
// yet, which ends the circles of recursive schemas.
type kindsBySchema map[*jsonschema.Schema]kinds

// union is what a value can be that fits one of some schemas; none say nothing.
func (f kindsBySchema) union(list []*jsonschema.Schema) kinds {
	var all kinds
	for _, s := range list {
		some := f.kinds(s)
		if some == nil {
			return nil
		}
		if all == nil {
			all = kinds{}
		}
		maps.Copy(all, some)
	}
	return all
}

// kinds is what a value can be that fits s.
func (f kindsBySchema) kinds(s *jsonschema.Schema) kinds {
	if s == nil {
		return nil
	}
	if known, ok := f[s]; ok {
		return known
	}
	f[s] = nil
	all := ofTypes(s.Types)
	if s.Enum != nil {
		all = all.and(ofValues(s.Enum.Values))
	}
	if s.Const != nil {
		all = all.and(ofValues([]any{*s.Const}))
	}
	for _, sub := range conjuncts(s) {
		all = all.and(f.kinds(sub))
	}
	f[s] = all.and(f.union(s.AnyOf)).and(f.union(s.OneOf))
	return f[s]
}

// and is what is in both sets.
func (k kinds) and(other kinds) kinds {
	switch {
	case k == nil:
		return other
	case other == nil:
		return k
	}
	both := kinds{}
	for name := range k {
		if other[name] {
			both[name] = true
		}
	}
	return both
}

func (k kinds) add(name string) {
	switch name {
	case "null":
	case "integer":
		k["number"] = true
	default:
		k[name] = true
	}
}

func ofTypes(types *jsonschema.Types) kinds {
	if types == nil {
		return nil
	}
	all := kinds{}
	for _, name := range types.ToStrings() {
		all.add(name)
	}
	return all
}

func ofValues(values []any) kinds {
	all := kinds{}
	for _, v := range values {
		all.add(typeName(v))
	}
	return all
}
