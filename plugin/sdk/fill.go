package sdk

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// withoutNil returns v with empty slices and maps in place of nil ones. It
// copies what it changes: v may be part of the connector's own state.
func withoutNil(v any) any {
	if v == nil || !fillable(reflect.TypeOf(v)) {
		return v
	}
	own := reflect.New(reflect.TypeOf(v)).Elem()
	own.Set(reflect.ValueOf(v))
	fill(own, 0)
	return own.Interface()
}

// maxFillDepth ends the walk through values that contain themselves, which
// encoding/json then reports.
const maxFillDepth = 1000

// fill replaces nil slices and maps within v, which can be set, is a shallow
// copy and belongs to the caller.
func fill(v reflect.Value, depth int) {
	if depth > maxFillDepth || !fillable(v.Type()) {
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
	if !v.IsNil() && !fillable(v.Type().Elem()) {
		return
	}
	own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(own, v)
	for i := range own.Len() {
		fill(own.Index(i), depth+1)
	}
	v.Set(own)
}

func fillMap(v reflect.Value, depth int) {
	if !v.IsNil() && !fillable(v.Type().Elem()) {
		return
	}
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
		if !fillable(v.Field(i).Type()) {
			continue
		}
		field := v.Type().Field(i)
		if isEncoded(field) && !isOmitted(field, v.Field(i)) {
			fill(v.Field(i), depth+1)
		}
	}
}

// fillIndirect fills a copy of what a pointer or an interface holds.
func fillIndirect(v reflect.Value, depth int) {
	if v.IsNil() || !fillable(v.Elem().Type()) {
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

// isEncoded reports whether encoding/json looks at the field: an embedded
// struct contributes its exported fields even if its own name is not exported.
func isEncoded(field reflect.StructField) bool {
	return field.IsExported() || field.Anonymous && field.Type.Kind() == reflect.Struct
}

// isOmitted reports whether omitzero leaves the field out as long as it is nil.
func isOmitted(field reflect.StructField, v reflect.Value) bool {
	_, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	return strings.Contains(options, "omitzero") && v.IsZero()
}

// fillableTypes remembers fillable's answers: without it, the walk costs three
// times what the encoding does.
var fillableTypes sync.Map // reflect.Type -> bool

// fillable reports whether values of t can hold slices or maps that
// encoding/json sees. Types with their own encoding are left alone.
func fillable(t reflect.Type) bool {
	if known, ok := fillableTypes.Load(t); ok {
		return known.(bool)
	}
	// The answer for a type that contains itself, until the rest of it is known.
	fillableTypes.Store(t, true)
	answer := findFillable(t)
	fillableTypes.Store(t, answer)
	return answer
}

func findFillable(t reflect.Type) bool {
	if speaks[json.Marshaler](t) {
		return false
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Interface:
		return true
	case reflect.Array, reflect.Pointer:
		return fillable(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if field := t.Field(i); isEncoded(field) && fillable(field.Type) {
				return true
			}
		}
	}
	return false
}
