package main

import (
	"context"
	"net/url"
	"strings"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Label is a label of a repository.
type Label struct {
	Name        string `json:"name"`
	Color       string `json:"color"`
	Description string `json:"description"`
	Own
}

// ListLabels are the arguments of list_labels.
type ListLabels struct {
	Repo
	Paging
}

// CreateLabel are the arguments of create_label.
type CreateLabel struct {
	Repo
	Name        string `json:"name" jsonschema:"minLength=1,maxLength=50"`
	Color       string `json:"color,omitempty" jsonschema:"pattern=^[0-9a-fA-F]{6}$" jsonschema_description:"Six hexadecimal digits without #; without it GitHub chooses."`
	Description string `json:"description,omitempty" jsonschema:"maxLength=100"`
}

// AddLabels are the arguments of add_labels.
type AddLabels struct {
	Numbered
	Labels []string `json:"labels" jsonschema:"minItems=1,maxItems=100"`
}

// RemoveLabel are the arguments of remove_label.
type RemoveLabel struct {
	Numbered
	Label string `json:"label" jsonschema:"minLength=1"`
}

// Labels is what an issue is labelled with.
type Labels struct {
	Labels []string `json:"labels"`
}

func (c *connector) labelMethods() []sdk.Method {
	tags := []string{"labels"}
	return []sdk.Method{
		read(sdk.Func[ListLabels, Page[Label]]{
			Name: "list_labels", Description: "List the labels that a repository has.", Tags: tags,
			Call: c.listLabels,
		}),
		write(c, sdk.Func[CreateLabel, Label]{
			Name: "create_label", Description: "Create a label in a repository. A rollback deletes it.", Tags: tags,
			Prepare: c.prepareLabel, Call: c.createLabel, Reconcile: c.findLabel, Preview: c.previewLabel,
			Revert: c.deleteLabel, RevertWithoutResult: true,
		}),
		write(c, sdk.Func[AddLabels, Labels]{
			Name: "add_labels", Description: "Add labels to an issue or pull request; the repository must have them.", Tags: tags, Idempotent: true,
			Prepare: c.prepareLabels, Call: c.addLabels, Preview: c.previewLabels,
			Revert: c.removeLabels, RevertWithoutResult: true,
		}),
		write(c, sdk.Func[RemoveLabel, Labels]{
			Name: "remove_label", Description: "Remove a label from an issue or pull request.", Tags: tags, Idempotent: true,
			Prepare: c.prepareRemoval, Call: c.removeLabel, Preview: c.previewRemoval,
			Revert: c.restoreLabel, RevertWithoutResult: true,
		}),
	}
}

func (c *connector) listLabels(ctx context.Context, in ListLabels) (Page[Label], error) {
	return list(ctx, in.Paging, listing[*github.Label, Label]{shape: label,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.Label, *github.Response, error) {
			return c.client.Issues.ListLabels(ctx, in.Owner, in.Repo.Repo, &page)
		}})
}

func label(l *github.Label) Label {
	return Label{Name: l.GetName(), Color: l.GetColor(), Description: l.GetDescription()}
}

// prepareLabel refuses a label that exists: it is not this call's to delete.
func (c *connector) prepareLabel(ctx context.Context, in CreateLabel) (any, error) {
	_, _, err := c.client.Issues.GetLabel(ctx, in.Owner, in.Repo.Repo, url.PathEscape(in.Name))
	if err == nil {
		return nil, sdk.Errorf(sdk.Conflict, "%s has the label %q already", in.Repo, in.Name)
	}
	return nil, gone(err)
}

func (c *connector) createLabel(ctx context.Context, in CreateLabel) (Label, error) {
	made, _, err := c.client.Issues.CreateLabel(ctx, in.Owner, in.Repo.Repo, github.CreateIssueLabelRequest{
		Name: in.Name, Color: given(strings.ToLower(in.Color)), Description: given(in.Description),
	})
	return as(label, made, err)
}

func (c *connector) deleteLabel(ctx context.Context, in CreateLabel, _ Label) error {
	_, err := c.client.Issues.DeleteLabel(ctx, in.Owner, in.Repo.Repo, url.PathEscape(in.Name))
	return gone(err)
}

