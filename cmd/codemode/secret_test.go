//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
)

const testSecret = "open sesame 17"

// secretConfiguration is a configuration whose decisions need a secret; the files hold the right one and a wrong one.
func secretConfiguration(t *testing.T) (config, right, wrong string) {
	t.Helper()
	config, _ = boardConfiguration(t, "")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(config)
	right, wrong = writeFile(t, dir, "right", testSecret+"\n"), writeFile(t, dir, "wrong", "open barley\n")
	writeFile(t, dir, "codemode.hcl", fmt.Sprintf("approvals {\n  secret_file = %q\n}\n%s", right, text))
	return config, right, wrong
}

// Deciding needs the secret, from the terminal or from a file, whether this process has the journal open or another.
func TestDecidingWithASecret(t *testing.T) {
	t.Parallel()
	config, right, wrong := secretConfiguration(t)
	program := writeFile(t, t.TempDir(), "p.js", `await board.post({ text: "a" }); await board.post({ text: "b" }); await board.post({ text: "c" }); "posted"`)
	out := answers[core.Outcome](t, config, exitPaused, "run", program)
	id := out.ExecutionID

	for name, tc := range map[string]struct {
		args []string
		says string
	}{
		"no terminal":        {[]string{"approve", id, "--all"}, "needs a person at a terminal"},
		"a wrong secret":     {[]string{"approve", id, "--all", "--secret-file", wrong}, "the secret is wrong"},
		"no such file":       {[]string{"approve", id, "--all", "--secret-file", wrong + "x"}, "--secret-file"},
		"neither named":      {[]string{"approve", id, "--secret-file", right}, "name each call with --digest"},
		"a wrong to settle":  {[]string{"settle", id, "0", "--not-done", "--secret-file", wrong}, "the secret is wrong"},
		"a wrong to revert":  {[]string{"rollback", id, "--secret-file", wrong}, "the secret is wrong"},
		"a wrong to save as": {[]string{"snippets", "save", "s", id, "--force", "--secret-file", wrong}, "the secret is wrong"},
	} {
		s := newCommand(config)
		s.does(t, exitUsage, s.under(config, tc.args...)...)
		says(t, &s.err, tc.says)
		if text := s.err.String() + s.out.String(); strings.Contains(text, "sesame") || strings.Contains(text, "barley") {
			t.Errorf("%s: the secret is told: %s", name, text)
		}
	}

	out = answers[core.Outcome](t, config, exitPaused, "approve", id, "--all", "--secret-file", right)
	d := answers[core.Detail](t, config, 0, "show", id)
	if a := d.Outcome.Calls[0].Approval; a == nil || a.Via != "secret" {
		t.Errorf("the first call is approved by %+v", a)
	}

	p, s := newPerson(t), newCommand(config)
	s.tty = p.path
	code := make(chan int, 1)
	go func() { code <- s.run(t.Context(), s.under(config, "approve", id)) }()
	p.sees(question)
	p.types("y\n")
	p.sees("Secret: ")
	p.types(testSecret + "\n")
	if got := <-code; got != exitPaused {
		t.Fatalf("exit code %d: %s%s", got, &s.out, &s.err)
	}
	if strings.Contains(p.screen(), "sesame") {
		t.Errorf("the terminal shows the secret: %s", p.screen())
	}

	// As guests of a process that has the journal open.
	holder := newCommand(config)
	holder.logLevel = "error"
	session, err := holder.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.close(t.Context())
	guest := newCommand(config)
	guest.does(t, exitUsage, guest.under(config, "approve", id, "--all", "--secret-file", wrong)...)
	says(t, &guest.err, "the secret is wrong")
	answers[core.Outcome](t, config, 0, "approve", id, "--all", "--secret-file", right)
}

// A flag does not do without a person where the configuration demands no secret.
func TestSecretThatIsNotDemanded(t *testing.T) {
	t.Parallel()
	config, _ := boardConfiguration(t, "")
	file := writeFile(t, t.TempDir(), "secret", "anything")
	s := newCommand(config)
	s.does(t, exitUsage, s.under(config, "rollback", "x", "--secret-file", file)...)
	says(t, &s.err, "needs a person at a terminal")
	p := newPerson(t)
	s = newCommand(config)
	s.tty = p.path
	s.does(t, exitUsage, s.under(config, "rollback", "x", "--secret-file", file)...)
	says(t, &s.err, "demands no secret")
}
