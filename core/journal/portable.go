package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The portable form of an event is JSON that people and their tools can read, and that gives back the very same event:
//
//	{"index":3,"epoch":1,"at":"2026-11-30T22:00:00Z","kind":"issued","body":{"seq":"0","args":{"json":{"id":1}}, ...}}
//
// The body's members are the fields of its type, those of zero value left out. Bytes are {"json": ...} where they are
// JSON, which is then the same byte for byte, and {"base64": "..."} where they are not; so is text that is no UTF-8.
type portableEvent struct {
	Index int64           `json:"index"`
	Epoch uint64          `json:"epoch"`
	At    time.Time       `json:"at"`
	Kind  string          `json:"kind"`
	Body  json.RawMessage `json:"body"`
}

// EncodePortable returns the portable form of an event, on one line.
func EncodePortable(e Event) ([]byte, error) {
	if newBody(kindOf(e.Body)) == nil {
		return nil, fmt.Errorf("event %d has no body", e.Index)
	}
	body, err := marshal(portable(reflect.ValueOf(e.Body).Elem()))
	if err != nil {
		return nil, fmt.Errorf("event %d: %w", e.Index, err)
	}
	return marshal(portableEvent{Index: e.Index, Epoch: e.Epoch, At: e.At.UTC(), Kind: portableKind(kindOf(e.Body)), Body: body})
}

// DecodePortable returns the event that EncodePortable made this of. What a later version has added is refused with
// ErrNewer. The errors quote no value.
func DecodePortable(data []byte) (Event, error) {
	var p portableEvent
	if err := strict(data, &p); err != nil {
		return Event{}, err
	}
	body := newBody(kindNamed(p.Kind))
	if body == nil {
		return Event{}, fmt.Errorf("event %d is of kind %q: %w", p.Index, p.Kind, ErrNewer)
	}
	if err := fill(reflect.ValueOf(body).Elem(), p.Body); err != nil {
		return Event{}, fmt.Errorf("event %d (%s): %w", p.Index, p.Kind, err)
	}
	return Event{Index: p.Index, Epoch: p.Epoch, At: p.At.UTC(), Body: body}, nil
}

func portableKind(k Kind) string { return strings.ReplaceAll(k.String(), " ", "_") }

// kindNamed returns 0 for a name that no kind has.
func kindNamed(name string) Kind {
	for k := range Kind(len(kindNames)) {
		if kindNames[k] != "" && portableKind(k) == name {
			return k
		}
	}
	return 0
}

// content is bytes in their portable form.
type content struct {
	JSON   json.RawMessage `json:"json,omitempty"`
	Base64 []byte          `json:"base64,omitempty"`
}

// contentOf keeps JSON readable where nothing of it is lost by that.
func contentOf(b []byte) content {
	var compact bytes.Buffer
	if utf8.Valid(b) && json.Compact(&compact, b) == nil && bytes.Equal(compact.Bytes(), b) {
		return content{JSON: b}
	}
	return content{Base64: b}
}

func (c content) bytes() []byte {
	if c.JSON != nil {
		return c.JSON
	}
	return c.Base64
}

var timeType = reflect.TypeFor[time.Time]()

// portable returns what json makes the portable form of.
func portable(v reflect.Value) any {
	switch {
	case v.Type() == timeType:
		return v.Interface()
	case isBytes(v.Type()):
		return contentOf(v.Bytes())
	}
	switch v.Kind() {
	case reflect.String:
		if utf8.ValidString(v.String()) {
			return v.String()
		}
		return content{Base64: []byte(v.String())}
	case reflect.Map:
		return portableMap(v)
	case reflect.Pointer:
		return portable(v.Elem())
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = portable(v.Index(i))
		}
		return list
	case reflect.Struct:
		fields := map[string]any{}
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				fields[memberName(v.Type().Field(i).Name)] = portable(f)
			}
		}
		return fields
	}
	return v.Interface() // bool, numbers
}

// portableMap is an object of texts, or, where a text is no UTF-8, a list of pairs.
func portableMap(v reflect.Value) any {
	object, pairs, plain := map[string]any{}, [][2]any{}, true
	for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
		value := v.MapIndex(key)
		plain = plain && utf8.ValidString(key.String()) && utf8.ValidString(value.String())
		object[key.String()] = value.String()
		pairs = append(pairs, [2]any{portable(key), portable(value)})
	}
	if plain {
		return object
	}
	return pairs
}

// fill reads the portable form of v's type into v.
func fill(v reflect.Value, data json.RawMessage) error {
	switch {
	case v.Type() == timeType:
		return fillPlain(v, data)
	case isBytes(v.Type()):
		var c content
		if err := strict(data, &c); err != nil {
			return err
		}
		v.SetBytes(c.bytes())
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		return fillText(v, data)
	case reflect.Map:
		return fillMap(v, data)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fill(v.Elem(), data)
	case reflect.Slice:
		return fillList(v, data)
	case reflect.Struct:
		return fillStruct(v, data)
	}
	return fillPlain(v, data)
}

func fillPlain(v reflect.Value, data json.RawMessage) error {
	if json.Unmarshal(data, v.Addr().Interface()) != nil {
		return errNotPortable
	}
	return nil
}

func fillText(v reflect.Value, data json.RawMessage) error {
	if len(data) > 0 && data[0] == '"' {
		return fillPlain(v, data)
	}
	var c content
	if err := strict(data, &c); err != nil {
		return err
	}
	v.SetString(string(c.bytes()))
	return nil
}

func fillMap(v reflect.Value, data json.RawMessage) error {
	if len(data) > 0 && data[0] == '{' {
		return fillPlain(v, data)
	}
	var pairs [][2]json.RawMessage
	if json.Unmarshal(data, &pairs) != nil {
		return errNotPortable
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, pair := range pairs {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if err := errors.Join(fill(key, pair[0]), fill(value, pair[1])); err != nil {
			return err
		}
		v.SetMapIndex(key, value)
	}
	return nil
}

func fillList(v reflect.Value, data json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return errNotPortable
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, part := range list {
		if err := fill(v.Index(i), part); err != nil {
			return err
		}
	}
	return nil
}

func fillStruct(v reflect.Value, data json.RawMessage) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return errNotPortable
	}
	for i := range v.NumField() {
		name := memberName(v.Type().Field(i).Name)
		part, ok := members[name]
		if !ok {
			continue
		}
		delete(members, name)
		if err := fill(v.Field(i), part); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(members) > 0 {
		return fmt.Errorf("%s: %w", strings.Join(slices.Sorted(maps.Keys(members)), ", "), ErrNewer)
	}
	return nil
}

var errNotPortable = errors.New("it is not of the form that is exported")

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

// memberName is a field's name in JSON: JS is js, ReadOnly is readOnly.
func memberName(field string) string {
	if strings.ToUpper(field) == field {
		return strings.ToLower(field)
	}
	return string(unicode.ToLower(rune(field[0]))) + field[1:]
}

// strict decodes one JSON value of which every member is known.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(into) != nil || d.More() {
		return errNotPortable
	}
	return nil
}

// marshal writes JSON without the escapes that are for HTML pages.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
