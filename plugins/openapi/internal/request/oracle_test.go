package request_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/schema"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/operation"
	"github.com/codemode-go/codemode/plugins/openapi/internal/sample"
	"github.com/codemode-go/codemode/plugins/openapi/internal/specs"
)

// faults are refusals that are the oracle's own, or the document's: such a
// request is not judged.
var faults = map[string]string{
	`invalid serialization method: style="deepObject"`: "kin-openapi knows deepObject for objects only, Stripe's lists have it, too",
	"empty value is not allowed":                       "kin-openapi finds no value in some documents where there is one, in Kubernetes for most operations",
	"unsupported schema of request body's property":    "kin-openapi has no form for lists of objects",
	"schema has non primitive type object":             "kin-openapi has no form for lists of objects",
	"error parsing regexp":                             "kin-openapi compiles patterns of ECMAScript as Go's",
	"unsupported content type":                         "kin-openapi has no decoder for it",
	"got null, want string":                            "kin-openapi reads a part of a multipart form that has anyOf as null",
	`unsupported parameter.in: "querystring"`:          "kin-openapi does not know parameters in querystring, which OpenAPI 3.2 has",
	`discriminator property "kind" has invalid value`:  "the sampler takes any text for the property of a discriminator",
	"%3A": "kin-openapi compares a path value with its pattern before it is decoded",
}

// unreadable are the files that kin-openapi does not load.
// (libopenapi-validator, the second choice, reads references in the files of DigitalOcean's resources from the wrong folder.)
var unreadable = map[string]string{
	"slack-web-swagger2.json":     "tuples as items, which Swagger 2.0 does not have",
	"DigitalOcean-public.v2.yaml": "several files, with references in descriptions",
	"digitalocean.com.json":       "references to files that npm's package does not have",
	"swagger.json":                "several files of Swagger 2.0",
}

// remainders are the operations of which it refuses a request that is right.
var remainders = map[string][]string{
	// The parameter "has" is a text or a list; the list of one is the same in the query, and taken for it.
	"github": {"dependabot/list-alerts-for-enterprise", "dependabot/list-alerts-for-org", "dependabot/list-alerts-for-repo"},
	// It drops parts of a form that are required and not described; it takes a path with a fragment for the path without.
	"box": {"post_metadata_templates_schema#classifications", "post_oauth2_revoke"},
	// It has no form for a file without properties.
	"linode": {"createTicketAttachment"},
	// It reads a property of a form that has no type as null.
	"twilio": {"CreatePayments"},
	// It reads a part of a form by the narrower of two types.
	"openai": {"createTranscription"},
}

// missingList matches the refusal of a form that has a list as name[0]=value, which Stripe's own libraries send.
var missingList = regexp.MustCompile(`property "(\w+)" is missing`)

// TestOracle: requests that are made of sample arguments are accepted by
// kin-openapi, an independent implementation that has read the same document: at
// least 98 in a hundred of those that it can judge. What remains is explained.
func TestOracle(t *testing.T) {
	t.Parallel()
	const least = 98
	for _, spec := range specs.All {
		name := spec.Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := spec.Path(t)
			if why := unreadable[filepath.Base(path)]; why != "" {
				t.Skip("kin-openapi does not read it: " + why)
			}
			if testing.Short() && name != "airflow" && name != "httpbin" {
				t.Skip("reading the document with kin-openapi takes seconds")
			}
			o := newOracle(t, path)
			d, err := document.Load(t.Context(), document.Folder(path))
			if err != nil {
				t.Fatal(err)
			}
			methods := operation.Methods(d, operation.Options{BaseURL: oracleURL}).Methods
			const most = 3000 // of a larger document it takes some of each kind
			for i := 0; i < len(methods); i += 1 + len(methods)/most {
				m := methods[i]
				o.judge(m, false)
				o.judge(m, true)
			}
			for why, n := range o.faulty {
				t.Logf("not judged: %d, because %s", n, why)
			}
			t.Logf("%d accepted, %d refused, %d without a sample or a route", o.accepted, o.refused, o.unjudged)
			if o.accepted*100 < least*(o.accepted+o.refused) || o.accepted < min(50, len(methods)) {
				t.Errorf("only %d of %d requests are accepted", o.accepted, o.accepted+o.refused)
			}
			if diff := cmp.Diff(remainders[name], slices.Sorted(maps.Keys(o.remain))); diff != "" {
				t.Errorf("other operations than the explained ones are refused (-explained +refused):\n%s", diff)
			}
		})
	}
}

const oracleURL = "http://oracle.example"

