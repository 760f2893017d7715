//go:build unix

package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core"
)

func TestDeletingAtATerminal(t *testing.T) {
	t.Parallel()
	var deleted []string
	host := &service{
		show: func(id string) (*core.Detail, error) {
			if id == "damaged" {
				return nil, errors.New("damaged")
			}
			return &core.Detail{ID: id, Status: "completed"}, nil
		},
		snippet: func(name string, version int) (*core.Snippet, error) { return sum(2), nil },
		remove: func(id string) (*core.Reply, error) {
			deleted = append(deleted, id)
			return &core.Reply{ExecutionID: id, Changed: true, Message: "Deleted."}, nil
		},
		prune:         func(keep int) ([]string, error) { deleted = append(deleted, "pruned"); return []string{"x1"}, nil },
		deleteSnippet: func(name string) (bool, error) { deleted = append(deleted, name); return true, nil },
	}
	for name, tc := range map[string]struct {
		args, sees, answer string
		code               int
		want               []string
	}{
		"delete":             {"delete x1", "Execution x1", "yes\n", 0, []string{"x1"}},
		"delete not":         {"delete x1", "Execution x1", "y\n", 4, nil},
		"delete one damaged": {"delete damaged", "cannot be shown", "yes\n", 0, []string{"damaged"}},
		"prune":              {"prune --keep 3", "keeps 50 executions that have ended; 3 would stay", "yes\n", 0, []string{"pruned"}},
		"prune not":          {"prune --keep 3", "3 would stay", "\x04", 4, nil},
		"a snippet":          {"snippets delete sum", "sum", "yes\n", 0, []string{"sum"}},
		"a snippet not":      {"snippets delete sum", "sum", "no\n", 4, nil},
	} {
		deleted = nil
		p := newPerson(t)
		s := newStage(host)
		s.tty = p.path
		code := make(chan int, 1)
		go func() { code <- s.run(t.Context(), strings.Fields(tc.args)) }()
		p.sees(tc.sees)
		p.sees("Type yes:")
		p.types(tc.answer)
		if got := <-code; got != tc.code {
			t.Errorf("%s: exit code %d, want %d: %s%s", name, got, tc.code, &s.out, &s.err)
		}
		if diff := cmp.Diff(tc.want, deleted); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
