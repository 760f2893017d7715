package program

import (
	"slices"
	"strings"
)

// suggest names what may have been meant, or else what there is.
func suggest(name string, known []string, otherwise string) string {
	if near := nearest(name, known); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	const shown = 10
	if len(known) > shown {
		return otherwise + " " + strings.Join(known[:shown], ", ") + ", ..."
	}
	return otherwise + " " + strings.Join(known, ", ")
}

// nearest returns the at most three names that are most like one, nearest first.
func nearest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	limit := max(2, len(name)/3)
	for _, k := range known {
		if d := distance(plain(name), plain(k)); d <= limit && d < len(name) {
			near = append(near, candidate{k, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var names []string
	for _, c := range near[:min(3, len(near))] {
		names = append(names, c.name)
	}
	return names
}

// plain drops what names of one meaning differ in: listIssues, list_issues.
func plain(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// distance is the Levenshtein distance, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
