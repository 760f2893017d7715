package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/codemode-go/codemode/core"
)

// trailerFault is the trailer of an answer that is written as it is made: what went wrong on the way, as JSON.
const trailerFault = "Codemode-Fault"

// stream is an answer that is written as it is made.
type stream func(w io.Writer) error

// write sends it. Where nothing of it has been sent, an error is an answer like any other.
func (f stream) write(w http.ResponseWriter) error {
	w.Header().Set("Trailer", trailerFault)
	w.Header().Set("Content-Type", "application/octet-stream")
	to := &firstWriter{to: w}
	err := f(to)
	if err == nil || !to.begun {
		return err
	}
	text, failed := json.Marshal(faultOf(err))
	if failed != nil {
		return failed
	}
	w.Header().Set(trailerFault, url.PathEscape(string(text)))
	return nil
}

// firstWriter knows whether anything was written.
type firstWriter struct {
	to    io.Writer
	begun bool
}

func (w *firstWriter) Write(p []byte) (int, error) {
	w.begun = true
	return w.to.Write(p)
}

// Export writes an execution's journal, or all if id is empty.
func (c *Client) Export(ctx context.Context, id string, w io.Writer) error {
	return c.receive(ctx, "export", idRequest{ID: id}, w)
}

// Backup writes the whole journal.
func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	return c.receive(ctx, "backup", struct{}{}, w)
}

// Import takes the executions of an export into the journal, and returns what it did, also beside an error.
func (c *Client) Import(ctx context.Context, r io.Reader) (*core.Imported, error) {
	reply, err := sendBody[importReply](ctx, c, "import", "", io.NopCloser(r)) // the caller closes what is its own
	if err == nil && reply.Fault != nil {
		err = reply.Fault.err()
	}
	return reply.Imported, err
}

// importReply is what was imported, with what went wrong beside it.
type importReply struct {
	*core.Imported
	Fault *fault `json:"fault,omitempty"`
}

// receive sends a request whose answer is a stream.
func (c *Client) receive(ctx context.Context, path string, body any, w io.Writer) error {
	text, err := encode(body)
	if err != nil {
		return fmt.Errorf("%s: write the request: %w", path, err)
	}
	resp, err := c.post(ctx, path, "", bytes.NewReader(text))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return c.lost(ctx, err)
		}
		return c.faultIn(path, text, resp.StatusCode)
	}
	from := &errReader{from: resp.Body}
	if _, err := io.Copy(w, from); err != nil {
		if from.err != nil {
			return c.lost(ctx, err)
		}
		return err
	}
	return trailed(resp.Trailer.Get(trailerFault))
}

// errReader knows whether an error was its own.
type errReader struct {
	from io.Reader
	err  error
}

func (r *errReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// trailed is the error that came behind a stream; nil: none.
func trailed(text string) error {
	if text == "" {
		return nil
	}
	plain, err := url.PathUnescape(text)
	var f fault
	if err == nil {
		err = json.Unmarshal([]byte(plain), &f)
	}
	if err != nil {
		return errors.New("the answer ended with an error that cannot be read")
	}
	return f.err()
}
