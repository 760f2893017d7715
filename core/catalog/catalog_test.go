package catalog

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func schema(text string) json.RawMessage { return json.RawMessage(text) }

// tracker is a small connector as the tests use it.
func tracker() Connector {
	issue := schema(`{"$ref": "#/$defs/Issue", "$defs": {"Issue": {"type": "object", "description": "An issue.", "required": ["number", "title"], "properties": {"number": {"type": "integer"}, "title": {"type": "string"}, "labels": {"type": "array", "items": {"type": "string"}}}}}}`)
	return Connector{
		Label: "tracker", Plugin: "tracker", Version: "1.0.0",
		Instructions: "Issues of the team's tracker. Numbers never change.",
		Methods: []*Method{
			{Raw: "list-issues", Description: "List issues, newest first.", Tags: []string{"issues"}, ReadOnly: true,
				InputSchema:  schema(`{"type": "object", "properties": {"state": {"enum": ["open", "closed"]}, "assignee": {"type": "string"}}}`),
				OutputSchema: schema(`{"type": "array", "items": {"type": "object", "properties": {"number": {"type": "integer"}}}}`)},
			{Raw: "create_issue", Description: "Create an issue.", Tags: []string{"issues"}, RequiresApproval: true, Asks: true, Reverts: true, Previews: true,
				InputSchema:  schema(`{"type": "object", "properties": {"title": {"type": "string"}, "body": {"type": "string"}}, "required": ["title"]}`),
				OutputSchema: issue},
			{Raw: "delete", Description: "Delete an issue for good.", Tags: []string{"issues", "danger"}, Destructive: true, Denied: true, Asks: true},
			{Raw: "add_labels", Description: "Add labels to an issue.", Tags: []string{"labels"}, Idempotent: true, Asks: true,
				InputSchema: schema(`{"type": "object", "properties": {"number": {"type": "integer"}, "labels": {"type": "array", "items": {"type": "string"}}}, "required": ["number", "labels"]}`)},
			{Raw: "clock", Description: "Tell the time.", ReadOnly: true, Reexecute: true},
		},
	}
}

func sample() *Catalog {
	return New([]Connector{
		tracker(),
		{Label: "mail", Unavailable: "the plugin cannot be started: exit status 1"},
		{Label: "chat", Instructions: "Messages.", Methods: []*Method{
			{Raw: "send_message", Description: "Send a message to a channel.", Asks: true},
			{Raw: "clock", Description: "Tell the time in a channel.", ReadOnly: true},
		}},
	})
}

func TestLookup(t *testing.T) {
	t.Parallel()
	c := sample()
	for _, name := range []string{"list_issues", "list-issues"} {
		m, err := c.Lookup("tracker", name)
		if err != nil || m.Raw != "list-issues" || m.Name != "list_issues" || m.Connector != "tracker" {
			t.Errorf("Lookup(%q) = %+v, %v", name, m, err)
		}
	}
	for _, name := range []string{"delete", "delete_"} {
		if m, err := c.Lookup("tracker", name); err != nil || m.Raw != "delete" {
			t.Errorf("Lookup(%q) = %+v, %v", name, m, err)
		}
	}
}

func TestLookupNotFound(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		label, name string
		want        NotFoundError
		text        string
	}{
		"misspelt method": {"tracker", "create_isue",
			NotFoundError{Connector: "tracker", Method: "create_isue", Nearest: []string{"create_issue"}},
			`tracker has no method "create_isue"; did you mean create_issue?`},
		"misspelt connector": {"traker", "create_issue",
			NotFoundError{Connector: "traker", Method: "create_issue", NoConnector: true, Nearest: []string{"tracker"}},
			`there is no connector "traker"; there is tracker`},
		"nothing like it": {"zzzzzzz", "x",
			NotFoundError{Connector: "zzzzzzz", Method: "x", NoConnector: true, Nearest: []string{"chat", "mail", "tracker"}},
			`there is no connector "zzzzzzz"; there is chat, mail and tracker`},
		"no such method": {"chat", "qqqqqqqq",
			NotFoundError{Connector: "chat", Method: "qqqqqqqq"},
			`chat has no method "qqqqqqqq"; codemode.search finds methods`},
		"unavailable": {"mail", "send",
			NotFoundError{Connector: "mail", Method: "send", Unavailable: "the plugin cannot be started: exit status 1"},
			`connector mail is not available: the plugin cannot be started: exit status 1`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := sample().Lookup(tt.label, tt.name)
			var got *NotFoundError
			if m != nil || !errors.As(err, &got) {
				t.Fatalf("got %+v, %v", m, err)
			}
			if diff := cmp.Diff(&tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err.Error() != tt.text {
				t.Errorf("says %q, want %q", err, tt.text)
			}
		})
	}
}

// A connector that is down keeps the methods that it is known to have.
func TestLookupWhileUnavailable(t *testing.T) {
	t.Parallel()
	conn := tracker()
	conn.Unavailable = "restarting"
	c := New([]Connector{conn})
	if _, err := c.Lookup("tracker", "create_issue"); err != nil {
		t.Error(err)
	}
}

