package main

import (
	"context"
	"fmt"
	"net/url"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// CreateIssue are the arguments of create_issue.
type CreateIssue struct {
	Repo
	Title     string   `json:"title" jsonschema:"minLength=1,maxLength=256"`
	Body      string   `json:"body,omitempty" jsonschema_description:"Markdown."`
	Labels    []string `json:"labels,omitempty"`
	Assignees []string `json:"assignees,omitempty" jsonschema_description:"Logins."`
	Milestone int      `json:"milestone,omitempty" jsonschema:"minimum=1" jsonschema_description:"A milestone's number."`
}

// prepareIssue refuses labels that GitHub would make up.
func (c *connector) prepareIssue(ctx context.Context, in CreateIssue) (any, error) {
	return noteCreation(), c.checkLabels(ctx, in.Repo, in.Labels)
}

func (c *connector) createIssue(ctx context.Context, in CreateIssue) (Issue, error) {
	request := github.CreateIssueRequest{
		Title: in.Title, Body: new(marked(ctx, in.Body)), Labels: in.Labels, Assignees: in.Assignees,
	}
	if in.Milestone != 0 {
		request.Milestone = &in.Milestone
	}
	made, _, err := c.client.Issues.Create(ctx, in.Owner, in.Repo.Repo, request)
	return as(issue, made, err)
}

// closeCreated is as much as GitHub lets anybody undo: an issue cannot be deleted here.
func (c *connector) closeCreated(ctx context.Context, in CreateIssue, made Issue) error {
	_, _, err := c.client.Issues.Update(ctx, in.Owner, in.Repo.Repo, made.Number, github.UpdateIssueRequest{
		State: new("closed"), StateReason: new("not_planned"),
	})
	return err
}

// findIssue looks for the issue among the newest.
func (c *connector) findIssue(ctx context.Context, in CreateIssue) (sdk.Happened[Issue], error) {
	noted, err := sdk.Before[creation](ctx)
	if err != nil {
		return sdk.Happened[Issue]{}, err
	}
	var found []*github.Issue
	page, err := list(ctx, Paging{Limit: 1000}, listing[*github.Issue, Issue]{
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.Issue, *github.Response, error) {
			issues, resp, err := c.client.Issues.ListByRepo(ctx, in.Owner, in.Repo.Repo, &github.IssueListByRepoOptions{
				State: "all", Sort: "created", Direction: "desc", Since: noted.Since, ListOptions: page,
			})
			found = append(found, issues...)
			return issues, resp, err
		},
		shape: issue,
	})
	if err != nil {
		return sdk.Happened[Issue]{}, err
	}
	return shaped(find(ctx, found, page.More, (*github.Issue).GetBody), issue), nil
}

// shaped is what happened as a method returns it.
func shaped[G, T any](h sdk.Happened[G], shape func(G) T) sdk.Happened[T] {
	if h.Answer != sdk.Yes {
		return sdk.Happened[T]{Answer: h.Answer}
	}
	return sdk.Happened[T]{Answer: sdk.Yes, Result: shape(h.Result)}
}

func (c *connector) previewIssue(_ context.Context, in CreateIssue) (string, error) {
	var p preview
	p.line("Create an issue in %s: %s", in.Repo, in.Title)
	p.names("labels", in.Labels)
	p.names("assignees", in.Assignees)
	if in.Milestone != 0 {
		p.line("milestone: %d", in.Milestone)
	}
	p.text(in.Body)
	return p.String(), nil
}

// checkLabels refuses labels that the repository does not have: GitHub would
// create them, misspelt ones included.
func (c *connector) checkLabels(ctx context.Context, r Repo, labels []string) error {
	var unknown []string
	for _, label := range labels {
		_, _, err := c.client.Issues.GetLabel(ctx, r.Owner, r.Repo, url.PathEscape(label))
		switch {
		case isNotFound(err):
			unknown = append(unknown, label)
		case err != nil:
			return err
		}
	}
	if len(unknown) > 0 {
		return sdk.Errorf(sdk.InvalidArgument, "%s has no label %s; list_labels shows those it has, create_label adds one", r, quoted(unknown))
	}
	return nil
}

func quoted(names []string) string {
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%q", name)
	}
	return text
}
