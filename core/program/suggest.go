package program

import (
	"strings"

	"github.com/codemode-go/codemode/internal/nearest"
)

// suggest names what may have been meant, or else what there is.
func suggest(name string, known []string, otherwise string) string {
	if near := nearest.Names(name, known, 3); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	const shown = 10
	if len(known) > shown {
		return otherwise + " " + strings.Join(known[:shown], ", ") + ", ..."
	}
	return otherwise + " " + strings.Join(known, ", ")
}
