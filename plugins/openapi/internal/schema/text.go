package schema

import (
	"regexp"
	"strings"
)

var (
	htmlTag = regexp.MustCompile(`</?(?:p|br|a|b|i|em|strong|code|pre|ul|ol|li|div|span|sup|table|tr|td|th|tbody|thead|h[1-6])(?:\s[^<>]*)?/?>`)
	link    = regexp.MustCompile(`\[([^\[\]]+)\]\([^()\s]*\)`)
)

// Plain takes from a description what is of no use to a model: the tags of
// HTML, and the addresses of links.
func Plain(text string) string {
	if strings.Contains(text, "<") {
		text = htmlTag.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "](") {
		text = link.ReplaceAllString(text, "$1")
	}
	return strings.TrimSpace(text)
}

// Shorten bounds a text, at the end of a sentence or a word.
func Shorten(text string, limit int) string {
	text = strings.TrimSpace(text)
	if len(text) <= limit {
		return text
	}
	text = strings.ToValidUTF8(text[:limit], "")
	if end := strings.LastIndexAny(text, "\n"); end > limit/2 {
		return strings.TrimSpace(text[:end])
	}
	if end := strings.LastIndex(text, ". "); end > limit/2 {
		return text[:end+1]
	}
	if end := strings.LastIndexByte(text, ' '); end > 0 {
		text = text[:end]
	}
	return text + " ..."
}
