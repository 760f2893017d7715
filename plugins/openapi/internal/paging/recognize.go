package paging

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
)

// The names by which APIs call what goes on.
var (
	itemNames   = []string{"items", "data", "results", "value", "values", "entries", "records", "rows", "list"}
	cursorNames = []string{
		"cursor", "page_token", "pageToken", "next_token", "nextToken", "next_cursor", "continue", "continuation", "continuationToken",
		"page[cursor]", "pagination_token", "start_cursor", "starting_after", "after", "page_after", "marker", "offset",
	}
	pageNames   = []string{"page", "page_number", "pageNumber", "page[number]", "pageIndex"}
	offsetNames = []string{"offset", "skip", "start", "startAt", "start_at", "$skip"}
	sizeNames   = []string{"per_page", "perPage", "page_size", "pageSize", "limit", "count", "maxResults", "max_results", "page[size]", "$top", "size", "top"}

	urlPaths = [][]string{
		{"@odata.nextLink"}, {"nextLink"}, {"next_page_uri"}, {"next_page_url"}, {"next_url"}, {"links", "pages", "next"},
		{"links", "next"}, {"_links", "next", "href"}, {"paging", "next"}, {"next"},
	}
	cursorPaths = [][]string{
		{"next_cursor"}, {"nextCursor"}, {"next_page_token"}, {"nextPageToken"}, {"next_token"}, {"nextToken"}, {"continuationToken"},
		{"metadata", "continue"}, {"response_metadata", "next_cursor"}, {"meta", "next_cursor"}, {"meta", "next_token"},
		{"pagination", "next_cursor"}, {"pagination", "nextCursor"}, {"paging", "cursors", "after"}, {"next_page", "offset"},
		{"next_marker"}, {"last_id"}, {"cursor"},
	}
)

// Recognize returns how an operation's list goes on; nil if it does not say so.
func Recognize(o *document.Operation) *Pages {
	if o.Method != http.MethodGet {
		return nil
	}
	page, hasLink := successPage(o)
	items, ok := itemsOf(page)
	if !ok {
		return nil
	}
	p := &Pages{Items: items, size: parameter(o, sizeNames, "")}
	if property(page, "has_more").Exists() {
		p.more = "has_more"
	}
	switch {
	case hasLink:
		p.link = true
	case p.byURL(page), p.byCursor(o, page), p.byNumber(o):
	default:
		return nil
	}
	return p
}

// successPage returns the schema of a successful answer, and whether it comes with a Link header.
func successPage(o *document.Operation) (page document.Value, hasLink bool) {
	for _, r := range o.Responses {
		if r.Status != "200" && r.Status != "2XX" && r.Status != "default" {
			continue
		}
		for _, m := range r.Media {
			if strings.Contains(m.Type, "json") {
				link := slices.ContainsFunc(r.Headers, func(name string) bool { return strings.EqualFold(name, "Link") })
				return m.Schema, link
			}
		}
	}
	return document.Value{}, false
}

// itemsOf finds the list in a page.
func itemsOf(page document.Value) (string, bool) {
	page, err := page.Resolve()
	if err != nil {
		return "", false
	}
	if isList(page) {
		return "", true
	}
	var lists []string
	for name, v := range properties(page, 0) {
		if v, err := v.Resolve(); err == nil && isList(v) {
			lists = append(lists, name)
		}
	}
	for _, name := range itemNames {
		if slices.Contains(lists, name) {
			return name, true
		}
	}
	if len(lists) == 1 {
		return lists[0], true
	}
	return "", false
}

func isList(v document.Value) bool {
	return v.Get("type").Text() == "array" || bytes.HasPrefix(v.Get("type").Raw(), []byte(`["array"`))
}

// properties returns the properties of a schema and of those that it extends.
func properties(v document.Value, depth int) map[string]document.Value {
	const deepest = 4
	all := map[string]document.Value{}
	v, err := v.Resolve()
	if err != nil || depth > deepest {
		return all
	}
	for base := range v.Get("allOf").Items() {
		for name, property := range properties(base, depth+1) {
			all[name] = property
		}
	}
	for name, property := range v.Get("properties").Members() {
		all[name] = property
	}
	return all
}

// property returns the schema of a member within a member of a page.
func property(page document.Value, path ...string) document.Value {
	for _, name := range path {
		page = properties(page, 0)[name]
		if !page.Exists() {
			return page
		}
	}
	page, _ = page.Resolve() // one that leads nowhere is absent
	return page
}

// parameter returns the first of some names that is a query parameter, of a type if one is named.
func parameter(o *document.Operation, names []string, of string) string {
	for _, name := range names {
		for _, p := range o.Parameters {
			if p.In != "query" || p.Name != name {
				continue
			}
			if s, err := p.Schema.Resolve(); of == "" || err == nil && strings.Contains(string(s.Get("type").Raw()), of) {
				return name
			}
		}
	}
	return ""
}

func (p *Pages) byURL(page document.Value) bool {
	for _, path := range urlPaths {
		v := property(page, path...)
		if !v.Exists() || v.Get("type").Exists() && !strings.Contains(string(v.Get("type").Raw()), "string") {
			continue
		}
		// "next" may be anything: only an address is one.
		if path[0] != "next" || strings.HasPrefix(v.Get("format").Text(), "uri") {
			p.url = path
			return true
		}
	}
	return false
}

func (p *Pages) byCursor(o *document.Operation, page document.Value) bool {
	p.parameter = parameter(o, cursorNames, "string")
	if p.parameter == "" {
		return false
	}
	for _, path := range cursorPaths {
		if property(page, path...).Exists() {
			p.cursor = path
			return true
		}
	}
	p.lastID = p.more != "" && strings.HasSuffix(p.parameter, "after")
	return p.lastID
}

func (p *Pages) byNumber(o *document.Operation) bool {
	const number = `"integer"`
	if name := parameter(o, pageNames, number); name != "" {
		p.parameter, p.counted, p.first = name, true, 1
	} else if name := parameter(o, offsetNames, number); name != "" {
		p.parameter = name
	} else {
		return false
	}
	for _, q := range o.Parameters {
		if s, err := q.Schema.Resolve(); q.Name == p.parameter && err == nil {
			if n, err := strconv.Atoi(string(s.Get("default").Raw())); err == nil {
				p.first = n
			}
		}
	}
	return true
}
