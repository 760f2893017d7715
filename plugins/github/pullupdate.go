package main

import (
	"context"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// UpdatePullRequest are the arguments of update_pull_request.
type UpdatePullRequest struct {
	Numbered
	Title *string `json:"title,omitempty" jsonschema:"minLength=1,maxLength=256"`
	Body  *string `json:"body,omitempty"`
	State *string `json:"state,omitempty" jsonschema:"enum=open,enum=closed"`
	Base  *string `json:"base,omitempty" jsonschema:"minLength=1" jsonschema_description:"The branch it is to go into."`
}

// pullValues are what update_pull_request can change.
type pullValues struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	State string `json:"state"`
	Base  string `json:"base"`
}

func pullValuesOf(p *github.PullRequest) pullValues {
	return pullValues{p.GetTitle(), p.GetBody(), p.GetState(), p.GetBase().GetRef()}
}

func (c *connector) formerPullRequest(ctx context.Context, in UpdatePullRequest) (any, error) {
	found, _, err := c.client.PullRequests.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return nil, err
	}
	return pullValuesOf(found), nil
}

func (c *connector) updatePullRequest(ctx context.Context, in UpdatePullRequest) (PullRequest, error) {
	changed, err := c.patchPull(ctx, in)
	return as(pullRequest, changed, err)
}

func (c *connector) patchPull(ctx context.Context, in UpdatePullRequest) (*github.PullRequest, error) {
	request := &github.PullRequest{Title: in.Title, Body: in.Body, State: in.State}
	if in.Base != nil {
		request.Base = &github.PullRequestBranch{Ref: in.Base}
	}
	changed, _, err := c.client.PullRequests.Edit(ctx, in.Owner, in.Repo.Repo, in.Number, request)
	return changed, err
}

func (c *connector) findPullUpdate(ctx context.Context, in UpdatePullRequest) (sdk.Happened[PullRequest], error) {
	var none sdk.Happened[PullRequest]
	former, err := sdk.Before[pullValues](ctx)
	if err != nil {
		return none, err
	}
	found, _, err := c.client.PullRequests.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return none, err
	}
	now := pullValuesOf(found)
	switch {
	case is(in.Title, now.Title) && is(in.Body, now.Body) && is(in.State, now.State) && is(in.Base, now.Base):
		return sdk.Happened[PullRequest]{Answer: sdk.Yes, Result: pullRequest(found)}, nil
	case now == former:
		return sdk.Happened[PullRequest]{Answer: sdk.No}, nil
	}
	return none, nil
}

// restorePullRequest sets back what the update has set and nobody has changed since.
func (c *connector) restorePullRequest(ctx context.Context, in UpdatePullRequest, made PullRequest) error {
	former, err := sdk.Before[pullValues](ctx)
	if err != nil {
		return err
	}
	found, _, err := c.client.PullRequests.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return err
	}
	now, left := pullValuesOf(found), in.left(made)
	back := UpdatePullRequest{
		Numbered: in.Numbered,
		Title:    formerly(in.Title, now.Title, left.Title, former.Title), Body: formerly(in.Body, now.Body, left.Body, former.Body),
		State: formerly(in.State, now.State, left.State, former.State), Base: formerly(in.Base, now.Base, left.Base, former.Base),
	}
	if back.Title == nil && back.Body == nil && back.State == nil && back.Base == nil {
		return nil
	}
	_, err = c.patchPull(ctx, back)
	return err
}

// left are the values that the update has left behind: those that it returned, or
// else, where the result was not kept, those that it set.
func (in UpdatePullRequest) left(made PullRequest) pullValues {
	if made.Number == in.Number {
		return pullValues{made.Title, made.Body, made.State, made.Base}
	}
	return pullValues{deref(in.Title), deref(in.Body), deref(in.State), deref(in.Base)}
}

// formerly returns the former value of what was set, where that still stands and is another.
func formerly(given *string, now, left, former string) *string {
	if given == nil || now != left || now == former {
		return nil
	}
	return &former
}

func (c *connector) previewPullUpdate(ctx context.Context, in UpdatePullRequest) (string, error) {
	found, _, err := c.client.PullRequests.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return "", err
	}
	former := pullValuesOf(found)
	var p preview
	p.line("Change pull request %s: %s", in.Numbered, former.Title)
	for _, field := range []struct {
		name, former string
		to           *string
	}{{"title", former.Title, in.Title}, {"state", former.State, in.State}, {"base", former.Base, in.Base}} {
		if field.to != nil {
			p.change(field.name, field.former, *field.to)
		}
	}
	if in.Body != nil && *in.Body != former.Body {
		p.body(former.Body, *in.Body)
	}
	if len(p.lines) == 1 {
		p.line("Nothing changes.")
	}
	return p.String(), nil
}
