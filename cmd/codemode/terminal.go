package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
)

// terminal is where a person reads and types: the controlling terminal, whatever stdin and stdout are.
type terminal struct {
	file *os.File
	page render.Page
}

// errNoPerson says that a decision was wanted where nobody can take it. It does not say how to do without a person: a
// program may be reading.
var errNoPerson = errors.New("this needs a person at a terminal, and there is none here: let a person run it in one")

// openTerminal opens the controlling terminal.
func (a *app) openTerminal() (*terminal, error) {
	f, err := openTTY(a.tty)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errNoPerson, err)
	}
	if _, ok := terminalColumns(f); !ok {
		return nil, errors.Join(errNoPerson, f.Close())
	}
	return &terminal{file: f, page: pageOf(f)}, nil
}

func (t *terminal) close() error { return t.file.Close() }

// show writes safe text.
func (t *terminal) show(text string) error {
	_, err := io.WriteString(t.file, text)
	return err
}

// ask asks for a line. What was typed before the question is no answer to it. At the end of input, or when ctx ends,
// the error says so.
func (t *terminal) ask(ctx context.Context, question string) (string, error) {
	if err := discardTyped(t.file); err != nil {
		return "", fmt.Errorf("ask at the terminal: %w", err)
	}
	// Where the terminal cannot be read with a deadline, a second interrupt ends the process.
	stop := context.AfterFunc(ctx, func() { _ = t.file.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := t.show(question); err != nil {
		return "", fmt.Errorf("ask at the terminal: %w", err)
	}
	line, err := bufio.NewReader(t.file).ReadString('\n')
	switch {
	case ctx.Err() != nil:
		return "", errors.Join(context.Cause(ctx), t.show("\n")) // the question's line ends
	case err != nil:
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// askHidden asks for a line that the terminal does not show.
func (t *terminal) askHidden(ctx context.Context, question string) (line string, err error) {
	restore, err := hideTyped(t.file)
	if err != nil {
		return "", fmt.Errorf("keep the terminal from showing what is typed: %w", err)
	}
	defer func() { err = errors.Join(err, restore(), t.show("\n")) }()
	return t.ask(ctx, question)
}

// confirm asks for a typed yes, and reports whether it came.
func (t *terminal) confirm(ctx context.Context, question string) (bool, error) {
	answer, err := t.ask(ctx, question+" Type yes: ")
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return answer == "yes", err
}
