package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// AddLabels adds labels to an issue.
type AddLabels struct {
	Number int      `json:"number" jsonschema:"minimum=1"`
	Labels []string `json:"labels" jsonschema:"minItems=1"`
}

func (t *tracker) addLabels(_ context.Context, in AddLabels) (Issue, error) {
	return t.changeIssue(in.Number, func(i *Issue) {
		for _, label := range in.Labels {
			if !slices.Contains(i.Labels, label) {
				i.Labels = append(i.Labels, label)
			}
		}
	})
}

// formerLabels is what reverting needs: the issue with the labels that it already had.
func (t *tracker) formerLabels(ctx context.Context, in AddLabels) (any, error) {
	return t.getIssue(ctx, ByNumber{in.Number})
}

// removeLabels removes the labels that the issue did not have before.
func (t *tracker) removeLabels(ctx context.Context, in AddLabels, _ Issue) error {
	former, err := sdk.Before[Issue](ctx)
	if err != nil {
		return err
	}
	_, err = t.changeIssue(in.Number, func(i *Issue) {
		i.Labels = slices.DeleteFunc(i.Labels, func(label string) bool {
			return slices.Contains(in.Labels, label) && !slices.Contains(former.Labels, label)
		})
		i.Updated = former.Updated
	})
	return err
}

func (t *tracker) previewLabels(ctx context.Context, in AddLabels) (string, error) {
	i, err := t.getIssue(ctx, ByNumber{in.Number})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Add to issue #%d %q the labels %s.", i.Number, i.Title, strings.Join(in.Labels, ", ")), nil
}
