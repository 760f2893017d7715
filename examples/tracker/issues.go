package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Issue is one issue.
type Issue struct {
	Number   int       `json:"number"`
	Title    string    `json:"title"`
	Body     string    `json:"body"`
	State    string    `json:"state" jsonschema:"enum=open,enum=closed"`
	Labels   []string  `json:"labels"`
	Author   string    `json:"author"`
	Updated  time.Time `json:"updated"`
	Comments []Comment `json:"comments"`
}

// Comment is a comment on an issue.
type Comment struct {
	ID     int    `json:"id"`
	Author string `json:"author"`
	Text   string `json:"text"`
}

// ListIssues selects issues.
type ListIssues struct {
	State string `json:"state,omitempty" jsonschema:"enum=open,enum=closed,enum=all,default=open"`
	Label string `json:"label,omitempty" jsonschema:"description=Only issues with this label."`
}

// ByNumber names an issue or a pull request.
type ByNumber struct {
	Number int `json:"number" jsonschema:"minimum=1"`
}

// CreateIssue is a new issue.
type CreateIssue struct {
	Title  string   `json:"title" jsonschema:"minLength=1"`
	Body   string   `json:"body,omitempty"`
	Labels []string `json:"labels,omitempty"`
}

// UpdateIssue changes an issue.
type UpdateIssue struct {
	Number int     `json:"number" jsonschema:"minimum=1"`
	Title  *string `json:"title,omitempty"`
	Body   *string `json:"body,omitempty"`
	State  *string `json:"state,omitempty" jsonschema:"enum=open,enum=closed"`
}

// AddLabels adds labels to an issue.
type AddLabels struct {
	Number int      `json:"number" jsonschema:"minimum=1"`
	Labels []string `json:"labels" jsonschema:"minItems=1"`
}

// AddComment comments on an issue.
type AddComment struct {
	Number int    `json:"number" jsonschema:"minimum=1"`
	Text   string `json:"text" jsonschema:"minLength=1"`
}

