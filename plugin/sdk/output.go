package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/codemode-go/codemode/plugin/wire"
)

// output encodes and decodes the results of a method.
type output[O any] struct {
	schema json.RawMessage
	// nothing says that the method returns nothing.
	nothing bool
}

// newOutput prepares encoding; schema nil stands for the one made from O.
func newOutput[O any](schema json.RawMessage) (*output[O], error) {
	t := reflect.TypeFor[O]()
	if t == reflect.TypeFor[struct{}]() {
		return &output[O]{schema: schema, nothing: true}, nil
	}
	if schema == nil {
		var err error
		if schema, err = schemaOf(t, out); err != nil {
			return nil, err
		}
	}
	return &output[O]{schema: schema}, nil
}

func (r *output[O]) encode(value O) (json.RawMessage, error) {
	if r.nothing {
		return nil, nil
	}
	raw, err := encode(value)
	if err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	return raw, nil
}

func (r *output[O]) encodeHappened(h Happened[O]) (*wire.Reconciliation, error) {
	outcome := &wire.Reconciliation{Happened: h.answer()}
	if outcome.Happened != Yes {
		return outcome, nil
	}
	var err error
	outcome.Result, err = r.encode(h.Result)
	return outcome, err
}

// decode decodes a recorded result, which a person may have given.
func (r *output[O]) decode(raw json.RawMessage) (value O, err error) {
	if r.nothing || len(raw) == 0 {
		return value, nil
	}
	plain, err := wire.Untag(raw)
	if err == nil {
		err = json.Unmarshal(plain, &value)
	}
	if err != nil {
		return value, &Error{Code: InvalidArgument, Message: "the recorded result: " + misfit(err).String(), Effect: EffectNone}
	}
	return value, nil
}

// answer is Unknown for everything that is no answer.
func (h Happened[O]) answer() Answer {
	switch h.Answer {
	case Yes, No:
		return h.Answer
	}
	return Unknown
}

// encode encodes what a handler returned for the program: plain JSON in which
// nothing can be taken for a tag.
func encode(v any) (json.RawMessage, error) {
	raw, err := encodePlain(v)
	if err != nil {
		return nil, err
	}
	return wire.Escape(raw)
}

// encodePlain encodes v without HTML escapes, nil slices as [] and nil maps as {}.
func encodePlain(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(withoutNil(v)); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
