package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
)

// runFlags are what a program is run with.
type runFlags struct {
	input, caller, task, ask string
	labels                   []string
}

func newRun(a *app) *cobra.Command {
	f := runFlags{}
	cmd := &cobra.Command{
		Use: "run FILE|-", Short: "Run a program", Args: cobra.ExactArgs(1),
		Long: `Run a program, JavaScript or TypeScript, from a file or from standard input,
until it completes, fails, or pauses because a person must decide (exit code 3).
An interrupt cancels it; a second one leaves at once.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req, err := a.runRequest(f, args[0]) // faults of the command line come before the host is opened
			if err != nil {
				return err
			}
			return a.with(func(ctx context.Context, s *session, _ []string) error { return a.runProgram(ctx, s, req) })(cmd, args)
		},
	}
	cmd.Flags().StringVar(&f.input, "input", "", "the program's input: `JSON`, or @file")
	cmd.Flags().StringVar(&f.caller, "caller", a.user, "who asks")
	cmd.Flags().StringArrayVar(&f.labels, "label", nil, "label the execution, `NAME=VALUE`; repeatable")
	cmd.Flags().StringVar(&f.task, "task", "", "the task that it serves")
	cmd.Flags().StringVar(&f.ask, "ask", "", "`writes`: every write waits for a person")
	oneOf(cmd, "ask", "writes")
	return cmd
}

func (a *app) runRequest(f runFlags, file string) (core.RunRequest, error) {
	req := core.RunRequest{Caller: f.caller, Task: f.task, AskWrites: f.ask == "writes"}
	if f.ask != "" && f.ask != "writes" {
		return req, fmt.Errorf("--ask %q: only writes can be asked about", f.ask)
	}
	var err error
	if req.Labels, err = pairs("label", f.labels); err != nil {
		return req, err
	}
	if req.Input, err = a.inputOf(f.input); err != nil {
		return req, err
	}
	code, err := a.read(file)
	req.Code = string(code)
	return req, err
}

// inputOf reads the input flag; "" is none.
func (a *app) inputOf(flag string) (json.RawMessage, error) {
	text := []byte(flag)
	if path, isFile := strings.CutPrefix(flag, "@"); isFile {
		var err error
		if text, err = a.read(path); err != nil {
			return nil, err
		}
	}
	if flag == "" {
		return nil, nil
	}
	if !json.Valid(text) {
		return nil, errors.New("--input is not JSON")
	}
	return text, nil
}

// read reads a file, or standard input if it is "-".
func (a *app) read(path string) ([]byte, error) {
	if path != "-" {
		return os.ReadFile(path)
	}
	text, err := io.ReadAll(a.in)
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return text, nil
}

func (a *app) runProgram(ctx context.Context, s *session, req core.RunRequest) error {
	defer onInterrupt(ctx, func() { a.say(cancelling) })()
	out, err := ask(ctx, s, func(svc control.Service) (*core.Outcome, error) { return svc.Run(ctx, req) })
	if err != nil {
		return err
	}
	return a.outcome(out)
}