// TestNothingIsLost: each operation has the parameters that kin-openapi finds,
// and a body where it finds one. Of Kubernetes' newer document it loses the
// bodies of any media type; the older one has the same operations.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"github", "stripe", "kubernetes-2.0", "asana", "airflow", "openai"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := specs.Find(name).Path(t)
			if testing.Short() && name != "airflow" {
				t.Skip("reading the document with kin-openapi takes seconds")
			}
			d, err := document.Load(t.Context(), document.Folder(path))
			if err != nil {
				t.Fatal(err)
			}
			ours := map[string][]string{}
			for _, o := range d.Operations {
				ours[o.Method+" "+o.Key] = parts(o)
			}
			theirs := readKin(t, path).Paths.Map()
			n := 0
			for key, item := range theirs {
				for method, op := range item.Operations() {
					n++
					if diff := cmp.Diff(theirParts(item, op), ours[method+" "+key]); diff != "" {
						t.Errorf("%s %s: %s", method, key, diff)
					}
				}
			}
			if n != len(ours) {
				t.Errorf("%d operations, want %d", len(ours), n)
			}
		})
	}
}

// parts lists what an operation takes.
func parts(o *document.Operation) []string {
	list := []string{}
	for _, p := range o.Parameters {
		list = append(list, p.In+" "+p.Name)
	}
	if o.Body != nil {
		list = append(list, "body")
	}
	slices.Sort(list)
	return list
}

func theirParts(item *openapi3.PathItem, op *openapi3.Operation) []string {
	list := []string{}
	for _, p := range slices.Concat(item.Parameters, op.Parameters) {
		list = append(list, p.Value.In+" "+p.Value.Name)
	}
	if op.RequestBody != nil && len(op.RequestBody.Value.Content) > 0 {
		list = append(list, "body")
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// oracle is kin-openapi's reading of a document.
type oracle struct {
	t                           *testing.T
	router                      routers.Router
	accepted, refused, unjudged int
	faulty                      map[string]int
	remain                      map[string]bool // the operations of which a request was refused
	shown                       int
}

func newOracle(t *testing.T, path string) *oracle {
	t.Helper()
	doc := readKin(t, path)
	doc.Servers, doc.Security = openapi3.Servers{{URL: oracleURL}}, nil
	for _, item := range doc.Paths.Map() {
		item.Servers = nil
		for _, op := range item.Operations() {
			op.Servers, op.Security = nil, nil // credentials are no matter of this test
		}
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &oracle{t: t, router: router, faulty: map[string]int{}, remain: map[string]bool{}}
}

func readKin(t *testing.T, path string) *openapi3.T {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text[:min(len(text), 1000)], []byte(`"swagger"`)) {
		var old openapi2.T
		if err := json.Unmarshal(text, &old); err != nil {
			t.Fatal(err)
		}
		doc, err := openapi2conv.ToV3(&old)
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	loader := openapi3.NewLoader()
	if !json.Valid(text) {
		doc, err := loader.LoadFromData(text)
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	// The loader would read JSON as YAML, which takes four times as long.
	var doc openapi3.T
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if err := loader.ResolveRefsIn(&doc, nil); err != nil {
		t.Fatal(err)
	}
	return &doc
}

// judge sends one request past the oracle.
func (o *oracle) judge(m *operation.Method, full bool) {
	args, err := sample.Value(m.Input, full)
	if err != nil {
		o.t.Fatal(err)
	}
	input, err := schema.Compile(m.Input)
	if err != nil {
		o.t.Fatal(err)
	}
	if input.Validate(args) != nil {
		o.unjudged++ // the sampler does not know how to make one
		return
	}
	r, err := m.Request.Build(args)
	if err != nil {
		o.refuse(m, args, err)
		return
	}
	request, err := http.NewRequestWithContext(o.t.Context(), r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		o.refuse(m, args, err)
		return
	}
	request.Header = r.Header
	route, values, err := o.router.FindRoute(request)
	if err != nil || route.Path != m.Request.Path && !strings.HasPrefix(route.Path, m.Request.Path) {
		o.unjudged++ // the sample's path values are another route's words
		return
	}
	err = openapi3filter.ValidateRequest(context.Background(), &openapi3filter.RequestValidationInput{
		Request: request, PathParams: values, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true},
	})
	if err != nil {
		o.refuse(m, args, err)
		return
	}
	o.accepted++
}

func (o *oracle) refuse(m *operation.Method, args json.RawMessage, err error) {
	text := strings.Join(strings.Fields(err.Error()), " ")
	for fault, why := range faults {
		if strings.Contains(text, fault) {
			o.faulty[why]++
			return
		}
	}
	if bytes.Contains(m.Input, []byte("left out: the schema")) {
		o.faulty["our schema leaves out a definition for its size, so that the sample has any value there"]++
		return
	}
	if m := missingList.FindStringSubmatch(text); m != nil && hasList(args, m[1]) {
		o.faulty["kin-openapi finds no lists of deepObject in forms"]++
		return
	}
	o.refused++
	o.remain[m.Name] = true
	const most = 25
	if o.shown++; o.shown <= most {
		o.t.Logf("%s %.200s: %.300s", m.Name, args, text)
	}
}

// hasList reports whether the body of some arguments has a list of a name, with something in it.
func hasList(args json.RawMessage, name string) bool {
	var list struct{ Body map[string]json.RawMessage }
	var items []any
	return json.Unmarshal(args, &list) == nil && json.Unmarshal(list.Body[name], &items) == nil && len(items) > 0
}
