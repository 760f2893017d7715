package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzTail: no log makes more lines than were asked for, longer ones than
// allowed, or no text.
func FuzzTail(f *testing.F) {
	f.Add("a\nb\r\n\nc", 2)
	f.Add(strings.Repeat("x", 70_000)+"\n", 1)
	f.Add("\xff\x00\n\n", 3)
	f.Fuzz(func(t *testing.T, log string, most int) {
		most = 1 + max(most, -most)%50
		if most < 1 {
			most = 1 // of the smallest number there is no positive one
		}
		got, err := tail(strings.NewReader(log), most)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(got.Text, "\n")
		if got.Lines == 0 && got.Text != "" || len(lines) > most || !utf8.ValidString(got.Text) {
			t.Errorf("%d of %d lines, at most %d", len(lines), got.Lines, most)
		}
		for _, line := range lines {
			if len(line) > 4*lineSize {
				t.Errorf("a line of %d bytes", len(line))
			}
		}
	})
}

// FuzzOwnItems: whatever a server answers, its items are JSON or there is an error.
func FuzzOwnItems(f *testing.F) {
	f.Add([]byte(`[{"a":1},2]`))
	f.Add([]byte(`{"total_count":1,"items":[{}]}`))
	f.Add([]byte(` [1`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		items, err := ownItems(body)
		if err != nil {
			return
		}
		for _, item := range items {
			if !json.Valid(item) {
				t.Errorf("%q is no JSON", item)
			}
		}
	})
}

// FuzzMarker: a marked body is known by its call alone, and unmarked it is what
// its author wrote, but for blanks at its end.
func FuzzMarker(f *testing.F) {
	f.Add("It crashes.")
	f.Add("")
	f.Add("quoted: <!-- codemode 0123456789abcdef0123456789abcdef -->\n")
	f.Fuzz(func(t *testing.T, body string) {
		ctx := context.Background()
		whole := marked(ctx, body)
		if !isMarked(ctx, whole) {
			t.Errorf("%q is not known", whole)
		}
		if once := unmarked(body); once == body && strings.TrimSpace(unmarked(whole)) != strings.TrimSpace(body) {
			t.Errorf("%q became %q", body, unmarked(whole))
		}
	})
}
