package main

import (
	"context"
	"errors"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
)

// yesFlag is what every command that deletes offers instead of a question.
const yesFlag = "do not ask at the terminal"

// errNoYes says that a deletion was wanted where nobody can be asked.
var errNoYes = errors.New("this deletes for good: confirm it at a terminal, or with --yes")

// confirmed asks a person, at the terminal, whether what is shown may be deleted, and reports whether it may. Nobody is
// asked with --yes, nor where decisions are unattended.
func (a *app) confirmed(ctx context.Context, s *session, yes bool, show func(render.Page) string, question string) (bool, error) {
	if yes || s.unattended {
		return true, nil
	}
	t, err := a.openTerminal()
	if err != nil {
		return false, errNoYes
	}
	defer t.close()
	shown := show(t.page)
	if shown == "" {
		return true, nil // there is nothing to ask about, which the host says
	}
	if err := t.show("\n" + shown + "\n"); err != nil {
		return false, err
	}
	return t.confirm(ctx, question)
}
