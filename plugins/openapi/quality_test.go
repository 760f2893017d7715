package main

import (
	"cmp"
	"context"
	"embed"
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/plugins/openapi/internal/operation"
	"github.com/codemode-go/codemode/plugins/openapi/internal/specs"
)

var (
	quality = flag.String("quality", "", "the page to write: how well searches find operations")
	misses  = flag.Bool("misses", false, "print the queries whose answer is not the first result")
)

//go:embed testdata/search
var queryFiles embed.FS

// querySet is the queries over one document, and what became of them before they were looked at.
type querySet struct {
	spec string
	role string
}

// The ranking was written with the first three in view, and the misses of the next seven were read. Those that are held
// out were written afterwards and only counted.
var querySets = []querySet{
	{"github", tuned}, {"stripe", tuned}, {"digitalocean-2.0", tuned},
	{"box", seen}, {"spotify", seen}, {"slack-1.7", seen}, {"asana-1.0", seen}, {"jira", seen}, {"trello", seen}, {"zoom", seen},
	{"linode", held}, {"xero", held}, {"twilio", held}, {"netlify", held}, {"kubernetes", held},
}

const (
	tuned = "written with these in view"
	seen  = "misses were read"
	held  = "held out"
)

// aims are what must be reached, by now: the wish for those in view is 0.97.
var aims = map[string]struct{ recall5, mrr float64 }{tuned: {0.96, 0.85}, seen: {0.90, 0.80}, held: {0.90, 0.80}}

// query is one line of a set: what a model says = the operations that it can mean, any of them.
type query struct {
	text   string
	answer []string
}

