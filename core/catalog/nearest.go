package catalog

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxNearest is the number of names that a suggestion has.
const maxNearest = 5

// nearestLabels returns the labels that may have been meant: the similar ones, or all if there are few.
func (c *Catalog) nearestLabels(label string) []string {
	labels := make([]string, len(c.connectors))
	for i, conn := range c.connectors {
		labels[i] = conn.Label
	}
	if near := nearest(label, labels); len(near) > 0 || len(labels) > 2*maxNearest {
		return near
	}
	return labels
}

// nearest returns the listed names of the methods that may have been meant.
func (e *entry) nearest(name string) []string {
	names := make([]string, len(e.Methods))
	for i, m := range e.Methods {
		names[i] = m.Name
	}
	return nearest(name, names)
}

// nearest returns the names that are like one, the most similar first: those
// that a few slips of the pen away, or that have a word in common with it.
func nearest(name string, names []string) []string {
	type candidate struct {
		name   string
		points float64
	}
	var list []candidate
	words := nameTokens(name)
	for _, n := range names {
		if p := similarity(name, words, n); p > 0 {
			list = append(list, candidate{n, p})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.points, a.points), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, c := range list[:min(maxNearest, len(list))] {
		out = append(out, c.name)
	}
	return out
}

// similarity is positive for names that one may take for each other.
func similarity(name string, words []string, other string) float64 {
	a, b := folded(name), folded(other)
	longest := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	if d := distance(a, b); d <= max(1, longest/3) {
		return 2 - float64(d)/float64(longest+1)
	}
	shared := 0
	others := nameTokens(other)
	for _, w := range words {
		if slices.Contains(others, w) {
			shared++
		}
	}
	if 2*shared < len(words) {
		return 0
	}
	return float64(2*shared) / float64(len(words)+len(others)+1)
}

// folded drops what people get wrong most: case and separators.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", "/", "", " ", "").Replace(name))
}

// distance is the number of characters to insert, delete, replace or swap with
// the next one. Only names of usual length are compared.
func distance(a, b string) int {
	const usual = 100
	x, y := []rune(a), []rune(b)
	if len(x) > usual || len(y) > usual {
		return usual
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
