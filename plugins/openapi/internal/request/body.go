package request

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
)

// Kind is how a body is written.
type Kind int

// The kinds, the preferred one first.
const (
	JSON Kind = iota
	Form
	Multipart
	Text  // a string as it is, XML and CSV, too
	Bytes // anything else
)

// KindOf returns the kind of a media type. schemaType is the type of its
// schema: a body of any media type that is an object is written as JSON.
func KindOf(media, schemaType string) Kind {
	media, _, _ = strings.Cut(media, ";")
	media = strings.TrimSpace(media)
	_, subtype, _ := strings.Cut(media, "/")
	switch {
	case media == "application/x-www-form-urlencoded":
		return Form
	case strings.HasPrefix(media, "multipart/"):
		return Multipart
	case strings.HasSuffix(media, "json"), strings.Contains(subtype, "json") && !strings.HasPrefix(subtype, "json-"):
		return JSON
	case media == "application/json-patch", media == "application/json-patch+json":
		return JSON
	case media == "*/*" && schemaType != "string", media == "application/*" && schemaType != "string":
		return JSON
	case isText(media, subtype):
		return Text
	}
	return Bytes
}

func isText(media, subtype string) bool {
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(subtype, "xml") || strings.HasSuffix(subtype, "yaml") ||
		slices.Contains([]string{"javascript", "graphql", "x-sh", "sdp", "csv", "sql"}, subtype)
}

// contentType is the header's value: a media type that stands for many becomes one of them.
func (m *Media) contentType() string {
	switch {
	case !strings.Contains(m.Type, "*") && strings.Contains(m.Type, "/"):
		return m.Type
	case m.Kind == JSON:
		return "application/json"
	case m.Kind == Text:
		return "text/plain"
	}
	return "application/octet-stream"
}

// body adds the body to a request.
func (t *Template) body(r *Request, given map[string]raw.Value) error {
	value := given[BodyArgument]
	if value == nil {
		return nil
	}
	m, err := t.media(given[MediaArgument])
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", m.contentType())
	switch m.Kind {
	case JSON:
		r.Body = plain(value)
	case Form:
		r.Body, err = m.form(plain(value))
	case Multipart:
		return m.multipart(r, value)
	default:
		data, ok := bytesOf(value)
		if !ok {
			return sdk.Errorf(sdk.InvalidArgument, "body: %s needs a string or bytes (a Uint8Array)", m.Type)
		}
		r.Body = data
	}
	return err
}

// media returns the form that a call asks for.
func (t *Template) media(asked raw.Value) (*Media, error) {
	if asked == nil {
		return &t.Body[0], nil
	}
	var types []string
	for i := range t.Body {
		if t.Body[i].Type == asked.Text() {
			return &t.Body[i], nil
		}
		types = append(types, t.Body[i].Type)
	}
	return nil, sdk.Errorf(sdk.InvalidArgument, "%s: must be one of %s", MediaArgument, strings.Join(types, ", "))
}

// form writes a form of names and values.
func (m *Media) form(v raw.Value) ([]byte, error) {
	if !v.IsObject() {
		return nil, sdk.Errorf(sdk.InvalidArgument, "body: a form is an object")
	}
	parts := []string{}
	for name, value := range v.Members() {
		if part := formPart(name, value, m.Encoding[name]); part != "" {
			parts = append(parts, part)
		}
	}
	return []byte(strings.Join(parts, "&")), nil
}

// formPart writes one property: by its style, else lists as repeated names and
// what is nested as JSON.
func formPart(name string, v raw.Value, e document.Encoding) string {
	keep := ""
	if e.Reserved {
		keep = reserved
	}
	switch {
	case e.Style.Name != "":
		return form(name, v, e.Style, keep)
	case v.IsObject(), e.ContentType != "" && isComposite(v), hasComposites(v):
		return escape(name, "") + "=" + escape(compact(v), "")
	}
	return form(name, v, document.Style{Name: "form", Explode: true}, keep)
}

func hasComposites(v raw.Value) bool {
	for item := range v.Items() {
		if isComposite(item) {
			return true
		}
	}
	return false
}

// defaultPart is the part's name where a form is a file and nothing says what it is called.
const defaultPart = "file"

// multipart writes a body of parts. The boundary follows from the content: the
// same call is the same bytes.
func (m *Media) multipart(r *Request, v raw.Value) error {
	parts := v.Members()
	switch {
	case m.Files:
		parts = func(yield func(string, raw.Value) bool) { yield(defaultPart, v) }
	case !v.IsObject():
		return sdk.Errorf(sdk.InvalidArgument, "body: a multipart form is an object")
	}
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	hash := sha256.Sum256(v)
	if err := w.SetBoundary("codemode-" + hex.EncodeToString(hash[:16])); err != nil {
		return err
	}
	for name, value := range parts {
		for _, item := range partsOf(value) {
			if err := m.part(w, name, item); err != nil {
				return err
			}
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	r.Header.Set("Content-Type", mime.FormatMediaType(m.contentType(), map[string]string{"boundary": w.Boundary()}))
	r.Body = out.Bytes()
	return nil
}

// partsOf returns the values that become parts: each item of a list becomes one.
func partsOf(v raw.Value) []raw.Value {
	if v.Kind() != '[' {
		return []raw.Value{v}
	}
	return slices.Collect(v.Items())
}

func (m *Media) part(w *multipart.Writer, name string, v raw.Value) error {
	header := textproto.MIMEHeader{}
	disposition := `form-data; name="` + quoted.Replace(name) + `"`
	data, filename, contentType, isFile := file(v)
	switch {
	case isFile:
		disposition += `; filename="` + quoted.Replace(cmp.Or(filename, name)) + `"`
	case isComposite(v):
		data, contentType = []byte(compact(plain(v))), "application/json"
	default:
		data = []byte(text(v))
	}
	// A list of types in the description is what may be sent; it names no single one.
	if declared := m.Encoding[name].ContentType; declared != "" && !strings.ContainsAny(declared, ",*") && filename == "" {
		contentType = declared
	}
	header.Set("Content-Disposition", disposition)
	if contentType != "" {
		header.Set("Content-Type", lines.Replace(contentType))
	}
	part, err := w.CreatePart(header)
	if err != nil {
		return fmt.Errorf("write a part: %w", err)
	}
	_, err = part.Write(data)
	return err
}

var (
	// quoted writes names as browsers do; lines keeps a value in its line.
	quoted = strings.NewReplacer("\r", "%0D", "\n", "%0A", `"`, "%22")
	lines  = strings.NewReplacer("\r", "", "\n", "")
)

// file returns a part that is a file: bytes, or {data, filename, type}.
func file(v raw.Value) (data []byte, filename, contentType string, ok bool) {
	if !v.IsObject() {
		return nil, "", "", false
	}
	if data, ok = bytesOf(v); ok {
		return data, "", "application/octet-stream", true
	}
	inner := v.Get("data")
	for name := range v.Members() {
		if inner == nil || !slices.Contains([]string{"data", "filename", "type"}, name) {
			return nil, "", "", false
		}
	}
	data, ok = bytesOf(inner)
	return data, v.Get("filename").Text(), cmp.Or(v.Get("type").Text(), "application/octet-stream"), ok
}
