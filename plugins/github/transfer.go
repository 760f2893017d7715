package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// TransferIssue are the arguments of transfer_issue.
type TransferIssue struct {
	Numbered
	To string `json:"to" jsonschema:"pattern=^[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$" jsonschema_description:"The name of the other repository, of the same owner."`
}

// Transferred is where an issue has gone.
type Transferred struct {
	Repository string `json:"repository"`
	Number     int    `json:"number"`
	URL        string `json:"url"`
}

func (c *connector) transferIssue(ctx context.Context, in TransferIssue) (Transferred, error) {
	found, err := c.transferable(ctx, in)
	if err != nil {
		return Transferred{}, err
	}
	to, _, err := c.client.Repositories.Get(ctx, in.Owner, in.To)
	if err != nil {
		return Transferred{}, err
	}
	var data struct {
		TransferIssue struct {
			Issue struct {
				Number int    `json:"number"`
				URL    string `json:"url"`
			} `json:"issue"`
		} `json:"transferIssue"`
	}
	err = c.mutate(ctx, mutation{
		Query:     `mutation($issue: ID!, $to: ID!) { transferIssue(input: {issueId: $issue, repositoryId: $to}) { issue { number url } } }`,
		Variables: map[string]any{"issue": found.GetNodeID(), "to": to.GetNodeID()},
		refusal:   fmt.Sprintf("GitHub does not transfer %s to %s/%s", in.Numbered, in.Owner, in.To),
	}, &data)
	made := data.TransferIssue.Issue
	return Transferred{Repository: to.GetFullName(), Number: made.Number, URL: made.URL}, err
}

// transferable is the issue, if it still is where the call says, and no pull request.
func (c *connector) transferable(ctx context.Context, in TransferIssue) (*github.Issue, error) {
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	switch {
	case err != nil:
		return nil, err
	case found.IsPullRequest():
		return nil, sdk.Errorf(sdk.InvalidArgument, "%s is a pull request, and those stay where they are", in.Numbered)
	case in.movedTo(found) != "":
		return nil, sdk.Errorf(sdk.Conflict, "%s was transferred already: %s", in.Numbered, found.GetHTMLURL())
	}
	return found, nil
}

// movedTo is the repository that an issue is in now, if that is not the call's:
// GitHub's answers follow an issue.
func (in TransferIssue) movedTo(found *github.Issue) string {
	if now := repositoryOf(found.GetRepositoryURL()); !strings.EqualFold(now, in.Repo.String()) {
		return now
	}
	return ""
}

func (c *connector) findTransfer(ctx context.Context, in TransferIssue) (sdk.Happened[Transferred], error) {
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return sdk.Happened[Transferred]{}, err
	}
	switch in.movedTo(found) {
	case "":
		return sdk.Happened[Transferred]{Answer: sdk.No}, nil
	case in.Owner + "/" + in.To:
		return sdk.Happened[Transferred]{Answer: sdk.Yes, Result: Transferred{
			Repository: in.movedTo(found), Number: found.GetNumber(), URL: found.GetHTMLURL(),
		}}, nil
	}
	return sdk.Happened[Transferred]{}, nil
}

func (c *connector) previewTransfer(ctx context.Context, in TransferIssue) (string, error) {
	found, err := c.transferable(ctx, in)
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Transfer %s to %s/%s: %s", in.Numbered, in.Owner, in.To, found.GetTitle())
	p.names("labels, of which those stay that the other repository has", labelNames(found.Labels))
	return p.String(), nil
}
