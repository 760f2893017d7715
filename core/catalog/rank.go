package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

const (
	saturation    = 1.2  // k1 of BM25: how soon a repeated word stops to count
	prefixWeight  = 0.5  // of a match by the beginning of a word
	minPrefix     = 3    // characters of a word that can be a beginning
	faintest      = 0.15 // of the best score: what is below is no match
	exactBonus    = 1000 // a query that is a path or a name
	verbAgrees    = 1.25
	verbDisagrees = 0.75
)

// term is one word of a query with all that may stand for it.
type term struct {
	rarity float64
	forms  map[string]float64 // weight by term of the index
}

// hit is one document that matches.
type hit struct {
	doc   *document
	score float64
}

// search ranks the documents of a connector, or of all if it is empty, against a text.
func search(text, connector string, indexes []*index) []hit {
	words := queryTokens(text)
	terms := make([]term, len(words))
	for i, w := range words {
		terms[i] = newTerm(w, indexes)
	}
	var hits []hit
	for _, x := range indexes {
		hits = append(hits, x.match(text, terms)...)
	}
	if connector != "" {
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.doc.connector != connector })
	}
	return ranked(hits)
}

// queryTokens returns the words of a query, each once, without stop words if there are others.
func queryTokens(text string) []string {
	var all, telling []string
	for _, w := range tokens(text) {
		if slices.Contains(all, w) {
			continue
		}
		all = append(all, w)
		if !stopWords[w] {
			telling = append(telling, w)
		}
	}
	if len(telling) == 0 {
		telling = all
	}
	const most = 32
	return telling[:min(most, len(telling))]
}

func newTerm(word string, indexes []*index) term {
	t := term{forms: map[string]float64{}}
	total, df := 0, 0
	for _, x := range indexes {
		total += len(x.docs)
		if len([]rune(word)) >= minPrefix {
			for _, form := range x.beginning(word) {
				t.forms[form] = prefixWeight
			}
		}
	}
	for _, form := range synonyms[word] {
		t.forms[form] = synonymWeight
	}
	t.forms[word] = 1
	for _, x := range indexes {
		df += len(x.postings[word])
	}
	if df == 0 { // as rare as the most usual of its other forms
		for form := range t.forms {
			n := 0
			for _, x := range indexes {
				n += len(x.postings[form])
			}
			df = max(df, n)
		}
	}
	t.rarity = rarity(df, total)
	return t
}

// match scores the documents of one index that have any of the terms.
func (x *index) match(text string, terms []term) []hit {
	scores, covered := make([]float64, len(x.docs)), make([]float64, len(x.docs))
	mass := 0.0
	for _, t := range terms {
		mass += t.rarity
		best, weights := make([]float64, len(x.docs)), make([]float64, len(x.docs))
		for form, weight := range t.forms {
			for _, p := range x.postings[form] {
				s := weight * t.rarity * p.weight * (saturation + 1) / (p.weight + saturation)
				best[p.doc], weights[p.doc] = max(best[p.doc], s), max(weights[p.doc], weight)
			}
		}
		for i := range best {
			scores[i] += best[i]
			covered[i] += weights[i] * t.rarity
		}
	}
	asked := verbOf(text)
	var hits []hit
	for i, score := range scores {
		if score == 0 {
			continue
		}
		d := &x.docs[i]
		score *= 0.5 + 0.5*covered[i]/mass
		score *= 1 + 0.6*nameCoverage(d.fields[fieldName], terms)
		hits = append(hits, hit{d, score*agreement(asked, d.verbs) + exact(text, d)})
	}
	return hits
}

// nameCoverage is the share of a name's words that the query has: of two names
// that contain the query the shorter one is meant. What follows a preposition
// (list_for_repo, get_by_id) does not make a name longer.
func nameCoverage(name []string, terms []term) float64 {
	if i := slices.IndexFunc(name, func(w string) bool { return stopWords[w] }); i > 0 {
		name = name[:i]
	}
	if len(name) == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range name {
		best := 0.0
		for _, t := range terms {
			best = max(best, t.forms[w])
		}
		sum += best
	}
	return sum / float64(len(name))
}

// agreement lowers what does something else than the query's verb says.
func agreement(asked string, does map[string]bool) float64 {
	switch {
	case asked == "" || len(does) == 0:
		return 1
	case does[asked]:
		return verbAgrees
	}
	return verbDisagrees
}

func exact(text string, d *document) float64 {
	text = strings.ToLower(strings.TrimSpace(text))
	path := strings.ToLower(d.path)
	if text == path || strings.HasSuffix(path, "."+text) {
		return exactBonus
	}
	return 0
}

// ranked returns the hits that are worth it, best first, ties by path.
func ranked(hits []hit) []hit {
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc.path, b.doc.path))
	})
	if len(hits) == 0 {
		return nil
	}
	least := faintest * math.Min(hits[0].score, exactBonus/2)
	if hits[0].score >= exactBonus {
		least = 0
	}
	end, _ := slices.BinarySearchFunc(hits, least, func(h hit, least float64) int {
		if h.score >= least {
			return -1
		}
		return 1
	})
	return hits[:end]
}
