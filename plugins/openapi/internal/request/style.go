package request

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
)

// refuse is the error of an argument.
func (p *Parameter) refuse(why string) error {
	return sdk.Errorf(sdk.InvalidArgument, "%s: %s", p.Argument, why)
}

// plain returns a value without tags.
func plain(v raw.Value) raw.Value {
	if untagged, err := wire.Untag(json.RawMessage(v)); err == nil {
		return raw.Value(untagged)
	}
	return v
}

// text returns the text of a value within a style: a string's own, null's is
// empty, a number's and a boolean's JSON, and that of what no style has a form
// for, too.
func text(v raw.Value) string {
	switch v.Kind() {
	case '"':
		return v.Text()
	case 'n':
		return ""
	}
	return compact(v)
}

func compact(v raw.Value) string {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return string(v)
	}
	return b.String()
}

// pair is one part of a composite value; a list's items have no names.
type pair struct{ name, value string }

// pairs takes a composite value apart.
func pairs(v raw.Value, encode func(string) string) []pair {
	var list []pair
	for item := range v.Items() {
		list = append(list, pair{"", encode(text(item))})
	}
	for name, member := range v.Members() {
		list = append(list, pair{encode(name), encode(text(member))})
	}
	return list
}

func isComposite(v raw.Value) bool { return v.Kind() == '{' || v.Kind() == '[' }

// flat joins pairs: names and values alternate, or stand on two sides of an equals sign.
func flat(list []pair, object bool, separator string, assign string) string {
	var parts []string
	for _, p := range list {
		if object {
			parts = append(parts, p.name+assign+p.value)
		} else {
			parts = append(parts, p.value)
		}
	}
	return strings.Join(parts, separator)
}

// simple is the style simple, whose name is not part of the text.
func simple(v raw.Value, explode bool, encode func(string) string) string {
	if !isComposite(v) {
		return encode(text(v))
	}
	assign := ","
	if explode {
		assign = "="
	}
	return flat(pairs(v, encode), v.IsObject(), ",", assign)
}

// pathText returns the text of a path parameter: simple, label or matrix.
func (p *Parameter) pathText(v raw.Value) (string, error) {
	v = plain(v)
	encode := func(s string) string { return escape(s, "") }
	if p.Segments {
		encode = func(s string) string { return escape(s, "/") }
	}
	body := simple(v, p.Style.Explode, encode)
	if p.Content != "" {
		body = encode(contentText(v, p.Content))
	}
	if p.Segments && v.Kind() == '"' && body == "" {
		return "", nil // the root of a tree: GitHub's contents of path ""
	}
	if body == "" || v.Kind() == 'n' {
		return "", p.refuse("a path value must not be empty")
	}
	if p.Segments && hasEmptySegment(text(v)) {
		return "", p.refuse("a path must not have empty segments")
	}
	if climbs(body) {
		return "", p.refuse(`a path value must not climb: it has a segment "." or ".."`)
	}
	return p.pathStyle(v, encode, body), nil
}

// pathStyle puts a path value into its style; body is it in the style simple.
func (p *Parameter) pathStyle(v raw.Value, encode func(string) string, body string) string {
	if p.Content != "" {
		return body
	}
	switch p.Style.Name {
	case "label":
		if p.Style.Explode && isComposite(v) {
			body = flat(pairs(v, encode), v.IsObject(), ".", "=")
		}
		return "." + body
	case "matrix":
		return p.matrix(v, encode, body)
	case "spaceDelimited", "tabDelimited", "pipeDelimited": // of Swagger 2.0's collection formats
		if isComposite(v) {
			return flat(pairs(v, encode), v.IsObject(), delimiters[p.Style.Name], ",")
		}
	}
	return body
}

func hasEmptySegment(path string) bool {
	return strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/") || strings.Contains(path, "//")
}

// matrix is the style matrix, whose parts begin with a semicolon.
func (p *Parameter) matrix(v raw.Value, encode func(string) string, body string) string {
	name := escape(p.Name, "")
	if !p.Style.Explode || !isComposite(v) {
		return ";" + name + "=" + body
	}
	var b strings.Builder
	for _, part := range pairs(v, encode) {
		if !v.IsObject() {
			part.name = name
		}
		b.WriteString(";" + part.name + "=" + part.value)
	}
	return b.String()
}

