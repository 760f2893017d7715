package main

import (
	"context"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Review is one review of a pull request.
type Review struct {
	ID          int64      `json:"id"`
	Author      string     `json:"author"`
	State       string     `json:"state" jsonschema_description:"APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED or PENDING."`
	Body        string     `json:"body"`
	CommitSHA   string     `json:"commit_sha" jsonschema_description:"What was reviewed."`
	SubmittedAt *time.Time `json:"submitted_at,omitempty"`
	URL         string     `json:"url"`
	Own
}

// ReviewComment is a comment on a line of a pull request.
type ReviewComment struct {
	ID        int64      `json:"id"`
	ReviewID  int64      `json:"review_id"`
	ReplyTo   int64      `json:"reply_to,omitempty" jsonschema_description:"The comment that it answers."`
	Author    string     `json:"author"`
	Path      string     `json:"path"`
	Line      int        `json:"line,omitempty" jsonschema_description:"Missing when the line is gone."`
	Body      string     `json:"body"`
	DiffHunk  string     `json:"diff_hunk"`
	CreatedAt *time.Time `json:"created_at,omitempty"`
	URL       string     `json:"url"`
	Own
}

// CreateReview are the arguments of create_review.
type CreateReview struct {
	Numbered
	Event    string        `json:"event" jsonschema:"enum=APPROVE,enum=REQUEST_CHANGES,enum=COMMENT"`
	Body     string        `json:"body,omitempty" jsonschema_description:"Markdown; needed for all but APPROVE."`
	HeadSHA  string        `json:"head_sha,omitempty" jsonschema_description:"The commit that was reviewed; without it the newest."`
	Comments []LineComment `json:"comments,omitempty"`
}

// LineComment is a comment on one line of the difference.
type LineComment struct {
	Path string `json:"path" jsonschema:"minLength=1"`
	Line int    `json:"line" jsonschema:"minimum=1" jsonschema_description:"Of the file as the pull request has it."`
	Side string `json:"side,omitempty" jsonschema:"enum=LEFT,enum=RIGHT,default=RIGHT" jsonschema_description:"LEFT for a line that is removed."`
	Body string `json:"body" jsonschema:"minLength=1"`
}

func (c *connector) reviewMethods() []sdk.Method {
	tags := []string{"reviews"}
	return []sdk.Method{
		read(sdk.Func[ListNumbered, Page[Review]]{
			Name: "list_reviews", Description: "List the reviews of a pull request, oldest first.", Tags: tags,
			Call: c.listReviews,
		}),
		read(sdk.Func[ListNumbered, Page[ReviewComment]]{
			Name: "list_review_comments", Description: "List the comments on lines of a pull request, oldest first.", Tags: tags,
			Call: c.listReviewComments,
		}),
		write(c, sdk.Func[CreateReview, Review]{
			Name: "create_review", Description: "Review a pull request: approve it, ask for changes or comment, also on lines. A rollback dismisses an approval or a request for changes; comments stay.", Tags: tags,
			Call: c.createReview, Revert: c.dismissReview, Reconcile: c.findReview, Preview: c.previewReview,
		}),
		write(c, sdk.Func[RequestReviewers, PullRequest]{
			Name: "request_reviewers", Description: "Ask users or teams to review a pull request, besides those asked already.", Tags: tags, Idempotent: true,
			Prepare: c.formerReviewers, Call: c.requestReviewers, Preview: c.previewReviewers,
			Revert: c.withdrawReviewers, RevertWithoutResult: true,
		}),
	}
}

func (c *connector) listReviews(ctx context.Context, in ListNumbered) (Page[Review], error) {
	return list(ctx, in.Paging, listing[*github.PullRequestReview, Review]{shape: review,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.PullRequestReview, *github.Response, error) {
			return c.client.PullRequests.ListReviews(ctx, in.Owner, in.Repo.Repo, in.Number, &page)
		}})
}

func (c *connector) listReviewComments(ctx context.Context, in ListNumbered) (Page[ReviewComment], error) {
	return list(ctx, in.Paging, listing[*github.PullRequestComment, ReviewComment]{shape: reviewComment,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.PullRequestComment, *github.Response, error) {
			return c.client.PullRequests.ListComments(ctx, in.Owner, in.Repo.Repo, in.Number, &github.PullRequestListCommentsOptions{ListOptions: page})
		}})
}

