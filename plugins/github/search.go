package main

import (
	"context"
	"strings"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// mostFound is how far GitHub lets anybody look into the results of a search.
const mostFound = 1000

// SearchIssues are the arguments of search_issues.
type SearchIssues struct {
	Query string `json:"query" jsonschema:"minLength=1,maxLength=1000" jsonschema_description:"In GitHub's syntax: repo:acme/shop is:issue is:open label:bug crash."`
	Sort  string `json:"sort,omitempty" jsonschema:"enum=created,enum=updated,enum=comments,enum=reactions" jsonschema_description:"Without it, the best match first."`
	Order string `json:"order,omitempty" jsonschema:"enum=asc,enum=desc,default=desc"`
	Paging
}

// SearchRepositories are the arguments of search_repositories.
type SearchRepositories struct {
	Query string `json:"query" jsonschema:"minLength=1,maxLength=1000" jsonschema_description:"In GitHub's syntax: org:acme language:go topic:cli."`
	Sort  string `json:"sort,omitempty" jsonschema:"enum=stars,enum=forks,enum=help-wanted-issues,enum=updated" jsonschema_description:"Without it, the best match first."`
	Order string `json:"order,omitempty" jsonschema:"enum=asc,enum=desc,default=desc"`
	Paging
}

// SearchCode are the arguments of search_code.
type SearchCode struct {
	Query string `json:"query" jsonschema:"minLength=1,maxLength=1000" jsonschema_description:"In GitHub's syntax: repo:acme/shop parseConfig path:src. Only default branches are searched."`
	Paging
}

// Found is a file that a search has found.
type Found struct {
	Repository string   `json:"repository"`
	Path       string   `json:"path"`
	SHA        string   `json:"sha"`
	Fragments  []string `json:"fragments" jsonschema_description:"The text around each match."`
	URL        string   `json:"url"`
	Own
}

func (c *connector) searchMethods() []sdk.Method {
	tags := []string{"search"}
	return []sdk.Method{
		read(sdk.Func[SearchIssues, Page[Issue]]{
			Name: "search_issues", Description: "Search issues and pull requests; the query must say is:issue or is:pull-request.", Tags: tags,
			Call: c.searchIssues,
		}),
		read(sdk.Func[SearchRepositories, Page[Repository]]{
			Name: "search_repositories", Description: "Search repositories.", Tags: tags,
			Call: c.searchRepositories,
		}),
		read(sdk.Func[SearchCode, Page[Found]]{
			Name: "search_code", Description: "Search code.", Tags: tags,
			Call: c.searchCode,
		}),
	}
}

func (c *connector) searchIssues(ctx context.Context, in SearchIssues) (Page[Issue], error) {
	found := &search{}
	page, err := list(ctx, in.Paging, listing[*github.Issue, Issue]{shape: issue,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.Issue, *github.Response, error) {
			r, resp, err := c.client.Search.Issues(ctx, in.Query, &github.SearchOptions{Sort: in.Sort, Order: in.Order, ListOptions: page})
			if err != nil {
				return nil, resp, err
			}
			found.note(r.GetTotal(), r.GetIncompleteResults())
			return r.Issues, resp, nil
		}})
	return finish(page, found), err
}

func (c *connector) searchRepositories(ctx context.Context, in SearchRepositories) (Page[Repository], error) {
	found := &search{}
	page, err := list(ctx, in.Paging, listing[*github.Repository, Repository]{shape: repository,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.Repository, *github.Response, error) {
			r, resp, err := c.client.Search.Repositories(ctx, in.Query, &github.SearchOptions{Sort: in.Sort, Order: in.Order, ListOptions: page})
			if err != nil {
				return nil, resp, err
			}
			found.note(r.GetTotal(), r.GetIncompleteResults())
			return r.Repositories, resp, nil
		}})
	return finish(page, found), err
}

func (c *connector) searchCode(ctx context.Context, in SearchCode) (Page[Found], error) {
	found := &search{}
	page, err := list(ctx, in.Paging, listing[*github.CodeResult, Found]{shape: foundCode,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.CodeResult, *github.Response, error) {
			r, resp, err := c.client.Search.Code(ctx, in.Query, &github.SearchOptions{TextMatch: true, ListOptions: page})
			if err != nil {
				return nil, resp, err
			}
			found.note(r.GetTotal(), r.GetIncompleteResults())
			return r.CodeResults, resp, nil
		}})
	return finish(page, found), err
}

// search is what GitHub says of all results.
type search struct {
	total      int
	incomplete bool
}

func (s *search) note(total int, incomplete bool) {
	s.total, s.incomplete = total, s.incomplete || incomplete
}

// finish adds to a page what GitHub says of all results.
func finish[T any](page Page[T], s *search) Page[T] {
	page.Total = s.total
	switch {
	case s.incomplete:
		page.stop("GitHub ran out of time and has not looked everywhere; narrow the query")
	case !page.More && s.total > mostFound:
		page.stop("GitHub gives no more than %d results of a search; narrow the query", mostFound)
	}
	return page
}

func foundCode(r *github.CodeResult) Found {
	fragments := make([]string, len(r.TextMatches))
	for i, m := range r.TextMatches {
		fragments[i] = m.GetFragment()
	}
	return Found{
		Repository: r.GetRepository().GetFullName(), Path: r.GetPath(), SHA: r.GetSHA(), Fragments: fragments, URL: r.GetHTMLURL(),
	}
}

// repositoryOf is OWNER/REPO of a repository's address in the API.
func repositoryOf(address string) string {
	_, name, _ := strings.Cut(address, "/repos/")
	return name
}
