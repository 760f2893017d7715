package main

import (
	"context"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Release is one release.
type Release struct {
	ID          int64      `json:"id"`
	Tag         string     `json:"tag"`
	Name        string     `json:"name"`
	Body        string     `json:"body"`
	Draft       bool       `json:"draft"`
	Prerelease  bool       `json:"prerelease"`
	Target      string     `json:"target" jsonschema_description:"The branch or commit that the tag was made from."`
	PublishedAt *time.Time `json:"published_at,omitempty"`
	URL         string     `json:"url"`
	Own
}

// ListReleases are the arguments of list_releases.
type ListReleases struct {
	Repo
	Paging
}

func (c *connector) releaseMethods() []sdk.Method {
	tags := []string{"releases"}
	return []sdk.Method{
		read(sdk.Func[ListReleases, Page[Release]]{
			Name: "list_releases", Description: "List releases, newest first; drafts only for those who may publish them.", Tags: tags,
			Call: c.listReleases,
		}),
		c.createReleaseMethod(tags),
		c.updateReleaseMethod(tags),
	}
}

func (c *connector) listReleases(ctx context.Context, in ListReleases) (Page[Release], error) {
	return list(ctx, in.Paging, listing[*github.RepositoryRelease, Release]{shape: release,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.RepositoryRelease, *github.Response, error) {
			return c.client.Repositories.ListReleases(ctx, in.Owner, in.Repo.Repo, &page)
		}})
}
