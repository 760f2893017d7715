package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// UpdateIssue are the arguments of update_issue.
type UpdateIssue struct {
	Numbered
	Title       *string   `json:"title,omitempty" jsonschema:"minLength=1,maxLength=256"`
	Body        *string   `json:"body,omitempty"`
	State       *string   `json:"state,omitempty" jsonschema:"enum=open,enum=closed"`
	StateReason *string   `json:"state_reason,omitempty" jsonschema:"enum=completed,enum=not_planned,enum=reopened" jsonschema_description:"Why, with state."`
	Labels      *[]string `json:"labels,omitempty" jsonschema_description:"All labels it is to have; they must exist."`
	Assignees   *[]string `json:"assignees,omitempty" jsonschema_description:"The logins of all who are to be assigned."`
	Milestone   *int      `json:"milestone,omitempty" jsonschema:"minimum=0" jsonschema_description:"A milestone's number; 0 for none."`

	IfUpdatedAt *time.Time `json:"if_updated_at,omitempty" jsonschema_description:"Change nothing unless updated_at is still this: nobody has touched it since it was read."`
}

// values are what update_issue can change.
type values struct {
	Title       string   `json:"title"`
	Body        string   `json:"body"`
	State       string   `json:"state"`
	StateReason string   `json:"state_reason"`
	Labels      []string `json:"labels"`
	Assignees   []string `json:"assignees"`
	Milestone   int      `json:"milestone"`
}

// valuesOf are an issue's values; its body has the marker still, if it has one.
func valuesOf(i *github.Issue) values {
	return values{
		Title: i.GetTitle(), Body: i.GetBody(), State: i.GetState(), StateReason: i.GetStateReason(),
		Labels: labelNames(i.Labels), Assignees: logins(i.Assignees), Milestone: i.GetMilestone().GetNumber(),
	}
}

// formerIssue is what reverting needs.
func (c *connector) formerIssue(ctx context.Context, in UpdateIssue) (any, error) {
	if in.Labels != nil {
		if err := c.checkLabels(ctx, in.Repo, *in.Labels); err != nil {
			return nil, err
		}
	}
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return nil, err
	}
	if in.IfUpdatedAt != nil && !found.GetUpdatedAt().Equal(github.Timestamp{Time: *in.IfUpdatedAt}) {
		return nil, sdk.Errorf(sdk.Conflict, "%s has changed since: it was updated at %s; read it again", in.Numbered, found.GetUpdatedAt().UTC().Format(time.RFC3339))
	}
	return valuesOf(found), nil
}

func (c *connector) updateIssue(ctx context.Context, in UpdateIssue) (Issue, error) {
	request := github.UpdateIssueRequest{Title: in.Title, Body: in.Body, State: in.State, StateReason: in.StateReason}
	if in.Labels != nil {
		request.Labels = append([]string{}, *in.Labels...)
	}
	if in.Assignees != nil {
		request.Assignees = append([]string{}, *in.Assignees...)
	}
	changed, err := c.patchIssue(ctx, in.Numbered, request, in.Milestone)
	return as(issue, changed, err)
}

// patchIssue changes an issue in one request; milestone 0 takes it off, which
// go-github's own request cannot say together with other changes.
func (c *connector) patchIssue(ctx context.Context, n Numbered, request github.UpdateIssueRequest, milestone *int) (*github.Issue, error) {
	if milestone == nil || *milestone != 0 {
		request.Milestone = milestone
		changed, _, err := c.client.Issues.Update(ctx, n.Owner, n.Repo.Repo, n.Number, request)
		return changed, err
	}
	body := struct {
		github.UpdateIssueRequest
		Milestone *int `json:"milestone"`
	}{UpdateIssueRequest: request}
	var changed *github.Issue
	err := c.send(ctx, "PATCH", n.path("issues"), body, &changed)
	return changed, err
}

// findUpdate compares the issue with what it was and what it was to become.
func (c *connector) findUpdate(ctx context.Context, in UpdateIssue) (sdk.Happened[Issue], error) {
	former, err := sdk.Before[values](ctx)
	if err != nil {
		return sdk.Happened[Issue]{}, err
	}
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return sdk.Happened[Issue]{}, err
	}
	now := valuesOf(found)
	switch {
	case in.applied(now):
		return sdk.Happened[Issue]{Answer: sdk.Yes, Result: issue(found)}, nil
	case in.same(now, former):
		return sdk.Happened[Issue]{Answer: sdk.No}, nil
	}
	return sdk.Happened[Issue]{}, nil
}

