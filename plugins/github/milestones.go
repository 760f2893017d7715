package main

import (
	"context"
	"time"

	"github.com/google/go-github/v93/github"
)

// Milestone is one milestone.
type Milestone struct {
	Number       int        `json:"number"`
	Title        string     `json:"title"`
	Description  string     `json:"description"`
	State        string     `json:"state"`
	OpenIssues   int        `json:"open_issues"`
	ClosedIssues int        `json:"closed_issues"`
	DueOn        *time.Time `json:"due_on,omitempty"`
	URL          string     `json:"url"`
	Own
}

// ListMilestones are the arguments of list_milestones.
type ListMilestones struct {
	Repo
	State string `json:"state,omitempty" jsonschema:"enum=open,enum=closed,enum=all,default=open"`
	Paging
}

func (c *connector) listMilestones(ctx context.Context, in ListMilestones) (Page[Milestone], error) {
	return list(ctx, in.Paging, listing[*github.Milestone, Milestone]{shape: milestone,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.Milestone, *github.Response, error) {
			return c.client.Issues.ListMilestones(ctx, in.Owner, in.Repo.Repo, &github.MilestoneListOptions{State: in.State, ListOptions: page})
		}})
}

func milestone(m *github.Milestone) Milestone {
	return Milestone{
		Number: m.GetNumber(), Title: m.GetTitle(), Description: m.GetDescription(), State: m.GetState(),
		OpenIssues: m.GetOpenIssues(), ClosedIssues: m.GetClosedIssues(), DueOn: at(m.DueOn), URL: m.GetHTMLURL(),
	}
}
