package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// snippetLines bounds the source lines that one diagnostic shows.
const snippetLines = 5

// hidden replaces a sensitive text in a message.
const hidden = "(sensitive)"

// Error reports the faults of a configuration.
type Error struct {
	// Path is the configuration's file or directory.
	Path string
	// Diagnostics has at least one entry; they are in the order of their places.
	Diagnostics []Diagnostic
}

// Diagnostic is one fault of a configuration.
type Diagnostic struct {
	// File, Line and Column say where; Line and Column count from 1. Without a place, File is empty.
	File         string
	Line, Column int
	// Context names the block around the place, like `connector "github"`.
	Context string
	// Snippet has the source lines from Line on.
	Snippet []string
	Summary string
	Detail  string
}

// String returns the diagnostic as a paragraph for a terminal.
func (d Diagnostic) String() string {
	var b strings.Builder
	if d.File != "" {
		fmt.Fprintf(&b, "%s:%d: ", d.File, d.Line)
	}
	b.WriteString(d.Summary)
	if d.Context != "" {
		fmt.Fprintf(&b, ", in %s", d.Context)
	}
	b.WriteString("\n")
	for i, line := range d.Snippet {
		fmt.Fprintf(&b, "%6d | %s\n", d.Line+i, line)
	}
	if d.Detail != "" {
		fmt.Fprintf(&b, "  %s\n", d.Detail)
	}
	return b.String()
}

// Error lists every diagnostic with its source.
func (e *Error) Error() string {
	count := "1 error"
	if n := len(e.Diagnostics); n != 1 {
		count = fmt.Sprintf("%d errors", n)
	}
	texts := []string{fmt.Sprintf("%s in the configuration %s\n", count, e.Path)}
	for _, d := range e.Diagnostics {
		texts = append(texts, d.String())
	}
	return strings.TrimRight(strings.Join(texts, "\n"), "\n")
}

// noSource in a diagnostic's Extra keeps its source lines, which may hold a credential, out of the report.
type noSource struct{}

// report turns the errors among diagnostics into an *Error that shows no secret,
// neither those of the source nor the further ones.
func (s *source) report(diags hcl.Diagnostics, further ...string) *Error {
	errs := slices.DeleteFunc(slices.Clone(diags), func(d *hcl.Diagnostic) bool { return d.Severity != hcl.DiagError })
	return &Error{Path: s.path, Diagnostics: s.diagnostics(errs, further...)}
}

// diagnostics are diagnostics for people, in the order of their places.
func (s *source) diagnostics(diags hcl.Diagnostics, further ...string) []Diagnostic {
	// The longest first: a secret that is part of another must not leave the rest of it standing.
	secrets := slices.Concat(s.secrets, further)
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var list []Diagnostic
	for _, d := range diags {
		list = append(list, s.diagnostic(d, secrets))
	}
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return list
}

func (s *source) diagnostic(d *hcl.Diagnostic, secrets []string) Diagnostic {
	out := Diagnostic{Summary: scrub(d.Summary, secrets), Detail: scrub(d.Detail, secrets)}
	if d.Subject == nil {
		return out
	}
	out.File, out.Line, out.Column = d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column
	file := s.files[d.Subject.Filename]
	if file == nil {
		return out
	}
	if nav, ok := file.Nav.(interface{ ContextString(int) string }); ok {
		out.Context = nav.ContextString(d.Subject.Start.Byte)
	}
	if _, ok := d.Extra.(noSource); !ok {
		out.Snippet = snippet(file.Bytes, *d.Subject, secrets)
	}
	return out
}

// snippet cuts the lines of a range out of a file.
func snippet(text []byte, r hcl.Range, secrets []string) []string {
	lines := bytes.Split(text, []byte("\n"))
	from, to := r.Start.Line-1, max(r.End.Line, r.Start.Line)
	if from < 0 || from >= len(lines) {
		return nil
	}
	var out []string
	for _, line := range lines[from:min(to, len(lines), from+snippetLines)] {
		out = append(out, scrub(strings.ToValidUTF8(strings.TrimRight(string(line), "\r"), "?"), secrets))
	}
	return out
}

// shortestSecret is the length from which a secret is looked for in texts:
// shorter ones would black out half of every message.
const shortestSecret = 4

// scrub removes secrets from a text. It is the second belt: messages are made not to contain any.
func scrub(text string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) >= shortestSecret {
			text = strings.ReplaceAll(text, secret, hidden)
		}
	}
	return text
}
