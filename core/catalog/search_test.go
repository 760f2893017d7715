package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSearchShape(t *testing.T) {
	t.Parallel()
	r := sample().Search(Query{Text: "create issue", Limit: 1})
	r.Results[0].Score = 1
	got, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "results": [
    {
      "path": "tracker.create_issue",
      "connector": "tracker",
      "method": "create_issue",
      "kind": "method",
      "description": "Create an issue.",
      "signature": "tracker.create_issue({ title: string, body?: string }): Promise\u003c{ number: number, title: string, labels?: string[] }\u003e",
      "requiresApproval": true,
      "score": 1
    }
  ],
  "total": 4,
  "truncated": true,
  "cursor": "1",
  "unavailable": [
    {
      "connector": "mail",
      "reason": "the plugin cannot be started: exit status 1"
    }
  ]
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSearchFindsNothing(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(New([]Connector{tracker()}).Search(Query{Text: "zebra apple"}))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"results":[],"total":0,"truncated":false}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEmptyQueryLists(t *testing.T) {
	t.Parallel()
	c := sample()
	if diff := cmp.Diff([]string{"chat.clock", "chat.send_message", "tracker.add_labels", "tracker.clock", "tracker.create_issue",
		"tracker.delete_", "tracker.list_issues"}, paths(c.Search(Query{Text: " ?! "}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"chat.clock", "chat.send_message"}, paths(c.Search(Query{Connector: "chat"}))); diff != "" {
		t.Errorf("one connector (-want +got):\n%s", diff)
	}
}

func TestSearchOneConnector(t *testing.T) {
	t.Parallel()
	c := sample()
	r := c.Search(Query{Text: "clock", Connector: "chat"})
	if diff := cmp.Diff([]string{"chat.clock"}, paths(r)); diff != "" || r.Unavailable != nil {
		t.Errorf("%+v (-want +got):\n%s", r.Unavailable, diff)
	}
	r = c.Search(Query{Text: "clock", Connector: "chta"})
	if want := `there is no connector "chta"; there is chat`; r.Note != want || len(r.Results) > 0 {
		t.Errorf("%+v, want the note %q", r, want)
	}
	r = c.Search(Query{Connector: "mail"})
	if len(r.Results) != 0 || len(r.Unavailable) != 1 {
		t.Errorf("%+v", r)
	}
}

// Following the cursor gives every result once, whatever the limit.
func TestCursor(t *testing.T) {
	t.Parallel()
	c := New([]Connector{{Label: "many", Methods: manyMethods(137)}})
	for _, text := range []string{"", "item"} {
		for _, limit := range []int{0, 7, 50, 1000} {
			var all []string
			q := Query{Text: text, Limit: limit}
			for {
				r := c.Search(q)
				if r.Total != 137 || len(r.Results) > MaxLimit {
					t.Fatalf("%d of %d", len(r.Results), r.Total)
				}
				all = append(all, paths(r)...)
				if !r.Truncated {
					break
				}
				q.Cursor = r.Cursor
			}
			if n := len(slices.Compact(slices.Sorted(slices.Values(all)))); len(all) != 137 || n != 137 {
				t.Errorf("%q by %d: %d results, %d different", text, limit, len(all), n)
			}
		}
	}
	if r := c.Search(Query{Cursor: "x"}); r.Note == "" || len(r.Results) > 0 {
		t.Errorf("%+v", r)
	}
	if r := c.Search(Query{Cursor: "99999"}); r.Truncated || len(r.Results) > 0 || r.Total != 137 {
		t.Errorf("%+v", r)
	}
	if n := len(c.Search(Query{}).Results); n != DefaultLimit {
		t.Errorf("%d results by default", n)
	}
}

func manyMethods(n int) []*Method {
	var methods []*Method
	for i := range n {
		methods = append(methods, &Method{Raw: fmt.Sprintf("get_item_%d", i), Description: "Get an item."})
	}
	return methods
}

func TestSearchSnippets(t *testing.T) {
	t.Parallel()
	q := Query{Text: "greet somebody", Snippets: []Snippet{
		{Name: "greet", Description: "Greet somebody by name.", InputSchema: schema(`{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}`)},
		{Name: "report", Description: "Report on the week."},
	}}
	r := sample().Search(q)
	want := []Result{{
		Path: "greet", Connector: "codemode", Method: "run", Kind: KindSnippet, Description: "Greet somebody by name.",
		Signature: `codemode.run("greet", input: { name: string }): Promise<unknown>`, Score: r.Results[0].Score,
	}}
	if diff := cmp.Diff(want, r.Results); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	q.Connector = "tracker"
	if r := sample().Search(q); len(r.Results) != 0 {
		t.Errorf("a snippet is no method of tracker: %+v", r.Results)
	}
}

// A search answers the same each time, and equals are in the order of their paths.
func TestSearchIsDeterministic(t *testing.T) {
	t.Parallel()
	methods := manyMethods(30)
	first := paths(New([]Connector{{Label: "x", Methods: methods}}).Search(Query{Text: "item", Limit: 50}))
	if !slices.IsSorted(first) {
		t.Errorf("not in order: %q", first)
	}
	slices.Reverse(methods)
	again := paths(New([]Connector{{Label: "x", Methods: methods}}).Search(Query{Text: "item", Limit: 50}))
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the order of the methods matters:\n%s", diff)
	}
}

func paths(r Results) []string {
	var list []string
	for _, result := range r.Results {
		list = append(list, result.Path)
	}
	return list
}

// corpus is what some connectors of the kind that people have would list:
// name, description, parameters.
const corpus = `
forge issues/create | Create an issue | owner repo title body assignees labels
forge issues/list-for-repo | List repository issues | owner repo state labels sort
forge issues/get | Get an issue | owner repo issue_number
forge issues/update | Update an issue. Issue owners can also close it. | owner repo issue_number title state
forge issues/create-comment | Create an issue comment | owner repo issue_number body
forge issues/list-comments | List issue comments | owner repo issue_number
forge issues/add-labels | Add labels to an issue | owner repo issue_number labels
forge issues/remove-label | Remove a label from an issue | owner repo issue_number name
forge issues/create-label | Create a label | owner repo name color
forge issues/lock | Lock an issue | owner repo issue_number
forge pulls/create | Create a pull request | owner repo title head base
forge pulls/list | List pull requests | owner repo state
forge pulls/merge | Merge a pull request | owner repo pull_number
forge pulls/list-files | List pull requests files | owner repo pull_number
forge pulls/request-reviewers | Request reviewers for a pull request | owner repo pull_number reviewers
forge repos/get-content | Get repository content | owner repo path ref
forge repos/create-or-update-file-contents | Create or update file contents | owner repo path message content
forge repos/delete | Delete a repository | owner repo
forge repos/create-fork | Create a fork | owner repo
forge repos/list-branches | List branches | owner repo
forge repos/list-for-authenticated-user | List repositories for the authenticated user | visibility sort
forge actions/create-workflow-dispatch | Create a workflow dispatch event | owner repo workflow_id ref inputs
forge actions/re-run-workflow-failed-jobs | Re-run failed jobs from a workflow run | owner repo run_id
forge search/code | Search code | q
forge users/get-authenticated | Get the authenticated user |
pay PostCustomers | Creates a new customer object | email name
pay GetCustomersCustomer | Retrieves a customer | customer
pay PostRefunds | Refund a charge that has previously been created | charge amount reason
pay GetInvoices | List all invoices | customer status
pay PostInvoicesInvoiceVoid | Mark a finalized invoice as void | invoice
pay DeleteSubscriptionsSubscription | Cancels a customer's subscription immediately | subscription
pay GetBalance | Retrieves the current account balance |
files read_file | Read the complete contents of a file | path
files write_file | Create a new file or overwrite an existing file | path content
files list_directory | Get a listing of all files and directories in a path | path
files move_file | Move or rename files and directories | source destination
files get_file_info | Retrieve metadata about a file | path
cal listEvents | Returns events on the specified calendar | calendarId timeMin timeMax
cal insertEvent | Creates an event | calendarId summary start end attendees
cal deleteEvent | Deletes an event | calendarId eventId
chat chat.postMessage | Sends a message to a channel | channel text
chat conversations.list | Lists all channels | types
chat users.lookupByEmail | Find a user with an email address | email
lager 在庫を検索する | 倉庫の在庫を検索します | 商品
lager auftrag_anlegen | Legt einen neuen Auftrag an | kunde artikel menge
lager создать_заказ | Создать новый заказ покупателя | товар
`

func corpusCatalog() *Catalog {
	connectors := map[string]*Connector{}
	for _, line := range strings.Split(strings.TrimSpace(corpus), "\n") {
		head, rest, _ := strings.Cut(line, " | ")
		label, raw, _ := strings.Cut(head, " ")
		description, parameters, _ := strings.Cut(rest, " |")
		var properties []string
		for _, p := range strings.Fields(parameters) {
			properties = append(properties, fmt.Sprintf("%q: {}", p))
		}
		if connectors[label] == nil {
			connectors[label] = &Connector{Label: label}
		}
		connectors[label].Methods = append(connectors[label].Methods, &Method{
			Raw: raw, Description: description,
			InputSchema: schema(`{"properties": {` + strings.Join(properties, ", ") + `}}`),
		})
	}
	var list []Connector
	for _, label := range sortedKeys(connectors) {
		list = append(list, *connectors[label])
	}
	return New(list)
}

func TestSearchRanks(t *testing.T) {
	t.Parallel()
	tests := map[string]string{ // the first result
		"create issue":                           "forge.issues_create",
		"create ticket":                          "forge.issues_create",
		"creating issues":                        "forge.issues_create",
		"open a new bug":                         "forge.issues_create",
		"list issues":                            "forge.issues_list_for_repo",
		"comment on an issue":                    "forge.issues_create_comment",
		"add label to issue":                     "forge.issues_add_labels",
		"drop a label from an issue":             "forge.issues_remove_label",
		"merge pr":                               "forge.pulls_merge",
		"open pull request":                      "forge.pulls_create",
		"fork a repo":                            "forge.repos_create_fork",
		"remove repository":                      "forge.repos_delete",
		"my repositories":                        "forge.repos_list_for_authenticated_user",
		"trigger workflow":                       "forge.actions_create_workflow_dispatch",
		"rerun failed jobs":                      "forge.actions_re_run_workflow_failed_jobs",
		"current user":                           "forge.users_get_authenticated",
		"reviewers":                              "forge.pulls_request_reviewers",
		"new client":                             "pay.PostCustomers",
		"refund charge":                          "pay.PostRefunds",
		"show invoices":                          "pay.GetInvoices",
		"cancel subscription":                    "pay.DeleteSubscriptionsSubscription",
		"how much money is the balance":          "pay.GetBalance",
		"rename a file":                          "files.move_file",
		"list folder":                            "files.list_directory",
		"read file":                              "files.read_file",
		"schedule a meeting event":               "cal.insertEvent",
		"remove event":                           "cal.deleteEvent",
		"send message":                           "chat.chat_postMessage",
		"find user by email":                     "chat.users_lookupByEmail",
		"在庫":                                     "lager.在庫を検索する",
		"auftrag":                                "lager.auftrag_anlegen",
		"новый заказ":                            "lager.создать_заказ",
		"issue_number title state":               "forge.issues_update", // parameters
		"pulls_list":                             "forge.pulls_list",    // the very name
		"forge.issues_get":                       "forge.issues_get",
		"conversations":                          "chat.conversations_list",
		"subscr":                                 "pay.DeleteSubscriptionsSubscription", // a beginning
		"remove repositry":                       "forge.repos_delete",                  // a slip of the pen
		"who am I":                               "forge.users_get_authenticated",
		"please could you open an issue for me?": "forge.issues_create",
	}
	c := corpusCatalog()
	for query, want := range tests {
		got := paths(c.Search(Query{Text: query}))
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q, want %s first", query, got, want)
		}
	}
}