func (s querySet) queries(t *testing.T) []query {
	t.Helper()
	text, err := queryFiles.ReadFile(path.Join("testdata/search", s.spec+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	var list []query
	for line := range strings.Lines(string(text)) {
		words, answer, ok := strings.Cut(line, " = ")
		if !ok {
			t.Fatalf("%s: this is no query: %s", s.spec, line)
		}
		list = append(list, query{words, strings.Fields(answer)})
	}
	return list
}

// searchable is the operations of one document, as the host knows them and as the reference does.
type searchable struct {
	catalog   *catalog.Catalog
	raw       map[string]string // by path
	reference *reference
}

func searchableFrom(t *testing.T, name string) *searchable {
	t.Helper()
	c := &connector{log: hclog.NewNullLogger()}
	if err := c.configure(context.Background(), Config{Spec: specs.Find(name).Path(t), BaseURL: "https://api.example.com"}); err != nil {
		t.Fatal(err)
	}
	methods := c.read.set.Methods
	list := catalog.Connector{Label: catalog.Identifier(name)}
	for _, m := range methods {
		list.Methods = append(list.Methods, &catalog.Method{
			Raw: m.Name, Description: m.Description, Tags: m.Tags, InputSchema: m.Input, OutputSchema: m.Output,
			ReadOnly: m.ReadOnly, Idempotent: m.Idempotent, Destructive: m.Destructive,
		})
	}
	s := &searchable{catalog: catalog.New([]catalog.Connector{list}), raw: map[string]string{}, reference: &reference{list.Label, methods}}
	for _, m := range s.catalog.Connectors()[0].Methods {
		s.raw[m.Connector+"."+m.Name] = m.Raw
	}
	return s
}

// find returns what a search answers, as operations.
func (s *searchable) find(text string) []string {
	var found []string
	for _, r := range s.catalog.Search(catalog.Query{Text: text}).Results {
		found = append(found, s.raw[r.Path])
	}
	return found
}

// check fails where a set expects what the document does not have.
func (s *searchable) check(t *testing.T, queries []query) {
	t.Helper()
	known := map[string]bool{}
	for _, raw := range s.raw {
		known[raw] = true
	}
	for _, q := range queries {
		for _, a := range q.answer {
			if !known[a] {
				t.Errorf("%q expects %s, which does not exist", q.text, a)
			}
		}
	}
}

// tally counts at which places the answers of some queries are.
type tally struct {
	queries, first, five int
	reciprocal           float64
}

// count adds a query whose answer is at a place, from 1; 0: it was not found.
func (s *tally) count(place int) {
	s.queries++
	if place == 0 {
		return
	}
	s.reciprocal += 1 / float64(place)
	if place == 1 {
		s.first++
	}
	if place <= 5 {
		s.five++
	}
}

func (s *tally) add(other tally) {
	s.queries += other.queries
	s.first += other.first
	s.five += other.five
	s.reciprocal += other.reciprocal
}

func (s tally) recall5() float64 { return float64(s.five) / float64(s.queries) }

func (s tally) mrr() float64 { return s.reciprocal / float64(s.queries) }

func (s tally) String() string {
	return fmt.Sprintf("%.3f / %.3f / %.3f", float64(s.first)/float64(s.queries), s.recall5(), s.mrr())
}

func place(found, answer []string) int {
	return slices.IndexFunc(found, func(r string) bool { return slices.Contains(answer, r) }) + 1
}

// TestSearchQuality searches real documents as models phrase it. With -quality it writes the page.
func TestSearchQuality(t *testing.T) {
	if *quality == "" && testing.Short() {
		t.Skip("it reads many documents")
	}
	var rows strings.Builder
	type totals struct{ ours, theirs tally }
	all := map[string]*totals{tuned: {}, seen: {}, held: {}}
	for _, set := range querySets {
		t.Run(set.spec, func(t *testing.T) {
			s, queries := searchableFrom(t, set.spec), set.queries(t)
			s.check(t, queries)
			var a, b tally
			for _, q := range queries {
				found := s.find(q.text)
				at := place(found, q.answer)
				if *misses && at != 1 {
					t.Logf("%2d %q wants %s: %v", at, q.text, q.answer[0], found[:min(6, len(found))])
				}
				a.count(at)
				b.count(place(s.reference.find(q.text), q.answer))
			}
			fmt.Fprintf(&rows, "| %s | %d | %d | %s | %s | %s |\n", set.spec, len(s.raw), a.queries, set.role, a, b)
			all[set.role].ours.add(a)
			all[set.role].theirs.add(b)
		})
	}
	for _, role := range []string{tuned, seen, held} {
		a, b := all[role].ours, all[role].theirs
		if a.queries == 0 { // its documents are not here
			continue
		}
		fmt.Fprintf(&rows, "| **all** | | %d | %s | **%s** | %s |\n", a.queries, role, a, b)
		if aim := aims[role]; a.recall5() < aim.recall5 || a.mrr() < aim.mrr || a.recall5() < b.recall5()+0.2 {
			t.Errorf("%s: recall at 5, 1 and MRR are %s, the reference's %s", role, a, b)
		}
	}
	t.Logf("operations, queries, ours, reference (recall at 1 / at 5 / MRR):\n%s", &rows)
	if *quality == "" {
		return
	}
	if err := os.WriteFile(*quality, []byte(strings.Replace(qualityPage, "ROWS\n", rows.String(), 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

const qualityPage = `# How well searches find operations

` + "`make search-quality`" + ` made this page: queries as models phrase them, over real API descriptions, and at which place
` + "`codemode.search`" + ` has an operation that does it. The figures are recall at 1, recall at 5 and the mean reciprocal rank among the first ten
results. The *reference* is the ranking of the best-known Code Mode, written anew in the benchmark from what its tests
pin down: weighted fields, parts of words, and at least 60 % of the query's words.

The ranking was written with the first three documents in view, and the misses of seven more were read. The others are
held out: their queries were written afterwards, by the same author, and only counted. They say best what to expect of an API that nobody has thought of.

| document | operations | queries | role | recall@1 / recall@5 / MRR | reference |
|---|---|---|---|---|---|
ROWS

The queries are ` + "`plugins/openapi/testdata/search/*.txt`" + `, each with all operations that would do. ` + "`go test ./plugins/openapi -run SearchQuality -v -args -misses`" + `
prints those whose answer is not the first.

How it ranks: BM25F over names, summaries, descriptions, tags, parameters, their properties and enumerated values, with stems,
roots, synonyms and one slip of the pen; then what a method does (its verb, from name, summary and whether it takes an
identifier) is compared with what is asked for, and the object of its title with the query's. What is missed most is knowledge of the product: that a droplet
is a server, or that a meeting ends by a change of its status. A connector's description in its own words, or a snippet, helps there.
`

// reference ranks as the reference does.
type reference struct {
	name    string
	methods []*operation.Method
}

// find returns the first ten operations.
func (r *reference) find(text string) []string {
	words := referenceWords(text)
	if len(words) == 0 {
		return nil
	}
	type scored struct {
		name  string
		score float64
	}
	var list []scored
	for _, m := range r.methods {
		if s := r.score(m, strings.Join(words, " "), words); s > 0 {
			list = append(list, scored{m.Name, s})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.name, b.name))
	})
	var found []string
	for _, s := range list[:min(10, len(list))] {
		found = append(found, s.name)
	}
	return found
}

// score weighs the fields path, method, connector and description. One or two words must all be there, of more than two 60 %,
// or the whole phrase in one field.
func (r *reference) score(m *operation.Method, phrase string, words []string) float64 {
	summary, _, _ := strings.Cut(m.Description, "\n")
	total, whole := 0.0, false
	matched := map[string]bool{}
	for _, field := range []struct {
		weight float64
		text   string
	}{{12, r.name + "." + m.Name}, {10, m.Name}, {8, r.name}, {5, summary}} {
		parts := referenceWords(field.text)
		joined := strings.Join(parts, " ")
		switch {
		case joined == phrase:
			total += 14 * field.weight
		case strings.HasPrefix(joined, phrase):
			total += 9 * field.weight
		case strings.Contains(joined, phrase):
			total += 6 * field.weight
		}
		whole = whole || strings.Contains(joined, phrase)
		for _, w := range words {
			best := 0.0
			for _, p := range parts {
				switch {
				case p == w:
					best = max(best, 4)
				case strings.HasPrefix(p, w) || strings.HasPrefix(w, p):
					best = max(best, 2)
				case strings.Contains(p, w):
					best = max(best, 1)
				}
			}
			matched[w] = matched[w] || best > 0
			total += best * field.weight
		}
	}
	n := 0
	for _, w := range words {
		if matched[w] {
			n++
		}
	}
	share := float64(n) / float64(len(words))
	least := 0.6
	if len(words) <= 2 {
		least = 1
	}
	if share < least && !whole {
		return 0
	}
	if share == 1 {
		total += 25
	} else {
		total += 10 * share
	}
	if first := referenceWords(m.Name); len(first) > 0 && first[0] == words[0] {
		total += 8
	}
	return total
}

// referenceWords splits at separators and case boundaries.
func referenceWords(text string) []string {
	var spaced strings.Builder
	for i, c := range text {
		if i > 0 && c >= 'A' && c <= 'Z' && text[i-1] >= 'a' && text[i-1] <= 'z' {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(c)
	}
	return strings.FieldsFunc(strings.ToLower(spaced.String()), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
}
