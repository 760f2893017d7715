package main

import (
	"context"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Comment is a comment on an issue or pull request.
type Comment struct {
	ID        int64      `json:"id"`
	Author    string     `json:"author"`
	Body      string     `json:"body"`
	CreatedAt *time.Time `json:"created_at,omitempty"`
	UpdatedAt *time.Time `json:"updated_at,omitempty"`
	URL       string     `json:"url"`
	Own
}

// ListComments are the arguments of list_issue_comments.
type ListComments struct {
	Numbered
	Since *time.Time `json:"since,omitempty" jsonschema_description:"Only comments updated since then."`
	Paging
}

// CreateComment are the arguments of create_issue_comment.
type CreateComment struct {
	Numbered
	Body string `json:"body" jsonschema:"minLength=1" jsonschema_description:"Markdown."`
}

func (c *connector) commentMethods() []sdk.Method {
	tags := []string{"issues"}
	return []sdk.Method{
		read(sdk.Func[ListComments, Page[Comment]]{
			Name: "list_issue_comments", Description: "List the comments of an issue or pull request, oldest first.", Tags: tags,
			Call: c.listComments,
		}),
		write(c, sdk.Func[CreateComment, Comment]{
			Name: "create_issue_comment", Description: "Comment on an issue or pull request. A rollback deletes the comment.", Tags: tags,
			Prepare: func(context.Context, CreateComment) (any, error) { return noteCreation(), nil },
			Call:    c.createComment, Revert: c.deleteComment, Reconcile: c.findComment, Preview: c.previewComment,
		}),
	}
}

func (c *connector) listComments(ctx context.Context, in ListComments) (Page[Comment], error) {
	return list(ctx, in.Paging, listing[*github.IssueComment, Comment]{shape: comment,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.IssueComment, *github.Response, error) {
			return c.client.Issues.ListComments(ctx, in.Owner, in.Repo.Repo, in.Number,
				&github.IssueListCommentsOptions{Since: in.Since, ListOptions: page})
		}})
}

func (c *connector) createComment(ctx context.Context, in CreateComment) (Comment, error) {
	made, _, err := c.client.Issues.CreateComment(ctx, in.Owner, in.Repo.Repo, in.Number,
		github.IssueCommentRequest{Body: marked(ctx, in.Body)})
	return as(comment, made, err)
}

func (c *connector) deleteComment(ctx context.Context, in CreateComment, made Comment) error {
	_, err := c.client.Issues.DeleteComment(ctx, in.Owner, in.Repo.Repo, made.ID)
	return gone(err)
}

func (c *connector) findComment(ctx context.Context, in CreateComment) (sdk.Happened[Comment], error) {
	noted, err := sdk.Before[creation](ctx)
	if err != nil {
		return sdk.Happened[Comment]{}, err
	}
	var found []*github.IssueComment
	page, err := list(ctx, Paging{Limit: 1000}, listing[*github.IssueComment, Comment]{shape: comment,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.IssueComment, *github.Response, error) {
			comments, resp, err := c.client.Issues.ListComments(ctx, in.Owner, in.Repo.Repo, in.Number,
				&github.IssueListCommentsOptions{Since: &noted.Since, ListOptions: page})
			found = append(found, comments...)
			return comments, resp, err
		}})
	if err != nil {
		return sdk.Happened[Comment]{}, err
	}
	return shaped(find(ctx, found, page.More, (*github.IssueComment).GetBody), comment), nil
}

func (c *connector) previewComment(ctx context.Context, in CreateComment) (string, error) {
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Comment on %s: %s", in.Numbered, found.GetTitle())
	p.text(in.Body)
	return p.String(), nil
}

func comment(r *github.IssueComment) Comment {
	return Comment{
		ID: r.GetID(), Author: r.GetUser().GetLogin(), Body: unmarked(r.GetBody()),
		CreatedAt: at(r.CreatedAt), UpdatedAt: at(r.UpdatedAt), URL: r.GetHTMLURL(),
	}
}
