package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/codemode-go/codemode/plugin/wire"
)

// input decodes JSON objects into values of type I, after checking them.
type input[I any] struct {
	schema json.RawMessage
	check  *checker
}

// newInput prepares decoding; schema nil stands for the one made from I.
func newInput[I any](schema json.RawMessage) (*input[I], error) {
	t := reflect.TypeFor[I]()
	if !isObject(t) {
		return nil, fmt.Errorf("the input type %v is neither a struct nor a map with string keys", t)
	}
	if schema == nil {
		var err error
		if schema, err = schemaOf(t, into); err != nil {
			return nil, err
		}
	}
	check, err := newChecker(schema)
	if err != nil {
		return nil, err
	}
	return &input[I]{schema: schema, check: check}, nil
}

// isObject reports whether the JSON form of t is an object, as far as a type can say.
func isObject(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map && t.Key().Kind() == reflect.String
}

// decode checks and decodes raw; nil stands for an empty object. The value
// counts only if nothing is wrong.
func (d *input[I]) decode(raw json.RawMessage) (value I, wrong []problem) {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	plain, err := wire.Untag(raw)
	if err != nil {
		return value, []problem{{text: "is not JSON"}}
	}
	wrong, err = d.check.check(plain)
	if err != nil {
		return value, []problem{{text: "is not JSON"}}
	}
	if len(wrong) > 0 {
		return value, wrong
	}
	if err := json.Unmarshal(plain, &value); err != nil {
		return value, []problem{misfit(err)}
	}
	return value, nil
}

// misfit describes a value that satisfies the schema but not the Go type. The
// texts of encoding/json and of types with their own decoding quote the value.
func misfit(err error) problem {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		got, _, _ := strings.Cut(e.Value, " ")
		var path []string
		if e.Field != "" {
			path = strings.Split(e.Field, ".")
		}
		return problem{path: path, text: fmt.Sprintf("this %s does not fit %v", got, e.Type)}
	}
	return problem{text: "a value has a form that this method cannot read"}
}

// invalidArguments is the error for arguments with problems.
func invalidArguments(wrong []problem) error {
	const most = 10
	list := make([]string, 0, most)
	for _, p := range wrong[:min(len(wrong), most)] {
		list = append(list, p.String())
	}
	if more := len(wrong) - most; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return &Error{Code: InvalidArgument, Message: strings.Join(list, "; "), Effect: EffectNone}
}
