package main

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Run is one run of a workflow.
type Run struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name" jsonschema_description:"The workflow's."`
	Title      string     `json:"title"`
	Number     int        `json:"number"`
	Attempt    int        `json:"attempt"`
	Event      string     `json:"event"`
	Status     string     `json:"status" jsonschema_description:"queued, in_progress, completed, waiting, requested or pending."`
	Conclusion string     `json:"conclusion,omitempty" jsonschema_description:"Once completed: success, failure, cancelled, skipped, timed_out, ..."`
	Branch     string     `json:"branch"`
	HeadSHA    string     `json:"head_sha"`
	Actor      string     `json:"actor"`
	CreatedAt  *time.Time `json:"created_at,omitempty"`
	UpdatedAt  *time.Time `json:"updated_at,omitempty"`
	URL        string     `json:"url"`
	Own
}

// Job is one job of a run.
type Job struct {
	ID          int64      `json:"id"`
	Name        string     `json:"name"`
	Status      string     `json:"status"`
	Conclusion  string     `json:"conclusion,omitempty"`
	Steps       []Step     `json:"steps"`
	StartedAt   *time.Time `json:"started_at,omitempty"`
	CompletedAt *time.Time `json:"completed_at,omitempty"`
	URL         string     `json:"url"`
	Own
}

// Step is one step of a job.
type Step struct {
	Name       string `json:"name"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion,omitempty"`
}

// ListRuns are the arguments of list_workflow_runs.
type ListRuns struct {
	Repo
	Workflow string `json:"workflow,omitempty" jsonschema:"pattern=^[A-Za-z0-9_. -]+$" jsonschema_description:"Only of this workflow: its file's name, ci.yml say."`
	Branch   string `json:"branch,omitempty"`
	Event    string `json:"event,omitempty" jsonschema_description:"push, pull_request, schedule, ..."`
	Status   string `json:"status,omitempty" jsonschema_description:"A status or a conclusion: completed, failure, ..."`
	HeadSHA  string `json:"head_sha,omitempty"`
	Actor    string `json:"actor,omitempty"`
	Paging
}

// OfRun names a run of a workflow.
type OfRun struct {
	Repo
	RunID int64 `json:"run_id" jsonschema:"minimum=1"`
}

// GetRun are the arguments of get_workflow_run.
type GetRun struct {
	OfRun
	Raw
}

// ListJobs are the arguments of list_workflow_jobs.
type ListJobs struct {
	OfRun
	Filter string `json:"filter,omitempty" jsonschema:"enum=latest,enum=all,default=latest" jsonschema_description:"all for those of earlier attempts, too."`
	Paging
}

// Rerun are the arguments of rerun_workflow_run.
type Rerun struct {
	OfRun
	FailedOnly bool `json:"failed_only,omitempty" jsonschema_description:"Only the jobs that have failed, and what depends on them."`
}

// Dispatch are the arguments of dispatch_workflow.
type Dispatch struct {
	Repo
	Workflow string            `json:"workflow" jsonschema:"pattern=^[A-Za-z0-9_. -]+$" jsonschema_description:"The name of its file, deploy.yml say."`
	Ref      string            `json:"ref" jsonschema:"minLength=1" jsonschema_description:"The branch or tag to run it on."`
	Inputs   map[string]string `json:"inputs,omitempty" jsonschema_description:"What the workflow asks for."`
}

// Dispatched is the run that was started.
type Dispatched struct {
	RunID int64  `json:"run_id,omitempty" jsonschema_description:"Missing where the server does not say."`
	URL   string `json:"url,omitempty"`
}

