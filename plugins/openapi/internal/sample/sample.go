// Package sample makes values that fit JSON Schemas, for tests.
package sample

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// maxDepth is the nesting below which only what is required is made.
const maxDepth = 4

// Value returns a value that should fit a schema. full makes optional
// properties, too; without it there is only what is required.
func Value(schema json.RawMessage, full bool) (json.RawMessage, error) {
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, err
	}
	s := &sampler{root: root, full: full}
	return json.Marshal(s.value(root, 0))
}

type sampler struct {
	root any
	full bool
}

func (s *sampler) value(schema any, depth int) any {
	node, ok := schema.(map[string]any)
	if !ok {
		return "x"
	}
	node = s.merged(node, depth)
	if value, ok := node["const"]; ok {
		return value
	}
	if list, ok := node["enum"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	for _, name := range []string{"oneOf", "anyOf"} {
		if list, ok := node[name].([]any); ok && len(list) > 0 && node["properties"] == nil {
			rest := maps.Clone(node)
			delete(rest, name)
			if first, ok := list[0].(map[string]any); ok {
				return s.value(merge(rest, s.merged(first, depth)), depth+1)
			}
			return s.value(list[0], depth+1)
		}
	}
	return s.typed(node, depth)
}

// merged follows references and joins what is said by allOf.
func (s *sampler) merged(node map[string]any, depth int) map[string]any {
	if depth > 30 {
		return node
	}
	if ref, ok := node["$ref"].(string); ok {
		rest := maps.Clone(node)
		delete(rest, "$ref")
		if target, ok := s.at(ref).(map[string]any); ok {
			node = merge(s.merged(target, depth+1), rest)
		}
	}
	list, ok := node["allOf"].([]any)
	if !ok {
		return node
	}
	all := maps.Clone(node)
	delete(all, "allOf")
	for _, item := range list {
		if part, ok := item.(map[string]any); ok {
			all = merge(all, s.merged(part, depth+1))
		}
	}
	return all
}

func (s *sampler) at(ref string) any {
	node := s.root
	for token := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		object, _ := node.(map[string]any)
		node = object[token]
	}
	return node
}

// merge joins two schemas; b's word counts, but for properties and required, which add up.
func merge(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	for name, value := range b {
		switch name {
		case "properties":
			mine, _ := all[name].(map[string]any)
			theirs, _ := value.(map[string]any)
			joined := maps.Clone(mine)
			if joined == nil {
				joined = map[string]any{}
			}
			maps.Copy(joined, theirs)
			all[name] = joined
		case "required":
			mine, _ := all[name].([]any)
			theirs, _ := value.([]any)
			all[name] = append(slices.Clone(mine), theirs...)
		default:
			all[name] = value
		}
	}
	return all
}

func (s *sampler) typed(node map[string]any, depth int) any {
	switch kind(node) {
	case "object":
		return s.object(node, depth)
	case "array":
		n := max(1, int(number(node, "minItems", 0)))
		if !s.full && number(node, "minItems", 0) == 0 || depth > 30 {
			n = 0
		}
		list := []any{}
		for range n {
			list = append(list, s.value(node["items"], depth+1))
		}
		return list
	case "integer", "number":
		return amount(node)
	case "boolean":
		return true
	case "null":
		return nil
	}
	return text(node)
}

func kind(node map[string]any) string {
	switch t := node["type"].(type) {
	case string:
		return t
	case []any:
		name, _ := t[0].(string)
		return name
	}
	switch {
	case node["properties"] != nil, node["additionalProperties"] != nil:
		return "object"
	case node["items"] != nil:
		return "array"
	}
	return ""
}

func (s *sampler) object(node map[string]any, depth int) any {
	out := map[string]any{}
	required := map[string]bool{}
	list, _ := node["required"].([]any)
	for _, name := range list {
		if name, ok := name.(string); ok {
			required[name] = true
		}
	}
	properties, _ := node["properties"].(map[string]any)
	for name, schema := range properties {
		if required[name] && depth < 30 || s.full && depth < maxDepth && !strings.HasPrefix(name, "$") {
			out[name] = s.value(schema, depth+1)
		}
		if required[name] && depth < maxFilled {
			out[name] = s.filled(schema, out[name], depth+1)
		}
	}
	for name := range required {
		if _, ok := properties[name]; !ok {
			out[name] = s.value(node["additionalProperties"], depth+1)
		}
	}
	if s.full && len(properties) == 0 && depth < maxDepth {
		if more, ok := node["additionalProperties"].(map[string]any); ok {
			out["key"] = s.value(more, depth+1)
		}
	}
	return out
}

// maxFilled is the nesting below which what is required can be empty.
const maxFilled = 12

// filled gives an empty object or list something to hold: a form has no place for what is empty.
func (s *sampler) filled(schema, value any, depth int) any {
	node, ok := schema.(map[string]any)
	if !ok {
		return value
	}
	node = s.merged(node, depth)
	switch v := value.(type) {
	case []any:
		if items, ok := node["items"]; ok && len(v) == 0 && number(node, "maxItems", 1) > 0 {
			return []any{s.value(items, depth+1)}
		}
	case map[string]any:
		properties, _ := node["properties"].(map[string]any)
		if names := slices.Sorted(maps.Keys(properties)); len(v) == 0 && len(names) > 0 {
			v[names[0]] = s.value(properties[names[0]], depth+1)
		}
	}
	return value
}

func number(node map[string]any, name string, fallback float64) float64 {
	if n, ok := node[name].(float64); ok {
		return n
	}
	return fallback
}

func amount(node map[string]any) any {
	n := number(node, "minimum", number(node, "exclusiveMinimum", 0)+1)
	if most := number(node, "maximum", n); n > most {
		n = most
	}
	if of := number(node, "multipleOf", 0); of > 0 {
		n = of
	}
	return n
}

// text returns a string of a format, or as long as it must be.
func text(node map[string]any) string {
	formats := map[string]string{
		"date": "2024-01-02", "date-time": "2024-01-02T03:04:05Z", "uuid": "123e4567-e89b-12d3-a456-426614174000", "email": "a@example.com",
		"uri": "https://example.com/x", "url": "https://example.com/x", "ipv4": "192.0.2.1", "byte": "AAEC", "binary": "data", "hostname": "example.com",
	}
	format, _ := node["format"].(string)
	value, ok := formats[format]
	if !ok {
		value = "text"
	}
	if pattern, _ := node["pattern"].(string); pattern != "" {
		value = fitting(pattern, value)
	}
	if n := int(number(node, "minLength", 0)); len(value) < n {
		value += strings.Repeat("a", n-len(value))
	}
	if n := int(number(node, "maxLength", 1e9)); len(value) > n {
		value = value[:n]
	}
	return value
}