// findLabel looks for the label, which did not exist when the call was prepared.
func (c *connector) findLabel(ctx context.Context, in CreateLabel) (sdk.Happened[Label], error) {
	found, _, err := c.client.Issues.GetLabel(ctx, in.Owner, in.Repo.Repo, url.PathEscape(in.Name))
	switch {
	case isNotFound(err):
		return sdk.Happened[Label]{Answer: sdk.No}, nil
	case err != nil:
		return sdk.Happened[Label]{}, err
	}
	return sdk.Happened[Label]{Answer: sdk.Yes, Result: label(found)}, nil
}

func (c *connector) previewLabel(_ context.Context, in CreateLabel) (string, error) {
	var p preview
	p.line("Create the label %q in %s", in.Name, in.Repo)
	if in.Color != "" {
		p.line("color: #%s", in.Color)
	}
	p.text(in.Description)
	return p.String(), nil
}

// prepareLabels notes the labels that the issue has already.
func (c *connector) prepareLabels(ctx context.Context, in AddLabels) (any, error) {
	if err := c.checkLabels(ctx, in.Repo, in.Labels); err != nil {
		return nil, err
	}
	return c.labelsOf(ctx, in.Numbered)
}

func (c *connector) labelsOf(ctx context.Context, n Numbered) ([]string, error) {
	found, _, err := c.client.Issues.Get(ctx, n.Owner, n.Repo.Repo, n.Number)
	if err != nil {
		return nil, err
	}
	return labelNames(found.Labels), nil
}

func (c *connector) addLabels(ctx context.Context, in AddLabels) (Labels, error) {
	return c.labelIssue(ctx, in.Numbered, in.Labels)
}

// labelIssue adds labels in the form that GitHub documents; go-github's sends a bare list.
func (c *connector) labelIssue(ctx context.Context, n Numbered, labels []string) (Labels, error) {
	var all []*github.Label
	err := c.send(ctx, "POST", n.path("issues")+"/labels", Labels{labels}, &all)
	return Labels{labelNames(all)}, err
}

func (c *connector) removeLabels(ctx context.Context, in AddLabels, _ Labels) error {
	former, err := sdk.Before[[]string](ctx)
	if err != nil {
		return err
	}
	for _, added := range without(in.Labels, former) {
		if _, err := c.unlabelIssue(ctx, in.Numbered, added); err != nil {
			return err
		}
	}
	return nil
}

// unlabelIssue removes a label; one that the issue does not have is removed already.
func (c *connector) unlabelIssue(ctx context.Context, n Numbered, name string) (Labels, error) {
	var left []*github.Label
	err := c.send(ctx, "DELETE", n.path("issues")+"/labels/"+url.PathEscape(name), nil, &left)
	if isNotFound(err) {
		labels, err := c.labelsOf(ctx, n)
		return Labels{labels}, err
	}
	return Labels{labelNames(left)}, err
}

func (c *connector) previewLabels(ctx context.Context, in AddLabels) (string, error) {
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Add to %s: %s", in.Numbered, found.GetTitle())
	p.names("labels", without(in.Labels, labelNames(found.Labels)))
	p.names("labelled already", labelNames(found.Labels))
	return p.String(), nil
}

// prepareRemoval notes whether the issue has the label.
func (c *connector) prepareRemoval(ctx context.Context, in RemoveLabel) (any, error) {
	return c.labelsOf(ctx, in.Numbered)
}

func (c *connector) removeLabel(ctx context.Context, in RemoveLabel) (Labels, error) {
	return c.unlabelIssue(ctx, in.Numbered, in.Label)
}

func (c *connector) restoreLabel(ctx context.Context, in RemoveLabel, _ Labels) error {
	former, err := sdk.Before[[]string](ctx)
	if err != nil {
		return err
	}
	if had := len(without([]string{in.Label}, former)) == 0; !had {
		return nil
	}
	_, err = c.labelIssue(ctx, in.Numbered, []string{in.Label})
	return err
}

func (c *connector) previewRemoval(ctx context.Context, in RemoveLabel) (string, error) {
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Remove the label %q from %s: %s", in.Label, in.Numbered, found.GetTitle())
	p.names("labels", labelNames(found.Labels))
	return p.String(), nil
}
