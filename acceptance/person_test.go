//go:build linux

package acceptance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// person works in a site's folder at a pseudo-terminal. What they type and read is written down, as a session:
// a line that begins with "! " came on standard error.
type person struct {
	*site
	name    string // the operating system's
	session strings.Builder
}

// notes writes down why the person goes on.
func (p *person) notes(text string) { fmt.Fprintf(&p.session, "\n# %s\n", text) }

// edits writes a file.
func (p *person) edits(name, text string) {
	p.t.Helper()
	text = strings.TrimPrefix(text, "\n")
	p.write(name, text)
	fmt.Fprintf(&p.session, "\n$ cat %s\n%s", name, text)
}

// runs runs a command at the terminal, and returns what was on the screen.
func (p *person) runs(code int, args ...string) string {
	p.t.Helper()
	return p.sits(args...).ends(code)
}

// alone runs a command where there is no terminal, as a program would.
func (p *person) alone(code int, args ...string) string {
	p.t.Helper()
	cmd := p.atHome(p.t.Context(), args)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return p.records(code, "without a terminal: codemode", args, p.collect(cmd, func() {}))
}

// atHome is a run of codemode by a user who has no configuration of their own.
func (p *person) atHome(ctx context.Context, args []string) *exec.Cmd {
	cmd := p.command(ctx, args...)
	cmd.Env = append(cmd.Env, "HOME="+p.dir, "XDG_CONFIG_HOME=", "CODEMODE_CONFIG=", "TERM=xterm", "TZ=UTC")
	return cmd
}

// records writes a command and its answer down, and checks the exit code.
func (p *person) records(code int, program string, args []string, a answer) string {
	p.t.Helper()
	fmt.Fprintf(&p.session, "\n$ %s %s\n%s", program, quoted(args), a.stdout)
	for line := range strings.Lines(a.stderr) {
		p.session.WriteString("! " + line)
	}
	switch a.code {
	case 0:
	case -1:
		p.session.WriteString("[killed]\n")
	default:
		fmt.Fprintf(&p.session, "[exit code %d]\n", a.code)
	}
	if a.code != code {
		p.t.Fatalf("exit code %d, want %d, at the end of\n%s", a.code, code, p.session.String())
	}
	return a.stdout
}

// quoted is a command line as a shell takes it.
func quoted(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if arg == "" || strings.ContainsAny(arg, ` {}"*&?#`) {
			words[i] = "'" + arg + "'"
		}
	}
	return strings.Join(words, " ")
}

// stuck bounds a command, so that a question that nobody expects fails the test.
const stuck = 30 * time.Second

// sitting is one command at the terminal.
type sitting struct {
	*person
	args     []string
	cmd      *exec.Cmd
	cancel   context.CancelFunc
	terminal *os.File
	stderr   bytes.Buffer
	screen   bytes.Buffer // all that was shown
	read     int          // how much of it was read
}

// sits begins a command at the terminal.
func (p *person) sits(args ...string) *sitting {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), stuck)
	s := &sitting{person: p, args: args, cmd: p.atHome(ctx, args), cancel: cancel}
	s.cmd.Stderr = &s.stderr
	terminal, err := pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		p.t.Fatal(err)
	}
	s.terminal = terminal
	return s
}

// reads waits for a text on the screen, after the one that was read before, and types an answer.
func (s *sitting) reads(text, answer string) {
	s.t.Helper()
	for {
		unread := s.screen.Bytes()[s.read:]
		if i := bytes.Index(unread, []byte(text)); i >= 0 {
			s.read += i + len(text)
			break
		}
		if !s.more() {
			s.ends(0)
			s.t.Fatalf("%q does not appear at the end of\n%s", text, s.session.String())
		}
	}
	if _, err := io.WriteString(s.terminal, answer); err != nil {
		s.t.Fatal(err)
	}
}

// more reads what comes, and reports whether the terminal is still in use.
func (s *sitting) more() bool {
	buffer := make([]byte, 4096)
	n, err := s.terminal.Read(buffer)
	s.screen.Write(buffer[:n])
	return err == nil
}

// ends waits for the end of the command, and returns what was on the screen.
func (s *sitting) ends(code int) string {
	s.t.Helper()
	defer s.cancel()
	for s.more() {
	}
	err := s.cmd.Wait()
	if s.cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	if err := s.terminal.Close(); err != nil {
		s.t.Error(err)
	}
	screen := strings.ReplaceAll(s.screen.String(), "\r\n", "\n")
	return s.records(code, "codemode", s.args, answer{screen, s.stderr.String(), s.cmd.ProcessState.ExitCode()})
}