func (t *tracker) listIssues(_ context.Context, in ListIssues) ([]Issue, error) {
	found := []Issue{}
	err := t.read(func(d *data) error {
		for _, i := range slices.Backward(d.Issues) {
			if in.State != "all" && i.State != or(in.State, "open") || in.Label != "" && !slices.Contains(i.Labels, in.Label) {
				continue
			}
			found = append(found, i)
		}
		return nil
	})
	return found, err
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func (t *tracker) getIssue(_ context.Context, in ByNumber) (Issue, error) {
	var found Issue
	err := t.read(func(d *data) error {
		i, err := d.issue(in.Number)
		if err == nil {
			found = *i
		}
		return err
	})
	return found, err
}

// createIssue creates an issue once for each idempotency key.
func (t *tracker) createIssue(ctx context.Context, in CreateIssue) (Issue, error) {
	var made Issue
	err := t.change(func(d *data) error {
		key := sdk.IdempotencyKey(ctx)
		if number, done := d.Done[key]; done {
			i, err := d.issue(number)
			if err == nil {
				made = *i
			}
			return err
		}
		made = Issue{
			Number: d.number(), Title: in.Title, Body: in.Body, State: "open", Labels: append([]string{}, in.Labels...),
			Author: or(sdk.CallFrom(ctx).Caller, "codemode"), Updated: now(), Comments: []Comment{},
		}
		d.Issues = append(d.Issues, made)
		d.Done[key] = made.Number
		return nil
	})
	return made, err
}

func (t *tracker) removeIssue(_ context.Context, _ CreateIssue, made Issue) error {
	return t.change(func(d *data) error {
		d.Issues = slices.DeleteFunc(d.Issues, func(i Issue) bool { return i.Number == made.Number })
		return nil
	})
}

// findCreated tells whether a creation whose outcome was lost has happened.
func (t *tracker) findCreated(ctx context.Context, _ CreateIssue) (sdk.Happened[Issue], error) {
	h := sdk.Happened[Issue]{Answer: sdk.No}
	err := t.read(func(d *data) error {
		number, done := d.Done[sdk.IdempotencyKey(ctx)]
		if !done {
			return nil
		}
		i, err := d.issue(number)
		if err == nil {
			h = sdk.Happened[Issue]{Answer: sdk.Yes, Result: *i}
		}
		return err
	})
	return h, err
}

func (t *tracker) previewCreate(_ context.Context, in CreateIssue) (string, error) {
	text := fmt.Sprintf("Create the issue %q", in.Title)
	if len(in.Labels) > 0 {
		text += " with the labels " + strings.Join(in.Labels, ", ")
	}
	if in.Body != "" {
		text += ":\n" + in.Body
	}
	return text, nil
}

// formerIssue is what a revert of an update needs.
func (t *tracker) formerIssue(ctx context.Context, in UpdateIssue) (any, error) {
	return t.getIssue(ctx, ByNumber{in.Number})
}

func (t *tracker) updateIssue(_ context.Context, in UpdateIssue) (Issue, error) {
	return t.changeIssue(in.Number, func(i *Issue) {
		set(&i.Title, in.Title)
		set(&i.Body, in.Body)
		set(&i.State, in.State)
	})
}

func set(to *string, v *string) {
	if v != nil {
		*to = *v
	}
}

func (t *tracker) restoreIssue(ctx context.Context, in UpdateIssue, _ Issue) error {
	former, err := sdk.Before[Issue](ctx)
	if err != nil {
		return err
	}
	_, err = t.changeIssue(in.Number, func(i *Issue) { i.Title, i.Body, i.State = former.Title, former.Body, former.State })
	return err
}

func (t *tracker) previewUpdate(ctx context.Context, in UpdateIssue) (string, error) {
	former, err := t.getIssue(ctx, ByNumber{in.Number})
	if err != nil {
		return "", err
	}
	var lines []string
	change := func(what, from string, to *string) {
		if to != nil && *to != from {
			lines = append(lines, fmt.Sprintf("  %s: %q -> %q", what, from, *to))
		}
	}
	change("title", former.Title, in.Title)
	change("body", former.Body, in.Body)
	change("state", former.State, in.State)
	if len(lines) == 0 {
		return fmt.Sprintf("Issue #%d %q stays as it is.", in.Number, former.Title), nil
	}
	return fmt.Sprintf("Change issue #%d %q:\n%s", in.Number, former.Title, strings.Join(lines, "\n")), nil
}

func (t *tracker) formerLabels(ctx context.Context, in AddLabels) (any, error) {
	i, err := t.getIssue(ctx, ByNumber{in.Number})
	return i.Labels, err
}

func (t *tracker) addLabels(_ context.Context, in AddLabels) (Issue, error) {
	return t.changeIssue(in.Number, func(i *Issue) {
		for _, l := range in.Labels {
			if !slices.Contains(i.Labels, l) {
				i.Labels = append(i.Labels, l)
			}
		}
	})
}

func (t *tracker) restoreLabels(ctx context.Context, in AddLabels, _ Issue) error {
	former, err := sdk.Before[[]string](ctx)
	if err != nil {
		return err
	}
	_, err = t.changeIssue(in.Number, func(i *Issue) { i.Labels = former })
	return err
}

func (t *tracker) addComment(ctx context.Context, in AddComment) (Comment, error) {
	var made Comment
	_, err := t.changeIssueData(in.Number, func(d *data, i *Issue) {
		key := sdk.IdempotencyKey(ctx)
		for _, c := range i.Comments {
			if id, done := d.Done[key]; done && id == c.ID {
				made = c
				return
			}
		}
		made = Comment{ID: d.number(), Author: or(sdk.CallFrom(ctx).Caller, "codemode"), Text: in.Text}
		i.Comments = append(i.Comments, made)
		d.Done[key] = made.ID
	})
	return made, err
}

func (t *tracker) removeComment(_ context.Context, in AddComment, made Comment) error {
	_, err := t.changeIssue(in.Number, func(i *Issue) {
		i.Comments = slices.DeleteFunc(i.Comments, func(c Comment) bool { return c.ID == made.ID })
	})
	return err
}

func (t *tracker) previewComment(ctx context.Context, in AddComment) (string, error) {
	i, err := t.getIssue(ctx, ByNumber{in.Number})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Comment on issue #%d %q:\n%s", i.Number, i.Title, in.Text), nil
}

func (t *tracker) changeIssue(number int, f func(*Issue)) (Issue, error) {
	return t.changeIssueData(number, func(_ *data, i *Issue) { f(i) })
}

func (t *tracker) changeIssueData(number int, f func(*data, *Issue)) (Issue, error) {
	var changed Issue
	err := t.change(func(d *data) error {
		i, err := d.issue(number)
		if err != nil {
			return err
		}
		f(d, i)
		i.Updated = now()
		changed = *i
		return nil
	})
	return changed, err
}

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }
