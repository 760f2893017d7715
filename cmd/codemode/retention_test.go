package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core"
)

func TestRetentionCommands(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		line     string
		ids      []string
		failed   error
		code     int
		out, err string
		age      time.Duration
		keep     int
	}{
		"expire":           {"expire", []string{"x1"}, nil, 0, "1 execution expired.", "", 24 * time.Hour, 0},
		"expire an age":    {"expire --age 90m", nil, nil, 0, "No execution was expired.", "", 90 * time.Minute, 0},
		"expire in JSON":   {"expire --json", nil, nil, 0, "[]", "", 24 * time.Hour, 0},
		"expire partly":    {"expire", []string{"x1"}, errors.New("x2 is damaged"), 2, "x1", "x2 is damaged", 24 * time.Hour, 0},
		"expire fails":     {"expire", nil, errors.New("disk"), 2, "", "disk", 24 * time.Hour, 0},
		"prune":            {"prune", []string{"x1", "x2"}, nil, 0, "2 executions deleted.", "", 0, 50},
		"prune to none":    {"prune --keep 0 --yes", []string{"x1"}, nil, 0, "1 execution deleted.", "", 0, 0},
		"prune some":       {"prune --keep 7 --json --yes", []string{"x1"}, nil, 0, `"x1"`, "", 0, 7},
		"prune that fails": {"prune --keep 90", []string{"x1"}, errors.New("disk"), 2, "x1", "disk", 0, 90},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			age, keep := time.Duration(0), 0
			s := newStage(&service{
				expire: func(a time.Duration) ([]string, error) { age = a; return tc.ids, tc.failed },
				prune:  func(k int) ([]string, error) { keep = k; return tc.ids, tc.failed },
			})
			s.does(t, tc.code, strings.Fields(tc.line)...)
			says(t, &s.out, tc.out)
			says(t, &s.err, tc.err)
			if age != tc.age || keep != tc.keep {
				t.Errorf("asked for age %v and keep %d, want %v and %d", age, keep, tc.age, tc.keep)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reply core.Reply
		code  int
		says  string
	}{
		"one":     {core.Reply{ExecutionID: "x1", Changed: true, Message: "Deleted."}, 0, "Execution x1.\n  Deleted."},
		"unknown": {core.Reply{ExecutionID: "x1", Message: "There is none."}, 4, "Nothing was changed. There is none."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			s := newStage(&service{remove: func(id string) (*core.Reply, error) { got = id; return &tc.reply, nil }})
			s.does(t, tc.code, "delete", "x1", "--yes")
			says(t, &s.out, tc.says)
			if got != "x1" {
				t.Errorf("deleted %q", got)
			}
		})
	}
}

// Without a terminal, what deletes for good wants --yes; what the configuration says asks nobody.
func TestDeletingNeedsAYes(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"delete x1", "prune --keep 0", "prune --keep 49", "snippets delete sum"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			s := newStage(&service{}) // to be asked nothing
			s.does(t, exitUsage, strings.Fields(line)...)
			says(t, &s.err, "confirm it at a terminal, or with --yes")
		})
	}
	s := newStage(&service{remove: func(id string) (*core.Reply, error) { return &core.Reply{ExecutionID: id, Changed: true}, nil }})
	s.unattended = true
	s.does(t, exitDone, "delete", "x1")
}