// delimiters separate the items of a list, encoded.
var delimiters = map[string]string{"form": ",", "spaceDelimited": "%20", "tabDelimited": "%09", "pipeDelimited": "%7C"}

// queryText returns a query parameter with its name; "" if there is nothing to say.
func (p *Parameter) queryText(v raw.Value) string {
	v = plain(v)
	keep := ""
	if p.Reserved {
		keep = reserved
	}
	if p.Content != "" {
		return escape(p.Name, "") + "=" + escape(contentText(v, p.Content), keep)
	}
	return form(p.Name, v, p.Style, keep)
}

// form returns name and value in a style of queries and forms.
func form(name string, v raw.Value, style document.Style, keep string) string {
	encode := func(s string) string { return escape(s, keep) }
	key := escape(name, "")
	switch {
	case !isComposite(v):
		return key + "=" + encode(text(v))
	case style.Name == "deepObject":
		return strings.Join(deep(key, v, encode), "&")
	}
	list := pairs(v, encode)
	if len(list) == 0 {
		return "" // an empty list is no value
	}
	if style.Explode {
		for i := range list {
			if !v.IsObject() {
				list[i].name = key
			}
		}
		return flat(list, true, "&", "=")
	}
	delimiter, known := delimiters[style.Name]
	if !known {
		delimiter = ","
	}
	return key + "=" + flat(list, v.IsObject(), delimiter, delimiter)
}

// deep writes an object as name[member]=value, and what is nested as
// name[member][0]=value, for which OpenAPI has no rule but most servers do.
func deep(prefix string, v raw.Value, encode func(string) string) []string {
	if !isComposite(v) {
		return []string{prefix + "=" + encode(text(v))}
	}
	var list []string
	i := 0
	for item := range v.Items() {
		list = append(list, deep(prefix+"%5B"+strconv.Itoa(i)+"%5D", item, encode)...)
		i++
	}
	for name, member := range v.Members() {
		list = append(list, deep(prefix+"%5B"+escape(name, "")+"%5D", member, encode)...)
	}
	return list
}

// wholeQuery is the value of a parameter in querystring.
func (p *Parameter) wholeQuery(v raw.Value) (string, error) {
	v = plain(v)
	if p.Content != "application/x-www-form-urlencoded" {
		return escape(contentText(v, p.Content), ""), nil
	}
	if !v.IsObject() {
		return "", p.refuse("an object is needed")
	}
	var parts []string
	for name, member := range v.Members() {
		if part := form(name, member, document.Style{Name: "form", Explode: true}, ""); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "&"), nil
}

// headerText returns the value of a header.
func (p *Parameter) headerText(v raw.Value) (string, error) {
	v = plain(v)
	value := simple(v, p.Style.Explode, func(s string) string { return s })
	if p.Content != "" {
		value = contentText(v, p.Content)
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return "", p.refuse("a header must not have line breaks or other control characters")
	}
	return value, nil
}

// cookieText returns name=value pairs, as they stand in the Cookie header.
func (p *Parameter) cookieText(v raw.Value) string {
	v = plain(v)
	if p.Content != "" {
		return p.Name + "=" + escape(contentText(v, p.Content), "")
	}
	return strings.ReplaceAll(form(p.Name, v, p.Style, ""), "&", "; ")
}

// contentText returns the text of a parameter that has a media type.
func contentText(v raw.Value, media string) string {
	if KindOf(media, "") != JSON && v.Kind() == '"' {
		return v.Text()
	}
	return compact(v)
}

// bytesOf returns the bytes that a value stands for: tagged ones, or a text's.
func bytesOf(v raw.Value) ([]byte, bool) {
	if v.Kind() == '"' {
		return []byte(v.Text()), true
	}
	if tag := v.Get("$bytes"); tag.Kind() == '"' {
		data, err := base64.StdEncoding.DecodeString(tag.Text())
		return data, err == nil
	}
	return nil, false
}
