package journal

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"
)

// Portable is an event as JSON, for people, other tools and other journals. DecodePortable gives the same event again,
// byte by byte: what the event holds as JSON stands in it as it is, and other bytes as {"$base64": "..."}.
type Portable struct {
	Execution string          `json:"execution"`
	Index     int64           `json:"index"`
	Epoch     uint64          `json:"epoch"`
	At        time.Time       `json:"at"`
	Kind      string          `json:"kind"`
	Body      json.RawMessage `json:"body"`
}

// EncodePortable writes an event of this execution as JSON.
func EncodePortable(id string, e Event) (*Portable, error) {
	kind := kindOf(e.Body)
	if newBody(kind) == nil {
		return nil, fmt.Errorf("encode event %d: it has no body", e.Index)
	}
	if err := checkCauses(e.Body); err != nil {
		return nil, fmt.Errorf("encode event %d (%s): %w", e.Index, kind, err)
	}
	var b bytes.Buffer
	if err := writePortable(&b, reflect.ValueOf(e.Body).Elem()); err != nil {
		return nil, fmt.Errorf("encode event %d (%s): %w", e.Index, kind, err)
	}
	return &Portable{Execution: id, Index: e.Index, Epoch: e.Epoch, At: e.At, Kind: kind.String(), Body: b.Bytes()}, nil
}

// DecodePortable returns the event that EncodePortable wrote. A kind or a field that this version does not know is
// refused with ErrNewer.
func DecodePortable(p *Portable) (Event, error) {
	body := newBody(Kind(max(slices.Index(kindNames[:], p.Kind), 0)))
	if body == nil || p.Kind == "" {
		return Event{}, fmt.Errorf("event %d of kind %q: %w", p.Index, p.Kind, ErrNewer)
	}
	if err := readPortable(p.Body, reflect.ValueOf(body).Elem()); err != nil {
		return Event{}, fmt.Errorf("event %d (%s): %w", p.Index, p.Kind, err)
	}
	if err := checkCauses(body); err != nil {
		return Event{}, fmt.Errorf("event %d (%s): %w", p.Index, p.Kind, err)
	}
	return Event{Index: p.Index, Epoch: p.Epoch, At: p.At.UTC(), Body: body}, nil
}

var (
	bytesType = reflect.TypeFor[[]byte]()
	timeType  = reflect.TypeFor[time.Time]()
)

// base64Key marks bytes that cannot stand in JSON as they are.
const base64Key = "$base64"

// portableName is a field's name in JSON.
func portableName(field string) string {
	letters := []rune(field)
	for i := range letters {
		last := i+1 == len(letters)
		if i > 0 && !last && unicode.IsLower(letters[i+1]) || !unicode.IsUpper(letters[i]) {
			break
		}
		letters[i] = unicode.ToLower(letters[i])
	}
	return string(letters)
}

// writePortable writes a value of a body. Fields that are zero are left out.
func writePortable(b *bytes.Buffer, v reflect.Value) error {
	switch {
	case v.Type() == bytesType:
		writeBytes(b, v.Bytes())
		return nil
	case v.Type() == timeType:
		return writeJSON(b, v.Interface())
	}
	switch v.Kind() {
	case reflect.Pointer:
		return writePortable(b, v.Elem())
	case reflect.Struct:
		b.WriteByte('{')
		first := true
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				continue
			}
			if !first {
				b.WriteByte(',')
			}
			first = false
			fmt.Fprintf(b, "%q:", portableName(v.Type().Field(i).Name))
			if err := writePortable(b, v.Field(i)); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writePortable(b, v.Index(i)); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case reflect.Map: // of strings
		return writeJSON(b, v.Interface())
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			writeBase64(b, []byte(v.String()))
			return nil
		}
		return writeJSON(b, v.String())
	default:
		return writeJSON(b, v.Interface())
	}
	return nil
}

func writeJSON(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line's end
	return nil
}

// writeBytes writes bytes that are compact JSON as they are.
func writeBytes(b *bytes.Buffer, data []byte) {
	var compact bytes.Buffer
	if utf8.Valid(data) && json.Compact(&compact, data) == nil && bytes.Equal(compact.Bytes(), data) && !isBase64(data) {
		b.Write(data)
		return
	}
	writeBase64(b, data)
}

func writeBase64(b *bytes.Buffer, data []byte) {
	fmt.Fprintf(b, `{%q:%q}`, base64Key, base64.StdEncoding.EncodeToString(data))
}

// isBase64 reports whether JSON looks like bytes that are written another way.
func isBase64(data []byte) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal(data, &o) == nil && len(o) == 1 && o[base64Key] != nil
}

var errPortable = errors.New("it does not have the form of such a value")

// readPortable reads what writePortable wrote.
func readPortable(data json.RawMessage, v reflect.Value) error {
	switch {
	case v.Type() == bytesType:
		raw, err := readBytes(data)
		v.SetBytes(raw)
		return err
	case v.Kind() == reflect.String && isBase64(data):
		raw, err := readBytes(data)
		v.SetString(string(raw))
		return err
	case v.Type() == timeType:
		return readJSON(data, v)
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return readPortable(data, v.Elem())
	case reflect.Struct:
		return readStruct(data, v)
	case reflect.Slice:
		var list []json.RawMessage
		if json.Unmarshal(data, &list) != nil || list == nil {
			return errPortable
		}
		v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
		for i, part := range list {
			if err := readPortable(part, v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return readJSON(data, v)
}

func readJSON(data json.RawMessage, v reflect.Value) error {
	if string(data) == "null" || json.Unmarshal(data, v.Addr().Interface()) != nil {
		return errPortable
	}
	return nil
}

func readStruct(data json.RawMessage, v reflect.Value) error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil || fields == nil {
		return errPortable
	}
	for i := range v.NumField() {
		name := portableName(v.Type().Field(i).Name)
		part, there := fields[name]
		delete(fields, name)
		if !there {
			continue
		}
		if err := readPortable(part, v.Field(i)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for name := range fields {
		return fmt.Errorf("%s is not known: %w", name, ErrNewer)
	}
	return nil
}

func readBytes(data json.RawMessage) ([]byte, error) {
	if !isBase64(data) {
		return slices.Clone(data), nil
	}
	var o map[string]string
	if json.Unmarshal(data, &o) != nil {
		return nil, errPortable
	}
	raw, err := base64.StdEncoding.DecodeString(o[base64Key])
	if err != nil {
		return nil, errPortable
	}
	return raw, nil
}
