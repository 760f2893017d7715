package main

import (
	"context"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// DeleteBranch are the arguments of delete_branch.
type DeleteBranch struct {
	Repo
	Branch string `json:"branch" jsonschema:"minLength=1"`
	SHA    string `json:"sha,omitempty" jsonschema_description:"Delete it only if this is still its newest commit."`
}

// formerBranchState is what restoring a branch needs: where it was, and the
// pull requests that its end closes.
type formerBranchState struct {
	SHA   string `json:"sha"`
	Pulls []int  `json:"pulls"`
}

func (c *connector) formerBranch(ctx context.Context, in DeleteBranch) (any, error) {
	sha, err := c.head(ctx, in.Repo, in.Branch)
	if err != nil {
		return nil, err
	}
	if in.SHA != "" && in.SHA != sha {
		return nil, sdk.Errorf(sdk.Conflict, "the branch %q of %s has moved on to %s", in.Branch, in.Repo, sha)
	}
	pulls, err := c.pullsOf(ctx, in)
	return formerBranchState{SHA: sha, Pulls: pulls}, err
}

// pullsOf lists the open pull requests from and into the branch.
func (c *connector) pullsOf(ctx context.Context, in DeleteBranch) ([]int, error) {
	var numbers []int
	for _, filter := range []github.PullRequestListOptions{{Head: in.Owner + ":" + in.Branch}, {Base: in.Branch}} {
		page, err := list(ctx, Paging{}, listing[*github.PullRequest, PullRequest]{shape: pullRequest,
			fetch: func(ctx context.Context, page github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
				filter.State, filter.ListOptions = "open", page
				return c.client.PullRequests.List(ctx, in.Owner, in.Repo.Repo, &filter)
			}})
		if err != nil {
			return nil, err
		}
		for _, pull := range page.Items {
			numbers = append(numbers, pull.Number)
		}
	}
	return numbers, nil
}

func (c *connector) deleteBranch(ctx context.Context, in DeleteBranch) (struct{}, error) {
	_, err := c.client.Git.DeleteRef(ctx, in.Owner, in.Repo.Repo, "heads/"+in.Branch)
	return struct{}{}, err
}

func (c *connector) findDeletion(ctx context.Context, in DeleteBranch) (sdk.Happened[struct{}], error) {
	_, _, err := c.client.Git.GetRef(ctx, in.Owner, in.Repo.Repo, "heads/"+in.Branch)
	switch {
	case isNotFound(err):
		return sdk.Happened[struct{}]{Answer: sdk.Yes}, nil
	case err != nil:
		return sdk.Happened[struct{}]{}, err
	}
	return sdk.Happened[struct{}]{Answer: sdk.No}, nil
}

// restoreBranch makes the branch anew where it was, and opens the pull requests
// that its end has closed.
func (c *connector) restoreBranch(ctx context.Context, in DeleteBranch, _ struct{}) error {
	former, err := sdk.Before[formerBranchState](ctx)
	if err != nil {
		return err
	}
	ref, _, err := c.client.Git.GetRef(ctx, in.Owner, in.Repo.Repo, "heads/"+in.Branch)
	switch {
	case isNotFound(err):
		_, _, err = c.client.Git.CreateRef(ctx, in.Owner, in.Repo.Repo, github.CreateRef{Ref: "refs/heads/" + in.Branch, SHA: former.SHA})
	case err == nil && ref.GetObject().GetSHA() != former.SHA:
		err = sdk.Errorf(sdk.Conflict, "somebody has made a new branch %q in %s", in.Branch, in.Repo)
	}
	if err != nil {
		return err
	}
	for _, number := range former.Pulls {
		if err := c.reopen(ctx, in.Repo, number); err != nil {
			return err
		}
	}
	return nil
}

func (c *connector) reopen(ctx context.Context, r Repo, number int) error {
	pull, _, err := c.client.PullRequests.Get(ctx, r.Owner, r.Repo, number)
	if err != nil || pull.GetState() == "open" {
		return err
	}
	_, _, err = c.client.PullRequests.Edit(ctx, r.Owner, r.Repo, number, &github.PullRequest{State: new("open")})
	return err
}

func (c *connector) previewDeletion(ctx context.Context, in DeleteBranch) (string, error) {
	sha, err := c.head(ctx, in.Repo, in.Branch)
	if err != nil {
		return "", err
	}
	pulls, err := c.pullsOf(ctx, in)
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Delete the branch %q of %s (%s)", in.Branch, in.Repo, short(sha))
	for _, number := range pulls {
		p.line("closes pull request #%d", number)
	}
	return p.String(), nil
}
