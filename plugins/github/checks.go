package main

import (
	"context"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Check is a check run, or a status that an older service has set.
type Check struct {
	Name       string `json:"name"`
	Status     string `json:"status" jsonschema:"enum=queued,enum=in_progress,enum=completed"`
	Conclusion string `json:"conclusion,omitempty" jsonschema_description:"Once completed: success, failure, neutral, cancelled, skipped, timed_out or action_required."`
	Title      string `json:"title,omitempty" jsonschema_description:"What it found, in a line."`
	URL        string `json:"url"`
	Own
}

// passed reports whether a check stands in nobody's way.
func (c Check) passed() bool {
	switch c.Conclusion {
	case "success", "neutral", "skipped":
		return true
	}
	return false
}

// ListChecks are the arguments of list_checks.
type ListChecks struct {
	Repo
	Ref string `json:"ref" jsonschema:"minLength=1" jsonschema_description:"A commit, branch or tag: head_sha of a pull request, say."`
	Raw
}

// Checks are all checks of a commit.
type Checks struct {
	State  string  `json:"state" jsonschema:"enum=success,enum=pending,enum=failure,enum=none" jsonschema_description:"Of all together; success only when every one has passed."`
	Checks []Check `json:"checks"`
}

func (c *connector) checkMethods() []sdk.Method {
	return []sdk.Method{
		read(sdk.Func[ListChecks, Checks]{
			Name: "list_checks", Description: "List the checks and statuses of a commit, with what they come to together.", Tags: []string{"checks"},
			Call: c.listChecks,
		}),
	}
}

func (c *connector) listChecks(ctx context.Context, in ListChecks) (Checks, error) {
	p := Paging{Limit: 1000, Raw: in.Raw}
	runs, err := list(ctx, p, listing[*github.CheckRun, Check]{shape: checkRun,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.CheckRun, *github.Response, error) {
			found, resp, err := c.client.Checks.ListCheckRunsForRef(ctx, in.Owner, in.Repo.Repo, in.Ref, &github.ListCheckRunsOptions{ListOptions: page})
			if err != nil {
				return nil, resp, err
			}
			return found.CheckRuns, resp, nil
		}})
	if err != nil {
		return Checks{}, err
	}
	statuses, err := list(ctx, p, listing[*github.RepoStatus, Check]{shape: statusCheck,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.RepoStatus, *github.Response, error) {
			found, resp, err := c.client.Repositories.GetCombinedStatus(ctx, in.Owner, in.Repo.Repo, in.Ref, &page)
			if err != nil {
				return nil, resp, err
			}
			return found.Statuses, resp, nil
		}})
	if err != nil {
		return Checks{}, err
	}
	all := append(runs.Items, statuses.Items...)
	return Checks{State: together(all), Checks: all}, nil
}

// checksOf lists the checks of a commit.
func (c *connector) checksOf(ctx context.Context, r Repo, sha string) (Checks, error) {
	return c.listChecks(ctx, ListChecks{Repo: r, Ref: sha})
}

// together is what checks come to.
func together(checks []Check) string {
	state := "success"
	for _, check := range checks {
		switch {
		case check.Status != "completed":
			state = "pending"
		case !check.passed():
			return "failure"
		}
	}
	if len(checks) == 0 {
		return "none"
	}
	return state
}

// checks adds the checks of a commit, those first that have not passed.
func (p *preview) checks(c Checks) {
	p.line("checks: %s (%d)", c.State, len(c.Checks))
	for _, check := range c.Checks {
		if !check.passed() {
			p.line("  %s: %s %s", check.Name, check.Status, check.Conclusion)
		}
	}
}

func checkRun(r *github.CheckRun) Check {
	status := r.GetStatus()
	if status != "completed" && status != "in_progress" {
		status = "queued" // waiting, requested and pending are kinds of it
	}
	return Check{
		Name: r.GetName(), Status: status, Conclusion: r.GetConclusion(), Title: r.GetOutput().GetTitle(), URL: r.GetHTMLURL(),
	}
}

// statusCheck is a status in the words of checks.
func statusCheck(r *github.RepoStatus) Check {
	check := Check{Name: r.GetContext(), Status: "completed", Title: r.GetDescription(), URL: r.GetTargetURL()}
	switch r.GetState() {
	case "pending":
		check.Status = "in_progress"
	case "success":
		check.Conclusion = "success"
	default: // failure and error
		check.Conclusion = "failure"
	}
	return check
}
