package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func (in intent) String() string {
	var titles []string
	for _, t := range in.titles {
		number := ""
		if t.plural {
			number = "*"
		}
		titles = append(titles, fmt.Sprintf("%s%s|%s", strings.Join(t.object, " "), number, strings.Join(t.beside, " ")))
	}
	return strings.Join(in.actions, ",") + ": " + strings.Join(titles, "; ")
}

// TestIntent: what a method does is read from its name, its summary and its required parameters.
func TestIntent(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, summary, required, want string }{
		{"issues/list-for-repo", "List repository issues", "owner repo", "list: issu*|repo; repository issu*|"},
		{"issues/create-comment", "Create an issue comment", "issue_number", "creat: comment|issu; issu comment|"},
		{"repos/create-fork", "Create a fork", "owner", "creat,copy: fork|repo; fork|"},
		{"checks/list-for-ref", "List check runs for a Git reference", "ref", "list: check*|ref; check run*|git referenc"},
		{"PostCustomers", "", "", "creat: customer*|"},
		{"PostCustomersCustomer", "Updates the specified customer", "customer", "updat: customer|; specifi customer|"},
		{"PostCustomersCustomer", "", "customer", "updat: customer|"},
		{"PostQuotesQuoteCancel", "", "quote", "stop: quot cancel|"},
		{"GetCustomers", "Returns a list of your customers", "", "list: customer*|; list customer*|"},
		{"GetCustomersCustomer", "Retrieves a customer", "customer", "get: customer|; customer|"},
		{"meetingCreate", "", "", "creat: meet|"},
		{"users", "List users", "", "list: user*|; user*|"},
		{"get-a-list-of-current-users-playlists", "", "", "list: list current user playlist*|"},
		{"在庫を検索する", "", "", ": 在庫 庫を を検 検索 索す する|"},
		{"", "", "", ": |"},
	}
	for _, test := range tests {
		if got := intentOf(test.name, test.summary, strings.Fields(test.required)).String(); got != test.want {
			t.Errorf("%s, %q: %s, want %s", test.name, test.summary, got, test.want)
		}
	}
}

// TestDemand: what is asked for is read from a query's verb, or from its form.
func TestDemand(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"create an issue":            "creat: issu|",
		"how do I close an issue":    "clos: issu|",
		"comment on an issue":        "creat: comment|issu",
		"merge a branch into main":   "merg: branch|main",
		"finalize an invoice":        "creat: finaliz invoic|",
		"open pull requests":         "creat: pull request*|",
		"latest release":             "get: latest releas|",
		"unpaid invoices":            "list: unpaid invoic*|",
		"show invoices":              "list: invoic*|",
		"which files does it change": "asking: fil chang|",
		"members of a team":          "list: member*|team",
		"who am I":                   "get: current authenticat user account profil me|",
		"the":                        "asking: |",
		"":                           ": |",
	}
	for text, want := range tests {
		if got := demand(rephrased(text)).String(); got != want {
			t.Errorf("%q asks for %s, want %s", text, got, want)
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, s := range []string{"create an issue", "who am I", "list of", "of of of", "在庫を検索", "\xff", "GetA B's", "a"} {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, query, name, description string) {
		input, err := json.Marshal(map[string]any{"required": []string{name}, "properties": map[string]any{name: map[string]any{"enum": []string{query}}}})
		if err != nil {
			t.Skip()
		}
		c := New([]Connector{{Label: "x", Methods: []*Method{{Raw: name, Description: description, InputSchema: input}}}})
		for _, r := range c.Search(Query{Text: query}).Results {
			if !(r.Score >= 0) {
				t.Errorf("a score of %v", r.Score)
			}
		}
	})
}