// applied reports whether values are those that the update sets.
func (in UpdateIssue) applied(v values) bool {
	return is(in.Title, v.Title) && is(in.Body, v.Body) && is(in.State, v.State) && is(in.Milestone, v.Milestone) &&
		(in.Labels == nil || sameSet(*in.Labels, v.Labels)) && (in.Assignees == nil || sameSet(*in.Assignees, v.Assignees))
}

// same reports whether two values agree in what the update sets.
func (in UpdateIssue) same(a, b values) bool {
	return (in.Title == nil || a.Title == b.Title) && (in.Body == nil || a.Body == b.Body) &&
		(in.State == nil || a.State == b.State) && (in.Milestone == nil || a.Milestone == b.Milestone) &&
		(in.Labels == nil || sameSet(a.Labels, b.Labels)) && (in.Assignees == nil || sameSet(a.Assignees, b.Assignees))
}

// is reports whether a value is the one that was given, if one was.
func is[T comparable](given *T, value T) bool { return given == nil || *given == value }

// sameSet compares names as GitHub does: in any order and any case.
func sameSet(a, b []string) bool {
	return slices.Equal(folded(a), folded(b))
}

func folded(names []string) []string {
	lower := make([]string, len(names))
	for i, name := range names {
		lower[i] = strings.ToLower(name)
	}
	slices.Sort(lower)
	return slices.Compact(lower)
}

// restoreIssue sets back what the update has set. What others have changed
// since, it leaves alone.
func (c *connector) restoreIssue(ctx context.Context, in UpdateIssue, made Issue) error {
	former, err := sdk.Before[values](ctx)
	if err != nil {
		return err
	}
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return err
	}
	request, milestone, needed := in.restoring(valuesOf(found), in.left(made), former)
	if !needed {
		return nil
	}
	_, err = c.patchIssue(ctx, in.Numbered, request, milestone)
	return err
}

// left are the values that the update has left behind: those that it returned,
// for GitHub trims titles and drops who cannot be assigned, or else, where the
// result was not kept, those that it set.
func (in UpdateIssue) left(made Issue) values {
	if made.Number == in.Number {
		return values{
			Title: made.Title, Body: made.Body, State: made.State, Labels: made.Labels, Assignees: made.Assignees, Milestone: made.Milestone,
		}
	}
	return values{
		Title: deref(in.Title), Body: deref(in.Body), State: deref(in.State),
		Labels: deref(in.Labels), Assignees: deref(in.Assignees), Milestone: deref(in.Milestone),
	}
}

// restoring is the request that sets back the former values where what the
// update has left still stands.
func (in UpdateIssue) restoring(now, left, former values) (request github.UpdateIssueRequest, milestone *int, needed bool) {
	restore := func(stands bool, set func()) {
		if stands {
			set()
			needed = true
		}
	}
	restore(in.Title != nil && now.Title == left.Title, func() { request.Title = &former.Title })
	restore(in.Body != nil && unmarked(now.Body) == unmarked(left.Body), func() { request.Body = &former.Body })
	restore(in.State != nil && now.State == left.State && now.State != former.State, func() {
		request.State, request.StateReason = &former.State, given(former.StateReason)
	})
	restore(in.Milestone != nil && now.Milestone == left.Milestone, func() { milestone = &former.Milestone })
	restore(in.Labels != nil && sameSet(now.Labels, left.Labels), func() { request.Labels = append([]string{}, former.Labels...) })
	restore(in.Assignees != nil && sameSet(now.Assignees, left.Assignees), func() { request.Assignees = append([]string{}, former.Assignees...) })
	return request, milestone, needed
}

func (c *connector) previewUpdate(ctx context.Context, in UpdateIssue) (string, error) {
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return "", err
	}
	former := valuesOf(found)
	var p preview
	p.line("Change %s: %s", in.Numbered, former.Title)
	if in.Title != nil {
		p.change("title", former.Title, *in.Title)
	}
	if in.State != nil {
		p.change("state", former.State, *in.State)
	}
	if in.Labels != nil {
		p.change("labels", strings.Join(former.Labels, ", "), strings.Join(*in.Labels, ", "))
	}
	if in.Assignees != nil {
		p.change("assignees", strings.Join(former.Assignees, ", "), strings.Join(*in.Assignees, ", "))
	}
	if in.Milestone != nil {
		p.change("milestone", strconv.Itoa(former.Milestone), strconv.Itoa(*in.Milestone))
	}
	if in.Body != nil && *in.Body != former.Body {
		p.body(unmarked(former.Body), *in.Body)
	}
	if len(p.lines) == 1 {
		p.line("Nothing changes.")
	}
	return p.String(), nil
}
