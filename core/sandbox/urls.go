package sandbox

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/nlnwa/whatwg-url/url"
)

// parseURL returns the parts of a URL, undefined if it is none.
func (s *session) parseURL(call goja.FunctionCall) goja.Value {
	text, base := call.Argument(0).String(), call.Argument(1)
	var u *url.Url
	var err error
	if goja.IsUndefined(base) {
		u, err = url.Parse(text)
	} else {
		u, err = url.ParseRef(base.String(), text)
	}
	if err != nil {
		return goja.Undefined()
	}
	return s.urlParts(u)
}

func (s *session) urlParts(u *url.Url) goja.Value {
	parts := s.vm.CreateObject(nil)
	for _, p := range []struct{ name, value string }{
		{"href", u.Href(false)}, {"origin", origin(u)}, {"protocol", u.Protocol()}, {"username", u.Username()}, {"password", u.Password()},
		{"host", u.Host()}, {"hostname", u.Hostname()}, {"port", u.Port()}, {"pathname", u.Pathname()}, {"search", u.Search()}, {"hash", u.Hash()},
	} {
		_ = define(parts, p.name, s.vm.ToValue(p.value))
	}
	return parts
}

func origin(u *url.Url) string {
	switch u.Scheme() {
	case "http", "https", "ws", "wss", "ftp":
		return u.Protocol() + "//" + u.Host()
	case "blob":
		if inner, err := url.Parse(u.Pathname()); err == nil && strings.HasPrefix(inner.Scheme(), "http") {
			return origin(inner)
		}
	}
	return "null"
}

// setURL changes one part and returns them all. A value that does not fit changes nothing.
func (s *session) setURL(call goja.FunctionCall) goja.Value {
	u, err := url.Parse(call.Argument(0).String())
	if err != nil {
		panic(s.realm.typeError(s.vm, "Invalid URL"))
	}
	set := map[string]func(string){
		"protocol": u.SetProtocol, "username": u.SetUsername, "password": u.SetPassword, "host": u.SetHost, "hostname": u.SetHostname,
		"port": u.SetPort, "pathname": u.SetPathname, "search": u.SetSearch, "hash": u.SetHash,
	}[call.Argument(1).String()]
	set(call.Argument(2).String())
	return s.urlParts(u)
}

// parseQuery returns the pairs of a form-encoded text.
func (s *session) parseQuery(call goja.FunctionCall) goja.Value {
	text := strings.TrimPrefix(call.Argument(0).String(), "?")
	var pairs []any
	for part := range strings.SplitSeq(text, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		pairs = append(pairs, s.vm.NewArray(unescapeForm(name), unescapeForm(value)))
	}
	return s.vm.NewArray(pairs...)
}

func unescapeForm(text string) string {
	data := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '+':
			data = append(data, ' ')
		case c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]):
			data = append(data, unhex(text[i+1])<<4|unhex(text[i+2]))
			i += 2
		default:
			data = append(data, c)
		}
	}
	return decoded(data, true)
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	}
	return c - 'A' + 10
}

// formatQuery writes pairs in the form encoding.
func (s *session) formatQuery(call goja.FunctionCall) goja.Value {
	var b strings.Builder
	s.vm.ForOf(call.Argument(0), func(pair goja.Value) bool {
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		o := pair.ToObject(s.vm)
		escapeForm(&b, o.Get("0").String())
		b.WriteByte('=')
		escapeForm(&b, o.Get("1").String())
		return true
	})
	return s.vm.ToValue(b.String())
}

func escapeForm(b *strings.Builder, text string) {
	const digits = "0123456789ABCDEF"
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("*-._", c) >= 0:
			b.WriteByte(c)
		case c == ' ':
			b.WriteByte('+')
		default:
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
}
