package journaltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core/journal"
)

// SnippetStore is a store that keeps snippets, too.
type SnippetStore interface {
	journal.Store
	journal.Snippets
}

// RunSnippets tests a store's snippets. open is as for Run.
func RunSnippets(t *testing.T, open func(t *testing.T) SnippetStore) {
	run(t, open, map[string]func(t *testing.T, s SnippetStore){
		"what is saved can be read":                  testSnippetRoundTrip,
		"versions are kept and the newest is read":   testVersions,
		"a snippet that is not there":                testNoSnippet,
		"listings show the newest of each by name":   testSnippetList,
		"delete removes all versions of one":         testDeleteSnippet,
		"names":                                      testSnippetNames,
		"the longest texts":                          testLongSnippet,
		"texts that are too long are refused":        testOversizeSnippet,
		"the writer's memory is its own":             testSnippetMemory,
		"concurrent saves get versions of their own": testConcurrentSaves,
		"a cancelled change changes nothing":         testCancelledSnippet,
		"a closed store":                             testClosedSnippets,
	})
}

// NewSnippet returns a snippet of this name, with all that one can have.
func NewSnippet(name string) journal.Snippet {
	return journal.Snippet{
		Name: name, Description: "Greets somebody.", InputSchema: []byte(`{"type":"string"}`),
		Source: "// " + name + "\nreturn `hello ${input}`", JS: "async()=>`hello ${input}`", Compiler: "esbuild 0.25",
		Connectors: []string{"tracker", "mail"}, ExecutionID: NewID(), By: "ann",
		Saved: time.Date(2026, 11, 30, 12, 0, 0, 7, time.UTC),
	}
}

func testSnippetRoundTrip(t *testing.T, s SnippetStore) {
	full := NewSnippet("greet")
	full.Version = 99 // the store's to fill in
	bare := journal.Snippet{Name: "bare", Source: "\xff", ExecutionID: NewID(), Saved: full.Saved}
	for _, want := range []journal.Snippet{full, bare} {
		equal(t, save(t, s, want), 1)
		want.Version = 1
		for _, version := range []int{0, 1} {
			got, err := s.Snippet(t.Context(), want.Name, version)
			must(t, err)
			equal(t, got, want)
		}
	}
}

func testVersions(t *testing.T, s SnippetStore) {
	save(t, s, NewSnippet("other"))
	for n := 1; n <= 12; n++ {
		equal(t, save(t, s, version("greet", n)), n)
		got, err := s.Snippet(t.Context(), "greet", 0)
		must(t, err)
		equal(t, got, version("greet", n))
	}
	for n := 1; n <= 12; n++ {
		got, err := s.Snippet(t.Context(), "greet", n)
		must(t, err)
		equal(t, got, version("greet", n))
	}
}

// version is a version whose content says which it is. Every third takes more than a stored value holds in one piece.
func version(name string, n int) journal.Snippet {
	s := NewSnippet(name)
	s.Version, s.ExecutionID, s.Source = n, "", fmt.Sprintf("return %d", n)
	if n%3 == 0 {
		s.JS = strings.Repeat(fmt.Sprint(n), 600<<10)
	}
	return s
}

func testNoSnippet(t *testing.T, s SnippetStore) {
	save(t, s, NewSnippet("greet"))
	for _, missing := range []struct {
		name    string
		version int
	}{
		{"gree", 0}, {"greets", 0}, {"Greet", 0}, {"", 0}, {"greet/", 0}, {"greet", 2}, {"greet", -1}, {"greet", 1<<32 + 1},
	} {
		_, err := s.Snippet(t.Context(), missing.name, missing.version)
		is(t, err, journal.ErrNotFound)
	}
}

func testSnippetList(t *testing.T, s SnippetStore) {
	list, err := s.Snippets(t.Context())
	must(t, err)
	equal(t, len(list), 0)
	for _, name := range []string{"a-b", "b", "a", "B", "a_b", "1"} {
		for n := 1; n <= 3; n++ {
			save(t, s, version(name, n))
		}
	}
	save(t, s, version("a", 4))
	list, err = s.Snippets(t.Context())
	must(t, err)
	equal(t, list, []journal.Snippet{
		version("1", 3), version("B", 3), version("a", 4), version("a-b", 3), version("a_b", 3), version("b", 3),
	})
}

func testDeleteSnippet(t *testing.T, s SnippetStore) {
	for n := 1; n <= 4; n++ {
		save(t, s, version("a", n))
		save(t, s, version("a-b", n))
	}
	for _, want := range []bool{true, false} {
		existed, err := s.DeleteSnippet(t.Context(), "a")
		must(t, err)
		equal(t, existed, want)
		for n := range 5 {
			_, err := s.Snippet(t.Context(), "a", n)
			is(t, err, journal.ErrNotFound)
		}
		list, err := s.Snippets(t.Context())
		must(t, err)
		equal(t, list, []journal.Snippet{version("a-b", 4)})
	}
	for _, name := range []string{"never", "", "a/", "/"} {
		existed, err := s.DeleteSnippet(t.Context(), name)
		must(t, err)
		equal(t, existed, false)
	}
	equal(t, save(t, s, version("a", 1)), 1)
}