func TestSearchDoesNotMatchFragments(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"apple", "zz", "ab", "в"} {
		if got := paths(corpusCatalog().Search(Query{Text: query})); len(got) > 0 {
			t.Errorf("%q finds %q", query, got)
		}
	}
}

func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	wide := make([]string, 500)
	for i := range wide {
		wide[i] = fmt.Sprintf(`"property_%d": {"type": "string"}`, i)
	}
	object := schema(`{"properties": {` + strings.Join(wide, ",") + `}}`)
	c := New([]Connector{{Label: "x", Methods: []*Method{
		{Raw: "wide", Description: strings.Repeat("word ", 1000), InputSchema: object, OutputSchema: object},
		{Raw: "broken", InputSchema: schema(`{"properties`), OutputSchema: schema(`]`)},
	}}})
	r := c.Search(Query{})
	if want := "x.broken(input?: unknown): Promise<unknown>"; r.Results[0].Signature != want {
		t.Errorf("got %s, want %s", r.Results[0].Signature, want)
	}
	if got := r.Results[1]; len(got.Signature) > signatureWidth || len([]rune(got.Description)) > summaryWidth || !strings.Contains(got.Signature, "...") {
		t.Errorf("not bounded: %+v", got)
	}
	if len(c.Search(Query{Text: strings.Repeat("wide words ", 10000)}).Results) == 0 {
		t.Error("a long query finds nothing")
	}
}

