package main

import (
	"context"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Notification is one thread of somebody's notifications.
type Notification struct {
	ID         string     `json:"id"`
	Repository string     `json:"repository"`
	Type       string     `json:"type" jsonschema_description:"Issue, PullRequest, Release, ..."`
	Title      string     `json:"title"`
	Reason     string     `json:"reason" jsonschema_description:"assign, mention, review_requested, ..."`
	Unread     bool       `json:"unread"`
	UpdatedAt  *time.Time `json:"updated_at,omitempty"`
	SubjectURL string     `json:"subject_url" jsonschema_description:"In the API."`
	Own
}

// ListNotifications are the arguments of list_notifications.
type ListNotifications struct {
	All           bool       `json:"all,omitempty" jsonschema_description:"Those that were read, too."`
	Participating bool       `json:"participating,omitempty" jsonschema_description:"Only where the user takes part or is mentioned."`
	Since         *time.Time `json:"since,omitempty"`
	Paging
}

// MarkNotificationRead are the arguments of mark_notification_read.
type MarkNotificationRead struct {
	ID string `json:"id" jsonschema:"pattern=^[0-9]+$" jsonschema_description:"Of list_notifications."`
}

func (c *connector) notificationMethods() []sdk.Method {
	return []sdk.Method{
		read(sdk.Func[ListNotifications, Page[Notification]]{
			Name: "list_notifications", Description: "List the notifications of the token's user, newest first.", Tags: []string{"notifications"},
			Call: c.listNotifications,
		}),
		write(c, sdk.Func[MarkNotificationRead, struct{}]{
			Name: "mark_notification_read", Description: "Mark a notification of the token's user as read. It cannot be undone.", Tags: []string{"notifications"}, Idempotent: true,
			Call: c.markNotificationRead, Preview: c.previewMarkRead,
		}),
	}
}

func (c *connector) listNotifications(ctx context.Context, in ListNotifications) (Page[Notification], error) {
	return list(ctx, in.Paging, listing[*github.Notification, Notification]{shape: notification,
		fetch: func(ctx context.Context, page github.ListOptions) ([]*github.Notification, *github.Response, error) {
			page.PerPage = min(page.PerPage, 50) // all that GitHub allows here
			return c.client.Activity.ListNotifications(ctx, &github.NotificationListOptions{
				All: in.All, Participating: in.Participating, Since: since(in.Since), ListOptions: page,
			})
		}})
}

func notification(n *github.Notification) Notification {
	return Notification{
		ID: n.GetID(), Repository: n.GetRepository().GetFullName(), Type: n.GetSubject().GetType(), Title: n.GetSubject().GetTitle(),
		Reason: n.GetReason(), Unread: n.GetUnread(), UpdatedAt: at(n.UpdatedAt), SubjectURL: n.GetSubject().GetURL(),
	}
}

func (c *connector) markNotificationRead(ctx context.Context, in MarkNotificationRead) (struct{}, error) {
	_, err := c.client.Activity.MarkThreadRead(ctx, in.ID)
	return struct{}{}, err
}

func (c *connector) previewMarkRead(ctx context.Context, in MarkNotificationRead) (string, error) {
	found, _, err := c.client.Activity.GetThread(ctx, in.ID)
	if err != nil {
		return "", err
	}
	n := notification(found)
	var p preview
	p.line("Mark as read: %s, %s in %s", n.Title, n.Type, n.Repository)
	if !n.Unread {
		p.line("It is read already.")
	}
	return p.String(), nil
}
