package worker

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
)

// both runs a benchmark in this process and in a warm child, so that one run has their ratio.
func both(b *testing.B, f func(b *testing.B, s sandbox.Sandbox)) {
	b.Run("in-process", func(b *testing.B) { f(b, sandbox.New()) })
	b.Run("child", func(b *testing.B) {
		p := open(b, Options{Warm: 3})
		complete(b, begin(b, p, "return 1"))
		f(b, p)
	})
}

// BenchmarkTrivial compiles a program and runs it to its end.
func BenchmarkTrivial(b *testing.B) {
	both(b, func(b *testing.B, s sandbox.Sandbox) {
		for b.Loop() {
			if err := runTrivial(b, s); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkTrivialParallel is the same with many at once.
func BenchmarkTrivialParallel(b *testing.B) {
	both(b, func(b *testing.B, s sandbox.Sandbox) {
		b.SetParallelism(8)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := runTrivial(b, s); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

func runTrivial(b *testing.B, s sandbox.Sandbox) error {
	p, err := s.Compile(b.Context(), program.Source{Text: "return 42"})
	if err != nil {
		return err
	}
	session, err := s.Start(b.Context(), sandbox.Spec{Program: p, Start: epoch, Namespaces: namespaces, Limits: limits})
	if err != nil {
		return err
	}
	if _, err := session.Resume(b.Context(), nil); err != nil {
		return err
	}
	return session.Close()
}

// BenchmarkCall is one call's way out of the program and back.
func BenchmarkCall(b *testing.B) {
	both(b, func(b *testing.B, s sandbox.Sandbox) {
		p, err := s.Compile(b.Context(), program.Source{Text: "for (;;) await files.read({ path: 'a' })"})
		if err != nil {
			b.Fatal(err)
		}
		session, err := s.Start(b.Context(), sandbox.Spec{Program: p, Start: epoch, Namespaces: namespaces})
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = session.Close() }()
		turn, err := session.Resume(b.Context(), nil)
		for b.Loop() {
			if err != nil || len(turn.Calls) != 1 {
				b.Fatal(err, turn)
			}
			turn, err = session.Resume(b.Context(), []sandbox.Completion{{
				Seq: turn.Calls[0].Seq, Connector: "files", Method: "read", At: epoch, Value: []byte(`{"size":1}`),
			}})
		}
	})
}

// BenchmarkReplay replays a thousand calls.
func BenchmarkReplay(b *testing.B) {
	both(b, func(b *testing.B, s sandbox.Sandbox) {
		text := "let n = 0; for (let i = 0; i < 1000; i++) n += (await files.read({ i })).i; return n"
		p, err := s.Compile(b.Context(), program.Source{Text: text})
		if err != nil {
			b.Fatal(err)
		}
		var recorded []sandbox.Completion
		for i := range 1000 {
			args := fmt.Appendf(nil, `{"i":%d}`, i)
			recorded = append(recorded, sandbox.Completion{
				Seq: strconv.Itoa(i), Connector: "files", Method: "read", Digest: sandbox.Digest(args), At: epoch, Value: args,
			})
		}
		spec := sandbox.Spec{Program: p, Start: epoch, Namespaces: namespaces, Limits: limits, Replayed: len(recorded)}
		for b.Loop() {
			session, err := s.Start(b.Context(), spec)
			if err != nil {
				b.Fatal(err)
			}
			turn, err := session.Resume(b.Context(), recorded)
			if err != nil || turn.Result == nil || string(turn.Result.Value) != "499500" {
				b.Fatal(err, turn)
			}
			if err := session.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSpawn is what a child costs that does not stand ready.
func BenchmarkSpawn(b *testing.B) {
	p := open(b, Options{})
	for b.Loop() {
		c, err := p.spawn(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		c.dismiss()
	}
}

// BenchmarkFiftyBlocked is the memory of fifty programs that wait for a call: the proportional set size of their children.
func BenchmarkFiftyBlocked(b *testing.B) {
	p := open(b, Options{})
	for b.Loop() {
		var total int64
		var sessions []sandbox.Session
		for range 50 {
			s := begin(b, p, "const rows = []; for (let i = 0; i < 1000; i++) rows.push({ i, name: 'row ' + i }); await files.read({}); return rows.length")
			if _, err := s.Resume(b.Context(), nil); err != nil {
				b.Fatal(err)
			}
			sessions = append(sessions, s)
			size, err := proportional(s.(*session).child.cmd.Process.Pid)
			if err != nil {
				b.Skip(err)
			}
			total += size
		}
		b.ReportMetric(float64(total)/(1<<20), "MiB")
		for _, s := range sessions {
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// proportional is a process's own memory and its share of what it has in common with others, in bytes.
func proportional(pid int) (int64, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if kb, ok := strings.CutPrefix(lines.Text(), "Pss:"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(kb, "kB")), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("no size of process %d", pid)
}
