package main

import (
	"context"
	"strings"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// PullRequest is one pull request.
type PullRequest struct {
	Number         int        `json:"number"`
	Title          string     `json:"title"`
	Body           string     `json:"body"`
	State          string     `json:"state" jsonschema:"enum=open,enum=closed"`
	Draft          bool       `json:"draft"`
	Merged         bool       `json:"merged"`
	Author         string     `json:"author"`
	Labels         []string   `json:"labels"`
	Assignees      []string   `json:"assignees"`
	Reviewers      []string   `json:"reviewers" jsonschema_description:"Those asked for a review."`
	Base           string     `json:"base" jsonschema_description:"The branch it goes into."`
	Head           string     `json:"head" jsonschema_description:"The branch it comes from."`
	HeadRepo       string     `json:"head_repo" jsonschema_description:"OWNER/REPO of head; empty when that is gone."`
	HeadSHA        string     `json:"head_sha"`
	Mergeable      *bool      `json:"mergeable,omitempty" jsonschema_description:"get_pull_request only; missing while GitHub finds out."`
	MergeableState string     `json:"mergeable_state,omitempty" jsonschema_description:"clean, dirty, blocked, behind, unstable, ...; get_pull_request only."`
	MergeCommitSHA string     `json:"merge_commit_sha,omitempty"`
	Additions      int        `json:"additions" jsonschema_description:"This and the next: get_pull_request only."`
	Deletions      int        `json:"deletions"`
	ChangedFiles   int        `json:"changed_files"`
	CreatedAt      *time.Time `json:"created_at,omitempty"`
	UpdatedAt      *time.Time `json:"updated_at,omitempty"`
	MergedAt       *time.Time `json:"merged_at,omitempty"`
	URL            string     `json:"url"`
	Own
}

// ListPullRequests are the arguments of list_pull_requests.
type ListPullRequests struct {
	Repo
	State     string `json:"state,omitempty" jsonschema:"enum=open,enum=closed,enum=all,default=open"`
	Head      string `json:"head,omitempty" jsonschema_description:"Only from this branch; OWNER:BRANCH for one of a fork."`
	Base      string `json:"base,omitempty" jsonschema_description:"Only into this branch."`
	Sort      string `json:"sort,omitempty" jsonschema:"enum=created,enum=updated,enum=popularity,enum=long-running,default=created"`
	Direction string `json:"direction,omitempty" jsonschema:"enum=asc,enum=desc,default=desc"`
	Paging
}

// ListNumbered are the arguments of methods that list something of a pull request.
type ListNumbered struct {
	Numbered
	Paging
}

// CreatePullRequest are the arguments of create_pull_request.
type CreatePullRequest struct {
	Repo
	Title string `json:"title" jsonschema:"minLength=1,maxLength=256"`
	Head  string `json:"head" jsonschema:"minLength=1" jsonschema_description:"The branch with the changes; OWNER:BRANCH for one of a fork."`
	Base  string `json:"base" jsonschema:"minLength=1" jsonschema_description:"The branch they are to go into."`
	Body  string `json:"body,omitempty" jsonschema_description:"Markdown. \"Fixes #7\" closes issue 7 with the merge."`
	Draft bool   `json:"draft,omitempty"`
}

func (c *connector) pullMethods() []sdk.Method {
	tags := []string{"pull requests"}
	return []sdk.Method{
		read(sdk.Func[ListPullRequests, Page[PullRequest]]{
			Name: "list_pull_requests", Description: "List pull requests, newest first.", Tags: tags,
			Call: c.listPullRequests,
		}),
		read(sdk.Func[GetNumbered, PullRequest]{
			Name: "get_pull_request", Description: "Get one pull request, with whether it can be merged and how much it changes.", Tags: tags,
			Call: c.getPullRequest,
		}),
		read(sdk.Func[ListNumbered, Page[ChangedFile]]{
			Name: "list_pull_request_files", Description: "List the files that a pull request changes, with their patches.", Tags: tags,
			Call: c.listPullRequestFiles,
		}),
		write(c, sdk.Func[CreatePullRequest, PullRequest]{
			Name: "create_pull_request", Description: "Create a pull request. A rollback closes it.", Tags: tags,
			Prepare: c.preparePullRequest, Call: c.createPullRequest, Revert: c.closePullRequest, Reconcile: c.findPullRequest, Preview: c.previewPullRequest,
		}),
		write(c, sdk.Func[UpdatePullRequest, PullRequest]{
			Name: "update_pull_request", Description: "Change a pull request's title, body, state or base. What is not given stays.", Tags: tags,
			Prepare: c.formerPullRequest, Call: c.updatePullRequest, Reconcile: c.findPullUpdate, Preview: c.previewPullUpdate,
			Revert: c.restorePullRequest, RevertWithoutResult: true,
		}),
	}
}

func (c *connector) listPullRequests(ctx context.Context, in ListPullRequests) (Page[PullRequest], error) {
	return list(ctx, in.Paging, listing[*github.PullRequest, PullRequest]{shape: pullRequest,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
			return c.client.PullRequests.List(ctx, in.Owner, in.Repo.Repo, &github.PullRequestListOptions{
				State: in.State, Head: in.Repo.label(in.Head), Base: in.Base, Sort: in.Sort, Direction: in.Direction, ListOptions: page,
			})
		}})
}

// label is a branch with its owner, without whom GitHub ignores it.
func (r Repo) label(branch string) string {
	if branch == "" || strings.Contains(branch, ":") {
		return branch
	}
	return r.Owner + ":" + branch
}

