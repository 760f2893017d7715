package document

import "strings"

// Body is what a request carries.
type Body struct {
	Description string
	Required    bool
	Media       []Media // in the order of the document
}

// Media is one form of a body.
type Media struct {
	Type   string // the media type, in lower case
	Schema Value  // absent: anything
	// Item is the schema of each item of a stream; absent if it is none.
	Item Value
	// Encoding says how properties become parts of a form.
	Encoding map[string]Encoding
}

// Encoding is how one property becomes a part of a form.
type Encoding struct {
	ContentType string // "" : by the value
	Style       Style  // without a name: by the content type
	Reserved    bool
}

// Response is one documented response.
type Response struct {
	Status  string
	Media   []Media
	Headers []string // names
}

func readBody(v Value) (*Body, error) {
	v, err := v.Resolve()
	if err != nil || !v.IsObject() {
		return nil, err
	}
	b := &Body{Description: v.Get("description").text(), Required: v.Get("required").Is("true")}
	b.Media, err = readMedia(v.Get("content"))
	if err != nil || len(b.Media) == 0 {
		return nil, err
	}
	return b, nil
}

// readMedia reads the forms of a body.
func readMedia(content Value) ([]Media, error) {
	var list []Media
	for name, v := range content.Members() {
		v, err := v.Resolve()
		if err != nil {
			return nil, err
		}
		m := Media{Type: strings.ToLower(strings.TrimSpace(name)), Schema: v.Get("schema"), Item: v.Get("itemSchema"), Encoding: map[string]Encoding{}}
		for property, e := range v.Get("encoding").Members() {
			encoding := Encoding{ContentType: e.Get("contentType").Text(), Reserved: e.Get("allowReserved").Is("true")}
			if e.Get("style").Exists() || e.Get("explode").Exists() || e.Get("allowReserved").Exists() {
				encoding.Style = style(e, "form")
			}
			m.Encoding[property] = encoding
		}
		list = append(list, m)
	}
	return list, nil
}

// readResponses reads the responses. One that cannot be read is left out: it
// says what comes back, and not how to ask.
func (d *Document) readResponses(all Value) []Response {
	var list []Response
	for status, v := range all.Members() {
		v, err := v.Resolve()
		if err != nil || strings.HasPrefix(status, "x-") {
			continue
		}
		r := Response{Status: strings.ToUpper(status)}
		if status == "default" {
			r.Status = status
		}
		if r.Media, err = readMedia(v.Get("content")); err != nil {
			continue
		}
		for name := range v.Get("headers").Members() {
			r.Headers = append(r.Headers, name)
		}
		list = append(list, r)
	}
	return list
}
