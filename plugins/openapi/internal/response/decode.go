// Package response turns HTTP responses into values and errors for programs.
package response

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/codemode-go/codemode/plugin/wire"
)

// Answer is a response that has been read.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Cut says that the body of a stream goes on behind what was read.
	Cut bool
}

// Value returns the body as one JSON value for a program: JSON as it is, a
// text as a string, a stream of events or lines as a list, nothing as null,
// and anything else as tagged bytes.
func (a *Answer) Value() json.RawMessage {
	media, parameters, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil {
		media, _, _ = strings.Cut(strings.ToLower(a.Header.Get("Content-Type")), ";")
	}
	body := bytes.TrimPrefix(a.Body, []byte("\xef\xbb\xbf"))
	switch {
	case len(bytes.TrimSpace(body)) == 0 && !isBinary(media):
		return json.RawMessage("null")
	case media == "text/event-stream":
		return events(body, a.Cut)
	case IsStream(media):
		return lines(body, a.Cut)
	case isJSON(media) || media == "" && looksLikeJSON(body):
		if value, ok := value(body); ok {
			return value
		}
	case isBinary(media):
		return tagged(a.Body)
	}
	return text(body, parameters["charset"])
}

// IsStream reports whether a media type is that of a list whose items come one by one.
func IsStream(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	switch strings.TrimSpace(media) {
	case "text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
		"application/jsonlines", "application/json-seq", "application/stream+json", "application/x-json-stream":
		return true
	}
	return false
}

func isJSON(media string) bool {
	return media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "/json")
}

func isBinary(media string) bool {
	_, subtype, _ := strings.Cut(media, "/")
	switch {
	case media == "", strings.HasPrefix(media, "text/"), isJSON(media), IsStream(media),
		strings.HasSuffix(subtype, "xml"), strings.HasSuffix(subtype, "yaml"),
		strings.Contains(subtype, "javascript"), strings.Contains(subtype, "urlencoded"), strings.Contains(subtype, "csv"),
		subtype == "graphql", subtype == "sql", subtype == "sdp", strings.Contains(subtype, "json"):
		return false
	}
	return true
}

func looksLikeJSON(body []byte) bool {
	start := bytes.TrimSpace(body)[0]
	return start == '{' || start == '['
}

// value returns JSON as a program gets it: compact, and with what looks like a tag escaped.
func value(body []byte) (json.RawMessage, bool) {
	var out bytes.Buffer
	if json.Compact(&out, bytes.ToValidUTF8(body, []byte("\uFFFD"))) != nil {
		return nil, false
	}
	escaped, err := wire.Escape(out.Bytes())
	return escaped, err == nil
}

// text returns a text as a JSON string. What is no text in its charset is bytes.
func text(body []byte, charset string) json.RawMessage {
	if charset != "" && !strings.EqualFold(charset, "utf-8") {
		if encoding, err := htmlindex.Get(charset); err == nil {
			if decoded, err := encoding.NewDecoder().Bytes(body); err == nil {
				body = decoded
			}
		}
	}
	if !utf8.Valid(body) {
		return tagged(body)
	}
	return quote(string(body))
}

func tagged(body []byte) json.RawMessage {
	return json.RawMessage(`{"$bytes":"` + base64.StdEncoding.EncodeToString(body) + `"}`)
}

func quote(s string) json.RawMessage {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always has a JSON form
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// Full returns the value together with the status and the headers, whose names are in lower case.
func (a *Answer) Full() json.RawMessage {
	headers := map[string]string{}
	for name, values := range a.Header {
		if name != "Set-Cookie" { // a credential
			headers[strings.ToLower(name)] = strings.Join(values, ", ")
		}
	}
	raw, _ := json.Marshal(struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
	}{a.Status, headers}) // strings and a number always have a JSON form
	return append(append(append(raw[:len(raw)-1], `,"body":`...), a.Value()...), '}')
}
