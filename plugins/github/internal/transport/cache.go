package transport

import (
	"bytes"
	"container/list"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"
)

const (
	// cacheSize and entrySize bound what the cache keeps, in bytes.
	cacheSize = 32 << 20
	entrySize = 1 << 20
	// answerSize bounds what an answer may be.
	answerSize = 64 << 20
)

// cache keeps answers with their ETags: asking GitHub whether one is still
// right costs nothing of the rate limit. It is safe for concurrent use.
type cache struct {
	next http.RoundTripper

	mu      sync.Mutex
	entries map[string]*list.Element
	recent  *list.List // of *entry, the latest first
	size    int
}

type entry struct {
	key    string
	header http.Header
	body   []byte
}

func newCache(next http.RoundTripper) *cache {
	return &cache{next: next, entries: map[string]*list.Element{}, recent: list.New()}
}

// RoundTrip implements http.RoundTripper.
func (c *cache) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		return c.pass(r)
	}
	key := r.Header.Get("Accept") + " " + r.URL.String()
	known := c.get(key)
	if known != nil {
		r = r.Clone(r.Context())
		r.Header.Set("If-None-Match", known.header.Get("ETag"))
	}
	resp, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if known != nil && resp.StatusCode == http.StatusNotModified {
		known.answer(resp)
	} else if err := c.keep(key, resp); err != nil {
		return nil, err
	}
	return resp, capture(r.Context(), resp)
}

// pass carries what is no read. Its answer is read here, too, so that one that
// breaks off is an error of the request, whose effect is not known.
func (c *cache) pass(r *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if _, err := readBody(resp); err != nil {
		return nil, err
	}
	return resp, nil
}

// answer makes the stored answer of a 304, with the headers of the 304 where it
// has them: those of the rate limit are new.
func (e *entry) answer(resp *http.Response) {
	resp.Body.Close()
	header := e.header.Clone()
	maps.Copy(header, resp.Header)
	resp.StatusCode, resp.Status = http.StatusOK, "200 OK"
	resp.Header = header
	setBody(resp, e.body)
}

// keep reads an answer's body and keeps it where that is of use.
func (c *cache) keep(key string, resp *http.Response) error {
	body, err := readBody(resp)
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusOK && resp.Header.Get("ETag") != "" && len(body) <= entrySize {
		c.put(&entry{key: key, header: resp.Header.Clone(), body: body})
	}
	return nil
}

// readBody reads an answer's body into memory, where the answer has it from then on.
func readBody(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerSize+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(body) > answerSize {
		return nil, fmt.Errorf("the answer is longer than %d MiB", answerSize>>20)
	}
	setBody(resp, body)
	return body, nil
}

func setBody(resp *http.Response, body []byte) {
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
}

func (c *cache) get(key string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	element := c.entries[key]
	if element == nil {
		return nil
	}
	c.recent.MoveToFront(element)
	return element.Value.(*entry)
}

func (c *cache) put(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.entries[e.key]; old != nil {
		c.drop(old)
	}
	c.entries[e.key] = c.recent.PushFront(e)
	c.size += len(e.body)
	for c.size > cacheSize {
		c.drop(c.recent.Back())
	}
}

func (c *cache) drop(element *list.Element) {
	e := c.recent.Remove(element).(*entry)
	delete(c.entries, e.key)
	c.size -= len(e.body)
}

// Captured is the body of the last answer to a read.
type Captured struct{ Body []byte }

type capturedKey struct{}

// Capture returns a context whose reads leave their answers in the Captured.
// It is for one request at a time.
func Capture(ctx context.Context) (context.Context, *Captured) {
	c := &Captured{}
	return context.WithValue(ctx, capturedKey{}, c), c
}

// capture keeps the answer's body, which is in memory already.
func capture(ctx context.Context, resp *http.Response) error {
	c, asked := ctx.Value(capturedKey{}).(*Captured)
	if !asked {
		return nil
	}
	body, err := io.ReadAll(resp.Body)
	c.Body = body
	setBody(resp, body)
	return err
}
