package catalog

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokens returns the words of a text as search compares them: in lower case,
// split at separators and at case boundaries, without English endings. Scripts
// that put no spaces between words are split into pairs of characters.
func tokens(text string) []string {
	var out []string
	for _, run := range runs(text) {
		parts := wordsOf(run)
		out = append(out, parts...)
		if len(parts) == 2 && !startsUnspaced(run) { // GitHub: git, hub and github
			out = append(out, stem(strings.ToLower(run)))
		}
	}
	return out
}

// nameTokens returns the words of a method's name.
func nameTokens(name string) []string {
	var out []string
	for _, run := range runs(name) {
		out = append(out, wordsOf(run)...)
	}
	return out
}

// longestText bounds the names and queries that are taken apart, in bytes.
const longestText = 500

// plainWords returns the words of a text in lower case, as they are written.
func plainWords(text string) []string {
	text = text[:min(longestText, len(text))]
	var out []string
	for _, run := range runs(text) {
		for _, part := range unstemmed(run) {
			out = append(out, strings.ToLower(part))
		}
	}
	return out
}

// runs returns the runs of word characters of one kind of script.
func runs(text string) []string {
	var out []string
	start, unspacedRun := -1, false
	for i, r := range text {
		if !wordCharacter(r) {
			if start >= 0 {
				out = append(out, text[start:i])
			}
			start = -1
			continue
		}
		if start >= 0 && !unicode.IsMark(r) && unspaced(r) != unspacedRun {
			out = append(out, text[start:i])
			start = -1
		}
		if start < 0 {
			start, unspacedRun = i, unspaced(r)
		}
	}
	if start >= 0 {
		out = append(out, text[start:])
	}
	return out
}

func wordCharacter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// unspaced reports whether r belongs to a script that does not separate words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func startsUnspaced(run string) bool {
	r, _ := utf8.DecodeRuneInString(run)
	return unspaced(r)
}

// wordsOf returns the words of one run.
func wordsOf(run string) []string {
	words := unstemmed(run)
	for i, word := range words {
		words[i] = stem(strings.ToLower(word))
	}
	return words
}

// unstemmed returns the words of one run as they are written.
func unstemmed(run string) []string {
	if startsUnspaced(run) {
		return pairs([]rune(run))
	}
	return camelParts(run)
}

func pairs(run []rune) []string {
	if len(run) == 1 {
		return []string{string(run)}
	}
	var out []string
	for i := range len(run) - 1 {
		out = append(out, string(run[i:i+2]))
	}
	return out
}

// camelParts splits fooBar and HTTPServer.
func camelParts(word string) []string {
	if strings.IndexFunc(word[1:], unicode.IsUpper) < 0 {
		return []string{word}
	}
	var parts []string
	run := []rune(word)
	start := 0
	for i := 1; i < len(run); i++ {
		afterLower := unicode.IsLower(run[i-1]) || unicode.IsDigit(run[i-1])
		beforeLower := i+1 < len(run) && unicode.IsLower(run[i+1])
		if unicode.IsUpper(run[i]) && (afterLower || beforeLower && unicode.IsUpper(run[i-1])) {
			parts = append(parts, string(run[start:i]))
			start = i
		}
	}
	return append(parts, string(run[start:]))
}

// stem takes the common endings off an English word. Words of other languages
// are left alone, apart from those that look English.
func stem(w string) string {
	if len(w) <= 3 || !plainASCII(w) {
		return w
	}
	w = singular(w)
	for _, ending := range []string{"ing", "ed"} {
		if base, ok := strings.CutSuffix(w, ending); ok && len(base) >= 3 && strings.ContainsAny(base, "aeiouy") {
			w = undoubled(base)
			break
		}
	}
	if base, ok := strings.CutSuffix(w, "ion"); ok && len(base) >= 5 && strings.HasSuffix(base, "t") {
		return base // creation, like create
	}
	if base, ok := strings.CutSuffix(w, "e"); ok && len(base) >= 3 {
		return base
	}
	return w
}

func singular(w string) string {
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
		return w
	}
	return strings.TrimSuffix(w, "s")
}

// undoubled makes running and run meet; billing and bill meet as they are.
func undoubled(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

func plainASCII(w string) bool {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return false
		}
	}
	return true
}

// stopWords carry nothing in a query, unless there is nothing else in it.
var stopWords = wordSet(`a an the of for to in on at by with from into and or as is are was be been do does did
	can could i am we our us you your it its this that these those all any some please how what which
	who whom whose where when there s t has have had will would should may might must want wants need needs let
	lets if so then just also their them they he she his her but not no another other others each every both
	onto via per using under between after before because without about`)

// plainSet returns the set of a list's words, as they are written.
func plainSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// wordSet returns the set of the stems of a list's words.
func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[stem(w)] = true
	}
	return m
}

// root takes the endings off that make a noun of a verb, or of a verb who does it: review, reviewer, reviewing.
func root(w string) string {
	const least = 4
	if !plainASCII(w) {
		return w
	}
	for _, ending := range []string{"ation", "ition", "ement", "ment", "ance", "ence", "ator", "ature", "ure", "age", "er", "or", "ee", "al", "at", "ly", "iv", "i"} {
		if base, ok := strings.CutSuffix(w, ending); ok && len(base) >= least {
			return undoubled(base)
		}
	}
	return w
}
