// Command tracker is a sample connector: the issues, pull requests and checks
// of a small team, kept in a file. It shows what a connector can be: reads,
// writes that a person approves, previews, reverts that really undo, and what a
// connector keeps with the host for the time of an execution.
package main

import "github.com/codemode-go/codemode/plugin/sdk"

const version = "0.1.0"

func main() { sdk.Serve(New()) }

// New returns the connector; Configure fills in what its methods need.
func New() *sdk.Connector {
	t := &tracker{}
	return &sdk.Connector{
		Name:         "tracker",
		Version:      version,
		Instructions: "Issues, pull requests and checks of the team. Numbers are shared by issues and pull requests.",
		Configure:    sdk.Config(t.configure),
		Methods: []sdk.Method{
			sdk.Func[ListIssues, []Issue]{
				Name: "list_issues", Description: "List issues, newest first.", Tags: []string{"issues"},
				ReadOnly: true, Call: t.listIssues,
			},
			sdk.Func[ByNumber, Issue]{
				Name: "get_issue", Description: "Get one issue with its comments.", Tags: []string{"issues"},
				ReadOnly: true, Call: t.getIssue,
			},
			sdk.Func[ByNumber, Watched]{
				Name: "watch_issue", Tags: []string{"issues"},
				Description: "Get one issue and what has changed in it since the first call for it in this execution.",
				ReadOnly:    true, Call: t.watchIssue,
			},
			sdk.Func[CreateIssue, Issue]{
				Name: "create_issue", Description: "Create an issue.", Tags: []string{"issues"},
				Idempotent: true, Approval: sdk.Required,
				Call: t.createIssue, Revert: t.removeIssue, Reconcile: t.findCreated, Preview: t.previewCreate,
			},
			sdk.Func[UpdateIssue, Issue]{
				Name: "update_issue", Description: "Change an issue's title, body or state. What is not given stays.", Tags: []string{"issues"},
				Approval: sdk.Required,
				Prepare:  t.formerIssue, Call: t.updateIssue, Preview: t.previewUpdate,
				Revert: t.restoreIssue, RevertWithoutResult: true,
			},
			sdk.Func[AddLabels, Issue]{
				Name: "add_labels", Description: "Add labels to an issue.", Tags: []string{"issues"},
				Idempotent: true, Approval: sdk.NotRequired,
				Prepare: t.formerLabels, Call: t.addLabels, Preview: t.previewLabels,
				Revert: t.removeLabels, RevertWithoutResult: true,
			},
			sdk.Func[AddComment, Comment]{
				Name: "add_comment", Description: "Comment on an issue.", Tags: []string{"issues"},
				Idempotent: true, Approval: sdk.Required,
				Prepare: t.formerTime, Call: t.addComment, Revert: t.removeComment, Preview: t.previewComment,
			},
			sdk.Func[ListPullRequests, []PullRequest]{
				Name: "list_pull_requests", Description: "List pull requests, newest first.", Tags: []string{"pull requests"},
				ReadOnly: true, Call: t.listPullRequests,
			},
			sdk.Func[ByNumber, []Check]{
				Name: "list_checks", Description: "List the checks of a pull request.", Tags: []string{"pull requests"},
				ReadOnly: true, Call: t.listChecks,
			},
			sdk.Func[ByNumber, PullRequest]{
				Name: "merge_pull_request", Description: "Merge a pull request whose checks pass. This cannot be undone.", Tags: []string{"pull requests"},
				Idempotent: true, Destructive: true, Approval: sdk.Required,
				Call: t.mergePullRequest, Preview: t.previewMerge,
			},
		},
	}
}
