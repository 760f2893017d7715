package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/control"
)

// takesSecret gives a command that decides the flag that names a file with the secret.
func (a *app) takesSecret(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&a.secretFile, "secret-file", "",
		"decide without a terminal, with the secret in this `file`, which only its owner may read; for a configuration with approvals.secret_file")
	return cmd
}

// asks reports whether a decision needs a person at the terminal.
func (a *app) asks(s *session) bool { return !s.unattended && !(s.secret && a.secretFile != "") }

// via is how whoever decides was asked, where it was not at the terminal.
func (a *app) via() string {
	if a.secretFile != "" {
		return viaSecret
	}
	return viaCommand
}

// authorized returns the context of a decision: with the secret, where the configuration demands one.
func (a *app) authorized(ctx context.Context, s *session) (context.Context, error) {
	switch {
	case !s.secret && a.secretFile != "":
		return nil, errors.New("--secret-file: the configuration has no approvals.secret_file, and demands no secret")
	case !s.secret:
		return ctx, nil
	case a.secretFile != "":
		secret, err := control.ReadSecret(a.secretFile)
		if err != nil {
			return nil, fmt.Errorf("--secret-file: %w", err)
		}
		return control.WithSecret(ctx, secret), nil
	}
	t, err := a.openTerminal()
	if err != nil {
		return nil, err
	}
	defer t.close()
	secret, err := t.askHidden(ctx, "Secret: ")
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return control.WithSecret(ctx, secret), nil
}