func testSnippetNames(t *testing.T, s SnippetStore) {
	for _, name := range []string{"a", "Greet-all_2", "0", "-", strings.Repeat("x", journal.MaxSnippetName)} {
		equal(t, save(t, s, NewSnippet(name)), 1)
	}
	for _, name := range []string{
		"", "a b", "a/b", "a.b", "größe", "a\x00", "a\xff", strings.Repeat("x", journal.MaxSnippetName+1), strings.Repeat("x", 1<<20),
	} {
		_, err := s.SaveSnippet(t.Context(), NewSnippet(name))
		is(t, err, journal.ErrSnippetName)
		if len(err.Error()) > 400 {
			t.Errorf("the error has %d bytes", len(err.Error()))
		}
	}
}

func testLongSnippet(t *testing.T, s SnippetStore) {
	want := NewSnippet("long")
	want.Source = strings.Repeat("😀", journal.MaxSnippetText)
	want.JS = strings.Repeat("x", 6<<20)
	want.Description = strings.Repeat("ü", journal.MaxSnippetText)
	want.InputSchema = []byte(strings.Repeat("s", journal.MaxSnippetText))
	want.Version = save(t, s, want)
	save(t, s, NewSnippet("short"))
	for _, read := range []func() (journal.Snippet, error){
		func() (journal.Snippet, error) { return s.Snippet(t.Context(), "long", 1) },
		func() (journal.Snippet, error) {
			list, err := s.Snippets(t.Context())
			return list[0], err
		},
	} {
		got, err := read()
		must(t, err)
		if got.Source != want.Source || got.JS != want.JS || got.Description != want.Description || string(got.InputSchema) != string(want.InputSchema) {
			t.Error("the texts have changed")
		}
	}
}

func testOversizeSnippet(t *testing.T, s SnippetStore) {
	const secret = "hunter2-"
	huge := strings.Repeat(secret, journal.MaxSnippetText/len(secret)+1)
	for what, spoil := range map[string]func(s *journal.Snippet){
		"the source":       func(s *journal.Snippet) { s.Source = huge },
		"the description":  func(s *journal.Snippet) { s.Description = huge },
		"the input schema": func(s *journal.Snippet) { s.InputSchema = []byte(huge) },
		"snippet":          func(s *journal.Snippet) { s.JS = strings.Repeat(secret, journal.MaxRecord/len(secret)) },
	} {
		snippet := NewSnippet("greet")
		spoil(&snippet)
		_, err := s.SaveSnippet(t.Context(), snippet)
		large, ok := errors.AsType[*journal.TooLargeError](err)
		if !ok || !strings.HasPrefix(large.What, what) || large.Size <= large.Limit {
			t.Fatalf("%s: the error is %v", what, err)
		}
		if text := err.Error(); len(text) > 300 || strings.Contains(text, secret) {
			t.Errorf("%s: the error shows the text: %.300s", what, text)
		}
	}
	_, err := s.Snippet(t.Context(), "greet", 0)
	is(t, err, journal.ErrNotFound)
	equal(t, save(t, s, NewSnippet("greet")), 1)
}

func testSnippetMemory(t *testing.T, s SnippetStore) {
	snippet, want := NewSnippet("greet"), version("greet", 1)
	snippet.Source, snippet.ExecutionID = want.Source, ""
	save(t, s, snippet)
	snippet.InputSchema[0], snippet.Connectors[0] = 'X', "X"
	got, err := s.Snippet(t.Context(), "greet", 0)
	must(t, err)
	got.InputSchema[0], got.Connectors[0] = 'Y', "Y"
	got, err = s.Snippet(t.Context(), "greet", 0)
	must(t, err)
	equal(t, got, want)
}

func testConcurrentSaves(t *testing.T, s SnippetStore) {
	const writers, each = 8, 6
	versions := make([][]int, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range each {
				v, err := s.SaveSnippet(t.Context(), version("greet", n))
				if err != nil {
					t.Error(err)
				}
				versions[w] = append(versions[w], v)
			}
		})
	}
	wg.Wait()
	all := slices.Sorted(slices.Values(slices.Concat(versions...)))
	for n, v := range all {
		equal(t, v, n+1)
	}
	for w, list := range versions {
		for n, v := range list {
			got, err := s.Snippet(t.Context(), "greet", v)
			must(t, err)
			if want := version("greet", n); got.Source != want.Source || got.JS != want.JS {
				t.Errorf("writer %d: version %d is not what was saved as it", w, v)
			}
		}
	}
}

func testCancelledSnippet(t *testing.T, s SnippetStore) {
	save(t, s, NewSnippet("greet"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.SaveSnippet(ctx, NewSnippet("greet"))
	is(t, err, context.Canceled)
	_, err = s.DeleteSnippet(ctx, "greet")
	is(t, err, context.Canceled)
	_, err = s.Snippet(ctx, "greet", 0)
	is(t, err, context.Canceled)
	_, err = s.Snippets(ctx)
	is(t, err, context.Canceled)
	equal(t, save(t, s, NewSnippet("greet")), 2)
}

func testClosedSnippets(t *testing.T, s SnippetStore) {
	save(t, s, NewSnippet("greet"))
	must(t, s.Close())
	if _, err := s.SaveSnippet(t.Context(), NewSnippet("greet")); err == nil {
		t.Error("a save after Close succeeded")
	}
	if _, err := s.DeleteSnippet(t.Context(), "greet"); err == nil {
		t.Error("a delete after Close succeeded")
	}
}

func save(t *testing.T, s SnippetStore, snippet journal.Snippet) (version int) {
	t.Helper()
	version, err := s.SaveSnippet(t.Context(), snippet)
	must(t, err)
	return version
}
