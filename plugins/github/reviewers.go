package main

import (
	"context"
	"slices"
	"strings"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// RequestReviewers are the arguments of request_reviewers.
type RequestReviewers struct {
	Numbered
	Reviewers []string `json:"reviewers,omitempty" jsonschema:"maxItems=15" jsonschema_description:"Logins."`
	Teams     []string `json:"teams,omitempty" jsonschema:"maxItems=15" jsonschema_description:"Slugs of teams of the owner."`
}

// reviewers are those that are asked for a review.
type reviewers struct {
	Users, Teams []string
}

func (c *connector) reviewersOf(ctx context.Context, in Numbered) (reviewers, *github.PullRequest, error) {
	found, _, err := c.client.PullRequests.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return reviewers{}, nil, err
	}
	asked := reviewers{Users: logins(found.RequestedReviewers)}
	for _, team := range found.RequestedTeams {
		asked.Teams = append(asked.Teams, team.GetSlug())
	}
	return asked, found, nil
}

// formerReviewers are what reverting needs: who was asked before.
func (c *connector) formerReviewers(ctx context.Context, in RequestReviewers) (any, error) {
	if len(in.Reviewers)+len(in.Teams) == 0 {
		return nil, sdk.Errorf(sdk.InvalidArgument, "name reviewers or teams")
	}
	asked, _, err := c.reviewersOf(ctx, in.Numbered)
	return asked, err
}

func (c *connector) requestReviewers(ctx context.Context, in RequestReviewers) (PullRequest, error) {
	changed, _, err := c.client.PullRequests.RequestReviewers(ctx, in.Owner, in.Repo.Repo, in.Number,
		github.ReviewersRequest{Reviewers: in.Reviewers, TeamReviewers: in.Teams})
	return as(pullRequest, changed, err)
}

func (c *connector) withdrawReviewers(ctx context.Context, in RequestReviewers, _ PullRequest) error {
	former, err := sdk.Before[reviewers](ctx)
	if err != nil {
		return err
	}
	request := github.ReviewersRequest{Reviewers: without(in.Reviewers, former.Users), TeamReviewers: without(in.Teams, former.Teams)}
	if len(request.Reviewers)+len(request.TeamReviewers) == 0 {
		return nil
	}
	_, err = c.client.PullRequests.RemoveReviewers(ctx, in.Owner, in.Repo.Repo, in.Number, request)
	return err
}

func (c *connector) previewReviewers(ctx context.Context, in RequestReviewers) (string, error) {
	asked, found, err := c.reviewersOf(ctx, in.Numbered)
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Ask %s to review %s: %s", strings.Join(slices.Concat(in.Reviewers, in.Teams), ", "), in.Numbered, found.GetTitle())
	p.names("asked already", slices.Concat(asked.Users, asked.Teams))
	return p.String(), nil
}
