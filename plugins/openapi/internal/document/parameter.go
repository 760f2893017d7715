package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Parameter is one parameter, in OpenAPI 3's terms.
type Parameter struct {
	Name        string
	In          string // path, query, header, cookie, or querystring
	Description string
	Required    bool
	Deprecated  bool
	Style       Style
	// Reserved leaves the reserved characters of a query value as they are.
	Reserved bool
	// Segments says that a path value may have slashes (GitHub's x-multi-segment).
	Segments bool
	// Content is the media type of a parameter that is serialized as one; "": it has a style.
	Content string
	Schema  Value
}

// Style says how a value becomes text.
type Style struct {
	Name    string // OpenAPI's names, and tabDelimited of Swagger 2.0
	Explode bool
}

// parameters returns the parameters of an operation and, where it has none of
// the same name and place, of its path.
func parameters(item, op fields) ([]Value, error) {
	type key struct{ name, in string }
	places := map[key]int{}
	var list []Value
	for _, source := range []fields{item, op} {
		all, err := source["parameters"].Resolve()
		if err != nil {
			return nil, err
		}
		for p := range all.Items() {
			if p, err = p.Resolve(); err != nil {
				return nil, err
			}
			k := key{p.Get("name").Text(), p.Get("in").Text()}
			if k.name == "" || k.in == "" {
				return nil, fmt.Errorf("a parameter has no name or no place: %.80s", p.Raw())
			}
			if at, twice := places[k]; twice {
				list[at] = p
				continue
			}
			places[k] = len(list)
			list = append(list, p)
		}
	}
	return list, nil
}

func (d *Document) readParameters(o *Operation, item, op fields) error {
	list, err := parameters(item, op)
	if err != nil {
		return err
	}
	for _, p := range list {
		parameter, err := readParameter(p)
		if err != nil {
			return err
		}
		o.Parameters = append(o.Parameters, parameter)
	}
	o.addUndeclared()
	return nil
}

func readParameter(v Value) (Parameter, error) {
	p := Parameter{
		Name: v.Get("name").Text(), In: strings.ToLower(v.Get("in").Text()), Description: v.Get("description").text(),
		Required: v.Get("required").Is("true"), Deprecated: v.Get("deprecated").Is("true"),
		Reserved: v.Get("allowReserved").Is("true"), Segments: v.Get("x-multi-segment").Is("true"),
		Schema: v.Get("schema"),
	}
	for content, media := range v.Get("content").Members() {
		media, err := media.Resolve()
		if err != nil {
			return p, err
		}
		p.Content, p.Schema = strings.ToLower(content), media.Get("schema")
		break
	}
	switch p.In {
	case "path":
		p.Required = true
		p.Style = style(v, "simple")
	case "header":
		p.Style = style(v, "simple")
	case "query", "cookie":
		p.Style = style(v, "form")
	case "querystring":
	default:
		return p, fmt.Errorf("the parameter %q is in %q, which is no place that is known here", p.Name, p.In)
	}
	return p, nil
}

// style reads a style; one that is not said is the place's own.
func style(v Value, own string) Style {
	s := Style{Name: cmp.Or(v.Get("style").Text(), own)}
	explode := v.Get("explode")
	s.Explode = explode.Is("true") || !explode.Exists() && (s.Name == "form" || s.Name == "cookie")
	return s
}

// addUndeclared adds the parameters that stand in the path's template only.
func (o *Operation) addUndeclared() {
	for _, name := range TemplateNames(o.Path) {
		declared := slices.ContainsFunc(o.Parameters, func(p Parameter) bool { return p.In == "path" && p.Name == name })
		if !declared {
			o.Parameters = append(o.Parameters, Parameter{Name: name, In: "path", Required: true, Style: Style{Name: "simple"}})
		}
	}
}

// TemplateNames lists the names in a path's braces.
func TemplateNames(path string) []string {
	var names []string
	for {
		_, rest, found := strings.Cut(path, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return names
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		path = after
	}
}