func (c *connector) workflowMethods() []sdk.Method {
	tags := []string{"actions"}
	return []sdk.Method{
		read(sdk.Func[ListRuns, Page[Run]]{
			Name: "list_workflow_runs", Description: "List runs of GitHub Actions, newest first.", Tags: tags,
			Call: c.listRuns,
		}),
		read(sdk.Func[GetRun, Run]{
			Name: "get_workflow_run", Description: "Get one run of a workflow: its status and conclusion.", Tags: tags,
			Call: c.getRun,
		}),
		read(sdk.Func[ListJobs, Page[Job]]{
			Name: "list_workflow_jobs", Description: "List the jobs of a run with their steps: which of them failed.", Tags: tags,
			Call: c.listJobs,
		}),
		read(sdk.Func[GetJobLogs, Logs]{
			Name: "get_job_logs", Description: "Get the last lines of a job's log.", Tags: tags,
			Call: c.getJobLogs,
		}),
		write(c, sdk.Func[Rerun, struct{}]{
			Name: "rerun_workflow_run", Description: "Run a workflow run again. It cannot be undone.", Tags: tags,
			Prepare: c.formerAttempt, Call: c.rerun, Reconcile: c.findRerun, Preview: c.previewRerun,
		}),
		write(c, sdk.Func[OfRun, struct{}]{
			Name: "cancel_workflow_run", Description: "Cancel a run that is not completed. It cannot be undone, but the run can be run again.", Tags: tags,
			Call: c.cancelRun, Reconcile: c.findCancelled, Preview: c.previewCancel,
		}),
		write(c, sdk.Func[Dispatch, Dispatched]{
			Name: "dispatch_workflow", Description: "Start a workflow that allows it (workflow_dispatch). It cannot be undone.", Tags: tags, Destructive: true,
			Call: c.dispatch, Preview: c.previewDispatch,
		}),
	}
}

func (c *connector) listRuns(ctx context.Context, in ListRuns) (Page[Run], error) {
	total := 0
	page, err := list(ctx, in.Paging, listing[*github.WorkflowRun, Run]{shape: run,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.WorkflowRun, *github.Response, error) {
			found, resp, err := c.runs(ctx, in, &github.ListWorkflowRunsOptions{
				Actor: in.Actor, Branch: in.Branch, Event: in.Event, Status: in.Status, HeadSHA: in.HeadSHA, ListOptions: page,
			})
			if err != nil {
				return nil, resp, err
			}
			total = found.GetTotalCount()
			return found.WorkflowRuns, resp, nil
		}})
	page.Total = total
	return page, err
}

func (c *connector) runs(ctx context.Context, in ListRuns, options *github.ListWorkflowRunsOptions) (*github.WorkflowRuns, *github.Response, error) {
	if in.Workflow == "" {
		return c.client.Actions.ListRepositoryWorkflowRuns(ctx, in.Owner, in.Repo.Repo, options)
	}
	return c.client.Actions.ListWorkflowRunsByFileName(ctx, in.Owner, in.Repo.Repo, in.Workflow, options)
}

func (c *connector) getRun(ctx context.Context, in GetRun) (Run, error) {
	return one(ctx, in.Raw, func(ctx context.Context) (*github.WorkflowRun, *github.Response, error) {
		return c.client.Actions.GetWorkflowRunByID(ctx, in.Owner, in.Repo.Repo, in.RunID)
	}, run)
}

func (c *connector) listJobs(ctx context.Context, in ListJobs) (Page[Job], error) {
	return list(ctx, in.Paging, listing[*github.WorkflowJob, Job]{shape: job,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.WorkflowJob, *github.Response, error) {
			found, resp, err := c.client.Actions.ListWorkflowJobs(ctx, in.Owner, in.Repo.Repo, in.RunID,
				&github.ListWorkflowJobsOptions{Filter: in.Filter, ListOptions: page})
			if err != nil {
				return nil, resp, err
			}
			return found.Jobs, resp, nil
		}})
}

// formerAttempt is what finding out needs: how often the run had run.
func (c *connector) formerAttempt(ctx context.Context, in Rerun) (any, error) {
	found, err := c.getRun(ctx, GetRun{OfRun: in.OfRun})
	return found.Attempt, err
}

func (c *connector) rerun(ctx context.Context, in Rerun) (struct{}, error) {
	again := c.client.Actions.RerunWorkflowByID
	if in.FailedOnly {
		again = c.client.Actions.RerunFailedJobsByID
	}
	_, err := again(ctx, in.Owner, in.Repo.Repo, in.RunID)
	return struct{}{}, err
}

func (c *connector) findRerun(ctx context.Context, in Rerun) (sdk.Happened[struct{}], error) {
	former, err := sdk.Before[int](ctx)
	if err != nil {
		return sdk.Happened[struct{}]{}, err
	}
	found, err := c.getRun(ctx, GetRun{OfRun: in.OfRun})
	switch {
	case err != nil:
		return sdk.Happened[struct{}]{}, err
	case found.Attempt > former:
		return sdk.Happened[struct{}]{Answer: sdk.Yes}, nil
	}
	return sdk.Happened[struct{}]{Answer: sdk.No}, nil
}

