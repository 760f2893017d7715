package main

import (
	"context"
	"fmt"
	"reflect"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Watched is an issue, compared with what the execution saw when it first watched it.
type Watched struct {
	Changed []string `json:"changed" jsonschema:"description=Which of title\\, body\\, state\\, labels and comments have changed since the first call."`
	Issue   Issue    `json:"issue"`
}

// watchIssue tells what has changed in an issue since this execution first asked. The host keeps what was seen then:
// between two calls of one execution a person may think for weeks, and this process and the host's end and start again.
// Nobody has to clean up: it goes when the execution is disposed of.
func (t *tracker) watchIssue(ctx context.Context, in ByNumber) (Watched, error) {
	issue, err := t.getIssue(ctx, in)
	if err != nil {
		return Watched{}, err
	}
	key := fmt.Sprintf("watched/%d", in.Number)
	first, known, err := sdk.Get[Issue](ctx, key)
	if err != nil {
		return Watched{}, err
	}
	if !known {
		// A first call that is tried again may find what it has set itself, and then answers the same.
		first = issue
		if err := sdk.Set(ctx, key, first); err != nil {
			return Watched{}, err
		}
	}
	return Watched{Changed: changes(first, issue), Issue: issue}, nil
}

// changes names what differs between two states of an issue.
func changes(from, to Issue) []string {
	var names []string
	differ := func(name string, a, b any) {
		if !reflect.DeepEqual(a, b) {
			names = append(names, name)
		}
	}
	differ("title", from.Title, to.Title)
	differ("body", from.Body, to.Body)
	differ("state", from.State, to.State)
	differ("labels", from.Labels, to.Labels)
	differ("comments", from.Comments, to.Comments)
	return names
}
