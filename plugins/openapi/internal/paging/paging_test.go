package paging_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/paging"
	"github.com/codemode-go/codemode/plugins/openapi/internal/specs"
)

// recognize reads an operation with these query parameters and this schema of a page.
func recognize(t *testing.T, parameters, schema, headers string) *paging.Pages {
	t.Helper()
	text := fmt.Sprintf(`{"openapi":"3.0.0","paths":{"/a":{"get":{"parameters":[%s],"responses":{"200":{"headers":{%s},"content":{"application/json":{"schema":%s}}}}}}}}`, parameters, headers, schema)
	path := filepath.Join(t.TempDir(), "api.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := document.Load(t.Context(), document.Folder(path))
	if err != nil {
		t.Fatal(err)
	}
	return paging.Recognize(d.Operations[0])
}

func parameter(name, kind string) string {
	return fmt.Sprintf(`{"name":%q,"in":"query","schema":{"type":%q}}`, name, kind)
}

const address = "https://api.example.com/v1/a?x=1"

func TestNext(t *testing.T) {
	t.Parallel()
	const list = `{"type":"array"}`
	page := func(properties string) string {
		return `{"type":"object","properties":{"data":{"type":"array"},` + properties + `}}`
	}
	tests := map[string]struct {
		parameters, schema, headers string
		answer, link, args          string
		want                        string // the step; "": none
	}{
		"link":                   {"", list, `"Link":{}`, `[1]`, `</v1/a?p=2>; rel="next"`, `{}`, "https://api.example.com/v1/a?p=2"},
		"link among others":      {"", list, `"link":{}`, `[1]`, `<https://api.example.com/1>; rel="prev", <https://api.example.com/3>; title="x"; rel="last next"`, `{}`, "https://api.example.com/3"},
		"no further link":        {"", list, `"Link":{}`, `[1]`, `<https://api.example.com/1>; rel=prev`, `{}`, ""},
		"link to another origin": {"", list, `"Link":{}`, `[1]`, `<https://evil.example/2>; rel="next"`, `{}`, ""},
		"URL":                    {"", page(`"@odata.nextLink":{"type":"string"}`), "", `{"data":[1],"@odata.nextLink":"https://api.example.com/v1/a?skip=1"}`, "", `{}`, "https://api.example.com/v1/a?skip=1"},
		"the last URL":           {"", page(`"next_page_uri":{"type":"string"}`), "", `{"data":[1],"next_page_uri":null}`, "", `{}`, ""},
		"nested URL":             {"", page(`"links":{"type":"object","properties":{"pages":{"type":"object","properties":{"next":{"type":"string"}}}}}`), "", `{"data":[1],"links":{"pages":{"next":"?page=2"}}}`, "", `{}`, "https://api.example.com/v1/a?page=2"},
		"cursor":                 {parameter("cursor", "string"), page(`"response_metadata":{"type":"object","properties":{"next_cursor":{"type":"string"}}}`), "", `{"data":[1],"response_metadata":{"next_cursor":"c=2"}}`, "", `{}`, `cursor "c=2"`},
		"the last cursor":        {parameter("cursor", "string"), page(`"next_cursor":{"type":"string"}`), "", `{"data":[1],"next_cursor":""}`, "", `{}`, ""},
		"cursor that is null":    {parameter("pageToken", "string"), page(`"nextPageToken":{"type":"string"}`), "", `{"data":[1],"nextPageToken":null}`, "", `{}`, ""},
		"last id":                {parameter("starting_after", "string"), page(`"has_more":{"type":"boolean"}`), "", `{"data":[{"id":"a"},{"id":"b"}],"has_more":true}`, "", `{}`, `starting_after "b"`},
		"last id, no more":       {parameter("starting_after", "string"), page(`"has_more":{"type":"boolean"}`), "", `{"data":[{"id":"a"}],"has_more":false}`, "", `{}`, ""},
		"page":                   {parameter("page", "integer"), list, "", `[1,2]`, "", `{}`, `page 2`},
		"page 7":                 {parameter("page", "integer"), list, "", `[1,2]`, "", `{"page":7}`, `page 8`},
		"page from 0":            {`{"name":"page","in":"query","schema":{"type":"integer","default":0}}`, list, "", `[1]`, "", `{}`, `page 1`},
		"an empty page":          {parameter("page", "integer"), list, "", `[]`, "", `{}`, ""},
		"a short page":           {parameter("page", "integer") + "," + parameter("per_page", "integer"), list, "", `[1]`, "", `{"per_page":2}`, ""},
		"a full page":            {parameter("page", "integer") + "," + parameter("per_page", "integer"), list, "", `[1,2]`, "", `{"per_page":2}`, "page 2"},
		"offset":                 {parameter("offset", "integer") + "," + parameter("limit", "integer"), list, "", `[1,2]`, "", `{"offset":10,"limit":2}`, `offset 12`},
		"Jira's":                 {parameter("startAt", "integer"), page(`"total":{"type":"integer"}`), "", `{"data":[1,2]}`, "", `{}`, `startAt 2`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := recognize(t, test.parameters, test.schema, test.headers)
			if p == nil {
				t.Fatal("it is no list of pages")
			}
			if !p.IsPage(json.RawMessage(test.answer)) {
				t.Error("the answer is no page")
			}
			header := http.Header{}
			if test.link != "" {
				header.Set("Link", test.link)
			}
			step, more := p.Next(json.RawMessage(test.answer), header, address, json.RawMessage(test.args))
			got := step.URL
			if step.Argument != "" {
				got = step.Argument + " " + string(step.Value)
			}
			if !more {
				got = ""
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestNoPages(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ parameters, schema string }{
		"one thing":         {parameter("page", "integer"), `{"type":"object","properties":{"a":{"type":"string"}}}`},
		"a plain list":      {"", `{"type":"array"}`},
		"two lists":         {parameter("page", "integer"), `{"type":"object","properties":{"a":{"type":"array"},"b":{"type":"array"}}}`},
		"a page by name":    {parameter("page", "string"), `{"type":"array"}`},
		"next that is text": {"", `{"type":"object","properties":{"data":{"type":"array"},"next":{"type":"string"}}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if p := recognize(t, test.parameters, test.schema, ""); p != nil {
				t.Errorf("got %+v", p)
			}
		})
	}
}

// TestRealDocuments: most lists of well-known APIs are recognized.
func TestRealDocuments(t *testing.T) {
	t.Parallel()
	for name, least := range map[string]int{"github": 250, "stripe": 90, "kubernetes": 90, "asana": 50, "digitalocean": 50, "openai": 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := document.Load(t.Context(), document.Folder(specs.Find(name).Path(t)))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, o := range d.Operations {
				if paging.Recognize(o) != nil {
					n++
				}
			}
			if n < least {
				t.Errorf("%d lists in pages, want %d at least", n, least)
			}
			t.Logf("%d lists in pages", n)
		})
	}
}
