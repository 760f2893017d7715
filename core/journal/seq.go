package journal

import (
	"cmp"
	"strings"
)

// CompareSeq orders two seqs part by part as numbers; a parent comes before the calls under it.
func CompareSeq(a, b string) int {
	for a != "" && b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		if c := compareDigits(x, y); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// compareDigits compares numbers of any length: of two without leading zeros the longer is the greater.
func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// Under reports whether seq belongs to a call that was issued inside the step or snippet parent, at any depth.
func Under(seq, parent string) bool {
	return strings.HasPrefix(seq, parent+".")
}

// validSeq accepts numbers without leading zeros, joined by dots.
func validSeq(seq string) bool {
	for part := range strings.SplitSeq(seq, ".") {
		if part == "" || strings.Trim(part, "0123456789") != "" || len(part) > 1 && part[0] == '0' {
			return false
		}
	}
	return true
}

// parentSeq returns the seq of the step or snippet that a call is numbered under; empty for the program's own calls.
func parentSeq(seq string) string {
	return seq[:max(strings.LastIndexByte(seq, '.'), 0)]
}
