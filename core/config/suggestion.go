package config

import (
	"fmt"
	"slices"

	"github.com/agext/levenshtein"
)

// suggestion is a sentence that names the candidate nearest to name, or "".
func suggestion(name string, candidates []string) string {
	slices.Sort(candidates)
	best, least := "", 3 // as far as HCL goes in its own suggestions
	for _, c := range candidates {
		if d := levenshtein.Distance(name, c, nil); d < least {
			best, least = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}
