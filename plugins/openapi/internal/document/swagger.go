package document

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// fillSwagger reads what an operation of Swagger 2.0 has of its own.
func (d *Document) fillSwagger(o *Operation, item, op fields) error {
	o.Servers = d.swaggerServers(op)
	list, err := parameters(item, op)
	if err != nil {
		return err
	}
	consumes := firstTexts(op["consumes"], d.field("consumes"))
	var form []Value
	for _, p := range list {
		switch p.Get("in").Text() {
		case "body":
			o.Body = &Body{Description: p.Get("description").text(), Required: p.Get("required").Is("true"), Media: bodyMedia(consumes, p.Get("schema"))}
		case "formData":
			form = append(form, p)
		default:
			parameter, err := swaggerParameter(p)
			if err != nil {
				return err
			}
			o.Parameters = append(o.Parameters, parameter)
		}
	}
	if len(form) > 0 {
		o.Body = formBody(consumes, form)
	}
	o.addUndeclared()
	o.Responses = d.swaggerResponses(op, firstTexts(op["produces"], d.field("produces")))
	return nil
}

func firstTexts(levels ...Value) []string {
	for _, level := range levels {
		if level.Exists() {
			return level.Texts()
		}
	}
	return nil
}

// swaggerServers builds the servers of schemes, host and basePath, https first.
func (d *Document) swaggerServers(op fields) []Server {
	host, base := d.field("host").Text(), d.field("basePath").Text()
	if host == "" {
		return []Server{{URL: cmp.Or(base, "/")}}
	}
	scheme := "https"
	schemes := firstTexts(op["schemes"], d.field("schemes"))
	if len(schemes) > 0 && !strings.Contains(strings.Join(schemes, " "), "https") {
		scheme = schemes[0]
	}
	return []Server{{URL: scheme + "://" + host + "/" + strings.TrimPrefix(base, "/")}}
}

func bodyMedia(consumes []string, schema Value) []Media {
	if len(consumes) == 0 {
		consumes = []string{"application/json"}
	}
	var list []Media
	for _, name := range consumes {
		list = append(list, Media{Type: strings.ToLower(name), Schema: schema})
	}
	return list
}

func swaggerParameter(v Value) (Parameter, error) {
	p := Parameter{
		Name: v.Get("name").Text(), In: strings.ToLower(v.Get("in").Text()), Description: v.Get("description").text(),
		Required: v.Get("required").Is("true"), Style: collectionStyle(v), Schema: v,
		Segments: v.Get("x-multi-segment").Is("true"),
	}
	switch p.In {
	case "path":
		p.Required = true
		p.Style = Style{Name: cmp.Or(map[string]string{"form": "simple"}[p.Style.Name], p.Style.Name)}
	case "header":
		p.Style = Style{Name: "simple"}
	case "query":
	default:
		return p, fmt.Errorf("the parameter %q is in %q, which is no place that is known here", p.Name, p.In)
	}
	return p, nil
}

// collectionStyle translates a collectionFormat.
func collectionStyle(v Value) Style {
	switch v.Get("collectionFormat").Text() {
	case "multi":
		return Style{Name: "form", Explode: true}
	case "ssv":
		return Style{Name: "spaceDelimited"}
	case "tsv":
		return Style{Name: "tabDelimited"}
	case "pipes":
		return Style{Name: "pipeDelimited"}
	}
	return Style{Name: "form"}
}

// formBody makes one object of the parameters in formData.
func formBody(consumes []string, form []Value) *Body {
	b := &Body{}
	encoding := map[string]Encoding{}
	file := false
	var properties bytes.Buffer
	required := []string{}
	for i, p := range form {
		if i > 0 {
			properties.WriteByte(',')
		}
		name := p.Get("name").Text()
		file = file || p.Get("type").Text() == "file"
		fmt.Fprintf(&properties, "%s:%s", p.Get("name").Raw(), p.Raw())
		if p.Get("required").Is("true") {
			required = append(required, name)
		}
		encoding[name] = Encoding{Style: collectionStyle(p)}
	}
	names, _ := json.Marshal(required) // strings always have a JSON form
	schema := form[0].With(fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":%s}`, properties.Bytes(), names))
	b.Required = len(required) > 0
	b.Media = []Media{{Type: formType(consumes, file), Schema: schema, Encoding: encoding}}
	return b
}

func formType(consumes []string, file bool) string {
	const multipart = "multipart/form-data"
	if file {
		return multipart
	}
	for _, name := range consumes {
		if name == "application/x-www-form-urlencoded" {
			return name
		}
	}
	for _, name := range consumes {
		if name == multipart {
			return name
		}
	}
	return "application/x-www-form-urlencoded"
}

func (d *Document) swaggerResponses(op fields, produces []string) []Response {
	if len(produces) == 0 {
		produces = []string{"application/json"}
	}
	var list []Response
	for status, v := range op["responses"].Members() {
		v, err := v.Resolve()
		if err != nil || strings.HasPrefix(status, "x-") {
			continue
		}
		r := Response{Status: status}
		for name := range v.Get("headers").Members() {
			r.Headers = append(r.Headers, name)
		}
		if schema := v.Get("schema"); schema.Get("type").Text() == "file" {
			r.Media = []Media{{Type: fileType(produces), Schema: schema}}
		} else if schema.Exists() {
			r.Media = bodyMedia(produces, schema)
		}
		list = append(list, r)
	}
	return list
}

// fileType is the media type of a response that is a file: none that says it is JSON.
func fileType(produces []string) string {
	for _, name := range produces {
		if !strings.Contains(name, "json") {
			return strings.ToLower(name)
		}
	}
	return "application/octet-stream"
}