func TestNamespaces(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(sample().Namespaces())
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"chat","methods":["send_message","clock"]},{"name":"mail","methods":[]},` +
		`{"name":"tracker","methods":["list_issues","create_issue","delete_","add_labels","clock"]}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The catalog is a snapshot: what it was made of does not change with it, nor it with that.
func TestNewCopies(t *testing.T) {
	t.Parallel()
	conn := tracker()
	c := New([]Connector{conn})
	if conn.Methods[0].Name != "" || conn.Methods[0].Connector != "" {
		t.Errorf("New changed its argument: %+v", conn.Methods[0])
	}
	conn.Methods[0].Description = "changed"
	if m, err := c.Lookup("tracker", "list_issues"); err != nil || m.Description == "changed" {
		t.Errorf("the catalog changed: %+v, %v", m, err)
	}
	c.Connectors()[0].Label = "changed"
	if c.Connectors()[0].Label != "tracker" {
		t.Error("the list of connectors changed")
	}
}

func TestJudged(t *testing.T) {
	t.Parallel()
	before := New([]Connector{tracker()})
	after := before.Judged(func(m *Method) (asks, denied bool) { return m.Name == "list_issues", m.Name == "create_issue" })
	m, err := before.Lookup("tracker", "list_issues")
	if err != nil || m.Asks {
		t.Errorf("the first catalog changed: %+v, %v", m, err)
	}
	r := after.Search(Query{Connector: "tracker"})
	for _, result := range r.Results {
		if result.RequiresApproval != (result.Method == "list_issues") || result.Denied != (result.Method == "create_issue") {
			t.Errorf("%+v", result)
		}
	}
	if diff := cmp.Diff(before.Namespaces(), after.Namespaces()); diff != "" {
		t.Errorf("the names changed:\n%s", diff)
	}
}

func TestCollisions(t *testing.T) {
	t.Parallel()
	c := New([]Connector{{Label: "x", Methods: []*Method{
		{Raw: "a-b", Description: "dash"}, {Raw: "a_b", Description: "underscore"}, {Raw: "a-b", Description: "again"}, {Raw: "fine"},
	}}})
	var got []string
	for _, collision := range c.Collisions() {
		got = append(got, collision.String())
	}
	want := []string{
		`connector x lists method "a-b" more than once; the first one is used`,
		`connector x: method "a-b" is listed as a_b_d443, because a_b is not its alone`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, description := range map[string]string{"a-b": "dash", "a_b_d443": "dash", "a_b": "underscore"} {
		if m, err := c.Lookup("x", name); err != nil || m.Description != description {
			t.Errorf("%s is %+v, %v", name, m, err)
		}
	}
}

func TestGivenNamesAreKept(t *testing.T) {
	t.Parallel()
	c := New([]Connector{{Label: "x", Methods: []*Method{{Name: "b", Raw: "a"}, {Raw: "b"}}}})
	if m, err := c.Lookup("x", "b"); err != nil || m.Raw != "a" {
		t.Errorf("b is %+v, %v", m, err)
	}
	if len(c.Collisions()) != 1 {
		t.Errorf("collisions: %v", c.Collisions())
	}
}

// Whatever a connector lists, and in whatever order, every listed name and
// every raw name leads to the method that has it.
func TestNamesResolve(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	parts := []string{"a", "b", "_", "-", ".", "delete", "1", "", "_d443"}
	for range 500 {
		var methods []*Method
		for range random.IntN(20) {
			raw := ""
			for range random.IntN(4) {
				raw += parts[random.IntN(len(parts))]
			}
			methods = append(methods, &Method{Raw: raw})
		}
		c := New([]Connector{{Label: "x", Methods: methods}})
		names := map[string]bool{}
		for _, m := range c.Connectors()[0].Methods {
			byName, errName := c.Lookup("x", m.Name)
			byRaw, errRaw := c.Lookup("x", m.Raw)
			if errName != nil || errRaw != nil || byName != m || byRaw != m || names[m.Name] || Identifier(m.Name) != m.Name {
				t.Fatalf("%q is listed as %q and leads to %+v and %+v", m.Raw, m.Name, byName, byRaw)
			}
			names[m.Name] = true
		}
	}
}

func TestValidLabel(t *testing.T) {
	t.Parallel()
	tests := map[string]string{ // what the error says; empty: valid
		"github":     "",
		"git_hub2":   "",
		"größe":      "",
		"code-mode":  "code_mode",
		"":           `"_"`,
		"1password":  "_1password",
		"class":      "class_",
		"codemode":   "reserved",
		"input":      "reserved",
		"env":        "reserved",
		"console":    "reserved",
		"Promise":    "reserved",
		"setTimeout": "reserved",
	}
	for label, want := range tests {
		err := ValidLabel(label)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("ValidLabel(%q) says %v, want %q", label, err, want)
		}
	}
	if ReservedLabel("github") || !ReservedLabel("JSON") {
		t.Error("ReservedLabel is wrong")
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	c := sample()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			c.Search(Query{Text: "create issue"})
			c.Describe("tracker:Issue")
			c.Describe("tracker")
			c.ToolDescription(ToolOptions{})
		})
	}
	group.Wait()
}
