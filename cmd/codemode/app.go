package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/core"
)

// app is one invocation: what surrounds it, and the flags that all commands have.
type app struct {
	in       io.Reader
	out, err io.Writer
	page     render.Page // how to write to out
	tty      string      // the controlling terminal's path
	user     string      // the operating system's
	// open reaches the host.
	open func(context.Context) (*session, error)
	// patience is how long a command waits for a journal whose holder cannot be reached: one that is about to begin or
	// to end has it for moments.
	patience time.Duration

	config   string
	json     bool
	vars     []string
	logLevel string
	// secretFile is the file with the secret that a decision comes with.
	secretFile string
}

// newApp is the process's own surroundings.
func newApp() *app {
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, tty: "/dev/tty", user: userName(), patience: 10 * time.Second}
	a.page = pageOf(os.Stdout)
	a.open = a.reach
	return a
}

// userName is who the operating system says is here.
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "uid " + strconv.Itoa(os.Getuid()) // a user that has no entry is still somebody
}

// pageOf sets text for a file: in colour and as wide as it is if it is a terminal.
func pageOf(f *os.File) render.Page {
	p := render.Page{Now: time.Now()}
	columns, ok := terminalColumns(f)
	if !ok {
		return p
	}
	const widest = 120 // longer lines are hard to read
	if columns > 0 {
		p.Width = min(columns, widest)
	}
	p.Advice = true
	p.Colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return p
}

// run carries out a command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := root.ExecuteContext(ctx)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = context.Cause(ctx) // what was being done when the interrupt came does not matter
	}
	if err != nil && err.Error() != "" {
		a.say("codemode: " + err.Error())
	}
	return exitCode(err)
}

// say writes lines of diagnostics.
func (a *app) say(text string) {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\t", "  ")
	fmt.Fprintln(a.err, render.Safe(text))
}

// answer writes a command's answer: the value as JSON, or the text.
func (a *app) answer(value any, text func(render.Page) string) error {
	out := ""
	if !a.json {
		out = text(a.page)
	} else {
		document, err := document(value)
		if err != nil {
			return err
		}
		out = document
	}
	if _, err := io.WriteString(a.out, out); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// document writes a value as indented JSON. Escapes for what terminals obey mean the same in JSON.
func document(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("write the answer as JSON: %w", err)
	}
	return render.Safe(b.String()), nil
}

// outcome writes an outcome and returns its exit code as an error.
func (a *app) outcome(o *core.Outcome) error {
	if err := a.answer(o, func(p render.Page) string { return p.Outcome(o) }); err != nil {
		return err
	}
	return exit(outcomeExit(o))
}

// logger writes what the host has to say to the diagnostics.
func (a *app) logger() (hclog.Logger, error) {
	level := hclog.LevelFromString(a.logLevel)
	if level == hclog.NoLevel {
		return nil, fmt.Errorf("--log-level %q: the levels are trace, debug, info, warn, error and off", a.logLevel)
	}
	return hclog.New(&hclog.LoggerOptions{Name: "codemode", Level: level, Output: safeWriter{a.err}}), nil
}

// safeWriter escapes what a terminal would obey: log lines carry texts of connectors.
type safeWriter struct{ to io.Writer }

func (w safeWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, render.Safe(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// pairs reads NAME=VALUE flags.
func pairs(flag string, list []string) (map[string]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	m := make(map[string]string, len(list))
	for _, text := range list {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--%s takes NAME=VALUE", flag) // the text may be a secret
		}
		if _, again := m[name]; again {
			return nil, fmt.Errorf("--%s names %q twice", flag, name)
		}
		m[name] = value
	}
	return m, nil
}
