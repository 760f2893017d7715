package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// PullRequest is one pull request.
type PullRequest struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Branch string `json:"branch"`
	State  string `json:"state" jsonschema:"enum=open,enum=merged"`
	Author string `json:"author"`
	Fixes  []int  `json:"fixes" jsonschema:"description=The issues that it fixes."`
}

// pull is a pull request as the file keeps it.
type pull struct {
	PullRequest
	Checks []Check `json:"checks"`
}

// Check is one check of a pull request.
type Check struct {
	Name   string `json:"name"`
	Status string `json:"status" jsonschema:"enum=pending,enum=passed,enum=failed"`
}

// ListPullRequests selects pull requests.
type ListPullRequests struct {
	State string `json:"state,omitempty" jsonschema:"enum=open,enum=merged,enum=all,default=open"`
}

func (t *tracker) listPullRequests(_ context.Context, in ListPullRequests) ([]PullRequest, error) {
	found := []PullRequest{}
	err := t.read(func(d *data) error {
		for _, p := range slices.Backward(d.PullRequests) {
			if in.State == "all" || p.State == or(in.State, "open") {
				found = append(found, p.PullRequest)
			}
		}
		return nil
	})
	return found, err
}

// listChecks returns the checks; one that is pending has passed when it is asked for again.
func (t *tracker) listChecks(_ context.Context, in ByNumber) ([]Check, error) {
	var checks []Check
	err := t.change(func(d *data) error {
		p, err := d.pull(in.Number)
		if err != nil {
			return err
		}
		checks = slices.Clone(p.Checks)
		for i := range p.Checks {
			if p.Checks[i].Status == "pending" {
				p.Checks[i].Status = "passed"
				break
			}
		}
		return nil
	})
	return checks, err
}

func (t *tracker) mergePullRequest(_ context.Context, in ByNumber) (PullRequest, error) {
	var merged PullRequest
	err := t.change(func(d *data) error {
		p, err := d.pull(in.Number)
		if err != nil {
			return err
		}
		for _, c := range p.Checks {
			if c.Status != "passed" {
				return sdk.Errorf(sdk.Conflict, "check %q of pull request #%d has %s", c.Name, p.Number, c.Status)
			}
		}
		p.State = "merged"
		merged = p.PullRequest
		return nil
	})
	return merged, err
}

func (t *tracker) previewMerge(_ context.Context, in ByNumber) (string, error) {
	var text string
	err := t.read(func(d *data) error {
		p, err := d.pull(in.Number)
		if err != nil {
			return err
		}
		var checks []string
		for _, c := range p.Checks {
			checks = append(checks, c.Name+" "+c.Status)
		}
		text = fmt.Sprintf("Merge pull request #%d %q of %s (%s).\nChecks: %s.", p.Number, p.Title, p.Author, p.Branch, strings.Join(checks, ", "))
		return nil
	})
	return text, err
}
