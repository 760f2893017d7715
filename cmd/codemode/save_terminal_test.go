//go:build unix

package main

import (
	"testing"

	"github.com/codemode-go/codemode/core"
)

func TestSaveSnippetAtATerminal(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		known  *core.Snippet
		sees   []string
		answer string
		code   int
		saved  int
		says   string
	}{
		"a new one":     {nil, []string{"Snippet sum", "Adds", "1 +"}, "yes\n", 0, 1, "Saved as version 3"},
		"a new version": {sum(2), []string{"version 2, which then runs no more", "1 +"}, "yes\n", 0, 1, "Saved as version 3"},
		"y is no yes":   {nil, []string{"1 +"}, "y\n", 4, 0, "No snippet was saved."},
		"end of input":  {nil, []string{"1 +"}, "\x04", 4, 0, "No snippet was saved."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			saved := 0
			s := newStage(&service{
				show: func(id string) (*core.Detail, error) {
					return &core.Detail{ID: id, Status: "completed", Source: "1 + \x1b[2J"}, nil
				},
				snippet: func(string, int) (*core.Snippet, error) {
					if tc.known == nil {
						return nil, &core.SnippetError{Reason: "none"}
					}
					return tc.known, nil
				},
				saveSnippet: func(core.SaveRequest) (*core.Snippet, error) { saved++; return sum(3), nil },
			})
			p := newPerson(t)
			s.tty = p.path
			code := make(chan int, 1)
			go func() { code <- s.run(t.Context(), []string{"snippets", "save", "sum", "x1", "--description", "Adds"}) }()
			for _, text := range tc.sees {
				p.sees(text)
			}
			p.sees("Save this program? Type yes:")
			p.types(tc.answer)
			if got := <-code; got != tc.code || saved != tc.saved {
				t.Errorf("exit code %d, want %d; %d saved: %s%s", got, tc.code, saved, &s.out, &s.err)
			}
			says(t, &s.out, tc.says)
		})
	}
}
