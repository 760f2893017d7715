package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/internal/nearest"
)

const (
	saturation     = 1.2  // k1 of BM25: how soon a repeated word stops to count
	prefixWeight   = 0.5  // of a match by the beginning of a word
	rootWeight     = 0.8  // of a match by the root of a word
	minPrefix      = 3    // characters of a word that can be a beginning
	minMisspelt    = 5    // characters of a word that can be misspelt
	misspeltWeight = 0.7  // of a match that is one slip of the pen away
	faintest       = 0.08 // of the best score: what is below is no match
	exactBonus     = 1000 // a query that is a path or a name
	verbAgrees     = 1.3
	verbAkin       = 1.1 // another verb under which it may be looked for
	verbDisagrees  = 0.7
	contextShare   = 0.6 // of the rarity of what stands behind a preposition
	verbShare      = 0.4 // of a verb's rarity: what it asks for is compared by itself
	coverageShare  = 0.6
	titleShare     = 0.5
	besideWeight   = 0.25
	headNear       = 0.75 // the query's object has it, not as its head
	headElsewhere  = 0.6
	headMissing    = 0.4
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

// search ranks documents against a text.
func search(text string, indexes []*index) []hit {
	plain := rephrased(text)
	words, asked := queryTokens(plain), demand(plain)
	terms := make([]term, len(words))
	for i, w := range words {
		terms[i] = newTerm(w, indexes)
		if slices.Contains(asked.titles[0].beside, w) {
			terms[i].rarity *= contextShare
		}
	}
	var hits []hit
	for _, x := range indexes {
		hits = append(hits, x.match(text, asked, terms)...)
	}
	return ranked(hits)
}

// longestQuery bounds what is read of a query, in bytes.
const longestQuery = 4000

// queryTokens returns the words of a query, each once, without stop words if there are others.
func queryTokens(text string) []string {
	var all, telling []string
	for _, w := range tokens(text[:min(longestQuery, len(text))]) {
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
	const most = 32 // words
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
		for _, form := range x.roots[root(word)] {
			t.forms[form] = rootWeight
		}
	}
	for form, weight := range synonyms[word] {
		t.forms[form] = max(t.forms[form], weight)
	}
	t.forms[word] = 1
	if !known(indexes, t.forms) && len([]rune(word)) >= minMisspelt {
		for _, x := range indexes {
			for _, form := range nearest.Misspelt(word, x.terms) {
				t.forms[form] = misspeltWeight
			}
		}
	}
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
	if verbs[word] != "" || vague[word] {
		t.rarity *= verbShare
	}
	return t
}

// known reports whether any of the forms occurs.
func known(indexes []*index, forms map[string]float64) bool {
	for form := range forms {
		for _, x := range indexes {
			if len(x.postings[form]) > 0 {
				return true
			}
		}
	}
	return false
}

// match scores the documents of one index that have any of the terms.
func (x *index) match(text string, asked intent, terms []term) []hit {
	scores, covered := make([]float64, len(x.docs)), make([]float64, len(x.docs))
	mass := 0.0
	best, weights := make([]float64, len(x.docs)), make([]float64, len(x.docs))
	for _, t := range terms {
		mass += t.rarity
		clear(best)
		clear(weights)
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
	forms := together(terms)
	var hits []hit
	for i, score := range scores {
		if score == 0 {
			continue
		}
		d := &x.docs[i]
		score *= 1 - coverageShare + coverageShare*covered[i]/mass
		score *= x.likeness(d.intent.titles, asked.titles[0], forms)
		score *= agreement(asked, d.intent)
		hits = append(hits, hit{d, score + exact(text, d)})
	}
	return hits
}

// together returns the best weight of each form of the terms.
func together(terms []term) map[string]float64 {
	all := map[string]float64{}
	for _, t := range terms {
		for form, weight := range t.forms {
			all[form] = max(all[form], weight)
		}
	}
	return all
}

// likeness says how well what is asked for is what one of a method's titles names: of two methods that have all
// words, the one is meant that has no object of its own beside them.
func (x *index) likeness(titles []title, asked title, forms map[string]float64) float64 {
	most := 0.0
	for _, t := range titles {
		most = max(most, x.covers(t, forms)*headsMeet(t, asked, forms))
	}
	return 1 - titleShare + titleShare*most
}

// covers is the share of a title that the query has, its rare words counting more.
func (x *index) covers(t title, forms map[string]float64) float64 {
	sum, all := 0.0, 0.0
	add := func(words []string, weight float64) {
		for _, w := range words {
			r := weight * x.rarities[w]
			all += r
			sum += r * forms[w]
		}
	}
	add(t.object, 1)
	add(t.beside, besideWeight)
	if all == 0 {
		return 0
	}
	return sum / all
}

// headsMeet compares the object of a method with that of the query.
func headsMeet(t, asked title, forms map[string]float64) float64 {
	if len(t.object) == 0 {
		return headElsewhere
	}
	head := t.object[len(t.object)-1]
	w := forms[head]
	if w == 0 {
		return headMissing
	}
	for i, o := range asked.object {
		if o == head || synonyms[o][head] > 0 || root(o) == root(head) {
			if i == len(asked.object)-1 {
				return 1
			}
			return headNear
		}
	}
	return headElsewhere
}

// agreement lowers what does something else than the query asks for.
func agreement(asked, does intent) float64 {
	best := 0.0
	for _, a := range asked.actions {
		for _, d := range does.actions {
			switch {
			case a == d:
				best = max(best, verbAgrees)
			case reading[d] && (reading[a] || a == asking), slices.Contains(akin[a], d):
				best = max(best, verbAkin)
			}
		}
	}
	switch {
	case best > 0:
	case len(asked.actions) == 0 || len(does.actions) == 0:
		best = 1
	default:
		best = verbDisagrees
	}
	verb := asked.titles[0].verb
	if verb == "" || verbs[verb] != "" {
		return best
	}
	for _, t := range does.titles { // a verb of its own, like finalize
		if t.verb != "" && root(t.verb) == root(verb) {
			return verbAgrees
		}
		if asked.actions[0] == creating && best >= 1 && slices.ContainsFunc(t.object, func(w string) bool { return root(w) == root(verb) }) {
			return verbAgrees
		}
	}
	if asked.actions[0] == creating {
		return min(best, 1)
	}
	return best
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
