package typescript

import (
	"net/url"
	"strings"
)

// local returns the canonical pointer of a reference into the same document.
func local(ref string) (string, bool) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return "", false
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	if fragment != "" && fragment[0] != '/' {
		return "", false // an anchor
	}
	return fragment, true
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")
var escape = strings.NewReplacer("~", "~0", "/", "~1")

func split(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		tokens[i] = unescape.Replace(t)
	}
	return tokens
}

func join(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString("/" + escape.Replace(t))
	}
	return b.String()
}
