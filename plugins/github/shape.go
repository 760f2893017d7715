package main

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v93/github"
)

// at is a time of GitHub's, nil for none.
func at(t *github.Timestamp) *time.Time {
	if t == nil || t.IsZero() {
		return nil
	}
	return &t.Time
}

// since is a time of the arguments, zero for none.
func since(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// logins are the names of users.
func logins(users []*github.User) []string {
	names := make([]string, len(users))
	for i, u := range users {
		names[i] = u.GetLogin()
	}
	return names
}

// labelNames are the names of labels.
func labelNames(labels []*github.Label) []string {
	names := make([]string, len(labels))
	for i, l := range labels {
		names[i] = l.GetName()
	}
	return names
}

// given is a pointer to what an argument says, nil where it says nothing.
func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// isNotFound reports whether GitHub knows nothing of what was asked for.
func isNotFound(err error) bool {
	refusal, ok := errors.AsType[*github.ErrorResponse](err)
	return ok && refusal.Response.StatusCode == http.StatusNotFound
}

// deref is what p points to, or nothing.
func deref[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}

// gone takes what is not there any more as deleted.
func gone(err error) error {
	if isNotFound(err) || isNoReference(err) {
		return nil
	}
	return err
}

// isNoReference reports whether GitHub says that a branch or tag does not exist,
// for which it has a status of its own.
func isNoReference(err error) bool {
	refusal, ok := errors.AsType[*github.ErrorResponse](err)
	return ok && refusal.Response.StatusCode == http.StatusUnprocessableEntity && strings.Contains(refusal.Message, "Reference does not exist")
}

// as is what a request answered, in the form that programs get, unless it failed.
func as[G, T any](shape func(G) T, answer G, err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return shape(answer), nil
}
