package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/core/config"
)

func newFmt(a *app) *cobra.Command {
	check := false
	cmd := &cobra.Command{
		Use: "fmt", Short: "Format the configuration's files", Args: cobra.NoArgs,
		Long: `Format the configuration's files in place, and list those that were changed. It
changes nothing but white space. With --check, only list them: exit code 1 says
that there are some.`,
		RunE: func(*cobra.Command, []string) error { return a.format(check) },
	}
	cmd.Flags().BoolVar(&check, "check", false, "change nothing, and end with exit code 1 if a file is not formatted")
	return cmd
}

// formatting is the answer of fmt.
type formatting struct {
	Files   []string `json:"files"`   // those that were not formatted
	Changed bool     `json:"changed"` // and are now
}

// format changes no file before all of them could be read.
func (a *app) format(check bool) error {
	path, err := a.find()
	if err != nil {
		return err
	}
	files, err := config.Files(path)
	if err != nil {
		return err
	}
	answer := formatting{Files: []string{}}
	texts := map[string][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read configuration: %w", err)
		}
		formatted, err := config.Format(file, text)
		if err != nil {
			return err
		}
		if !bytes.Equal(text, formatted) {
			answer.Files, texts[file] = append(answer.Files, file), formatted
		}
	}
	if !check {
		for _, file := range answer.Files {
			if err := replace(file, texts[file]); err != nil {
				return fmt.Errorf("write configuration: %w", err)
			}
			answer.Changed = true
		}
	}
	if err := a.answer(answer, func(p render.Page) string { return p.Paths(answer.Files) }); err != nil {
		return err
	}
	if check && len(answer.Files) > 0 {
		return exit(exitFailed)
	}
	return nil
}

// replace gives a file a new text, or leaves it whole. Its mode stays; a link stays one.
func replace(path string, text []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".codemode-fmt-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
