package sdk

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/codemode-go/codemode/plugin/wire"
)

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

// withoutNil returns v with empty slices and maps in place of nil ones. It
// copies what it changes: v may be part of the connector's own state.
func withoutNil(v any) any {
	if v == nil {
		return nil
	}
	own := reflect.New(reflect.TypeOf(v)).Elem()
	own.Set(reflect.ValueOf(v))
	fill(own, 0)
	return own.Interface()
}

// maxFillDepth ends the walk through values that contain themselves, which encoding/json then reports.
const maxFillDepth = 1000

// fill replaces nil slices and maps within v, which can be set, is a shallow
// copy and belongs to the caller. Types with their own encoding are left alone.
func fill(v reflect.Value, depth int) {
	if depth > maxFillDepth || speaks[json.Marshaler](v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Slice:
		fillSlice(v, depth)
	case reflect.Map:
		fillMap(v, depth)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), depth+1)
		}
	case reflect.Struct:
		fillStruct(v, depth)
	case reflect.Pointer, reflect.Interface:
		fillIndirect(v, depth)
	}
}

func fillSlice(v reflect.Value, depth int) {
	own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(own, v)
	if v.Type().Elem().Kind() != reflect.Uint8 {
		for i := range own.Len() {
			fill(own.Index(i), depth+1)
		}
	}
	v.Set(own)
}

func fillMap(v reflect.Value, depth int) {
	own := reflect.MakeMapWithSize(v.Type(), v.Len())
	for iter := v.MapRange(); iter.Next(); {
		item := reflect.New(v.Type().Elem()).Elem()
		item.Set(iter.Value())
		fill(item, depth+1)
		own.SetMapIndex(iter.Key(), item)
	}
	v.Set(own)
}

func fillStruct(v reflect.Value, depth int) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		// An embedded struct contributes its exported fields even if its own name is not exported.
		embedded := field.Anonymous && field.Type.Kind() == reflect.Struct
		if !field.IsExported() && !embedded || isOmitted(field, v.Field(i)) {
			continue
		}
		fill(v.Field(i), depth+1)
	}
}

// isOmitted reports whether omitzero leaves the field out as long as it is nil.
func isOmitted(field reflect.StructField, v reflect.Value) bool {
	_, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	return v.IsZero() && strings.Contains(options, "omitzero")
}

// fillIndirect fills a copy of what a pointer or an interface holds.
func fillIndirect(v reflect.Value, depth int) {
	if v.IsNil() {
		return
	}
	own := reflect.New(v.Elem().Type())
	own.Elem().Set(v.Elem())
	fill(own.Elem(), depth+1)
	if v.Kind() == reflect.Pointer {
		v.Set(own)
	} else {
		v.Set(own.Elem())
	}
}
