package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/hide"
	"github.com/codemode-go/codemode/plugins/openapi/internal/operation"
	"github.com/codemode-go/codemode/plugins/openapi/internal/paging"
	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
	"github.com/codemode-go/codemode/plugins/openapi/internal/request"
	"github.com/codemode-go/codemode/plugins/openapi/internal/response"
)

// call calls an operation. args is one JSON object, or nil.
func (a *api) call(ctx context.Context, m *operation.Method, args json.RawMessage) (json.RawMessage, error) {
	r, err := m.Request.Build(args, options(m)...)
	if err != nil {
		return nil, err
	}
	if limit, ok := wanted(args); ok && m.Pages != nil {
		return a.all(ctx, m, r, args, limit)
	}
	answer, err := a.exchange(ctx, m, r)
	if err != nil {
		return nil, err
	}
	if string(raw.Value(args).Get(operation.FullArgument)) == "true" {
		return answer.Full(), nil
	}
	return answer.Value(), nil
}

// options lists the arguments that do not go into the request.
func options(m *operation.Method) []string {
	if m.Pages == nil {
		return []string{operation.FullArgument}
	}
	return []string{paging.Argument, operation.FullArgument}
}

// exchange sends a request with its credentials. An answer that says that it
// failed is an error, and neither shows a secret.
func (a *api) exchange(ctx context.Context, m *operation.Method, r *request.Request) (*response.Answer, error) {
	a.addHeaders(ctx, m, r)
	answer, err := a.send(ctx, m, r)
	if err == nil && answer.Status == http.StatusUnauthorized && a.auth.Renew(m.Security) {
		answer, err = a.send(ctx, m, r) // the token ended before its time; nothing has happened
	}
	if err != nil {
		return nil, a.discreet(err)
	}
	secrets := a.auth.Secrets()
	answer.Body = hide.Text(answer.Body, secrets)
	for _, values := range answer.Header {
		for i, value := range values {
			values[i] = string(hide.Text([]byte(value), secrets))
		}
	}
	if answer.Failed() {
		return nil, answer.Failure(m.ReadOnly, time.Now())
	}
	return answer, nil
}

func (a *api) send(ctx context.Context, m *operation.Method, r *request.Request) (*response.Answer, error) {
	credentials, err := a.auth.For(ctx, m.Security)
	if err != nil {
		return nil, err
	}
	if m.ReadOnly {
		return a.reads.Send(ctx, r, credentials, true)
	}
	return a.writes.Send(ctx, r, credentials, false)
}

// addHeaders adds the configured headers. Those on the body go only with one.
func (a *api) addHeaders(ctx context.Context, m *operation.Method, r *request.Request) {
	for name, value := range a.config.Headers {
		if http.CanonicalHeaderKey(name) == "Content-Type" && r.Body == nil {
			continue
		}
		r.Header.Set(name, value)
	}
	if key := sdk.IdempotencyKey(ctx); a.config.IdempotencyHeader != "" && !m.ReadOnly && key != "" && r.Header.Get(a.config.IdempotencyHeader) == "" {
		r.Header.Set(a.config.IdempotencyHeader, key)
	}
}

// discreet takes the secrets from an error.
func (a *api) discreet(err error) error {
	said, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return err
	}
	clean := *said
	clean.Message = string(hide.Text([]byte(said.Message), a.auth.Secrets()))
	return &clean
}
