package schema

import (
	"strings"

	"github.com/agext/levenshtein"
)

// longestTypo bounds the names that are compared: distance costs the product of the lengths.
const longestTypo = 64

// nearest finds the candidate that name was probably meant to be, or "".
func nearest(name string, candidates []string) string {
	if len(name) > longestTypo {
		return ""
	}
	best, least := "", min(len(name), len(name)/3+2)
	for _, c := range candidates {
		if d := levenshtein.Distance(strings.ToLower(name), strings.ToLower(c), nil); d < least {
			best, least = c, d
		}
	}
	return best
}
