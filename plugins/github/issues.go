package main

import (
	"context"
	"strconv"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Issue is one issue.
type Issue struct {
	Number      int        `json:"number"`
	Title       string     `json:"title"`
	Body        string     `json:"body"`
	State       string     `json:"state" jsonschema:"enum=open,enum=closed"`
	StateReason string     `json:"state_reason,omitempty" jsonschema_description:"completed, not_planned, duplicate or reopened."`
	Author      string     `json:"author"`
	Labels      []string   `json:"labels"`
	Assignees   []string   `json:"assignees"`
	Milestone   int        `json:"milestone,omitempty" jsonschema_description:"The milestone's number."`
	Comments    int        `json:"comments"`
	Locked      bool       `json:"locked"`
	LockReason  string     `json:"lock_reason,omitempty"`
	PullRequest bool       `json:"pull_request" jsonschema_description:"It is a pull request."`
	Repository  string     `json:"repository,omitempty" jsonschema_description:"OWNER/REPO, in searches."`
	CreatedAt   *time.Time `json:"created_at,omitempty"`
	UpdatedAt   *time.Time `json:"updated_at,omitempty"`
	ClosedAt    *time.Time `json:"closed_at,omitempty"`
	URL         string     `json:"url"`
	Own
}

// Numbered names an issue or a pull request.
type Numbered struct {
	Repo
	Number int `json:"number" jsonschema:"minimum=1"`
}

// String is the name as people write it.
func (n Numbered) String() string { return n.Repo.String() + "#" + strconv.Itoa(n.Number) }

// GetNumbered are the arguments of methods that get an issue or a pull request.
type GetNumbered struct {
	Numbered
	Raw
}

// ListIssues are the arguments of list_issues.
type ListIssues struct {
	Repo
	State        string     `json:"state,omitempty" jsonschema:"enum=open,enum=closed,enum=all,default=open"`
	Labels       []string   `json:"labels,omitempty" jsonschema_description:"Only issues with all of these."`
	Assignee     string     `json:"assignee,omitempty" jsonschema_description:"A login, none or *."`
	Author       string     `json:"author,omitempty" jsonschema_description:"The login of who opened it."`
	Mentioned    string     `json:"mentioned,omitempty" jsonschema_description:"A login."`
	Milestone    string     `json:"milestone,omitempty" jsonschema_description:"A milestone's number, none or *."`
	Since        *time.Time `json:"since,omitempty" jsonschema_description:"Only issues updated since then."`
	Sort         string     `json:"sort,omitempty" jsonschema:"enum=created,enum=updated,enum=comments,default=created"`
	Direction    string     `json:"direction,omitempty" jsonschema:"enum=asc,enum=desc,default=desc"`
	PullRequests bool       `json:"pull_requests,omitempty" jsonschema_description:"Pull requests, too."`
	Paging
}

func (c *connector) issueMethods() []sdk.Method {
	tags := []string{"issues"}
	return []sdk.Method{
		read(sdk.Func[ListIssues, Page[Issue]]{
			Name: "list_issues", Description: "List the issues of a repository, newest first; pull requests only when asked for.", Tags: tags,
			Call: c.listIssues,
		}),
		read(sdk.Func[GetNumbered, Issue]{
			Name: "get_issue", Description: "Get one issue.", Tags: tags,
			Call: c.getIssue,
		}),
		write(c, sdk.Func[CreateIssue, Issue]{
			Name: "create_issue", Description: "Create an issue. Its labels must exist. A rollback closes it.", Tags: tags,
			Prepare: c.prepareIssue, Call: c.createIssue, Revert: c.closeCreated, Reconcile: c.findIssue, Preview: c.previewIssue,
		}),
		write(c, sdk.Func[UpdateIssue, Issue]{
			Name: "update_issue", Description: "Change an issue's title, body, state, labels, assignees or milestone. What is not given stays; lists replace what was there.", Tags: tags,
			Prepare: c.formerIssue, Call: c.updateIssue, Reconcile: c.findUpdate, Preview: c.previewUpdate,
			Revert: c.restoreIssue, RevertWithoutResult: true,
		}),
		write(c, sdk.Func[AddAssignees, Issue]{
			Name: "add_assignees", Description: "Assign users to an issue or pull request, besides those it has.", Tags: tags, Idempotent: true,
			Prepare: c.formerAssignees, Call: c.addAssignees, Preview: c.previewAssignees,
			Revert: c.removeAssignees, RevertWithoutResult: true,
		}),
		write(c, sdk.Func[LockIssue, struct{}]{
			Name: "lock_issue", Description: "Lock the conversation of an issue or pull request.", Tags: tags, Idempotent: true,
			Prepare: c.formerLock, Call: c.lockIssue, Preview: c.previewLock,
			Revert: c.undoLock, RevertWithoutResult: true,
		}),
		write(c, sdk.Func[Numbered, struct{}]{
			Name: "unlock_issue", Description: "Unlock the conversation of an issue or pull request.", Tags: tags, Idempotent: true,
			Prepare: c.lockOf, Call: c.unlockIssue, Preview: c.previewUnlock,
			Revert: c.restoreLock, RevertWithoutResult: true,
		}),
		write(c, sdk.Func[TransferIssue, Transferred]{
			Name: "transfer_issue", Description: "Move an issue to another repository of the same owner, where it gets another number. It cannot be undone.", Tags: tags, Destructive: true,
			Call: c.transferIssue, Reconcile: c.findTransfer, Preview: c.previewTransfer,
		}),
		read(sdk.Func[ListMilestones, Page[Milestone]]{
			Name: "list_milestones", Description: "List milestones.", Tags: tags,
			Call: c.listMilestones,
		}),
	}
}

func (c *connector) listIssues(ctx context.Context, in ListIssues) (Page[Issue], error) {
	return list(ctx, in.Paging, listing[*github.Issue, Issue]{
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.Issue, *github.Response, error) {
			return c.client.Issues.ListByRepo(ctx, in.Owner, in.Repo.Repo, &github.IssueListByRepoOptions{
				State: in.State, Labels: in.Labels, Assignee: in.Assignee, Creator: in.Author, Mentioned: in.Mentioned,
				Milestone: in.Milestone, Since: since(in.Since), Sort: in.Sort, Direction: in.Direction, ListOptions: page,
			})
		},
		keep:  func(i *github.Issue) bool { return in.PullRequests || !i.IsPullRequest() },
		shape: issue,
	})
}

func (c *connector) getIssue(ctx context.Context, in GetNumbered) (Issue, error) {
	return one(ctx, in.Raw, func(ctx context.Context) (*github.Issue, *github.Response, error) {
		return c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	}, issue)
}

func issue(i *github.Issue) Issue {
	return Issue{
		Number: i.GetNumber(), Title: i.GetTitle(), Body: unmarked(i.GetBody()), State: i.GetState(), StateReason: i.GetStateReason(),
		Author: i.GetUser().GetLogin(), Labels: labelNames(i.Labels), Assignees: logins(i.Assignees),
		Milestone: i.GetMilestone().GetNumber(), Comments: i.GetComments(),
		Locked: i.GetLocked(), LockReason: i.GetActiveLockReason(), PullRequest: i.IsPullRequest(),
		Repository: repositoryOf(i.GetRepositoryURL()),
		CreatedAt:  at(i.CreatedAt), UpdatedAt: at(i.UpdatedAt), ClosedAt: at(i.ClosedAt), URL: i.GetHTMLURL(),
	}
}