// large is a catalog of 1,200 methods with the texts of the corpus.
func large() []Connector {
	base := corpusCatalog().Connectors()
	var methods []*Method
	for i := 0; len(methods) < 1200; i++ {
		for _, conn := range base {
			for _, m := range conn.Methods {
				copied := *m
				copied.Name, copied.Raw = "", fmt.Sprintf("%s_%d", m.Raw, i)
				copied.Description += ". " + strings.Repeat("A sentence about what this does and to whom. ", 5)
				methods = append(methods, &copied)
			}
		}
	}
	return []Connector{{Label: "large", Methods: methods[:1200]}}
}

func BenchmarkNew(b *testing.B) {
	connectors := large()
	for b.Loop() {
		New(connectors).byLabel["large"].index()
	}
}

// BenchmarkSearchOneOfMany searches the same methods as BenchmarkSearch, beside which there are nine other connectors of their number.
func BenchmarkSearchOneOfMany(b *testing.B) {
	var all []Connector
	for i := range 10 {
		conn := large()[0]
		conn.Label = fmt.Sprintf("large%d", i)
		all = append(all, conn)
	}
	c := New(all)
	for b.Loop() {
		c.Search(Query{Text: "create an issue comment", Connector: "large3"})
	}
}

func BenchmarkSearch(b *testing.B) {
	c := New(large())
	for b.Loop() {
		c.Search(Query{Text: "create an issue comment"})
	}
}
