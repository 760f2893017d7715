package verbatim

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxMessage bounds one message of a server, in bytes.
const maxMessage = 64 << 20

var errTooLong = errors.New("a message of the MCP server is longer than 64 MiB")

// HTTP returns next with the texts added to what it receives. It is what a
// [Transport] is, for the SDK's HTTP transports: those know their own
// connections only.
func HTTP(next http.RoundTripper) http.RoundTripper { return roundTripper{next} }

type roundTripper struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	mediaType, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return resp, nil // without a type there is no message in it
	}
	switch mediaType {
	case "application/json":
		resp.Body = &body{Closer: resp.Body, next: wholeBody(resp.Body)}
	case "text/event-stream":
		resp.Body = &body{Closer: resp.Body, next: events(resp.Body)}
	default:
		return resp, nil
	}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp, nil
}

// body is a response's body, translated piece by piece.
type body struct {
	io.Closer
	next func() ([]byte, error) // the next piece, and io.EOF with the last
	rest []byte
	err  error
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.rest, b.err = b.next()
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// wholeBody reads one message.
func wholeBody(r io.Reader) func() ([]byte, error) {
	return func() ([]byte, error) {
		raw, err := io.ReadAll(io.LimitReader(r, maxMessage+1))
		if err != nil {
			return nil, err
		}
		if len(raw) > maxMessage {
			return nil, errTooLong
		}
		return markMessage(raw), io.EOF
	}
}

// events reads one event after the other. A message whose data stands on several
// lines comes out on one.
func events(r io.Reader) func() ([]byte, error) {
	lines := bufio.NewReader(r)
	return func() ([]byte, error) {
		var fields, data []byte
		hasData := false
		for {
			line, err := readLine(lines)
			if err != nil {
				return append(fields, joined(data, hasData)...), err
			}
			text := bytes.TrimRight(line, "\r\n")
			value, isData := bytes.CutPrefix(text, []byte("data:"))
			switch {
			case len(text) == 0:
				return append(append(fields, joined(data, hasData)...), '\n'), nil
			case !isData:
				fields = append(fields, line...)
			default:
				if hasData {
					data = append(data, '\n')
				}
				data, hasData = append(data, bytes.TrimPrefix(value, []byte(" "))...), true
			}
			if len(data) > maxMessage {
				return nil, errTooLong
			}
		}
	}
}

// joined returns an event's data as its field, with the texts added.
func joined(data []byte, present bool) []byte {
	if !present {
		return nil
	}
	var field []byte
	for line := range bytes.SplitSeq(markMessage(data), []byte("\n")) {
		field = append(append(append(field, "data: "...), line...), '\n')
	}
	return field
}

// readLine reads a line and its end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxMessage {
			return nil, errTooLong
		}
	}
}

// markMessage adds the texts to a response, and leaves everything else as it is:
// what is wrong with it, the SDK says.
func markMessage(raw []byte) []byte {
	message, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		return raw
	}
	response, ok := message.(*jsonrpc.Response)
	if !ok || len(response.Result) == 0 {
		return raw
	}
	if response.Result, err = mark(response.Result); err != nil {
		return raw
	}
	marked, err := jsonrpc.EncodeMessage(response)
	if err != nil {
		return raw
	}
	return marked
}
