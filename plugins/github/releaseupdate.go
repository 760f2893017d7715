package main

import (
	"context"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// UpdateRelease are the arguments of update_release.
type UpdateRelease struct {
	Repo
	ReleaseID  int64   `json:"release_id" jsonschema:"minimum=1"`
	Name       *string `json:"name,omitempty"`
	Body       *string `json:"body,omitempty" jsonschema_description:"Markdown."`
	Draft      *bool   `json:"draft,omitempty" jsonschema_description:"false publishes a draft."`
	Prerelease *bool   `json:"prerelease,omitempty"`
}

// releaseFacts are what update_release changes.
type releaseFacts struct {
	Name       string `json:"name"`
	Body       string `json:"body"`
	Draft      bool   `json:"draft"`
	Prerelease bool   `json:"prerelease"`
}

// formerRelease is what reverting an update needs.
type formerRelease struct {
	releaseFacts
	formerTag
}

func factsOf(r Release) releaseFacts {
	return releaseFacts{Name: r.Name, Body: r.Body, Draft: r.Draft, Prerelease: r.Prerelease}
}

// on is what becomes of a release.
func (in UpdateRelease) on(f releaseFacts) releaseFacts {
	set(&f.Name, in.Name)
	set(&f.Body, in.Body)
	set(&f.Draft, in.Draft)
	set(&f.Prerelease, in.Prerelease)
	return f
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func (c *connector) updateReleaseMethod(tags []string) sdk.Method {
	return write(c, sdk.Func[UpdateRelease, Release]{
		Name: "update_release", Description: "Change a release's name or notes, or publish a draft. What is not given stays.", Tags: tags,
		Prepare: c.formerRelease, Call: c.updateRelease, Revert: c.restoreRelease, Reconcile: c.findReleaseUpdate, Preview: c.previewReleaseUpdate,
	})
}

func (c *connector) releaseOf(ctx context.Context, in UpdateRelease) (Release, error) {
	found, _, err := c.client.Repositories.GetRelease(ctx, in.Owner, in.Repo.Repo, in.ReleaseID)
	return as(release, found, err)
}

func (c *connector) formerRelease(ctx context.Context, in UpdateRelease) (any, error) {
	found, err := c.releaseOf(ctx, in)
	if err != nil {
		return nil, err
	}
	_, _, err = c.client.Git.GetRef(ctx, in.Owner, in.Repo.Repo, "tags/"+found.Tag)
	return formerRelease{factsOf(found), formerTag{Tagged: err == nil}}, gone(err)
}

func (c *connector) updateRelease(ctx context.Context, in UpdateRelease) (Release, error) {
	changed, _, err := c.client.Repositories.UpdateRelease(ctx, in.Owner, in.Repo.Repo, in.ReleaseID, github.UpdateReleaseRequest{
		Name: in.Name, Body: in.Body, Draft: in.Draft, Prerelease: in.Prerelease,
	})
	return as(release, changed, err)
}

// restoreRelease gives back what the call has changed and nobody has since. A
// release that is a draft again takes the tag with it that publishing made.
func (c *connector) restoreRelease(ctx context.Context, in UpdateRelease, made Release) error {
	former, err := sdk.Before[formerRelease](ctx)
	if err != nil {
		return err
	}
	now, err := c.releaseOf(ctx, in)
	if err != nil {
		return err
	}
	back := github.UpdateReleaseRequest{
		Name: back(former.Name, made.Name, now.Name), Body: back(former.Body, made.Body, now.Body),
		Draft: back(former.Draft, made.Draft, now.Draft), Prerelease: back(former.Prerelease, made.Prerelease, now.Prerelease),
	}
	if back == (github.UpdateReleaseRequest{}) {
		return nil
	}
	if _, _, err := c.client.Repositories.UpdateRelease(ctx, in.Owner, in.Repo.Repo, in.ReleaseID, back); err != nil {
		return err
	}
	if back.Draft == nil || !*back.Draft || former.Tagged {
		return nil
	}
	_, err = c.client.Git.DeleteRef(ctx, in.Owner, in.Repo.Repo, "tags/"+now.Tag)
	return gone(err)
}

// back is a former value, where the call has changed it and nobody has since.
func back[T comparable](former, made, now T) *T {
	if former == made || now != made {
		return nil
	}
	return &former
}

func (c *connector) findReleaseUpdate(ctx context.Context, in UpdateRelease) (sdk.Happened[Release], error) {
	former, err := sdk.Before[formerRelease](ctx)
	if err != nil {
		return sdk.Happened[Release]{}, err
	}
	now, err := c.releaseOf(ctx, in)
	switch {
	case err != nil:
		return sdk.Happened[Release]{}, err
	case factsOf(now) == former.releaseFacts:
		return sdk.Happened[Release]{Answer: sdk.No}, nil
	case factsOf(now) == in.on(former.releaseFacts):
		return sdk.Happened[Release]{Answer: sdk.Yes, Result: now}, nil
	}
	return sdk.Happened[Release]{}, nil
}

func (c *connector) previewReleaseUpdate(ctx context.Context, in UpdateRelease) (string, error) {
	found, err := c.releaseOf(ctx, in)
	if err != nil {
		return "", err
	}
	from := factsOf(found)
	to := in.on(from)
	var p preview
	p.line("Change the release %s of %s:", found.Tag, in.Repo)
	if from.Draft && !to.Draft {
		p.line("Publish it: everybody who watches the repository is told.")
	}
	if !from.Draft && to.Draft {
		p.line("Make it a draft again, which nobody sees.")
	}
	p.change("name", from.Name, to.Name)
	if from.Prerelease != to.Prerelease {
		p.line("prerelease: %t -> %t", from.Prerelease, to.Prerelease)
	}
	if from.Body != to.Body {
		p.body(from.Body, to.Body)
	}
	return p.String(), nil
}
