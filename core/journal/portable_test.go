package journal_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/journal"
)

var portableAt = time.Date(2026, 12, 1, 5, 0, 0, 123456789, time.UTC)

var portableEvents = []journal.Body{
	&journal.Begun{
		Source: "return <b>", JS: "x", Compiler: "1", Engine: "2", Input: []byte(`{"a":[1,"é & <"]}`), HasInput: true, Seed: []byte{0xff, 0, 1},
		Namespaces: []byte("hash"), Connectors: []journal.Connector{{Label: "a", Name: "b"}, {Label: "c"}}, Labels: map[string]string{"team": "x"},
		Modules: []journal.Module{{Name: "m.js", Hash: []byte{1}}}, DynamicCode: true,
	},
	&journal.Claimed{Owner: "host 2"},
	&journal.Issued{Seq: "0", Connector: "a", Method: "b", Args: []byte(`{ "spaced": true }`), Verdict: journal.Verdict{Effect: "allow"}, ReadOnly: true},
	&journal.Issued{Seq: "1", Connector: "a", Method: "b", Args: []byte(`{"$base64":"data"}`), Verdict: journal.Verdict{Effect: "approve"}, Approval: []byte("12")},
	&journal.Started{Seq: "0", Attempt: 2, Deadline: portableAt, Before: []byte("null")},
	&journal.Outcome{Seq: "0", State: journal.CallFailed, Failure: &journal.Failure{Message: "a\xffb", Cause: &journal.Failure{Message: "c"}}, Usage: journal.Usage{CPU: 3}},
	&journal.PassEnded{Status: "completed", Logs: []string{"a", "\xfe"}},
	&journal.HookRound{Hook: "dispose", Status: "completed"},
}

// TestPortable: an event that was written as JSON is the same when it is read.
func TestPortable(t *testing.T) {
	t.Parallel()
	for i, body := range portableEvents {
		e := journal.Event{Index: int64(i), Epoch: 1, At: portableAt, Body: body}
		p, err := journal.EncodePortable("x", e)
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("%s: %v", p.Body, err)
		}
		var read journal.Portable
		if err := json.Unmarshal(line, &read); err != nil {
			t.Fatal(err)
		}
		got, err := journal.DecodePortable(p)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Errorf("%s\n%s", line, diff)
		}
	}
}

func TestPortableRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kind, body string
		newer      bool
	}{
		"a kind to come":   {"forked", `{}`, true},
		"no kind":          {"", `{}`, true},
		"a field to come":  {"claimed", `{"owner":"a","zone":1}`, true},
		"no object":        {"claimed", `[]`, false},
		"null":             {"claimed", `null`, false},
		"another type":     {"claimed", `{"owner":1}`, false},
		"broken base64":    {"claimed", `{"owner":{"$base64":"!"}}`, false},
		"a list of others": {"pass ended", `{"logs":[1]}`, false},
		"a null field":     {"pass begun", `{"pass":null}`, false},
		"no list":          {"pass ended", `{"logs":null}`, false},
		"too many causes":  {"outcome", `{"failure":` + strings.Repeat(`{"cause":`, 200) + "{}" + strings.Repeat("}", 201), false},
	} {
		_, err := journal.DecodePortable(&journal.Portable{Kind: tc.kind, Body: json.RawMessage(tc.body)})
		if err == nil || errors.Is(err, journal.ErrNewer) != tc.newer {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzPortable: whatever is read as an event can be written and read again.
func FuzzPortable(f *testing.F) {
	for i, body := range portableEvents {
		p, err := journal.EncodePortable("x", journal.Event{Index: int64(i), Body: body})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(p.Kind, []byte(p.Body))
	}
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		e, err := journal.DecodePortable(&journal.Portable{Kind: kind, Body: body})
		if err != nil {
			return
		}
		p, err := journal.EncodePortable("x", e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := journal.DecodePortable(p)
		if err != nil {
			t.Fatalf("%s: %v", p.Body, err)
		}
		second, err := journal.EncodePortable("x", again)
		if err != nil || string(second.Body) != string(p.Body) {
			t.Fatalf("%s\n%s\n%v", p.Body, second.Body, err)
		}
	})
}
