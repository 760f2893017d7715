package config

import (
	"fmt"
	"maps"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// pure are the functions whose result depends on their arguments alone. They
// are all that a condition can use.
var pure = map[string]function.Function{
	"abs":        stdlib.AbsoluteFunc,
	"can":        tryfunc.CanFunc,
	"ceil":       stdlib.CeilFunc,
	"coalesce":   stdlib.CoalesceFunc,
	"compact":    stdlib.CompactFunc,
	"concat":     stdlib.ConcatFunc,
	"contains":   stdlib.ContainsFunc,
	"distinct":   stdlib.DistinctFunc,
	"element":    stdlib.ElementFunc,
	"endswith":   affix(strings.HasSuffix),
	"flatten":    stdlib.FlattenFunc,
	"floor":      stdlib.FloorFunc,
	"format":     stdlib.FormatFunc,
	"join":       stdlib.JoinFunc,
	"jsondecode": stdlib.JSONDecodeFunc,
	"jsonencode": stdlib.JSONEncodeFunc,
	"keys":       stdlib.KeysFunc,
	"length":     lengthFunc,
	"lookup":     stdlib.LookupFunc,
	"lower":      stdlib.LowerFunc,
	"max":        stdlib.MaxFunc,
	"merge":      stdlib.MergeFunc,
	"min":        stdlib.MinFunc,
	"regex":      stdlib.RegexFunc,
	"regexall":   stdlib.RegexAllFunc,
	"replace":    stdlib.ReplaceFunc,
	"slice":      stdlib.SliceFunc,
	"sort":       stdlib.SortFunc,
	"split":      stdlib.SplitFunc,
	"startswith": affix(strings.HasPrefix),
	"substr":     stdlib.SubstrFunc,
	"tobool":     stdlib.MakeToFunc(cty.Bool),
	"tolist":     stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
	"tomap":      stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
	"tonumber":   stdlib.MakeToFunc(cty.Number),
	"toset":      stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
	"tostring":   stdlib.MakeToFunc(cty.String),
	"trim":       stdlib.TrimFunc,
	"trimprefix": stdlib.TrimPrefixFunc,
	"trimspace":  stdlib.TrimSpaceFunc,
	"trimsuffix": stdlib.TrimSuffixFunc,
	"try":        tryfunc.TryFunc,
	"upper":      stdlib.UpperFunc,
	"values":     stdlib.ValuesFunc,
	"within":     affix(liesIn),
	"zipmap":     stdlib.ZipmapFunc,
}

// functions are those of a configuration: the pure ones and those that read its surroundings.
func (l *loader) functions() map[string]function.Function {
	all := maps.Clone(pure)
	all["env"] = l.reader("name", l.readEnv)
	all["file"] = l.reader("path", l.readFile)
	all["sensitive"] = l.sensitiveFunc()
	return all
}

// reader makes a function of one string whose result is sensitive. For a guest
// the result is not known, and nothing is read.
func (l *loader) reader(parameter string, read func(string) (string, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: parameter, Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if l.options.Guest {
				return cty.UnknownVal(cty.String).Mark(sensitive), nil
			}
			text, err := read(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			l.source.secrets = append(l.source.secrets, text)
			return cty.StringVal(text).Mark(sensitive), nil
		},
	})
}

func (l *loader) readEnv(name string) (string, error) {
	value, set := l.options.Env(name)
	if !set {
		return "", fmt.Errorf("environment variable %q is not set", name)
	}
	return value, nil
}

func (l *loader) readFile(path string) (string, error) {
	text, err := os.ReadFile(l.resolve(path))
	if err != nil {
		return "", fmt.Errorf("cannot read the file: %w", err)
	}
	if !utf8.Valid(text) {
		return "", fmt.Errorf("the file %s is not UTF-8 text", path)
	}
	return string(text), nil
}

// sensitiveFunc marks whatever it is given.
func (l *loader) sensitiveFunc() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{
			Name: "value", Type: cty.DynamicPseudoType, AllowUnknown: true, AllowNull: true, AllowMarked: true, AllowDynamicType: true,
		}},
		Type: func(args []cty.Value) (cty.Type, error) { return args[0].Type(), nil },
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			plain, _ := args[0].UnmarkDeep()
			l.source.secrets = append(l.source.secrets, textsIn(plain)...)
			return args[0].Mark(sensitive), nil
		},
	})
}

// affix makes a function that tests a string against another.
func affix(test func(text, part string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}, {Name: "part", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(test(args[0].AsString(), args[1].AsString())), nil
		},
	})
}

// lengthFunc counts the characters of a string, the properties of an object or the elements of a collection.
var lengthFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowDynamicType: true}},
	Type:   function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		switch {
		case args[0].Type() == cty.String:
			return stdlib.Strlen(args[0])
		case args[0].Type().IsObjectType():
			return cty.NumberIntVal(int64(len(args[0].Type().AttributeTypes()))), nil
		}
		return stdlib.Length(args[0])
	},
})

// liesIn reports whether a path, as it is and not as a text, lies in a folder: "/a/b/../../c" does not lie in "/a". A
// path that is not absolute lies in no folder, for nobody knows where it starts. Links are not followed.
func liesIn(name, dir string) bool {
	if !path.IsAbs(name) || !path.IsAbs(dir) || strings.ContainsAny(name, "\\\x00") {
		return false
	}
	name, dir = path.Clean(name), path.Clean(dir)
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}
