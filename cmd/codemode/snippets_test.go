package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
)

func sum(version int) *core.Snippet {
	return &core.Snippet{Snippet: journal.Snippet{
		Name: "sum", Version: version, Description: "Adds", Source: "1 + 1", ExecutionID: "x1", Saved: time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC),
	}}
}

func TestSnippetCommands(t *testing.T) {
	t.Parallel()
	unreadable := &journal.DamagedError{After: -1, Part: `version 1 of snippet "bad"`, Cause: "short"}
	host := &service{
		snippets: func() ([]core.Snippet, error) { return []core.Snippet{*sum(2)}, nil },
		snippet: func(name string, version int) (*core.Snippet, error) {
			if name != "sum" {
				return nil, &core.SnippetError{Reason: "There is no snippet."}
			}
			if version == 0 {
				version = 9
			}
			return sum(version), nil
		},
		deleteSnippet: func(name string) (bool, error) { return name == "sum", nil },
	}
	damaged := &service{snippets: func() ([]core.Snippet, error) { return []core.Snippet{*sum(2)}, unreadable }}
	broken := &service{snippets: func() ([]core.Snippet, error) { return nil, errors.New("disk") }}
	empty := &service{snippets: func() ([]core.Snippet, error) { return nil, nil }}
	for name, tc := range map[string]struct {
		host     *service
		line     string
		code     int
		out, err string
	}{
		"list":             {host, "snippets", 0, "sum                       2", ""},
		"list in JSON":     {host, "snippets --json", 0, `"version": 2`, ""},
		"list beside":      {damaged, "snippets", 2, "sum", `version 1 of snippet "bad" is damaged`},
		"list broken":      {broken, "snippets", 2, "", "disk"},
		"none in JSON":     {empty, "snippets --json", 0, "[]", ""},
		"none":             {empty, "snippets", 0, "There are no snippets.", ""},
		"show":             {host, "snippets show sum", 0, "version 9", ""},
		"show a version":   {host, "snippets show sum --version 4", 0, "version 4", ""},
		"show an unknown":  {host, "snippets show product", 4, "", "There is no snippet."},
		"delete":           {host, "snippets delete sum --yes", 0, "is deleted", ""},
		"delete none":      {host, "snippets delete product --yes", 4, "Nothing was changed.", ""},
		"delete none JSON": {host, "snippets delete product --json --yes", 4, `"changed": false`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(tc.host)
			s.does(t, tc.code, strings.Fields(tc.line)...)
			says(t, &s.out, tc.out)
			says(t, &s.err, tc.err)
		})
	}
}

func TestSaveSnippetUnattended(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		err  error
		want core.SaveRequest
		code int
		says string
	}{
		"plain": {nil, nil, core.SaveRequest{}, 0, "Saved as version 3 of snippet sum."},
		"all": {[]string{"--description", "Adds", "--input-schema", "-", "--force", "--json"}, nil,
			core.SaveRequest{Description: "Adds", InputSchema: json.RawMessage(`{"type":"object"}`), Force: true}, 0, `"version": 3`},
		"refused": {nil, &core.SnippetError{Reason: "Execution x1 is paused."}, core.SaveRequest{}, 4, "Nothing was changed. Execution x1 is paused."},
		"unknown": {nil, &core.NotFoundError{ID: "x1"}, core.SaveRequest{}, 4, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got core.SaveRequest
			s := newStage(&service{saveSnippet: func(r core.SaveRequest) (*core.Snippet, error) { got = r; return sum(3), tc.err }})
			s.in = strings.NewReader(`{"type":"object"}`)
			s.unattended = true
			s.does(t, tc.code, append([]string{"snippets", "save", "sum", "x1"}, tc.args...)...)
			tc.want.Name, tc.want.ExecutionID, tc.want.By = "sum", "x1", "ada"
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			says(t, &s.out, tc.says)
		})
	}
}
