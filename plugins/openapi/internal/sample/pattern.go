package sample

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// words are tried on patterns, in order.
var words = []string{
	"a", "A", "1", "aa", "AA", "a1", "12", "123", "1234", "0000000000", "2024-01-02", "2024-01", "2024-01-02T03:04:05Z", "a@example.com",
	"https://example.com/x", "http://example.com", "#aabbcc", "aabbcc", "0123456789abcdef0123456789abcdef01234567", "123e4567-e89b-12d3-a456-426614174000",
	"refs/heads/main", "a/b", "a.b", "1.0", "1.0.0", "v1.0.0", "192.0.2.1", "10.0.0.0/8", "us-east-1", "CVE-2024-1234", "GHSA-2222-3333-4444",
	"a-b", "a_b", "+15551234567", "00:00", "12:34", "12:34:56", "application/json", "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
}

// fitting returns a word that a pattern matches, or fallback.
func fitting(pattern, fallback string) string {
	re, err := regexp.Compile(pattern)
	if err != nil || re.MatchString(fallback) {
		return fallback
	}
	for _, word := range words {
		if re.MatchString(word) {
			return word
		}
	}
	if parsed, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		if word := shortest(parsed); re.MatchString(word) {
			return word
		}
	}
	return fallback
}

// shortest returns a word that an expression matches, of as few repetitions as it allows.
func shortest(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			return string(re.Rune[0])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a"
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		return shortest(re.Sub[0])
	case syntax.OpRepeat:
		return strings.Repeat(shortest(re.Sub[0]), re.Min)
	case syntax.OpConcat:
		word := ""
		for _, sub := range re.Sub {
			word += shortest(sub)
		}
		return word
	}
	return ""
}
