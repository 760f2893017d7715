package main

import (
	"context"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Repo names a repository; it is part of most arguments. The patterns keep a
// name from being a path: rules on owner and repo judge what is really meant.
type Repo struct {
	Owner string `json:"owner" jsonschema:"pattern=^[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$" jsonschema_description:"The user or organization it belongs to."`
	Repo  string `json:"repo" jsonschema:"pattern=^[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$" jsonschema_description:"Its name."`
}

// String is the repository as people write it.
func (r Repo) String() string { return r.Owner + "/" + r.Repo }

// Repository is one repository.
type Repository struct {
	FullName      string     `json:"full_name"`
	Description   string     `json:"description"`
	DefaultBranch string     `json:"default_branch"`
	Visibility    string     `json:"visibility"`
	Archived      bool       `json:"archived"`
	Fork          bool       `json:"fork"`
	Language      string     `json:"language"`
	Topics        []string   `json:"topics"`
	Stars         int        `json:"stars"`
	OpenIssues    int        `json:"open_issues" jsonschema_description:"Open issues and pull requests."`
	PushedAt      *time.Time `json:"pushed_at,omitempty"`
	URL           string     `json:"url"`
	Own
}

// GetRepository are the arguments of get_repository.
type GetRepository struct {
	Repo
	Raw
}

// ListRepositories are the arguments of list_repositories.
type ListRepositories struct {
	Owner string `json:"owner,omitempty" jsonschema:"pattern=^[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$" jsonschema_description:"A user or an organization; without it, whatever the token may see."`
	Sort  string `json:"sort,omitempty" jsonschema:"enum=created,enum=updated,enum=pushed,enum=full_name,default=full_name"`
	Paging
}

func (c *connector) repositoryMethods() []sdk.Method {
	tags := []string{"repositories"}
	return []sdk.Method{
		read(sdk.Func[GetRepository, Repository]{
			Name: "get_repository", Description: "Get a repository: its description, default branch, visibility and counts.", Tags: tags,
			Call: c.getRepository,
		}),
		read(sdk.Func[ListRepositories, Page[Repository]]{
			Name: "list_repositories", Description: "List the repositories of a user or organization, or those that the token may see.", Tags: tags,
			Call: c.listRepositories,
		}),
	}
}

func (c *connector) getRepository(ctx context.Context, in GetRepository) (Repository, error) {
	return one(ctx, in.Raw, func(ctx context.Context) (*github.Repository, *github.Response, error) {
		return c.client.Repositories.Get(ctx, in.Owner, in.Repo.Repo)
	}, repository)
}

func (c *connector) listRepositories(ctx context.Context, in ListRepositories) (Page[Repository], error) {
	return list(ctx, in.Paging, listing[*github.Repository, Repository]{shape: repository,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.Repository, *github.Response, error) {
			if in.Owner == "" {
				return c.client.Repositories.ListByAuthenticatedUser(ctx,
					&github.RepositoryListByAuthenticatedUserOptions{Sort: in.Sort, ListOptions: page})
			}
			// For an organization, GitHub answers this with what an outsider sees of a user:
			// the organization's own listing has its private repositories, too.
			found, resp, err := c.client.Repositories.ListByOrg(ctx, in.Owner,
				&github.RepositoryListByOrgOptions{Sort: in.Sort, ListOptions: page})
			if isNotFound(err) {
				return c.client.Repositories.ListByUser(ctx, in.Owner,
					&github.RepositoryListByUserOptions{Sort: in.Sort, ListOptions: page})
			}
			return found, resp, err
		}})
}

func repository(r *github.Repository) Repository {
	return Repository{
		FullName: r.GetFullName(), Description: r.GetDescription(), DefaultBranch: r.GetDefaultBranch(),
		Visibility: visibility(r), Archived: r.GetArchived(), Fork: r.GetFork(), Language: r.GetLanguage(),
		Topics: r.Topics, Stars: r.GetStargazersCount(), OpenIssues: r.GetOpenIssuesCount(),
		PushedAt: at(r.PushedAt), URL: r.GetHTMLURL(),
	}
}

// visibility is what older servers say with private alone.
func visibility(r *github.Repository) string {
	switch {
	case r.GetVisibility() != "":
		return r.GetVisibility()
	case r.GetPrivate():
		return "private"
	}
	return "public"
}
