package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/codemode-go/codemode/core/typescript"
)

// Kind says what a search result or a description is about.
type Kind string

// The kinds. KindUnknown is a description of something that does not exist.
const (
	KindConnector Kind = "connector"
	KindMethod    Kind = "method"
	KindType      Kind = "type"
	KindSnippet   Kind = "snippet"
	KindModule    Kind = "module"
	KindUnknown   Kind = "unknown"
)

// Results answer a search.
type Results struct {
	Results []Result `json:"results"`
	// Total counts all matches, and Truncated says that there are more behind these.
	Total     int  `json:"total"`
	Truncated bool `json:"truncated"`
	// Cursor goes on behind these results; empty: there are no more.
	Cursor string `json:"cursor,omitempty"`
	// Unavailable are connectors whose methods may be missing here.
	Unavailable []Unavailable `json:"unavailable,omitempty"`
	// Note says what was wrong with the query, where that left it without results.
	Note string `json:"note,omitempty"`
}

// Result is one method or snippet that a search found.
type Result struct {
	Path        string `json:"path"`
	Connector   string `json:"connector"`
	Method      string `json:"method"`
	Kind        Kind   `json:"kind"`
	Description string `json:"description"` // a line
	Signature   string `json:"signature"`   // a line
	// RequiresApproval says that, after policy, a call waits for a person, or may wait.
	RequiresApproval bool `json:"requiresApproval,omitempty"`
	// Denied says that a rule refuses every call.
	Denied bool    `json:"denied,omitempty"`
	Score  float64 `json:"score"`
}

// Unavailable is a connector that cannot be used now.
type Unavailable struct {
	Connector string `json:"connector"`
	Reason    string `json:"reason"`
}

const (
	summaryWidth   = 160 // characters of a result's description
	signatureWidth = 240
	// indexedText bounds how much of a description is indexed, in bytes.
	indexedText = 1000
)

// Search returns the methods and snippets that a query finds, best first; an
// empty text lists all, in the order of their paths.
func (c *Catalog) Search(q Query) Results {
	r := Results{Results: []Result{}, Unavailable: c.Unavailable(q.connectors()...)}
	from, err := offset(q.Cursor)
	if err != nil {
		r.Note = err.Error()
		return r
	}
	if q.Connector != "" && c.byLabel[q.Connector] == nil {
		r.Note = (&NotFoundError{Connector: q.Connector, NoConnector: true, Nearest: c.nearestLabels(q.Connector)}).Error()
		return r
	}
	hits := c.hits(q)
	from = min(from, len(hits))
	to := min(from+q.limit(), len(hits))
	for _, h := range hits[from:to] {
		result := h.doc.result()
		result.Score = math.Round(h.score*100) / 100
		r.Results = append(r.Results, result)
	}
	r.Total, r.Truncated = len(hits), to < len(hits)
	if r.Truncated {
		r.Cursor = strconv.Itoa(to)
	}
	return r
}

func (q Query) limit() int {
	if q.Limit <= 0 {
		return DefaultLimit
	}
	return min(q.Limit, MaxLimit)
}

// hits returns all that a query finds, in order. Connectors that are not asked for cost nothing.
func (c *Catalog) hits(q Query) []hit {
	var indexes []*index
	for _, conn := range c.connectors {
		if q.Connector == "" || q.Connector == conn.Label {
			indexes = append(indexes, c.byLabel[conn.Label].index())
		}
	}
	if q.Connector == "" {
		indexes = append(indexes, c.helpers())
		if len(q.Snippets) > 0 {
			indexes = append(indexes, newIndex(snippetDocuments(q.Snippets)))
		}
	}
	if len(tokens(q.Text)) == 0 {
		return everything(indexes)
	}
	return search(q.Text, indexes)
}

// everything returns all documents, in the order of their paths.
func everything(indexes []*index) []hit {
	var hits []hit
	for _, x := range indexes {
		for i := range x.docs {
			hits = append(hits, hit{doc: &x.docs[i]})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return strings.Compare(a.doc.path, b.doc.path) })
	return hits
}

// Unavailable lists the connectors with these labels, all if there are none, that cannot be used now.
func (c *Catalog) Unavailable(labels ...string) []Unavailable {
	var list []Unavailable
	for _, conn := range c.connectors {
		if conn.Unavailable != "" && (len(labels) == 0 || slices.Contains(labels, conn.Label)) {
			list = append(list, Unavailable{conn.Label, conn.Unavailable})
		}
	}
	return list
}

// methodDocuments returns what search knows of some methods.
func methodDocuments(methods []*Method) []document {
	docs := make([]document, len(methods))
	for i, m := range methods {
		docs[i] = methodDocument(m)
	}
	return docs
}

func methodDocument(m *Method) document {
	d := document{path: m.path()}
	d.fields[fieldName] = distinct(nameTokens(m.Name))
	d.fields[fieldConnector] = tokens(m.Connector)
	d.fields[fieldTags] = tokens(strings.Join(m.Tags, " "))
	words := d.take(m.InputSchema)
	d.describe(m.Description)
	d.intent = intentOf(m.Name, m.Description, words.Required)
	d.result = sync.OnceValue(func() Result {
		return Result{
			Path: m.path(), Connector: m.Connector, Method: m.Name, Kind: KindMethod,
			Description:      typescript.Sentence(m.Description, summaryWidth),
			Signature:        m.declaration().Signature(m.Connector, signatureWidth),
			RequiresApproval: m.waits(), Denied: m.Denied,
		}
	})
	return d
}

// take indexes the words of an input schema.
func (d *document) take(input json.RawMessage) typescript.Vocabulary {
	words := typescript.Words(input)
	d.fields[fieldParameters] = tokens(strings.Join(words.Parameters, " "))
	d.fields[fieldInner] = tokens(strings.Join(words.Inner, " "))
	d.fields[fieldValues] = tokens(strings.Join(words.Values, " "))
	return words
}

func (d *document) describe(text string) {
	text = text[:min(indexedText, len(text))]
	d.fields[fieldSummary] = tokens(typescript.Sentence(text, summaryWidth))
	d.fields[fieldDescription] = tokens(text)
}

// path is a method's name in a program.
func (m *Method) path() string { return m.Connector + "." + m.Name }

func (m *Method) declaration() typescript.Method {
	return typescript.Method{Name: m.Name, Description: m.Description, Input: m.InputSchema, Output: m.OutputSchema}
}

func snippetDocuments(snippets []Snippet) []document {
	var docs []document
	for _, s := range snippets {
		d := document{path: s.Name}
		d.fields[fieldName] = distinct(nameTokens(s.Name))
		words := d.take(s.InputSchema)
		d.describe(s.Description)
		d.intent = intentOf(s.Name, s.Description, words.Required)
		d.result = func() Result {
			return Result{
				Path: s.Name, Connector: platform, Method: "run", Kind: KindSnippet,
				Description: typescript.Sentence(s.Description, summaryWidth), Signature: s.signature(),
			}
		}
		docs = append(docs, d)
	}
	return docs
}

// signature is how a program runs the snippet.
func (s Snippet) signature() string {
	return fmt.Sprintf("%s.run(%q, input: %s): Promise<unknown>", platform, s.Name, typescript.Brief(s.InputSchema, signatureWidth/2))
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// distinct drops what was there before: a name that says a word twice means it once.
func distinct(words []string) []string {
	var out []string
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// connectors are the labels that the query asks about; none: all.
func (q Query) connectors() []string {
	if q.Connector == "" {
		return nil
	}
	return []string{q.Connector}
}
