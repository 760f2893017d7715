package typescript

import (
	"encoding/json"
	"slices"
)

// Vocabulary is the words of an input schema, for a search: they are what callers speak of.
type Vocabulary struct {
	// Parameters are the names of the properties, in their order, and Required those that must be there.
	Parameters, Required []string
	// Inner are the names of the properties' own properties.
	Inner []string
	// Values are the texts that enumerations allow, as far as they are few.
	Values []string
}

// maxValues bounds the enumeration whose values say something; a longer one is a list of countries or the like.
const maxValues = 20

// Words returns the words of a schema, as far as they can be had without going deep.
func Words(schema json.RawMessage) Vocabulary {
	d := newDocument(schema, "")
	var v Vocabulary
	d.walk(d.root, visited{}, func(s object) {
		v.Required = append(v.Required, s.strings("required")...)
		for _, p := range s.get("properties").object() {
			if slices.Contains(v.Parameters, p.key) {
				continue
			}
			v.Parameters = append(v.Parameters, p.key)
			d.within(&v, p.value)
		}
	})
	return v
}

// within adds the words of one parameter's schema.
func (d *document) within(v *Vocabulary, parameter node) {
	v.enumerate(parameter.object())
	d.walk(parameter, visited{}, func(s object) {
		for _, p := range s.get("properties").object() {
			if !slices.Contains(v.Inner, p.key) {
				v.Inner = append(v.Inner, p.key)
				v.enumerate(p.value.object())
			}
		}
	})
}

func (v *Vocabulary) enumerate(s object) {
	if values := s.strings("enum"); len(values) <= maxValues {
		v.Values = append(v.Values, values...)
	}
}
