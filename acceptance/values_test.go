//go:build unix

package acceptance

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal/badger"
)

// A connector keeps with the host what its execution saw. Host and plugin are killed while a person thinks, somebody
// changes the issue, and the program that goes on learns what has changed. After the end nothing is kept.
func TestConnectorValuesSurviveAKill(t *testing.T) {
	t.Parallel()
	s := newSite(t, `
connector "tracker" {
  plugin = "tracker"
  config {
    file = "tracker.json"
  }
}
`)
	s.write("program.js", `
const before = await tracker.watch_issue({ number: 2 });
await tracker.add_comment({ number: 1, text: "Is anybody still interested in #2?" });
const after = await tracker.watch_issue({ number: 2 });
return [before.changed, after.changed, after.issue.title];
`)

	// The plugin first: the host must not get to tell it anything.
	run := s.command(t.Context(), "run", "program.js", "--json")
	stdout, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	var paused core.Outcome
	if err := json.NewDecoder(stdout).Decode(&paused); err != nil {
		t.Fatal(err)
	}
	kill(run.Process, "codemode-connector")
	kill(run.Process, "host")
	_ = run.Wait() // it reports the kill
	if paused.Status != "paused" {
		t.Fatalf("%s: %s", paused.Status, paused.Error)
	}
	if value, found := s.value(paused.ExecutionID, "tracker", "watched/2"); !found {
		t.Fatal("nothing is kept for the execution that waits")
	} else if !strings.Contains(string(value), `"Dark mode"`) {
		t.Errorf("kept: %s", value)
	}

	text, err := os.ReadFile(s.path("tracker.json"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("tracker.json", strings.Replace(string(text), "Dark mode", "Dark theme", 1))

	done := s.outcome(0, "approve", paused.ExecutionID, "--all")
	if got := compact(t, done.Result); done.Status != "completed" || got != `[[],["title"],"Dark theme"]` {
		t.Fatalf("%s %s %s", done.Status, got, done.Error)
	}
	if value, found := s.value(paused.ExecutionID, "tracker", "watched/2"); found {
		t.Errorf("kept after the end: %s", value)
	}
}

// value looks into the journal, which no process may have open, for what a connector keeps.
func (s *site) value(executionID, connector, key string) ([]byte, bool) {
	s.t.Helper()
	store, err := badger.Open(s.t.Context(), badger.Options{Dir: s.path(".codemode/journal/default")})
	if err != nil {
		s.t.Fatal(err)
	}
	value, found, err := store.Value(s.t.Context(), executionID, connector, key)
	if err != nil {
		s.t.Error(err)
	}
	if err := store.Close(); err != nil {
		s.t.Error(err)
	}
	return value, found
}
