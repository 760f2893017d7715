package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// MergePullRequest are the arguments of merge_pull_request.
type MergePullRequest struct {
	Numbered
	HeadSHA string `json:"head_sha" jsonschema:"pattern=^[0-9a-f]{40}$" jsonschema_description:"head_sha of get_pull_request: what was looked at is what is merged, and nothing else."`
	Method  string `json:"method,omitempty" jsonschema:"enum=merge,enum=squash,enum=rebase,default=merge"`
	Title   string `json:"title,omitempty" jsonschema_description:"The commit's first line; GitHub has one of its own."`
	Message string `json:"message,omitempty" jsonschema_description:"The rest of the commit's message."`
}

// Merged is what a merge has made.
type Merged struct {
	Merged bool   `json:"merged"`
	SHA    string `json:"sha" jsonschema_description:"The merge commit."`
}

// UpdateBranch are the arguments of update_pull_request_branch.
type UpdateBranch struct {
	Numbered
	HeadSHA string `json:"head_sha,omitempty" jsonschema:"pattern=^[0-9a-f]{40}$" jsonschema_description:"Update only if this is still the head."`
}

// Message is what GitHub says to something that it will do soon.
type Message struct {
	Message string `json:"message"`
}

func (c *connector) mergeMethods() []sdk.Method {
	tags := []string{"pull requests"}
	merge := sdk.Func[MergePullRequest, Merged]{
		Name: "merge_pull_request", Description: "Merge a pull request at the commit that was looked at. It cannot be undone.", Tags: tags, Destructive: true,
		Call: c.mergePullRequest, Reconcile: c.findMerge, Preview: c.previewMerge,
	}
	if c.config.RevertMerges {
		merge.Description = "Merge a pull request at the commit that was looked at. A rollback creates a pull request that reverts it."
		merge.Revert, merge.RevertWithoutResult = c.revertMerge, true
	}
	return []sdk.Method{
		write(c, merge),
		write(c, sdk.Func[UpdateBranch, Message]{
			Name: "update_pull_request_branch", Description: "Merge the base branch into a pull request's branch. It cannot be undone.", Tags: tags,
			Call: c.updateBranch, Preview: c.previewUpdateBranch,
		}),
	}
}

func (c *connector) mergePullRequest(ctx context.Context, in MergePullRequest) (Merged, error) {
	done, _, err := c.client.PullRequests.Merge(ctx, in.Owner, in.Repo.Repo, in.Number, in.Message, &github.PullRequestOptions{
		CommitTitle: in.Title, SHA: in.HeadSHA, MergeMethod: in.Method,
	})
	return Merged{done.GetMerged(), done.GetSHA()}, err
}

func (c *connector) findMerge(ctx context.Context, in MergePullRequest) (sdk.Happened[Merged], error) {
	found, _, err := c.client.PullRequests.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	switch {
	case err != nil:
		return sdk.Happened[Merged]{}, err
	case !found.GetMerged():
		return sdk.Happened[Merged]{Answer: sdk.No}, nil
	case found.GetHead().GetSHA() != in.HeadSHA:
		return sdk.Happened[Merged]{}, nil
	}
	return sdk.Happened[Merged]{Answer: sdk.Yes, Result: Merged{true, found.GetMergeCommitSHA()}}, nil
}

// previewMerge shows the checks and reviews as they are now.
func (c *connector) previewMerge(ctx context.Context, in MergePullRequest) (string, error) {
	found, _, err := c.client.PullRequests.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Merge %s by %s, %s into %s: %s", in.Numbered, found.GetUser().GetLogin(), found.GetHead().GetRef(), found.GetBase().GetRef(), found.GetTitle())
	p.line("%d file%s, +%d -%d, at %s", found.GetChangedFiles(), plural(found.GetChangedFiles()), found.GetAdditions(), found.GetDeletions(), short(in.HeadSHA))
	if now := found.GetHead().GetSHA(); now != in.HeadSHA {
		p.line("Its head is %s by now: this merge will be refused.", short(now))
	}
	if found.GetMergeableState() != "" {
		p.line("GitHub calls it %s.", found.GetMergeableState())
	}
	checks, err := c.checksOf(ctx, in.Repo, in.HeadSHA)
	if err != nil {
		return "", err
	}
	p.checks(checks)
	reviews, err := c.listReviews(ctx, ListNumbered{Numbered: in.Numbered})
	if err != nil {
		return "", err
	}
	p.reviews(reviews.Items)
	p.text(in.Message)
	return p.String(), nil
}

// revertMerge has GitHub create the pull request that its button "Revert" does.
// Only GraphQL has it.
func (c *connector) revertMerge(ctx context.Context, in MergePullRequest, _ Merged) error {
	found, _, err := c.client.PullRequests.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return err
	}
	var made any
	return c.mutate(ctx, mutation{
		Query:     `mutation($id: ID!, $body: String) { revertPullRequest(input: {pullRequestId: $id, body: $body}) { revertPullRequest { number } } }`,
		Variables: map[string]any{"id": found.GetNodeID(), "body": marked(ctx, fmt.Sprintf("Reverts %s.", in.Numbered))},
		refusal:   fmt.Sprintf("GitHub does not revert %s", in.Numbered),
	}, &made)
}

func (c *connector) updateBranch(ctx context.Context, in UpdateBranch) (Message, error) {
	var said Message
	body := github.UpdatePullRequestBranchRequest{ExpectedHeadSHA: given(in.HeadSHA)}
	err := c.send(ctx, "PUT", in.path("pulls")+"/update-branch", body, &said)
	// 202 is what GitHub answers here when all is well.
	if accepted, ok := errors.AsType[*github.AcceptedError](err); ok {
		return said, decode(accepted.Raw, &said)
	}
	return said, err
}

func (c *connector) previewUpdateBranch(ctx context.Context, in UpdateBranch) (string, error) {
	found, _, err := c.client.PullRequests.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Merge %s into %s, the branch of %s: %s", found.GetBase().GetRef(), found.GetHead().GetRef(), in.Numbered, found.GetTitle())
	return p.String(), nil
}
