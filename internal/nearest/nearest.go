// Package nearest finds the names that may have been meant by one that does not exist.
package nearest

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest bounds the names that are compared, in characters: a comparison costs the product of their lengths.
const longest = 100

// Names returns at most that many of the known names that are like one, the most similar first: those a few slips of
// the pen away; without any, those that one is a part of, and those that have words in common with it. Case and separators make
// little difference: listIssues is list_issues.
func Names(name string, known []string, most int) []string {
	type candidate struct {
		name   string
		points float64
	}
	var list []candidate
	a := parse(name)
	for _, k := range known {
		if p := similarity(a, parse(k)); p > 0 {
			list = append(list, candidate{k, p})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.points, a.points), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range list[:min(most, len(list))] {
		if list[0].points > slips && c.points <= slips {
			break
		}
		names = append(names, c.name)
	}
	return names
}

// Name returns the known name that is most like one, or "".
func Name(name string, known []string) string {
	names := Names(name, known, 1)
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// Misspelt returns the known words that are one slip of the pen away from a word: a character too many, too few, another,
// or swapped with the next one.
func Misspelt(word string, known []string) []string {
	w := []rune(word)
	var out []string
	for _, k := range known {
		if n := len(k) - len(word); n > utf8.UTFMax || n < -utf8.UTFMax {
			continue
		}
		if r := []rune(k); len(r) <= longest && distance(w, r) == 1 {
			out = append(out, k)
		}
	}
	return out
}

// parsed is a name as it is compared.
type parsed struct {
	folded []rune // without what people get wrong most: case and separators
	words  []string
}

func parse(name string) parsed {
	if utf8.RuneCountInString(name) > longest {
		return parsed{}
	}
	var p parsed
	word := -1 // begins here in folded; -1: none has begun
	end := func() {
		if word >= 0 {
			p.words = append(p.words, string(p.folded[word:]))
		}
		word = -1
	}
	lower := false // the character before was a small letter or a digit
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			end()
			lower = false
			continue
		}
		if unicode.IsUpper(r) && lower {
			end()
		}
		lower = !unicode.IsUpper(r)
		if word < 0 {
			word = len(p.folded)
		}
		p.folded = append(p.folded, unicode.ToLower(r))
	}
	end()
	return p
}

// shortestPart is the length from which a name that is part of another is taken for a short form of it.
const shortestPart = 3

// slips is what the similarity of names exceeds that are a few slips of the pen apart.
const slips = 2

// similarity is positive for names that one may take for each other, and above 1 for a short form.
func similarity(a, b parsed) float64 {
	shorter, longer := len(a.folded), len(b.folded)
	if shorter > longer {
		shorter, longer = longer, shorter
	}
	if shorter == 0 {
		return 0
	}
	d := distance(a.folded, b.folded)
	if d <= max(1, longer/3) && d < shorter {
		return slips + 1 - float64(d)/float64(longer+1)
	}
	x, y := string(a.folded), string(b.folded)
	if shorter >= shortestPart && (strings.Contains(y, x) || strings.Contains(x, y)) {
		return 1 + float64(shorter)/float64(longer+1)
	}
	shared := 0
	for _, w := range a.words {
		if slices.ContainsFunc(b.words, func(other string) bool { return related(w, other) }) {
			shared++
		}
	}
	if 2*shared < len(a.words) {
		return 0
	}
	return float64(2*shared) / float64(len(a.words)+len(b.words)+1)
}

// related reports whether two words are one, or one is the beginning of the other: issue and issues, repo and repository.
func related(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= shortestPart && strings.HasPrefix(b, a)
}

// distance is the number of characters to insert, delete, replace or swap with the next one.
func distance(x, y []rune) int {
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
