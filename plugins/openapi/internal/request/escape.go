package request

import "strings"

const hexDigits = "0123456789ABCDEF"

// reserved are the characters that allowReserved leaves alone in a query: RFC
// 3986's, without those that would end the value, the query or the URL, that
// mean a space, or that a query cannot have.
const reserved = ":/?@!$'()*,;="

// escape percent-encodes all but letters, digits, "-._~" and what is in keep.
func escape(s, keep string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if unreserved(c) || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
	}
	return b.String()
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// escapeTemplate encodes what a path must not have, and leaves what is encoded.
func escapeTemplate(path string) string {
	return escape(path, "%/:@!$&'()*+,;=")
}

// climbs reports whether a path has a segment that stands for another place.
// Some servers decode before they look: encoded slashes count, too.
func climbs(path string) bool {
	path = strings.NewReplacer("%2F", "/", "%2f", "/", "%5C", "/", "%5c", "/", "%2E", ".", "%2e", ".", "%3B", ";", "%3b", ";").Replace(path)
	for segment := range strings.SplitSeq(path, "/") {
		// Some servers cut a segment's parameters off.
		segment, _, _ = strings.Cut(segment, ";")
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