func (c *connector) getPullRequest(ctx context.Context, in GetNumbered) (PullRequest, error) {
	return one(ctx, in.Raw, func(ctx context.Context) (*github.PullRequest, *github.Response, error) {
		return c.client.PullRequests.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	}, pullRequest)
}

func (c *connector) listPullRequestFiles(ctx context.Context, in ListNumbered) (Page[ChangedFile], error) {
	return list(ctx, in.Paging, listing[*github.CommitFile, ChangedFile]{shape: changedFile,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.CommitFile, *github.Response, error) {
			return c.client.PullRequests.ListFiles(ctx, in.Owner, in.Repo.Repo, in.Number, &page)
		}})
}

func (c *connector) createPullRequest(ctx context.Context, in CreatePullRequest) (PullRequest, error) {
	made, _, err := c.client.PullRequests.Create(ctx, in.Owner, in.Repo.Repo, github.CreatePullRequest{
		Title: &in.Title, Head: in.Head, Base: in.Base, Body: &in.Body, Draft: &in.Draft,
	})
	return as(pullRequest, made, err)
}

func (c *connector) closePullRequest(ctx context.Context, in CreatePullRequest, made PullRequest) error {
	pull, _, err := c.client.PullRequests.Get(ctx, in.Owner, in.Repo.Repo, made.Number)
	switch {
	case err != nil:
		return err
	case pull.GetMerged():
		return sdk.Errorf(sdk.Conflict, "%s#%d has been merged", in.Repo, made.Number)
	case pull.GetState() == "closed":
		return nil
	}
	_, _, err = c.client.PullRequests.Edit(ctx, in.Owner, in.Repo.Repo, made.Number, &github.PullRequest{State: new("closed")})
	return err
}

// preparePullRequest refuses what GitHub refuses, too: a second pull request for
// the same branches. So the one that is there later is the call's.
func (c *connector) preparePullRequest(ctx context.Context, in CreatePullRequest) (any, error) {
	open, err := c.listPullRequests(ctx, ListPullRequests{Repo: in.Repo, Head: in.Head, Base: in.Base})
	if err != nil {
		return nil, err
	}
	if len(open.Items) > 0 {
		return nil, sdk.Errorf(sdk.Conflict, "there is a pull request for these branches already: %s#%d", in.Repo, open.Items[0].Number)
	}
	return noteCreation(), nil
}

// findPullRequest looks for a pull request for the branches. Of one that was made
// and closed meanwhile nobody can tell whose it was.
func (c *connector) findPullRequest(ctx context.Context, in CreatePullRequest) (sdk.Happened[PullRequest], error) {
	var none sdk.Happened[PullRequest]
	noted, err := sdk.Before[creation](ctx)
	if err != nil {
		return none, err
	}
	found, err := c.listPullRequests(ctx, ListPullRequests{Repo: in.Repo, State: "all", Head: in.Head, Base: in.Base})
	if err != nil {
		return none, err
	}
	for _, pull := range found.Items {
		if pull.State == "open" {
			return sdk.Happened[PullRequest]{Answer: sdk.Yes, Result: pull}, nil
		}
	}
	for _, pull := range found.Items {
		if pull.CreatedAt == nil || pull.CreatedAt.After(noted.Since) {
			return none, nil
		}
	}
	return sdk.Happened[PullRequest]{Answer: sdk.No}, nil
}

func (c *connector) previewPullRequest(ctx context.Context, in CreatePullRequest) (string, error) {
	changes, _, err := c.client.Repositories.CompareCommits(ctx, in.Owner, in.Repo.Repo, in.Base, in.Head, nil)
	if err != nil {
		return "", err
	}
	var p preview
	kind := "pull request"
	if in.Draft {
		kind = "draft pull request"
	}
	p.line("Create a %s in %s, %s into %s: %s", kind, in.Repo, in.Head, in.Base, in.Title)
	p.changes(changes.GetTotalCommits(), changes.Files)
	p.text(in.Body)
	return p.String(), nil
}

// changes adds what commits change, file by file.
func (p *preview) changes(commits int, files []*github.CommitFile) {
	added, removed := 0, 0
	for _, f := range files {
		added, removed = added+f.GetAdditions(), removed+f.GetDeletions()
	}
	p.line("%d commit%s, %d file%s, +%d -%d", commits, plural(commits), len(files), plural(len(files)), added, removed)
	for _, f := range files[:min(len(files), shownFiles)] {
		p.line("  %s %s (+%d -%d)", f.GetStatus(), f.GetFilename(), f.GetAdditions(), f.GetDeletions())
	}
	if left := len(files) - shownFiles; left > 0 {
		p.line("  [... %d more files]", left)
	}
}

func pullRequest(r *github.PullRequest) PullRequest {
	return PullRequest{
		Number: r.GetNumber(), Title: r.GetTitle(), Body: r.GetBody(), State: r.GetState(), Draft: r.GetDraft(),
		Merged: r.GetMerged() || r.MergedAt != nil, Author: r.GetUser().GetLogin(), Labels: labelNames(r.Labels), Assignees: logins(r.Assignees),
		Reviewers: logins(r.RequestedReviewers), Base: r.GetBase().GetRef(), Head: r.GetHead().GetRef(),
		HeadRepo: r.GetHead().GetRepo().GetFullName(), HeadSHA: r.GetHead().GetSHA(),
		Mergeable: r.Mergeable, MergeableState: r.GetMergeableState(), MergeCommitSHA: r.GetMergeCommitSHA(),
		Additions: r.GetAdditions(), Deletions: r.GetDeletions(), ChangedFiles: r.GetChangedFiles(),
		CreatedAt: at(r.CreatedAt), UpdatedAt: at(r.UpdatedAt), MergedAt: at(r.MergedAt), URL: r.GetHTMLURL(),
	}
}
