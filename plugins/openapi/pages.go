package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/operation"
	"github.com/codemode-go/codemode/plugins/openapi/internal/paging"
	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
	"github.com/codemode-go/codemode/plugins/openapi/internal/request"
	"github.com/codemode-go/codemode/plugins/openapi/internal/response"
)

// wanted reads $all: the most items, 0 for all of them; false if it is not asked for.
func wanted(args json.RawMessage) (limit int, ok bool) {
	value := string(raw.Value(args).Get(paging.Argument))
	if n, err := strconv.Atoi(value); err == nil && n > 0 {
		return n, true
	}
	return 0, value == "true"
}

// all asks for page after page and returns the items as one list. A list that
// is longer than the bounds is an error, for a part of it would pass for all.
func (a *api) all(ctx context.Context, m *operation.Method, r *request.Request, args json.RawMessage, limit int) (json.RawMessage, error) {
	var items [][]byte
	size := 0
	for page := 1; ; page++ {
		answer, err := a.page(ctx, m, r, page)
		if err != nil {
			return nil, err
		}
		value := answer.Value()
		if !m.Pages.IsPage(value) {
			return nil, sdk.Errorf(sdk.Unsupported, "page %d is no list: call without %s and look at the answer", page, paging.Argument)
		}
		for _, item := range m.Pages.List(value) {
			items = append(items, item)
			if size += len(item) + 1; size > a.config.MaxResponse {
				return nil, tooMuch("%d items have more than %d bytes", len(items), a.config.MaxResponse)
			}
			if limit > 0 && len(items) == limit {
				return list(items), nil
			}
		}
		sdk.Progress(ctx, fmt.Sprintf("%d items", len(items)), float64(page), 0)
		step, more := m.Pages.Next(value, answer.Header, r.URL, args)
		if !more {
			return list(items), nil
		}
		if page == a.config.MaxPages {
			return nil, tooMuch("there are more than %d pages", page)
		}
		if r, args, err = next(m, r, args, step); err != nil {
			return nil, err
		}
	}
}

func tooMuch(format string, args ...any) error {
	return sdk.Errorf(sdk.Unsupported, format+": narrow the request, ask for the first so many with %s: 100, or page by page", append(args, paging.Argument)...)
}

func list(items [][]byte) json.RawMessage {
	return append(append([]byte("["), bytes.Join(items, []byte(","))...), ']')
}

// next returns the request of the next page.
func next(m *operation.Method, r *request.Request, args json.RawMessage, step paging.Step) (*request.Request, json.RawMessage, error) {
	if step.URL != "" {
		return &request.Request{Method: http.MethodGet, URL: step.URL, Header: r.Header}, args, nil
	}
	args = with(args, step.Argument, step.Value)
	r, err := m.Request.Build(args, options(m)...)
	return r, args, err
}

// with returns args with another value for one name.
func with(args json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	key, _ := json.Marshal(name) // a string always has a JSON form
	out.Write(key)
	out.WriteByte(':')
	out.Write(value)
	for other, kept := range raw.Value(args).Members() {
		if other == name {
			continue
		}
		key, _ := json.Marshal(other)
		fmt.Fprintf(&out, ",%s:%s", key, kept)
	}
	out.WriteByte('}')
	return out.Bytes()
}

// page asks for one page. The first is the host's to repeat; a later one is
// repeated here, so that the pages before it are not asked for again.
func (a *api) page(ctx context.Context, m *operation.Method, r *request.Request, number int) (*response.Answer, error) {
	const tries = 3
	for try := 1; ; try++ {
		answer, err := a.exchange(ctx, m, r)
		told, _ := errors.AsType[*sdk.Error](err)
		if told == nil || !told.Retryable || number == 1 || try == tries {
			return answer, err
		}
		wait := max(told.RetryAfter, time.Duration(try)*backoff/2+rand.N(backoff))
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
			return nil, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// backoff is about the wait before a page is asked for again.
const backoff = 200 * time.Millisecond
