package stdio

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// TestExchange: messages of any size pass, and what is no message harms none.
func TestExchange(t *testing.T) {
	t.Parallel()
	r := start(t, "echo")
	if id := r.conn.SessionID(); id != "" {
		t.Errorf("it has the session %q", id)
	}
	for id, text := range []string{"", "hello", "a\nb", strings.Repeat("x", 200<<10), "ü\u2028"} {
		sent := request(t, id+1, text)
		written := make(chan error, 1)
		go func() { written <- r.conn.Write(t.Context(), sent) }()
		response, ok := r.read(t).(*jsonrpc.Response)
		if err := <-written; err != nil {
			t.Fatal(err)
		}
		if !ok || response.ID != sent.ID || string(response.Result) != string(sent.Params) {
			t.Errorf("%.20q came back as %.60s", text, response.Result)
		}
	}
	if diff := cmp.Diff([]string{"Welcome to the echo server!"}, r.stray.get()); diff != "" {
		t.Error(diff)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	r := start(t, "echo")
	read := make(chan error, 1)
	go func() {
		_, err := r.conn.Read(t.Context())
		read <- err
	}()
	for range 2 {
		if err := r.conn.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-read; !errors.Is(err, ErrGone) {
		t.Errorf("a read ends with %v", err)
	}
	if err := r.conn.Write(t.Context(), request(t, 1, "late")); !errors.Is(err, ErrGone) {
		t.Errorf("a write ends with %v", err)
	}
}

// TestTooLong: a message without an end does not fill the memory.
func TestTooLong(t *testing.T) {
	t.Parallel()
	r := start(t, "endless")
	_, err := r.conn.Read(t.Context())
	if !errors.Is(err, ErrGone) {
		t.Fatalf("got %v", err)
	}
	must(t, "the error", err.Error(), "more than")
}

// TestWriteIsNotForever: a server that does not read holds a write up only
// until its context ends, and is of no use afterwards.
func TestWriteIsNotForever(t *testing.T) {
	t.Parallel()
	r := start(t, "deaf")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	written := make(chan error, 1)
	long := request(t, 1, strings.Repeat("x", 1<<20))
	go func() { written <- r.conn.Write(ctx, long) }()
	r.read(t) // it has begun to read
	cancel()
	if err := <-written; !errors.Is(err, ErrGone) {
		t.Errorf("the write ends with %v", err)
	}
	if err := r.conn.Write(t.Context(), request(t, 2, "next")); !errors.Is(err, ErrGone) {
		t.Errorf("the next write ends with %v", err)
	}
	if _, err := r.conn.Read(t.Context()); !errors.Is(err, ErrGone) {
		t.Errorf("a read ends with %v", err)
	}
}

// TestWriteNothing: a write that could not begin harms no other.
func TestWriteNothing(t *testing.T) {
	t.Parallel()
	r := start(t, "echo")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.conn.Write(ctx, request(t, 1, "never")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	r.write(t, t.Context(), request(t, 2, "next"))
	if response := r.read(t).(*jsonrpc.Response); string(response.Result) != `{"text":"next"}` {
		t.Errorf("got %s", response.Result)
	}
}
