package catalog

import (
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
)

// fieldID is a part of a method's text that search weighs by itself.
type fieldID int

const (
	fieldName fieldID = iota
	fieldConnector
	fieldTags
	fieldParameters
	fieldInner   // the properties of parameters
	fieldValues  // what enumerations of parameters allow
	fieldSummary // the description's first sentence
	fieldDescription
	fieldCount
)

// fieldWeights say how much a word in a field counts, and lengthWeights how
// much less it counts in a field that is longer than usual.
var (
	fieldWeights  = [fieldCount]float64{3.5, 1, 1.2, 0.6, 0.3, 0.3, 2.2, 0.6}
	lengthWeights = [fieldCount]float64{0.4, 0, 0.4, 0.7, 0.8, 0.8, 0.5, 0.7}
)

// document is what search knows of one method or snippet.
type document struct {
	path   string
	fields [fieldCount][]string
	intent intent // what it does, as far as its texts say
	result func() Result
}

// posting is one document that has a term, with the weight that all its fields give the term there.
type posting struct {
	doc    int
	weight float64
}

// index finds documents by their words.
type index struct {
	docs     []document
	postings map[string][]posting
	terms    []string            // sorted, for what begins with a word
	roots    map[string][]string // the terms of one root
	rarities map[string]float64
}

func newIndex(docs []document) *index {
	x := &index{docs: docs, postings: map[string][]posting{}}
	lengths := averageLengths(docs)
	for i := range docs {
		for term, weight := range weigh(&docs[i], lengths) {
			x.postings[term] = append(x.postings[term], posting{i, weight})
		}
	}
	x.terms = slices.Sorted(maps.Keys(x.postings))
	x.roots, x.rarities = map[string][]string{}, make(map[string]float64, len(x.terms))
	for _, term := range x.terms {
		r := root(term)
		x.roots[r] = append(x.roots[r], term)
		x.rarities[term] = rarity(len(x.postings[term]), len(docs))
	}
	return x
}

func averageLengths(docs []document) [fieldCount]float64 {
	var sums [fieldCount]float64
	for i := range docs {
		for f, words := range docs[i].fields {
			sums[f] += float64(len(words))
		}
	}
	for f := range sums {
		sums[f] = max(1, sums[f]/float64(max(1, len(docs))))
	}
	return sums
}

// weigh returns the weight of each term of a document (the term frequency of BM25F).
func weigh(d *document, average [fieldCount]float64) map[string]float64 {
	weights := map[string]float64{}
	for f, words := range d.fields {
		norm := 1 - lengthWeights[f] + lengthWeights[f]*float64(len(words))/average[f]
		for _, w := range words {
			weights[w] += fieldWeights[f] / norm
		}
	}
	return weights
}

// beginning returns the terms that begin with a prefix, at most a bounded number of them.
func (x *index) beginning(prefix string) []string {
	const most = 40
	from := sort.SearchStrings(x.terms, prefix)
	to := from
	for to < len(x.terms) && to-from < most && strings.HasPrefix(x.terms[to], prefix) {
		to++
	}
	return x.terms[from:to]
}

// rarity is the inverse document frequency of a term that df of n documents have.
func rarity(df, n int) float64 {
	return math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}
