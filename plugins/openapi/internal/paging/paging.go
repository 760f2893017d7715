// Package paging recognizes lists that come in pages, and asks for the next one.
package paging

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
)

const (
	// Argument asks for all pages: true, or the most items.
	Argument = "$all"
	// Schema is the argument's.
	Schema = `{"description":"All pages as one list, or at most so many items.","anyOf":[{"type":"boolean"},{"type":"integer","minimum":1}]}`
)

// Pages is how a list goes on.
type Pages struct {
	// Items is the member of a page that has the list; "": the page is the list.
	Items string

	link    bool     // the Link header names the next page
	url     []string // the member that is the next page's URL
	cursor  []string // the member that is the next value of parameter
	lastID  bool     // the last item's id is the next value of parameter
	more    string   // the member that says whether there are more
	counted bool     // parameter is the number of a page

	parameter string
	first     int    // of a number
	size      string // the parameter of a page's size; "": there is none
}

// Step is what differs in the request of the next page: its URL, or an argument.
type Step struct {
	URL      string
	Argument string
	Value    json.RawMessage
}

// Next returns how the next page is asked for; false after the last one. value
// is a page's JSON, header its headers, address its URL, and args what it was asked with.
func (p *Pages) Next(value json.RawMessage, header http.Header, address string, args json.RawMessage) (Step, bool) {
	page, given := raw.Value(value), raw.Value(args)
	items := p.List(value)
	switch {
	case p.link:
		return follow(address, nextLink(header))
	case p.url != nil:
		return follow(address, at(page, p.url).Text())
	case p.more != "" && string(page.Get(p.more)) == "false":
		return Step{}, false
	case p.cursor != nil:
		next := at(page, p.cursor)
		return Step{Argument: p.parameter, Value: json.RawMessage(next)}, next != nil && next.Text() != "" || isNumber(next)
	case len(items) == 0 || p.isLast(len(items), given):
		return Step{}, false
	case p.lastID:
		id := items[len(items)-1].Get("id")
		return Step{Argument: p.parameter, Value: json.RawMessage(id)}, id != nil
	}
	n, err := strconv.Atoi(string(given.Get(p.parameter)))
	if err != nil {
		n = p.first
	}
	if p.counted {
		n++
	} else {
		n += len(items)
	}
	return Step{Argument: p.parameter, Value: json.RawMessage(strconv.Itoa(n))}, true
}

// isLast reports whether a page of n items is shorter than was asked for.
func (p *Pages) isLast(n int, given raw.Value) bool {
	if p.more != "" || p.size == "" {
		return false
	}
	size, err := strconv.Atoi(string(given.Get(p.size)))
	return err == nil && n < size
}

func isNumber(v raw.Value) bool { return v != nil && v.Kind() >= '0' && v.Kind() <= '9' }

// List returns the items of a page.
func (p *Pages) List(value json.RawMessage) []raw.Value {
	page := raw.Value(value)
	if p.Items != "" {
		page = page.Get(p.Items)
	}
	return slices.Collect(page.Items())
}

// IsPage reports whether a value is a page at all.
func (p *Pages) IsPage(value json.RawMessage) bool {
	page := raw.Value(value)
	if p.Items != "" {
		page = page.Get(p.Items)
	}
	return page.Kind() == '['
}

func at(v raw.Value, path []string) raw.Value {
	for _, name := range path {
		v = v.Get(name)
	}
	return v
}

// follow resolves the next page's URL, which must be of the same origin.
func follow(address, next string) (Step, bool) {
	base, err := url.Parse(address)
	if err != nil || next == "" {
		return Step{}, false
	}
	target, err := base.Parse(next)
	if err != nil || target.Host != base.Host || target.Scheme != base.Scheme {
		return Step{}, false
	}
	return Step{URL: target.String()}, true
}

// nextLink returns the URL of rel="next" in Link headers.
func nextLink(header http.Header) string {
	for _, value := range header.Values("Link") {
		for {
			_, rest, found := strings.Cut(value, "<")
			target, after, closed := strings.Cut(rest, ">")
			if !found || !closed {
				break
			}
			parameters, _, _ := strings.Cut(after, "<")
			if slices.Contains(relations(parameters), "next") {
				return target
			}
			value = after
		}
	}
	return ""
}

// relations reads the rel of a link's parameters.
func relations(parameters string) []string {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(strings.TrimRight(parameter, ", ")), "=")
		if strings.EqualFold(name, "rel") {
			return strings.Fields(strings.ToLower(strings.Trim(value, `"`)))
		}
	}
	return nil
}
