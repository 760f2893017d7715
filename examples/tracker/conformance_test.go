package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/sdk/sdktest"
)

func TestMain(m *testing.M) {
	sdktest.Serve(New)
	os.Exit(m.Run())
}

// TestConformance checks all that a host relies on.
func TestConformance(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	type args = map[string]any
	sdktest.Run(t, func(t *testing.T) sdktest.World {
		h := &house{t: t, file: filepath.Join(t.TempDir(), "tracker.json")}
		return sdktest.World{Connector: New(), Config: Config{File: h.file}, State: h.state}
	}, sdktest.Options{
		Path:    self,
		Refused: []any{args{}, args{"file": ""}, args{"file": t.TempDir()}},
		Calls: []sdktest.Call{
			{Method: "list_issues", Args: args{"state": "open"}},
			{Method: "get_issue", Args: args{"number": 1}},
			{Method: "get_issue", Args: args{"number": 99}, Fails: sdk.NotFound},
			{Method: "watch_issue", Args: args{"number": 1}},
			{Method: "create_issue", Args: args{"title": "Slow", "body": "It is.", "labels": []string{"bug"}}},
			{Method: "update_issue", Args: args{"number": 2, "title": "Dark theme", "state": "closed"}},
			{Method: "update_issue", Args: args{"number": 99, "title": "None"}, Fails: sdk.NotFound},
			{Method: "add_labels", Args: args{"number": 2, "labels": []string{"ui"}}},
			{Method: "add_comment", Args: args{"number": 2, "text": "Soon."}},
			{Method: "list_pull_requests"},
			{Method: "list_checks", Args: args{"number": 7}},
			{Method: "merge_pull_request", Args: args{"number": 6}},
			{Method: "merge_pull_request", Args: args{"number": 7}, Fails: sdk.Conflict},
		},
	})
}

// state is the tracker's data as text.
func (h *house) state() string {
	if _, err := os.Stat(h.file); err != nil {
		return "" // nothing is configured yet
	}
	raw, err := json.MarshalIndent(h.data(), "", " ")
	if err != nil {
		h.t.Fatal(err)
	}
	return string(raw)
}
