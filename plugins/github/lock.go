package main

import (
	"context"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// LockIssue are the arguments of lock_issue.
type LockIssue struct {
	Numbered
	Reason string `json:"reason,omitempty" jsonschema:"enum=off-topic,enum=too heated,enum=resolved,enum=spam"`
}

// lock is how a conversation was locked.
type lock struct {
	Locked bool   `json:"locked"`
	Reason string `json:"reason"`
}

func (c *connector) formerLock(ctx context.Context, in LockIssue) (any, error) {
	return c.lockOf(ctx, in.Numbered)
}

func (c *connector) lockOf(ctx context.Context, in Numbered) (any, error) {
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return nil, err
	}
	return lock{found.GetLocked(), found.GetActiveLockReason()}, nil
}

func (c *connector) lockIssue(ctx context.Context, in LockIssue) (struct{}, error) {
	return struct{}{}, c.setLock(ctx, in.Numbered, lock{true, in.Reason})
}

func (c *connector) undoLock(ctx context.Context, in LockIssue, _ struct{}) error {
	return c.restoreLock(ctx, in.Numbered, struct{}{})
}

func (c *connector) unlockIssue(ctx context.Context, in Numbered) (struct{}, error) {
	return struct{}{}, c.setLock(ctx, in, lock{})
}

func (c *connector) restoreLock(ctx context.Context, in Numbered, _ struct{}) error {
	former, err := sdk.Before[lock](ctx)
	if err != nil {
		return err
	}
	return c.setLock(ctx, in, former)
}

func (c *connector) setLock(ctx context.Context, n Numbered, to lock) error {
	if !to.Locked {
		_, err := c.client.Issues.Unlock(ctx, n.Owner, n.Repo.Repo, n.Number)
		return err
	}
	_, err := c.client.Issues.Lock(ctx, n.Owner, n.Repo.Repo, n.Number, github.LockIssueRequest{LockReason: given(to.Reason)})
	return err
}

func (c *connector) previewLock(ctx context.Context, in LockIssue) (string, error) {
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Lock the conversation of %s: %s", in.Numbered, found.GetTitle())
	if in.Reason != "" {
		p.line("reason: %s", in.Reason)
	}
	if found.GetLocked() {
		p.line("It is locked already.")
	}
	return p.String(), nil
}

func (c *connector) previewUnlock(ctx context.Context, in Numbered) (string, error) {
	found, _, err := c.client.Issues.Get(ctx, in.Owner, in.Repo.Repo, in.Number)
	if err != nil {
		return "", err
	}
	var p preview
	p.line("Unlock the conversation of %s: %s", in, found.GetTitle())
	if !found.GetLocked() {
		p.line("It is not locked.")
	}
	return p.String(), nil
}
