package main

import (
	"context"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Commit is one commit.
type Commit struct {
	SHA     string        `json:"sha"`
	Message string        `json:"message"`
	Author  string        `json:"author" jsonschema_description:"The account, or the name in the commit where no account is known."`
	Date    *time.Time    `json:"date,omitempty"`
	Parents []string      `json:"parents"`
	URL     string        `json:"url"`
	Files   []ChangedFile `json:"files,omitempty" jsonschema_description:"What it changed; get_commit only."`
	Own
}

// ChangedFile is one file that a commit or a pull request changes.
type ChangedFile struct {
	Path         string `json:"path"`
	PreviousPath string `json:"previous_path,omitempty"`
	Status       string `json:"status" jsonschema_description:"added, removed, modified, renamed, copied, changed or unchanged."`
	Additions    int    `json:"additions"`
	Deletions    int    `json:"deletions"`
	Patch        string `json:"patch,omitempty" jsonschema_description:"The difference; missing for large and binary files."`
	Own
}

// ListCommits are the arguments of list_commits.
type ListCommits struct {
	Repo
	Ref    string     `json:"ref,omitempty" jsonschema_description:"A branch, tag or commit to start from; without it the default branch."`
	Path   string     `json:"path,omitempty" jsonschema_description:"Only commits that change this file or folder."`
	Author string     `json:"author,omitempty" jsonschema_description:"A login or an email address."`
	Since  *time.Time `json:"since,omitempty"`
	Until  *time.Time `json:"until,omitempty"`
	Paging
}

// GetCommit are the arguments of get_commit.
type GetCommit struct {
	Repo
	Ref string `json:"ref" jsonschema:"minLength=1" jsonschema_description:"A commit, branch or tag."`
	Raw
}

// CompareCommits are the arguments of compare_commits.
type CompareCommits struct {
	Repo
	Base string `json:"base" jsonschema:"minLength=1" jsonschema_description:"A branch, tag or commit."`
	Head string `json:"head" jsonschema:"minLength=1" jsonschema_description:"A branch, tag or commit; OWNER:BRANCH for one of a fork."`
	Raw
}

// Comparison is what lies between two commits.
type Comparison struct {
	Status       string        `json:"status" jsonschema_description:"ahead, behind, diverged or identical: of head, seen from base."`
	AheadBy      int           `json:"ahead_by"`
	BehindBy     int           `json:"behind_by"`
	TotalCommits int           `json:"total_commits"`
	Commits      []Commit      `json:"commits" jsonschema_description:"The first 250 at most."`
	Files        []ChangedFile `json:"files" jsonschema_description:"300 at most."`
	URL          string        `json:"url"`
	Own
}

func (c *connector) commitMethods() []sdk.Method {
	tags := []string{"commits"}
	return []sdk.Method{
		read(sdk.Func[ListCommits, Page[Commit]]{
			Name: "list_commits", Description: "List commits, newest first, of a branch, a path or an author.", Tags: tags,
			Call: c.listCommits,
		}),
		read(sdk.Func[GetCommit, Commit]{
			Name: "get_commit", Description: "Get a commit with the files that it changed.", Tags: tags,
			Call: c.getCommit,
		}),
		read(sdk.Func[CompareCommits, Comparison]{
			Name: "compare_commits", Description: "Compare two branches, tags or commits: the commits and changed files between them.", Tags: tags,
			Call: c.compareCommits,
		}),
	}
}

func (c *connector) listCommits(ctx context.Context, in ListCommits) (Page[Commit], error) {
	return list(ctx, in.Paging, listing[*github.RepositoryCommit, Commit]{shape: commit,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.RepositoryCommit, *github.Response, error) {
			return c.client.Repositories.ListCommits(ctx, in.Owner, in.Repo.Repo, &github.CommitsListOptions{
				SHA: in.Ref, Path: in.Path, Author: in.Author, Since: since(in.Since), Until: since(in.Until), ListOptions: page,
			})
		}})
}

func (c *connector) getCommit(ctx context.Context, in GetCommit) (Commit, error) {
	return one(ctx, in.Raw, func(ctx context.Context) (*github.RepositoryCommit, *github.Response, error) {
		return c.client.Repositories.GetCommit(ctx, in.Owner, in.Repo.Repo, in.Ref, nil)
	}, commit)
}

func (c *connector) compareCommits(ctx context.Context, in CompareCommits) (Comparison, error) {
	return one(ctx, in.Raw, func(ctx context.Context) (*github.CommitsComparison, *github.Response, error) {
		return c.client.Repositories.CompareCommits(ctx, in.Owner, in.Repo.Repo, in.Base, in.Head, nil)
	}, comparison)
}

func commit(r *github.RepositoryCommit) Commit {
	author := r.GetAuthor().GetLogin()
	if author == "" {
		author = r.GetCommit().GetAuthor().GetName()
	}
	parents := make([]string, len(r.Parents))
	for i, p := range r.Parents {
		parents[i] = p.GetSHA()
	}
	return Commit{
		SHA: r.GetSHA(), Message: r.GetCommit().GetMessage(), Author: author, Date: at(r.GetCommit().GetCommitter().Date),
		Parents: parents, URL: r.GetHTMLURL(), Files: changedFiles(r.Files),
	}
}

func changedFiles(files []*github.CommitFile) []ChangedFile {
	shaped := make([]ChangedFile, len(files))
	for i, f := range files {
		shaped[i] = changedFile(f)
	}
	return shaped
}

func changedFile(f *github.CommitFile) ChangedFile {
	return ChangedFile{
		Path: f.GetFilename(), PreviousPath: f.GetPreviousFilename(), Status: f.GetStatus(),
		Additions: f.GetAdditions(), Deletions: f.GetDeletions(), Patch: f.GetPatch(),
	}
}

func comparison(r *github.CommitsComparison) Comparison {
	commits := make([]Commit, len(r.Commits))
	for i, one := range r.Commits {
		commits[i] = commit(one)
	}
	return Comparison{
		Status: r.GetStatus(), AheadBy: r.GetAheadBy(), BehindBy: r.GetBehindBy(), TotalCommits: r.GetTotalCommits(),
		Commits: commits, Files: changedFiles(r.Files), URL: r.GetHTMLURL(),
	}
}
