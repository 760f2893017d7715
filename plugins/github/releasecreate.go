package main

import (
	"context"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// CreateRelease are the arguments of create_release.
type CreateRelease struct {
	Repo
	Tag           string `json:"tag" jsonschema:"minLength=1" jsonschema_description:"It is made if it does not exist."`
	Target        string `json:"target,omitempty" jsonschema_description:"The branch or commit for a new tag; without it the default branch."`
	Name          string `json:"name,omitempty"`
	Body          string `json:"body,omitempty" jsonschema_description:"Markdown."`
	Draft         bool   `json:"draft,omitempty" jsonschema_description:"Nobody sees a draft, and no tag is made, before it is published."`
	Prerelease    bool   `json:"prerelease,omitempty"`
	GenerateNotes bool   `json:"generate_notes,omitempty" jsonschema_description:"Have GitHub write what has changed since the last release, behind body."`
}

// formerTag is what reverting a release needs.
type formerTag struct {
	// Tagged says that the tag existed: then it is not the release's to delete.
	Tagged bool `json:"tagged"`
}

func (c *connector) createReleaseMethod(tags []string) sdk.Method {
	return write(c, sdk.Func[CreateRelease, Release]{
		Name: "create_release", Description: "Create a release, or a draft of one. A rollback deletes it, and the tag if the release made it.", Tags: tags,
		Prepare: c.prepareRelease, Call: c.createRelease, Revert: c.deleteRelease, Reconcile: c.findRelease, Preview: c.previewRelease,
	})
}

// prepareRelease notes whether the tag exists, and refuses a release that does.
func (c *connector) prepareRelease(ctx context.Context, in CreateRelease) (any, error) {
	found, err := c.findTag(ctx, in)
	if err != nil {
		return nil, err
	}
	if found != nil {
		return nil, sdk.Errorf(sdk.Conflict, "%s has a release %q already: %s", in.Repo, in.Tag, found.HTMLURL)
	}
	_, _, err = c.client.Git.GetRef(ctx, in.Owner, in.Repo.Repo, "tags/"+in.Tag)
	return formerTag{Tagged: err == nil}, gone(err)
}

// findTag looks among the newest releases, drafts included, for one of the tag;
// nil if there is none.
func (c *connector) findTag(ctx context.Context, in CreateRelease) (*github.RepositoryRelease, error) {
	found, _, err := c.client.Repositories.ListReleases(ctx, in.Owner, in.Repo.Repo, &github.ListOptions{PerPage: pageSize})
	if err != nil {
		return nil, err
	}
	for _, r := range found {
		if r.TagName == in.Tag {
			return r, nil
		}
	}
	return nil, nil
}

func (c *connector) createRelease(ctx context.Context, in CreateRelease) (Release, error) {
	made, _, err := c.client.Repositories.CreateRelease(ctx, in.Owner, in.Repo.Repo, github.CreateReleaseRequest{
		TagName: in.Tag, TargetCommitish: given(in.Target), Name: given(in.Name), Body: given(in.Body),
		Draft: &in.Draft, Prerelease: &in.Prerelease, GenerateReleaseNotes: &in.GenerateNotes,
	})
	if err != nil {
		return Release{}, err
	}
	return release(made), nil
}

func (c *connector) deleteRelease(ctx context.Context, in CreateRelease, made Release) error {
	former, err := sdk.Before[formerTag](ctx)
	if err != nil {
		return err
	}
	_, err = c.client.Repositories.DeleteRelease(ctx, in.Owner, in.Repo.Repo, made.ID)
	if err := gone(err); err != nil || former.Tagged || in.Draft {
		return err
	}
	_, err = c.client.Git.DeleteRef(ctx, in.Owner, in.Repo.Repo, "tags/"+in.Tag)
	return gone(err)
}

// findRelease looks for the release, of whose tag there was none when the call was prepared.
func (c *connector) findRelease(ctx context.Context, in CreateRelease) (sdk.Happened[Release], error) {
	found, err := c.findTag(ctx, in)
	switch {
	case err != nil:
		return sdk.Happened[Release]{}, err
	case found == nil:
		return sdk.Happened[Release]{Answer: sdk.No}, nil
	}
	return sdk.Happened[Release]{Answer: sdk.Yes, Result: release(found)}, nil
}

func (c *connector) previewRelease(_ context.Context, in CreateRelease) (string, error) {
	kind := "release"
	switch {
	case in.Draft:
		kind = "draft of a release"
	case in.Prerelease:
		kind = "prerelease"
	}
	var p preview
	p.line("Create a %s of %s: %s %s", kind, in.Repo, in.Tag, in.Name)
	if in.Target != "" {
		p.line("target: %s", in.Target)
	}
	if in.GenerateNotes {
		p.line("GitHub adds what has changed since the last release.")
	}
	p.text(in.Body)
	return p.String(), nil
}

func release(r *github.RepositoryRelease) Release {
	return Release{
		ID: r.ID, Tag: r.TagName, Name: deref(r.Name), Body: deref(r.Body), Draft: r.Draft, Prerelease: r.Prerelease,
		Target: r.TargetCommitish, PublishedAt: at(r.PublishedAt), URL: r.HTMLURL,
	}
}
