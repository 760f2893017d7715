package main

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// difference is what changes from one text to another, line by line.
func difference(from, to string) string {
	if from == to {
		return ""
	}
	unified := udiff.Unified("before", "after", from, to)
	// The first two lines name the texts.
	if parts := strings.SplitN(unified, "\n", 3); len(parts) == 3 {
		return parts[2]
	}
	return unified
}

// counts are the lines that a difference adds and removes.
func counts(difference string) (added, removed int) {
	for line := range strings.Lines(difference) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}
