package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Operation is one method of one path.
type Operation struct {
	// Method is in capitals.
	Method string
	// Key is the path as the document has it: with Method, it is the operation's own.
	Key string
	// Path is the template, which begins with a slash; Query is a fixed query
	// that some documents write behind it.
	Path, Query string
	// ID is its operationId; "" if it has none.
	ID                   string
	Summary, Description string
	Tags                 []string
	Deprecated           bool
	// Parameters are those of the operation and of its path, each once.
	Parameters []Parameter
	// Body is nil if it takes none.
	Body *Body
	// Responses are by status, "2XX" and "default".
	Responses []Response
	// Servers are those of the operation, of its path or of the document.
	Servers []Server
	// Security lists alternatives, each of schemes that go together by name; an
	// empty one is a call without credentials. Nil: nothing is said.
	Security [][]string
	// Notifies says that the operation sends people notifications (GitHub).
	Notifies bool
}

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

// methods are the fixed fields of a path item that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// readOperations reads all paths.
func (d *Document) readOperations() {
	paths, err := d.field("paths").Resolve()
	if err != nil {
		d.skip("", "", "", err)
		return
	}
	for path, item := range paths.Members() {
		if strings.HasPrefix(path, "x-") {
			continue
		}
		d.readPath(path, item)
	}
}

func (d *Document) skip(method, path, id string, reason error) {
	d.Skipped = append(d.Skipped, Skipped{Method: method, Path: path, ID: id, Reason: reason.Error()})
}

func (d *Document) readPath(path string, item Value) {
	item, err := item.Resolve()
	if err != nil {
		d.skip("", path, "", err)
		return
	}
	shared := item.fields()
	for name, op := range item.Members() {
		if slices.Contains(methods, name) {
			d.readOperation(strings.ToUpper(name), path, shared, op)
		}
	}
	for name, op := range shared["additionalOperations"].Members() {
		d.readOperation(name, path, shared, op)
	}
}

func (d *Document) readOperation(method, path string, item fields, op Value) {
	o := &Operation{Method: method, Key: path}
	o.Path, o.Query = splitPath(path)
	err := d.fill(o, item, op)
	if err != nil {
		d.skip(method, path, o.ID, err)
		return
	}
	d.Operations = append(d.Operations, o)
}

// splitPath takes a template apart: what stands behind "#" only tells operations apart.
func splitPath(template string) (path, query string) {
	path, _, _ = strings.Cut(template, "#")
	path, query, _ = strings.Cut(path, "?")
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path, query
}

// fill reads an operation.
func (d *Document) fill(o *Operation, item fields, v Value) error {
	v, err := v.Resolve()
	if err != nil {
		return err
	}
	op := v.fields()
	o.ID = op["operationId"].Text()
	if o.Method == "CONNECT" || strings.ContainsAny(o.Method, " \t\r\n") || o.Method == "" {
		return fmt.Errorf("HTTP's %q is not for programs", o.Method)
	}
	o.Summary = cmp.Or(op["summary"].text(), item["summary"].text())
	o.Description = cmp.Or(op["description"].text(), item["description"].text())
	o.Tags = op["tags"].Texts()
	o.Deprecated = op["deprecated"].Is("true")
	o.Notifies = op["x-github"].Get("triggersNotification").Is("true")
	o.Security = security(op["security"], d.field("security"))
	if d.Dialect == Swagger2 {
		return d.fillSwagger(o, item, op)
	}
	o.Servers = d.servers(op, item)
	if err := d.readParameters(o, item, op); err != nil {
		return err
	}
	if o.Body, err = readBody(op["requestBody"]); err != nil {
		return err
	}
	o.Responses = d.readResponses(op["responses"])
	return nil
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
