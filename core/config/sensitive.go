package config

import (
	"strconv"

	"github.com/zclconf/go-cty/cty"
)

// mark is the type of the mark that sensitive values carry.
type mark string

// sensitive marks values that must never be shown. It goes along through
// interpolation, functions, locals and objects.
const sensitive = mark("sensitive")

// unmark returns the value without its marks, the paths that carried one, and the texts at and below them.
func unmark(v cty.Value) (plain cty.Value, paths [][]string, texts []string) {
	plain, marks := v.UnmarkDeepWithPaths()
	for _, m := range marks {
		paths = append(paths, pathNames(m.Path))
		if at, err := m.Path.Apply(plain); err == nil {
			texts = append(texts, textsIn(at)...)
		}
	}
	return plain, paths, texts
}

// pathNames writes a path as property names and list indices. A step into a set
// has no name; marks of a set's elements are the set's own.
func pathNames(path cty.Path) []string {
	names := make([]string, 0, len(path))
	for _, step := range path {
		switch step := step.(type) {
		case cty.GetAttrStep:
			names = append(names, step.Name)
		case cty.IndexStep:
			if step.Key.Type() == cty.String {
				names = append(names, step.Key.AsString())
				continue
			}
			i, _ := step.Key.AsBigFloat().Int64()
			names = append(names, strconv.FormatInt(i, 10))
		}
	}
	return names
}

// textsIn lists the strings in an unmarked value.
func textsIn(v cty.Value) []string {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}
	if v.Type() == cty.String {
		return []string{v.AsString()}
	}
	if !v.CanIterateElements() {
		return nil
	}
	var texts []string
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		texts = append(texts, textsIn(element)...)
	}
	return texts
}
