// Package operation makes methods of the operations of an API description.
package operation

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/paging"
	"github.com/codemode-go/codemode/plugins/openapi/internal/request"
	"github.com/codemode-go/codemode/plugins/openapi/internal/schema"
)

// Method is one operation as a method.
type Method struct {
	Name        string
	Description string
	Tags        []string
	Input       json.RawMessage
	Output      json.RawMessage

	ReadOnly, Idempotent, Destructive bool

	// Request is how it is asked.
	Request request.Template
	// Security lists the alternatives of schemes; nil: nothing is said.
	Security [][]string
	// Pages is how its list goes on; nil: it is no list of pages.
	Pages *paging.Pages
}

// Set is what a document offers.
type Set struct {
	Methods []*Method
	Skipped []document.Skipped
}

// Options are what the configuration says of a document.
type Options struct {
	// BaseURL replaces all servers; "": the document's own.
	BaseURL string
	// Document is the document's own address, which relative servers are
	// relative to; nil: it has none.
	Document *url.URL
	// Variables are the values of servers' variables.
	Variables map[string]string
}

// Methods makes the methods of a document.
func Methods(d *document.Document, o Options) *Set {
	set := &Set{Skipped: slices.Clone(d.Skipped)}
	b := &builder{factory: schema.NewFactory(d.Dialect), options: o, names: names(d.Operations), limits: limitsFor(len(d.Operations))}
	for _, op := range d.Operations {
		m, err := b.method(op)
		if err != nil {
			set.Skipped = append(set.Skipped, document.Skipped{Method: op.Method, Path: op.Path, ID: op.ID, Reason: err.Error()})
			continue
		}
		set.Methods = append(set.Methods, m)
	}
	return set
}

// limits bound the definitions of one method's schemas, in bytes.
type limits struct{ input, output int }

// limitsFor shares a sum among the methods: a document of ten thousand must not
// need gigabytes.
func limitsFor(operations int) limits {
	const inputs, outputs = 48 << 20, 24 << 20
	share := func(sum, most int) int { return min(max(sum/max(operations, 1), 4<<10), most) }
	return limits{share(inputs, 64<<10), share(outputs, 24<<10)}
}

// names returns the raw name of each operation: its id, else its method and
// path. Where several have one name, each gets a hash of what it is, and none a
// counter: a later document must not move a name to another operation.
func names(operations []*document.Operation) map[*document.Operation]string {
	all := map[*document.Operation]string{}
	uses := map[string]int{}
	for _, o := range operations {
		all[o] = cmp.Or(o.ID, strings.ToLower(o.Method)+braces.Replace(strings.TrimRight(o.Path, "/")))
		uses[all[o]]++
	}
	taken := map[string]bool{}
	for _, o := range operations {
		if name := all[o]; uses[name] > 1 || name == RequestName {
			all[o] = name + "_" + hash(o.Method+" "+o.Key)
		}
		for taken[all[o]] { // four digits of two hashes met
			all[o] += "_"
		}
		taken[all[o]] = true
	}
	return all
}

var braces = strings.NewReplacer("{", "", "}", "")

// RequestName is the name of the method that asks by method and path.
const RequestName = "request"

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:2])
}

type builder struct {
	factory *schema.Factory
	options Options
	names   map[*document.Operation]string
	limits  limits
}

func (b *builder) method(o *document.Operation) (*Method, error) {
	server, err := b.server(o)
	if err != nil {
		return nil, err
	}
	m := &Method{Name: b.names[o], Tags: o.Tags, Security: o.Security}
	m.ReadOnly = slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"}, o.Method)
	m.Idempotent = m.ReadOnly || o.Method == "PUT" || o.Method == "DELETE"
	m.Destructive = o.Method == "DELETE"
	m.Request = request.Template{Method: o.Method, Server: server, Path: o.Path, Query: o.Query, Accept: accept(o)}
	m.Pages = paging.Recognize(o)
	m.Input = b.input(o, m)
	m.Output = b.output(o)
	m.Description = describe(o)
	return m, nil
}

// server returns the address of an operation: the first of its servers that says where it is.
func (b *builder) server(o *document.Operation) (string, error) {
	if b.options.BaseURL != "" {
		return strings.TrimRight(b.options.BaseURL, "/"), nil
	}
	var first error
	for _, s := range o.Servers {
		address, err := s.Address(b.options.Variables, b.options.Document)
		if err == nil {
			return address, nil
		}
		first = cmp.Or(first, err)
	}
	return "", first
}

// describe writes the description: the summary first, as lists show the first sentence only.
func describe(o *document.Operation) string {
	const longest = 1200
	first, rest := schema.Plain(o.Summary), schema.Plain(o.Description)
	if first == "" || strings.HasPrefix(rest, first) {
		first, rest = rest, ""
	}
	if first == "" {
		first = o.Method + " " + o.Path
	}
	if !strings.ContainsAny(first[len(first)-1:], ".!?:") {
		first += "."
	}
	if o.Deprecated {
		first = "Deprecated. " + first
	}
	parts := []string{schema.Shorten(first, longest)}
	if rest != "" {
		parts = append(parts, schema.Shorten(rest, longest))
	}
	if o.Notifies {
		parts = append(parts, "It notifies people.")
	}
	return strings.Join(parts, "\n")
}

// accept lists the media types that the operation may answer a success with.
func accept(o *document.Operation) string {
	var types []string
	for _, r := range successes(o) {
		for _, m := range r.Media {
			if name, _, _ := strings.Cut(m.Type, ";"); strings.Contains(name, "/") && !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
	}
	slices.SortStableFunc(types, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	const most = 4
	types = types[:min(len(types), most)]
	switch {
	case len(types) == 0:
		return "application/json, */*;q=0.5"
	case slices.Contains(types, "*/*"):
		return strings.Join(types, ", ")
	case rank(types[0]) == request.JSON && len(types) > 1: // the others are forms of the same
		return types[0]
	}
	return strings.Join(types, ", ")
}

// rank orders media types: plain JSON, then what is JSON, then the others.
func rank(media string) request.Kind {
	if media == "application/json" {
		return request.JSON - 1
	}
	return request.KindOf(media, "")
}

// successes returns the responses to what went well; "default" only if nothing else is said.
func successes(o *document.Operation) []document.Response {
	var list []document.Response
	for _, r := range o.Responses {
		if strings.HasPrefix(r.Status, "2") {
			list = append(list, r)
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, r := range o.Responses {
		if r.Status == "default" {
			return []document.Response{r}
		}
	}
	return nil
}