func (c *connector) previewRerun(ctx context.Context, in Rerun) (string, error) {
	found, err := c.getRun(ctx, GetRun{OfRun: in.OfRun})
	if err != nil {
		return "", err
	}
	what := "all jobs"
	if in.FailedOnly {
		what = "the failed jobs"
	}
	var p preview
	p.line("Run %s of %s #%d in %s again: %s", what, found.Name, found.Number, in.Repo, found.Title)
	p.run(found)
	return p.String(), nil
}

func (c *connector) cancelRun(ctx context.Context, in OfRun) (struct{}, error) {
	_, err := c.client.Actions.CancelWorkflowRunByID(ctx, in.Owner, in.Repo.Repo, in.RunID)
	if _, ok := errors.AsType[*github.AcceptedError](err); ok {
		return struct{}{}, nil // GitHub does it in a moment
	}
	return struct{}{}, err
}

// findCancelled believes a run that is cancelled; one that goes on may be about to be.
func (c *connector) findCancelled(ctx context.Context, in OfRun) (sdk.Happened[struct{}], error) {
	found, err := c.getRun(ctx, GetRun{OfRun: in})
	switch {
	case err != nil:
		return sdk.Happened[struct{}]{}, err
	case found.Conclusion == "cancelled":
		return sdk.Happened[struct{}]{Answer: sdk.Yes}, nil
	case found.Status == "completed":
		return sdk.Happened[struct{}]{Answer: sdk.No}, nil
	}
	return sdk.Happened[struct{}]{Answer: sdk.Unknown}, nil
}

func (c *connector) previewCancel(ctx context.Context, in OfRun) (string, error) {
	found, err := c.getRun(ctx, GetRun{OfRun: in})
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Cancel %s #%d in %s: %s", found.Name, found.Number, in.Repo, found.Title)
	p.run(found)
	return p.String(), nil
}

// run says what became of a run.
func (p *preview) run(r Run) {
	p.line("%s at %s, attempt %d: %s %s", r.Branch, short(r.HeadSHA), r.Attempt, r.Status, r.Conclusion)
}

func (c *connector) dispatch(ctx context.Context, in Dispatch) (Dispatched, error) {
	request := github.CreateWorkflowDispatchEventRequest{Ref: in.Ref, ReturnRunDetails: new(true)}
	if len(in.Inputs) > 0 {
		request.Inputs = make(map[string]any, len(in.Inputs))
		for name, value := range in.Inputs {
			request.Inputs[name] = value
		}
	}
	started, _, err := c.client.Actions.CreateWorkflowDispatchEventByFileName(ctx, in.Owner, in.Repo.Repo, in.Workflow, request)
	return Dispatched{started.GetWorkflowRunID(), started.GetHTMLURL()}, err
}

func (c *connector) previewDispatch(_ context.Context, in Dispatch) (string, error) {
	var p preview
	p.line("Start the workflow %s of %s on %s", in.Workflow, in.Repo, in.Ref)
	for _, name := range sorted(in.Inputs) {
		p.line("  %s: %s", name, strconv.Quote(in.Inputs[name]))
	}
	return p.String(), nil
}

func run(r *github.WorkflowRun) Run {
	return Run{
		ID: r.GetID(), Name: r.GetName(), Title: r.GetDisplayTitle(), Number: r.GetRunNumber(), Attempt: r.GetRunAttempt(),
		Event: r.GetEvent(), Status: r.GetStatus(), Conclusion: r.GetConclusion(), Branch: r.GetHeadBranch(), HeadSHA: r.GetHeadSHA(),
		Actor: r.GetActor().GetLogin(), CreatedAt: at(r.CreatedAt), UpdatedAt: at(r.UpdatedAt), URL: r.GetHTMLURL(),
	}
}

func job(r *github.WorkflowJob) Job {
	steps := make([]Step, len(r.Steps))
	for i, s := range r.Steps {
		steps[i] = Step{s.GetName(), s.GetStatus(), s.GetConclusion()}
	}
	return Job{
		ID: r.GetID(), Name: r.GetName(), Status: r.GetStatus(), Conclusion: r.GetConclusion(), Steps: steps,
		StartedAt: at(r.StartedAt), CompletedAt: at(r.CompletedAt), URL: r.GetHTMLURL(),
	}
}
