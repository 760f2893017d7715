package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseQuery(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arg  string
		want Query
		err  string
	}{
		"text":             {`"create issue"`, Query{Text: "create issue"}, ""},
		"object":           {`{"text": "a", "connector": "b", "limit": 5, "cursor": "10"}`, Query{Text: "a", Connector: "b", Limit: 5, Cursor: "10"}, ""},
		"nothing":          {``, Query{}, ""},
		"null":             {` null `, Query{}, ""},
		"empty object":     {`{}`, Query{}, ""},
		"null members":     {`{"text": null, "limit": null, "cursor": null}`, Query{}, ""},
		"too many":         {`{"limit": 1e9}`, Query{Limit: 50}, ""},
		"number":           {`7`, Query{}, "this is neither"},
		"array":            {`["a"]`, Query{}, "this is neither"},
		"no JSON":          {`{`, Query{}, "this is neither"},
		"unknown member":   {`{"query": "a"}`, Query{}, `there is no "query"`},
		"text not string":  {`{"text": 7}`, Query{}, "text must be a string"},
		"limit not whole":  {`{"limit": 1.5}`, Query{}, "limit must be a whole number from 1 to 50"},
		"limit zero":       {`{"limit": 0}`, Query{}, "limit must be"},
		"limit string":     {`{"limit": "5"}`, Query{}, "limit must be"},
		"cursor made up":   {`{"cursor": "next"}`, Query{}, "cursor must be the one"},
		"cursor negative":  {`{"cursor": "-1"}`, Query{}, "cursor must be the one"},
		"connector number": {`{"connector": 1}`, Query{}, "connector must be a string"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseQuery([]byte(tt.arg))
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "codemode.search takes a text, or {text, connector?, limit?, cursor?}: ") {
				t.Errorf("the error does not say what to write: %v", err)
			}
			if diff := cmp.Diff(tt.want, got); err == nil && diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{`"a"`, `{"text": "a", "limit": 3}`, `{"limit": 1e400}`, `{"cursor": "99999999999999999999"}`, `null`, `{`} {
		f.Add(s)
	}
	c := sample()
	f.Fuzz(func(t *testing.T, arg string) {
		q, err := ParseQuery([]byte(arg))
		if err != nil {
			return
		}
		if q.Limit < 0 || q.Limit > MaxLimit {
			t.Errorf("limit %d", q.Limit)
		}
		r := c.Search(q)
		if r.Results == nil || len(r.Results) > MaxLimit || r.Total < len(r.Results) || r.Truncated != (r.Cursor != "") {
			t.Errorf("%+v", r)
		}
	})
}
