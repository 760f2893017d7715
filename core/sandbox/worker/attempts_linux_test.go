package worker

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
)

// target is what a child could reach.
type target struct {
	PID     int
	Address string // on which the host listens
	File    string // that anyone may read and write
}

// attempts are what a taken over process would do first; package walls has more of them, and each against each layer.
var attempts = map[string]func(target) error{
	"see the environment": func(target) error {
		if len(os.Environ()) == 0 {
			return errors.New("there is none")
		}
		return nil
	},
	"read a file":        func(g target) error { _, err := os.ReadFile(g.File); return err },
	"read the password":  func(target) error { _, err := os.ReadFile("/etc/passwd"); return err },
	"write a file":       func(g target) error { return os.WriteFile(g.File, []byte("x"), 0o600) },
	"make a file":        func(g target) error { return os.WriteFile(g.File+".new", nil, 0o600) },
	"list a folder":      func(target) error { _, err := os.ReadDir("/"); return err },
	"remove a file":      func(g target) error { return os.Remove(g.File) },
	"execute a program":  func(target) error { return exec.Command("/bin/true").Run() },
	"execute in place":   func(target) error { return unix.Exec("/bin/true", []string{"true"}, nil) },
	"fork":               func(target) error { return raw(unix.SYS_CLONE, uintptr(unix.SIGCHLD)) },
	"connect to a host":  func(g target) error { _, err := net.Dial("tcp", g.Address); return err },
	"send a datagram":    func(g target) error { _, err := net.Dial("udp", g.Address); return err },
	"listen":             func(target) error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err },
	"open a socket":      func(target) error { _, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err },
	"signal the host":    func(g target) error { return unix.Kill(g.PID, 0) },
	"trace the host":     func(g target) error { return unix.PtraceSeize(g.PID) },
	"become another":     func(target) error { return unix.Setuid(0) },
	"lift a limit":       func(target) error { return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 64, Max: 64}) },
	"duplicate its pipe": func(target) error { _, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 0); return err },
	"map code": func(target) error {
		_, err := unix.Mmap(-1, 0, 4096, unix.PROT_EXEC|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		return err
	},
}

func raw(number uintptr, args ...uintptr) error {
	var all [3]uintptr
	copy(all[:], args)
	if _, _, errno := unix.RawSyscall(number, all[0], all[1], all[2]); errno != 0 {
		return errno
	}
	return nil
}

// attemptAll returns what got through.
func attemptAll(input []byte) []string {
	var g target
	if err := json.Unmarshal(input, &g); err != nil {
		return []string{err.Error()}
	}
	through := []string{}
	for name, do := range attempts {
		if do(g) == nil {
			through = append(through, name)
		}
	}
	return through
}

// TestWallsOfAChild makes the attempts from within a child of the pool, in place of a program. In this process, which has
// no walls, nearly all get through.
func TestWallsOfAChild(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dir := t.TempDir()
	for d := dir; d != os.TempDir() && len(d) > 1; d = filepath.Dir(d) {
		_ = os.Chmod(d, 0o777) // whoever the child is may go there
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(target{os.Getpid(), listener.Addr().String(), file})
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, Options{RequireWalls: fullWalls(t)})
	compiled, err := p.Compile(t.Context(), program.Source{Text: `return "attempts"`})
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Start(t.Context(), sandbox.Spec{Program: compiled, Start: epoch, Limits: limits, Input: input})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	turn, err := s.Resume(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := value(t, turn); got != "[]" {
		t.Errorf("these got through: %s", got)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "secret" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if got := value(t, complete(t, begin(t, p, "return 'next'"))); got != `"next"` {
		t.Errorf("the next program: %s", got)
	}
}

// fullWalls reports whether all walls hold on this machine.
func fullWalls(t *testing.T) bool {
	t.Helper()
	layers, err := open(t, Options{}).Walls(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	full := true
	for _, l := range layers {
		if !l.Holds {
			t.Logf("%s: %s", l.Name, l.Why)
			full = false
		}
	}
	return full
}
