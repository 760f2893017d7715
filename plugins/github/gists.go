package main

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Gist is one gist.
type Gist struct {
	ID          string            `json:"id"`
	Description string            `json:"description"`
	Public      bool              `json:"public"`
	Owner       string            `json:"owner"`
	Files       map[string]string `json:"files" jsonschema_description:"Contents by name; those of large files are cut at 1 MB."`
	UpdatedAt   *time.Time        `json:"updated_at,omitempty"`
	URL         string            `json:"url"`
	Own
}

// GetGist are the arguments of get_gist.
type GetGist struct {
	ID string `json:"id" jsonschema:"pattern=^[0-9A-Za-z]+$"`
	Raw
}

// CreateGist are the arguments of create_gist.
type CreateGist struct {
	Files       map[string]string `json:"files" jsonschema:"minProperties=1" jsonschema_description:"Contents by name."`
	Description string            `json:"description,omitempty"`
	Public      bool              `json:"public,omitempty" jsonschema_description:"Let everybody find it; without this it is open to those who know its address."`
}

func (c *connector) gistMethods() []sdk.Method {
	tags := []string{"gists"}
	return []sdk.Method{
		read(sdk.Func[GetGist, Gist]{
			Name: "get_gist", Description: "Get a gist with its files.", Tags: tags,
			Call: c.getGist,
		}),
		write(c, sdk.Func[CreateGist, Gist]{
			Name: "create_gist", Description: "Create a gist. A rollback deletes it.", Tags: tags,
			Call: c.createGist, Revert: c.deleteGist, Preview: c.previewGist,
		}),
	}
}

func (c *connector) getGist(ctx context.Context, in GetGist) (Gist, error) {
	return one(ctx, in.Raw, func(ctx context.Context) (*github.Gist, *github.Response, error) {
		return c.client.Gists.Get(ctx, in.ID)
	}, gist)
}

func (c *connector) createGist(ctx context.Context, in CreateGist) (Gist, error) {
	files := make(map[github.GistFilename]*github.CreateGistFile, len(in.Files))
	for name, content := range in.Files {
		files[github.GistFilename(name)] = &github.CreateGistFile{Content: content}
	}
	made, _, err := c.client.Gists.Create(ctx, github.CreateGistRequest{Description: &in.Description, Public: &in.Public, Files: files})
	return as(gist, made, err)
}

func (c *connector) deleteGist(ctx context.Context, _ CreateGist, made Gist) error {
	_, err := c.client.Gists.Delete(ctx, made.ID)
	return gone(err)
}

func (c *connector) previewGist(_ context.Context, in CreateGist) (string, error) {
	kind := "secret"
	if in.Public {
		kind = "public"
	}
	var p preview
	p.line("Create a %s gist: %s", kind, in.Description)
	for _, name := range sorted(in.Files) {
		p.line("%s:", name)
		p.line("%s", excerpt(in.Files[name], shownLines))
	}
	return p.String(), nil
}

// sorted are the keys of a map in order.
func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

func gist(g *github.Gist) Gist {
	shaped := Gist{
		ID: g.GetID(), Description: g.GetDescription(), Public: g.GetPublic(), Owner: g.GetOwner().GetLogin(),
		Files: map[string]string{}, UpdatedAt: at(g.UpdatedAt), URL: g.GetHTMLURL(),
	}
	for name, file := range g.Files {
		shaped.Files[string(name)] = file.GetContent()
	}
	return shaped
}
