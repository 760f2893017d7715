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
	var found []PullRequest
	err := t.read(func(d *data) error {
		state := or(in.State, "open")
		for _, p := range slices.Backward(d.PullRequests) {
			if state == "all" || state == p.State {
				found = append(found, p.PullRequest)
			}
		}
		return nil
	})
	return found, err
}

// listChecks returns the checks. Nobody runs any for a sample, so each look at
// them also lets one that is pending pass. It is a read all the same: a look
// too many does no harm.
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

// mergePullRequest merges a pull request; one that is merged already stays so.
func (t *tracker) mergePullRequest(_ context.Context, in ByNumber) (PullRequest, error) {
	var merged PullRequest
	err := t.change(func(d *data) error {
		p, err := d.pull(in.Number)
		if err != nil {
			return err
		}
		if p.State != "merged" && !p.green() {
			return sdk.Errorf(sdk.Conflict, "pull request #%d cannot be merged before all its checks have passed: %s", p.Number, p.checks())
		}
		p.State = "merged"
		merged = p.PullRequest
		return nil
	})
	return merged, err
}

// green reports whether all checks have passed.
func (p *pull) green() bool {
	return !slices.ContainsFunc(p.Checks, func(c Check) bool { return c.Status != "passed" })
}

// checks lists the checks for a reader.
func (p *pull) checks() string {
	if len(p.Checks) == 0 {
		return "none"
	}
	list := make([]string, len(p.Checks))
	for i, c := range p.Checks {
		list[i] = c.Name + " " + c.Status
	}
	return strings.Join(list, ", ")
}

func (t *tracker) previewMerge(_ context.Context, in ByNumber) (string, error) {
	var text string
	err := t.read(func(d *data) error {
		p, err := d.pull(in.Number)
		if err == nil {
			text = fmt.Sprintf("Merge pull request #%d %q of %s (%s).\nChecks: %s.", p.Number, p.Title, p.Author, p.Branch, p.checks())
		}
		return err
	})
	return text, err
}
