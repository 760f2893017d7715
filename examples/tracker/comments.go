package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Comment is a comment on an issue.
type Comment struct {
	ID     int    `json:"id"`
	Author string `json:"author"`
	Text   string `json:"text"`
}

// AddComment comments on an issue.
type AddComment struct {
	Number int    `json:"number" jsonschema:"minimum=1"`
	Text   string `json:"text" jsonschema:"minLength=1"`
}

// addComment adds a comment once for each idempotency key.
func (t *tracker) addComment(ctx context.Context, in AddComment) (Comment, error) {
	var made Comment
	err := t.change(func(d *data) error {
		i, err := d.issue(in.Number)
		if err != nil {
			return err
		}
		key := sdk.IdempotencyKey(ctx)
		if id, done := d.Done[key]; done {
			made, err = i.comment(id)
			return err
		}
		made = Comment{ID: d.number(), Author: author(ctx), Text: in.Text}
		i.Comments = append(i.Comments, made)
		i.Updated = now()
		d.Done[key] = made.ID
		return nil
	})
	return made, err
}

func (i *Issue) comment(id int) (Comment, error) {
	for _, c := range i.Comments {
		if c.ID == id {
			return c, nil
		}
	}
	return Comment{}, notFound("comment", id)
}

// formerTime is what reverting needs besides the comment: when the issue was last changed.
func (t *tracker) formerTime(ctx context.Context, in AddComment) (any, error) {
	i, err := t.getIssue(ctx, ByNumber{in.Number})
	return i.Updated, err
}

func (t *tracker) removeComment(ctx context.Context, in AddComment, made Comment) error {
	former, err := sdk.Before[time.Time](ctx)
	if err != nil {
		return err
	}
	_, err = t.changeIssue(in.Number, func(i *Issue) {
		i.Comments = slices.DeleteFunc(i.Comments, func(c Comment) bool { return c.ID == made.ID })
		i.Updated = former
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
