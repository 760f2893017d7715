package main

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/go-github/v93/github"
)

const (
	// shownFiles and shownLines bound what a preview shows of a commit.
	shownFiles = 20
	shownLines = 12
)

// previewCommit shows what changes: every path, and of the first files the
// counts and the beginning of the difference.
func (c *connector) previewCommit(ctx context.Context, in CommitFiles) (string, error) {
	if err := in.check(); err != nil {
		return "", err
	}
	shown := in.Files[:min(len(in.Files), shownFiles)]
	var files preview
	added, removed := 0, 0
	for _, f := range shown {
		plus, minus, err := c.previewFile(ctx, in, f, &files)
		if err != nil {
			return "", err
		}
		added, removed = added+plus, removed+minus
	}
	for _, f := range in.Files[len(shown):] {
		files.path(f)
	}
	var p preview
	p.line("Commit to %q of %s: %d file%s, +%d -%d%s", in.Branch, in.Repo, len(in.Files), plural(len(in.Files)), added, removed, counted(len(in.Files)))
	p.text(in.Message)
	return p.String() + "\n\n" + files.String(), nil
}

// counted says which of so many files were counted, unless all were.
func counted(files int) string {
	if files <= shownFiles {
		return ""
	}
	return fmt.Sprintf(" in the first %d", shownFiles)
}

// path adds a file of which no more is shown.
func (p *preview) path(f FileChange) {
	if f.Delete {
		p.line("delete %s", f.Path)
		return
	}
	p.line("write %s (%d characters)", f.Path, utf8.RuneCountInString(*f.Content))
}

// previewFile adds one file to a preview, and counts its lines.
func (c *connector) previewFile(ctx context.Context, in CommitFiles, f FileChange, p *preview) (added, removed int, err error) {
	file, _, _, err := c.client.Repositories.GetContents(ctx, in.Owner, in.Repo.Repo, strings.Trim(f.Path, "/"),
		&github.RepositoryContentGetOptions{Ref: in.Branch})
	if err != nil && !isNotFound(err) {
		return 0, 0, err
	}
	var former []byte
	readable := true
	if file != nil {
		former, readable = decoded(file)
	}
	bytes, err := f.bytes()
	if err != nil {
		return 0, 0, err
	}
	word := "change"
	switch {
	case f.Delete:
		word = "delete"
	case file == nil:
		word = "add"
	}
	if !readable || isBinary(former) || isBinary(bytes) {
		p.line("%s %s (%d bytes, no text)", word, f.Path, len(bytes))
		return 0, 0, nil
	}
	changes := difference(string(former), string(bytes))
	added, removed = counts(changes)
	p.line("%s %s (+%d -%d)", word, f.Path, added, removed)
	if changes != "" {
		p.line("%s", excerpt(changes, shownLines))
	}
	return added, removed, nil
}

func isBinary(bytes []byte) bool {
	encoding, _ := encodeContent(bytes)
	return encoding != "utf-8"
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
