package sdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// Issue is what the tracker's methods return.
type Issue struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Closed bool   `json:"closed"`
}

// ListIssues are the arguments of list_issues.
type ListIssues struct {
	Closed bool `json:"closed,omitempty" jsonschema:"description=Closed issues too."`
}

// CreateIssue are the arguments of create_issue.
type CreateIssue struct {
	Title string `json:"title" jsonschema:"description=One line.,minLength=1"`
}

// Config is the connector's configuration.
type Config struct {
	Limit int `json:"limit" jsonschema:"description=Most issues to keep.,minimum=1"`
}

// tracker keeps issues in memory.
type tracker struct {
	mu     sync.Mutex
	limit  int
	issues []Issue
}

func (t *tracker) configure(_ context.Context, c Config) error {
	t.limit = c.Limit
	return nil
}

func (t *tracker) list(_ context.Context, in ListIssues) ([]Issue, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var found []Issue
	for _, issue := range t.issues {
		if in.Closed || !issue.Closed {
			found = append(found, issue)
		}
	}
	return found, nil
}

func (t *tracker) create(_ context.Context, in CreateIssue) (Issue, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.issues) == t.limit {
		return Issue{}, sdk.Errorf(sdk.Conflict, "the tracker is full: close some of its %d issues first", t.limit)
	}
	issue := Issue{Number: len(t.issues) + 1, Title: in.Title}
	t.issues = append(t.issues, issue)
	return issue, nil
}

func (t *tracker) close(_ context.Context, _ CreateIssue, created Issue) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.issues[created.Number-1].Closed = true
	return nil
}

func (t *tracker) preview(_ context.Context, in CreateIssue) (string, error) {
	return fmt.Sprintf("Creates an issue titled %q.", in.Title), nil
}

// New returns the connector; Configure fills in what its methods need.
func New() *sdk.Connector {
	t := &tracker{}
	return &sdk.Connector{
		Name: "tracker", Version: "1.0.0", Instructions: "Issues of the team's tracker.",
		Configure: sdk.Config(t.configure),
		Methods: []sdk.Method{
			sdk.Func[ListIssues, []Issue]{
				Name: "list_issues", Description: "List issues.",
				ReadOnly: true, Call: t.list,
			},
			sdk.Func[CreateIssue, Issue]{
				Name: "create_issue", Description: "Create an issue.",
				Approval: sdk.Required, Call: t.create, Revert: t.close, Preview: t.preview,
			},
		},
	}
}

// A whole connector, mounted in the process of its host and called as a host
// calls it. As a process of its own, its main is sdk.Serve(New()).
func Example() {
	ctx := context.Background()
	c, err := New().InProcess()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Configure(ctx, &wire.ConfigureRequest{Label: "team", Config: json.RawMessage(`{"limit": 1}`)}))

	create := &wire.Call{Method: "create_issue", Args: json.RawMessage(`{"title": "<b> is lost"}`)}
	preview, err := c.Preview(ctx, create)
	fmt.Println(preview, err)
	created, err := c.Invoke(ctx, create, nil)
	fmt.Println(string(created.Value), err)

	_, err = c.Invoke(ctx, create, nil)
	fmt.Println(err)
	_, err = c.Invoke(ctx, &wire.Call{Method: "create_issue", Args: json.RawMessage(`{"name": "x"}`)}, nil)
	fmt.Println(err)

	fmt.Println(c.Revert(ctx, &wire.RevertRequest{Call: create, Result: created.Value}))
	open, err := c.Invoke(ctx, &wire.Call{Method: "list_issues"}, nil)
	fmt.Println(string(open.Value), err)

	// Output:
	// <nil>
	// Creates an issue titled "<b> is lost". <nil>
	// {"number":1,"title":"<b> is lost","closed":false} <nil>
	// conflict: the tracker is full: close some of its 1 issues first
	// invalid_argument: name: is not known; title: is missing
	// <nil>
	// [] <nil>
}
