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
	Title  *string `json:"title,omitempty" jsonschema:"minLength=1"`
	Body   *string `json:"body,omitempty"`
	State  *string `json:"state,omitempty" jsonschema:"enum=open,enum=closed"`
}

func (t *tracker) listIssues(_ context.Context, in ListIssues) ([]Issue, error) {
	var found []Issue
	err := t.read(func(d *data) error {
		for _, i := range slices.Backward(d.Issues) {
			if in.selects(i) {
				found = append(found, i)
			}
		}
		return nil
	})
	return found, err
}

func (in ListIssues) selects(i Issue) bool {
	state := or(in.State, "open")
	return (state == "all" || state == i.State) && (in.Label == "" || slices.Contains(i.Labels, in.Label))
}

// or returns s or, if that is empty, the fallback: a default in a schema
// informs the model, and the handler sees the zero value.
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
			Author: author(ctx), Updated: now(), Comments: []Comment{},
		}
		d.Issues = append(d.Issues, made)
		d.Done[key] = made.Number
		return nil
	})
	return made, err
}

// author is who a program writes as.
func author(ctx context.Context) string { return or(sdk.CallFrom(ctx).Caller, "codemode") }

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

func (t *tracker) removeIssue(_ context.Context, _ CreateIssue, made Issue) error {
	return t.change(func(d *data) error {
		d.Issues = slices.DeleteFunc(d.Issues, func(i Issue) bool { return i.Number == made.Number })
		return nil
	})
}

// findCreated tells whether a creation whose outcome was lost has happened.
func (t *tracker) findCreated(ctx context.Context, _ CreateIssue) (sdk.Happened[Issue], error) {
	happened := sdk.Happened[Issue]{Answer: sdk.No}
	err := t.read(func(d *data) error {
		number, done := d.Done[sdk.IdempotencyKey(ctx)]
		if !done {
			return nil
		}
		i, err := d.issue(number)
		if err == nil {
			happened = sdk.Happened[Issue]{Answer: sdk.Yes, Result: *i}
		}
		return err
	})
	return happened, err
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

func (t *tracker) updateIssue(_ context.Context, in UpdateIssue) (Issue, error) {
	return t.changeIssue(in.Number, func(i *Issue) {
		set(&i.Title, in.Title)
		set(&i.Body, in.Body)
		set(&i.State, in.State)
	})
}

// set sets what is given.
func set(to, v *string) {
	if v != nil {
		*to = *v
	}
}

// formerIssue is what reverting an update needs.
func (t *tracker) formerIssue(ctx context.Context, in UpdateIssue) (any, error) {
	return t.getIssue(ctx, ByNumber{in.Number})
}

// restoreIssue takes back what the update has changed. What others have changed
// since, it leaves alone.
func (t *tracker) restoreIssue(ctx context.Context, in UpdateIssue, _ Issue) error {
	former, err := sdk.Before[Issue](ctx)
	if err != nil {
		return err
	}
	_, err = t.changeIssue(in.Number, func(i *Issue) {
		restore(&i.Title, in.Title, former.Title)
		restore(&i.Body, in.Body, former.Body)
		restore(&i.State, in.State, former.State)
		i.Updated = former.Updated
	})
	return err
}

// restore sets back what was given.
func restore(to, given *string, former string) {
	if given != nil && *to == *given {
		*to = former
	}
}

func (t *tracker) previewUpdate(ctx context.Context, in UpdateIssue) (string, error) {
	i, err := t.getIssue(ctx, ByNumber{in.Number})
	if err != nil {
		return "", err
	}
	var lines []string
	change := func(what, from string, to *string) {
		if to != nil && *to != from {
			lines = append(lines, fmt.Sprintf("  %s: %q -> %q", what, from, *to))
		}
	}
	change("title", i.Title, in.Title)
	change("body", i.Body, in.Body)
	change("state", i.State, in.State)
	if len(lines) == 0 {
		return fmt.Sprintf("Leave issue #%d %q as it is.", i.Number, i.Title), nil
	}
	return fmt.Sprintf("Change issue #%d %q:\n%s", i.Number, i.Title, strings.Join(lines, "\n")), nil
}

// changeIssue changes an issue with f, which may set the time of the change, and returns it.
func (t *tracker) changeIssue(number int, f func(*Issue)) (Issue, error) {
	var changed Issue
	err := t.change(func(d *data) error {
		i, err := d.issue(number)
		if err != nil {
			return err
		}
		i.Updated = now()
		f(i)
		changed = *i
		return nil
	})
	return changed, err
}
