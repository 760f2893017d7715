package schema

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// message says what one keyword demands. It quotes the schema, never the value.
func message(k jsonschema.ErrorKind) string {
	for _, say := range []func(jsonschema.ErrorKind) string{ofAny, ofObject, ofArray, ofString, ofNumber} {
		if text := say(k); text != "" {
			return text
		}
	}
	return strings.Join(k.KeywordPath(), ".") + ": the value does not fit"
}

func ofAny(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("got %s, want %s", k.Got, strings.Join(k.Want, " or "))
	case *kind.Enum:
		return "must be one of " + literals(k.Want)
	case *kind.Const:
		return "must be " + literal(k.Want)
	case *kind.Not:
		return "has a form that is not allowed"
	case *kind.OneOf:
		return fmt.Sprintf("fits forms %d and %d, which exclude each other", k.Subschemas[0]+1, k.Subschemas[1]+1)
	case *kind.RefCycle:
		return "cannot be checked: the schema refers to itself without end"
	}
	return ""
}

func ofObject(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Required:
		return "missing " + properties(k.Missing)
	case *kind.Dependency:
		return fmt.Sprintf("missing %s, which %q needs", properties(k.Missing), k.Prop)
	case *kind.DependentRequired:
		return fmt.Sprintf("missing %s, which %q needs", properties(k.Missing), k.Prop)
	case *kind.PropertyNames:
		return fmt.Sprintf("the property name %q is not allowed", k.Property)
	case *kind.MinProperties:
		return fmt.Sprintf("has %d properties, needs at least %d", k.Got, k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("has %d properties, may have %d at most", k.Got, k.Want)
	}
	return ""
}

func ofArray(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinItems:
		return fmt.Sprintf("has %d items, needs at least %d", k.Got, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %d items, may have %d at most", k.Got, k.Want)
	case *kind.AdditionalItems:
		return fmt.Sprintf("the last %d items are not allowed", k.Count)
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "no item has the form that one must have"
	case *kind.MinContains:
		return fmt.Sprintf("%d items have the form that at least %d must have", len(k.Got), k.Want)
	case *kind.MaxContains:
		return fmt.Sprintf("%d items have the form that %d at most may have", len(k.Got), k.Want)
	}
	return ""
}

func ofString(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return fmt.Sprintf("too short: needs at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("too long: may have %d characters at most", k.Want)
	case *kind.Pattern:
		return fmt.Sprintf("does not match the pattern %s", k.Want)
	case *kind.Format:
		return fmt.Sprintf("is not a valid %s", k.Want)
	}
	return ""
}

func ofNumber(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return "must be at least " + number(k.Want)
	case *kind.Maximum:
		return "must be at most " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be greater than " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + number(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + number(k.Want)
	}
	return ""
}

func literals(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = literal(v)
	}
	return strings.Join(clip(texts), ", ")
}

func properties(names []string) string {
	if len(names) == 1 {
		return fmt.Sprintf("property %q", names[0])
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return "properties " + strings.Join(clip(quoted), ", ")
}