func (c *connector) createReview(ctx context.Context, in CreateReview) (Review, error) {
	if in.Body == "" && in.Event != "APPROVE" {
		return Review{}, sdk.Errorf(sdk.InvalidArgument, "a review with the event %s needs a body", in.Event)
	}
	request := &github.PullRequestReviewRequest{CommitID: given(in.HeadSHA), Event: &in.Event}
	if in.Body != "" {
		request.Body = new(marked(ctx, in.Body))
	}
	for _, l := range in.Comments {
		request.Comments = append(request.Comments, &github.DraftReviewComment{
			Path: &l.Path, Line: &l.Line, Side: new(l.side()), Body: &l.Body,
		})
	}
	made, _, err := c.client.PullRequests.CreateReview(ctx, in.Owner, in.Repo.Repo, in.Number, request)
	return as(review, made, err)
}

func (l LineComment) side() string {
	if l.Side == "" {
		return "RIGHT"
	}
	return l.Side
}

// dismissReview takes back what a review says of the whole. GitHub deletes no
// review that was submitted.
func (c *connector) dismissReview(ctx context.Context, in CreateReview, made Review) error {
	if in.Event == "COMMENT" {
		return sdk.Errorf(sdk.Unsupported, "GitHub takes back no review that only comments")
	}
	_, _, err := c.client.PullRequests.DismissReview(ctx, in.Owner, in.Repo.Repo, in.Number, made.ID,
		github.PullRequestDismissReviewRequest{Message: "Taken back by a rollback."})
	return err
}

// findReview looks for the review by its marker; one without a body has none.
func (c *connector) findReview(ctx context.Context, in CreateReview) (sdk.Happened[Review], error) {
	if in.Body == "" {
		return sdk.Happened[Review]{}, nil
	}
	var found []*github.PullRequestReview
	page, err := list(ctx, Paging{Limit: 1000}, listing[*github.PullRequestReview, Review]{shape: review,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.PullRequestReview, *github.Response, error) {
			reviews, resp, err := c.client.PullRequests.ListReviews(ctx, in.Owner, in.Repo.Repo, in.Number, &page)
			found = append(found, reviews...)
			return reviews, resp, err
		}})
	if err != nil {
		return sdk.Happened[Review]{}, err
	}
	return shaped(find(ctx, found, page.More, (*github.PullRequestReview).GetBody), review), nil
}

func (c *connector) previewReview(ctx context.Context, in CreateReview) (string, error) {
	found, _, err := c.client.PullRequests.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Review %s with %s: %s", in.Numbered, in.Event, found.GetTitle())
	p.text(in.Body)
	for _, l := range in.Comments {
		p.line("%s:%d: %s", l.Path, l.Line, excerpt(l.Body, shownLines))
	}
	return p.String(), nil
}

// reviews adds what reviews say.
func (p *preview) reviews(list []Review) {
	if len(list) == 0 {
		p.line("reviews: none")
		return
	}
	p.line("reviews:")
	for _, r := range list {
		p.line("  %s: %s", r.Author, r.State)
	}
}

func review(r *github.PullRequestReview) Review {
	return Review{
		ID: r.GetID(), Author: r.GetUser().GetLogin(), State: r.GetState(), Body: unmarked(r.GetBody()),
		CommitSHA: r.GetCommitID(), SubmittedAt: at(r.SubmittedAt), URL: r.GetHTMLURL(),
	}
}

func reviewComment(r *github.PullRequestComment) ReviewComment {
	return ReviewComment{
		ID: r.GetID(), ReviewID: r.GetPullRequestReviewID(), ReplyTo: r.GetInReplyTo(), Author: r.GetUser().GetLogin(),
		Path: r.GetPath(), Line: r.GetLine(), Body: r.GetBody(), DiffHunk: r.GetDiffHunk(),
		CreatedAt: at(r.CreatedAt), URL: r.GetHTMLURL(),
	}
}
