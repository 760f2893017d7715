package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// How many results a search gives.
const (
	DefaultLimit = 10
	MaxLimit     = 50
)

// Query is one search.
type Query struct {
	Text      string // words; empty lists everything
	Connector string // only of this connector; empty: of all
	Limit     int    // results at once; 0: DefaultLimit, never more than MaxLimit
	Cursor    string // the Cursor of the results to go on from; empty: from the first
	// Snippets are searched beside the methods, unless Connector is set.
	Snippets []Snippet
}

// Snippet is a saved program, as search and describe need to know it.
type Snippet struct {
	Name        string
	Description string
	InputSchema json.RawMessage // nil: any value
	Source      string
}

// queryError says what the argument of codemode.search is wrong with, for a model.
func queryError(format string, args ...any) error {
	return fmt.Errorf("codemode.search takes a text, or {text, connector?, limit?, cursor?}: %s", fmt.Sprintf(format, args...))
}

// ParseQuery reads the argument of codemode.search: a string, or an object
// {text, connector?, limit?, cursor?}. Nothing, or null, is the empty query. The
// error is written for a model.
func ParseQuery(arg []byte) (Query, error) {
	var q Query
	arg = bytes.TrimSpace(arg)
	if len(arg) == 0 || string(arg) == "null" {
		return q, nil
	}
	if json.Unmarshal(arg, &q.Text) == nil {
		return q, nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(arg, &members) != nil {
		return Query{}, queryError("this is neither")
	}
	for _, key := range sortedKeys(members) {
		if err := q.set(key, members[key]); err != nil {
			return Query{}, err
		}
	}
	return q, nil
}

func (q *Query) set(key string, value json.RawMessage) error {
	var target *string
	switch key {
	case "text":
		target = &q.Text
	case "connector":
		target = &q.Connector
	case "cursor":
		target = &q.Cursor
	case "limit":
		return q.setLimit(value)
	default:
		return queryError("there is no %q", key)
	}
	if json.Unmarshal(value, target) != nil {
		return queryError("%s must be a string", key)
	}
	if _, err := offset(q.Cursor); err != nil {
		return err
	}
	return nil
}

func (q *Query) setLimit(value json.RawMessage) error {
	if string(value) == "null" {
		return nil
	}
	var n float64
	if json.Unmarshal(value, &n) != nil || n != math.Trunc(n) || n < 1 {
		return queryError("limit must be a whole number from 1 to %d", MaxLimit)
	}
	q.Limit = int(min(n, MaxLimit))
	return nil
}

// offset returns the place in the results that a cursor stands for.
func offset(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(cursor)
	if err != nil || n < 0 {
		return 0, queryError("cursor must be the one that came with earlier results")
	}
	return n, nil
}
