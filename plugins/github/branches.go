package main

import (
	"context"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Branch is one branch.
type Branch struct {
	Name      string `json:"name"`
	SHA       string `json:"sha" jsonschema_description:"Its newest commit."`
	Protected bool   `json:"protected"`
	Own
}

// ListBranches are the arguments of list_branches.
type ListBranches struct {
	Repo
	Protected *bool `json:"protected,omitempty" jsonschema_description:"Only those that are protected, or are not."`
	Paging
}

// CreateBranch are the arguments of create_branch.
type CreateBranch struct {
	Repo
	Branch string `json:"branch" jsonschema:"minLength=1"`
	From   string `json:"from,omitempty" jsonschema_description:"The branch, tag or commit to start from; without it the default branch."`
}

func (c *connector) branchMethods() []sdk.Method {
	tags := []string{"branches"}
	return []sdk.Method{
		read(sdk.Func[ListBranches, Page[Branch]]{
			Name: "list_branches", Description: "List branches with their newest commits.", Tags: tags,
			Call: c.listBranches,
		}),
		write(c, sdk.Func[CreateBranch, Branch]{
			Name: "create_branch", Description: "Create a branch. A rollback deletes it if nothing new is on it.", Tags: tags,
			Prepare: c.prepareBranch, Call: c.createBranch, Reconcile: c.findBranch, Preview: c.previewBranch,
			Revert: c.removeBranch, RevertWithoutResult: true,
		}),
		write(c, sdk.Func[DeleteBranch, struct{}]{
			Name: "delete_branch", Description: "Delete a branch, which closes its pull requests. A rollback restores both.", Tags: tags, Destructive: true,
			Prepare: c.formerBranch, Call: c.deleteBranch, Reconcile: c.findDeletion, Preview: c.previewDeletion,
			Revert: c.restoreBranch, RevertWithoutResult: true,
		}),
	}
}

func (c *connector) listBranches(ctx context.Context, in ListBranches) (Page[Branch], error) {
	return list(ctx, in.Paging, listing[*github.Branch, Branch]{shape: branch,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.Branch, *github.Response, error) {
			return c.client.Repositories.ListBranches(ctx, in.Owner, in.Repo.Repo,
				&github.BranchListOptions{Protected: in.Protected, ListOptions: page})
		}})
}

func branch(b *github.Branch) Branch {
	return Branch{Name: b.GetName(), SHA: b.GetCommit().GetSHA(), Protected: b.GetProtected()}
}

// head returns the newest commit of a branch.
func (c *connector) head(ctx context.Context, r Repo, branch string) (string, error) {
	ref, _, err := c.client.Git.GetRef(ctx, r.Owner, r.Repo, "heads/"+branch)
	if isNotFound(err) {
		return "", sdk.Errorf(sdk.NotFound, "%s has no branch %q, or the token may not see it", r, branch)
	}
	if err != nil {
		return "", err
	}
	return ref.GetObject().GetSHA(), nil
}

// start is the commit that a branch begins with.
type start struct {
	SHA string `json:"sha"`
}

// prepareBranch settles on the commit, and refuses a branch that exists.
func (c *connector) prepareBranch(ctx context.Context, in CreateBranch) (any, error) {
	_, _, err := c.client.Git.GetRef(ctx, in.Owner, in.Repo.Repo, "heads/"+in.Branch)
	if err == nil {
		return nil, sdk.Errorf(sdk.Conflict, "%s has a branch %q already", in.Repo, in.Branch)
	}
	if !isNotFound(err) {
		return nil, err
	}
	return c.startOf(ctx, in)
}

func (c *connector) startOf(ctx context.Context, in CreateBranch) (start, error) {
	from := in.From
	if from == "" {
		from = "HEAD"
	}
	found, _, err := c.client.Repositories.GetCommit(ctx, in.Owner, in.Repo.Repo, from, &github.ListOptions{PerPage: 1})
	if err != nil {
		return start{}, err
	}
	return start{found.GetSHA()}, nil
}

func (c *connector) createBranch(ctx context.Context, in CreateBranch) (Branch, error) {
	from, err := sdk.Before[start](ctx)
	if err != nil {
		return Branch{}, err
	}
	_, _, err = c.client.Git.CreateRef(ctx, in.Owner, in.Repo.Repo, github.CreateRef{Ref: "refs/heads/" + in.Branch, SHA: from.SHA})
	return Branch{Name: in.Branch, SHA: from.SHA}, err
}

// findBranch looks for the branch, which did not exist when the call was prepared.
func (c *connector) findBranch(ctx context.Context, in CreateBranch) (sdk.Happened[Branch], error) {
	from, err := sdk.Before[start](ctx)
	if err != nil {
		return sdk.Happened[Branch]{}, err
	}
	ref, _, err := c.client.Git.GetRef(ctx, in.Owner, in.Repo.Repo, "heads/"+in.Branch)
	switch {
	case isNotFound(err):
		return sdk.Happened[Branch]{Answer: sdk.No}, nil
	case err != nil:
		return sdk.Happened[Branch]{}, err
	case ref.GetObject().GetSHA() != from.SHA:
		return sdk.Happened[Branch]{}, nil
	}
	return sdk.Happened[Branch]{Answer: sdk.Yes, Result: Branch{Name: in.Branch, SHA: from.SHA}}, nil
}

// removeBranch deletes the branch unless there is something on it that was not
// where it began.
func (c *connector) removeBranch(ctx context.Context, in CreateBranch, _ Branch) error {
	from, err := sdk.Before[start](ctx)
	if err != nil {
		return err
	}
	ref, _, err := c.client.Git.GetRef(ctx, in.Owner, in.Repo.Repo, "heads/"+in.Branch)
	if err != nil {
		return gone(err)
	}
	same, err := c.sameTree(ctx, in.Repo, from.SHA, ref.GetObject().GetSHA())
	if err != nil {
		return err
	}
	if !same {
		return sdk.Errorf(sdk.Conflict, "the branch %q of %s holds work that was not there when it was created; it stays", in.Branch, in.Repo)
	}
	_, err = c.client.Git.DeleteRef(ctx, in.Owner, in.Repo.Repo, "heads/"+in.Branch)
	return gone(err)
}

// sameTree reports whether two commits have the same files.
func (c *connector) sameTree(ctx context.Context, r Repo, a, b string) (bool, error) {
	if a == b {
		return true, nil
	}
	first, _, err := c.client.Git.GetCommit(ctx, r.Owner, r.Repo, a)
	if err != nil {
		return false, err
	}
	second, _, err := c.client.Git.GetCommit(ctx, r.Owner, r.Repo, b)
	if err != nil {
		return false, err
	}
	return first.GetTree().GetSHA() == second.GetTree().GetSHA(), nil
}

func (c *connector) previewBranch(ctx context.Context, in CreateBranch) (string, error) {
	from, err := c.startOf(ctx, in)
	if err != nil {
		return "", err
	}
	name := in.From
	if name == "" {
		name = "the default branch"
	}
	var p preview
	p.line("Create the branch %q in %s from %s (%s)", in.Branch, in.Repo, name, short(from.SHA))
	return p.String(), nil
}

// short is a commit as people write it.
func short(sha string) string { return sha[:min(len(sha), 10)] }
