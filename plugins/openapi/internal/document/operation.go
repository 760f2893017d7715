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
