package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugins/github/internal/transport"
)

const (
	usualLimit = 100
	// pageSize is the most that GitHub gives at once.
	pageSize = 100
	// mostPages bounds the requests of a listing that leaves most items out.
	mostPages = 30
)

// Paging is part of the arguments of every method that lists.
type Paging struct {
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000,default=100" jsonschema_description:"How many items at most; more pages are fetched as needed."`
	Raw
}

func (p Paging) limit() int {
	if p.Limit == 0 {
		return usualLimit
	}
	return p.Limit
}

// Raw is part of the arguments of every method that reads.
type Raw struct {
	Raw bool `json:"raw,omitempty" jsonschema_description:"Add GitHub's own object to each result, as raw."`
}

// Own is part of every result: GitHub's own object.
type Own struct {
	Raw json.RawMessage `json:"raw,omitempty" jsonschema_description:"GitHub's own object, where raw was asked for."`
}

func (o *Own) setRaw(raw json.RawMessage) { o.Raw = raw }

// result is a pointer to a T that has room for GitHub's own object.
type result[T any] interface {
	*T
	setRaw(json.RawMessage)
}

// Page is what a method that lists returns.
type Page[T any] struct {
	Items []T    `json:"items"`
	More  bool   `json:"more" jsonschema_description:"There are more than these."`
	Total int    `json:"total,omitempty" jsonschema_description:"How many there are in all, where GitHub says so."`
	Note  string `json:"note,omitempty" jsonschema_description:"Why the list is not complete."`
}

// listing lists what GitHub calls G as T.
type listing[G, T any] struct {
	fetch func(ctx context.Context, page github.ListOptions) ([]G, *github.Response, error)
	shape func(G) T
	keep  func(G) bool // nil: everything
}

// list fetches pages until the limit is reached or nothing is left.
func list[G, T any, P result[T]](ctx context.Context, p Paging, l listing[G, T]) (Page[T], error) {
	var page Page[T]
	limit := p.limit()
	next := github.ListOptions{Page: 1, PerPage: pageSize}
	if l.keep == nil {
		next.PerPage = min(limit, pageSize)
	}
	for fetched := 0; next.Page != 0; fetched++ {
		if fetched == mostPages {
			page.stop("GitHub was asked for %d pages; ask for something narrower", mostPages)
			return page, nil
		}
		items, own, resp, err := fetchPage(ctx, p.Raw.Raw, next, l)
		if err != nil {
			return page, err
		}
		for i, item := range items {
			if l.keep != nil && !l.keep(item) {
				continue
			}
			if len(page.Items) == limit {
				page.stop("stopped at the limit of %d", limit)
				return page, nil
			}
			shaped := l.shape(item)
			if i < len(own) {
				P(&shaped).setRaw(own[i])
			}
			page.Items = append(page.Items, shaped)
		}
		next.Page = resp.NextPage
		if len(page.Items) == limit && next.Page != 0 {
			page.stop("stopped at the limit of %d", limit)
			return page, nil
		}
	}
	return page, nil
}

func (p *Page[T]) stop(format string, args ...any) {
	p.More, p.Note = true, fmt.Sprintf(format, args...)
}

// fetchPage fetches one page, with GitHub's own objects where they are asked for.
func fetchPage[G, T any](ctx context.Context, raw bool, page github.ListOptions, l listing[G, T]) ([]G, []json.RawMessage, *github.Response, error) {
	if !raw {
		items, resp, err := l.fetch(ctx, page)
		return items, nil, resp, err
	}
	ctx, captured := transport.Capture(ctx)
	items, resp, err := l.fetch(ctx, page)
	if err != nil {
		return nil, nil, resp, err
	}
	own, err := ownItems(captured.Body)
	return items, own, resp, err
}

// ownItems returns the items of a page: the answer itself, or its one array.
func ownItems(body []byte) ([]json.RawMessage, error) {
	var items []json.RawMessage
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		err := json.Unmarshal(body, &items)
		return items, err
	}
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("read a page: %w", err)
	}
	for _, value := range answer {
		if bytes.HasPrefix(value, []byte("[")) {
			err := json.Unmarshal(value, &items)
			return items, err
		}
	}
	return nil, nil
}

// one fetches what GitHub calls G as T.
func one[G, T any, P result[T]](ctx context.Context, raw Raw, fetch func(context.Context) (G, *github.Response, error), shape func(G) T) (T, error) {
	var captured *transport.Captured
	if raw.Raw {
		ctx, captured = transport.Capture(ctx)
	}
	found, _, err := fetch(ctx)
	if err != nil {
		var none T
		return none, err
	}
	shaped := shape(found)
	if captured != nil {
		P(&shaped).setRaw(captured.Body)
	}
	return shaped, nil
}
