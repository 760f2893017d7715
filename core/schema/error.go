package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// shown is how many problems an error's text lists.
const shown = 10

// Error says what keeps a value from fitting its schema.
type Error struct {
	// Problems has at least one entry; they are in the order of their paths.
	Problems []Problem
}

// Problem is one fault of a value.
type Problem struct {
	// Path leads to the faulty value: property names and list indices as decimal
	// numbers. It is empty for the whole value. A property that is not allowed
	// is named by the path; one that is missing is named by the message.
	Path []string
	// Message says what is wrong. It never quotes a value.
	Message string
}

// String returns the message behind its path: `labels.1: missing property "name"`.
func (p Problem) String() string {
	if len(p.Path) == 0 {
		return p.Message
	}
	parts := make([]string, len(p.Path))
	for i, part := range p.Path {
		parts[i] = shorten(part)
	}
	return strings.Join(parts, ".") + ": " + p.Message
}

// longestName is how much of a property's name a message shows, in characters.
const longestName = 64

// shorten bounds a property name of the value: a program can make it as long as it likes.
func shorten(name string) string {
	if runes := []rune(name); len(runes) > longestName {
		return string(runes[:longestName]) + "..."
	}
	return name
}

// Error lists the first ten problems.
func (e *Error) Error() string {
	texts := make([]string, 0, shown+1)
	for i, p := range e.Problems {
		if i == shown {
			texts = append(texts, fmt.Sprintf("and %d more", len(e.Problems)-shown))
			break
		}
		texts = append(texts, p.String())
	}
	return strings.Join(texts, "; ")
}

// ordered sorts problems and drops repetitions: validation walks Go maps, and
// branches of one schema often say the same.
func ordered(problems []Problem) []Problem {
	slices.SortFunc(problems, func(a, b Problem) int {
		return cmp.Or(comparePaths(a.Path, b.Path), strings.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(problems, func(a, b Problem) bool {
		return slices.Equal(a.Path, b.Path) && a.Message == b.Message
	})
}

// comparePaths orders paths part by part, list indices as numbers.
func comparePaths(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		if digits(x) && digits(y) {
			return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
		}
		return strings.Compare(x, y)
	})
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
