package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/sandbox/worker/walls"
)

// script writes a script that is started in place of a child.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "child")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBrokenStart: a child that is none is an error of the host's, soon, and leaves nothing behind.
func TestBrokenStart(t *testing.T) {
	spawner := walls.New()
	t.Cleanup(spawner.Close)
	for name, text := range map[string]string{
		"ends":           "exit 3",
		"garbage":        "echo 'this is no frame at all'; exec sleep 60",
		"huge frame":     `printf '\377\377\377\377'; exec sleep 60`,
		"half a frame":   `printf '\000\000\000\100{"ready"'`,
		"other answer":   `printf '\000\000\000\014{"turn":{}}  '; exec sleep 60`,
		"no JSON":        `printf '\000\000\000\003abc'; exec sleep 60`,
		"other version":  `printf '\000\000\000\053{"ready":{"program":"x","sandbox":"y"}}     '; exec sleep 60`,
		"closes its out": "exec 1>&-; exec sleep 60",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := spawn(t.Context(), spawner, script(t, text), setup{Memory: 1 << 20})
			if err == nil {
				c.dismiss()
				t.Fatal("it was taken for a child")
			}
			t.Log(err)
		})
	}
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := spawn(ctx, spawner, script(t, "exec sleep 60"), setup{Memory: 1 << 20}); err == nil {
			t.Fatal("it was taken for a child")
		}
	})
	t.Run("missing", func(t *testing.T) {
		if _, err := spawn(t.Context(), spawner, filepath.Join(t.TempDir(), "none"), setup{}); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("got %v", err)
		}
	})
}

// TestGarbledTurns: whatever a child answers in the middle of a program, the host gets a turn, an error, or takes
// another child; it never hangs and never takes one answer for another.
func TestGarbledTurns(t *testing.T) {
	for name, said := range map[string]string{
		"nothing":      "",
		"half a head":  "\x00\x00",
		"half a frame": frame(`{"turn":{}}`)[:8],
		"too large":    "\xff\xff\xff\xff{",
		"no JSON":      frame("<html>"),
		"a number":     frame("17"),
		"other answer": frame(`{"closed":{}}`),
		"empty":        frame(`{}`),
		"bad value":    frame(`{"turn":{"calls":"all"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, Options{})
			s := begin(t, p, "await files.read({}); return 7").(*session)
			if _, err := s.Resume(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			mine, theirs, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := theirs.WriteString(said); err != nil {
				t.Fatal(err)
			}
			theirs.Close()
			s.child.read.Reset(mine)
			turn, err := s.Resume(t.Context(), []sandbox.Completion{{Seq: "0", Connector: "files", Method: "read", At: epoch}})
			mine.Close()
			if err == nil && value(t, turn) != "7" {
				t.Errorf("got %s", value(t, turn))
			}
			if err != nil {
				t.Log(err)
			}
			if got := value(t, complete(t, begin(t, p, "return 'next'"))); got != `"next"` {
				t.Errorf("the next program: %s", got)
			}
		})
	}
}

// TestDeathAtEachPoint kills the child before every turn of a program and in the middle of one; the program comes to
// the same result.
func TestDeathAtEachPoint(t *testing.T) {
	p := open(t, Options{})
	text := `const seen = [];
		const one = async (i) => { seen.push((await files.read({ i, at: Date.now(), r: Math.random() })).r); await codemode.step("s" + i, () => i) };
		await Promise.all([one(1), one(2), one(3)]);
		return seen`
	want := ""
	for victim := -1; victim < 7; victim++ {
		s := begin(t, p, text).(*session)
		var open []sandbox.Call
		var next []sandbox.Completion
		steps := map[string][]byte{}
		got := ""
		for n, at := 0, epoch; got == ""; n, at = n+1, at.Add(time.Second) {
			if n == victim && s.child != nil {
				s.child.kill()
			}
			turn, err := s.Resume(t.Context(), next)
			if err != nil {
				t.Fatalf("killed at %d, turn %d: %v", victim, n, err)
			}
			for _, step := range turn.Steps {
				steps[step.Seq] = step.Value
			}
			if turn.Result != nil || turn.Diverged != nil || turn.Exceeded != nil {
				got = value(t, turn)
				break
			}
			open = append(open, turn.Calls...)
			i := 0
			for ; i < len(open) && open[i].Method == "step" && steps[open[i].Seq] == nil; i++ {
			}
			c := open[i]
			open = append(open[:i], open[i+1:]...)
			v := c.Args
			if c.Method == "step" {
				v = steps[c.Seq]
			}
			next = []sandbox.Completion{{Seq: c.Seq, Connector: c.Connector, Method: c.Method, At: at, Value: v}}
		}
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("killed before turn %d: got %s, want %s", victim, got, want)
		}
	}
}

// TestHostileText: a text that kills parsers is a fault of the text, and the next one compiles.
func TestHostileText(t *testing.T) {
	p := open(t, Options{})
	for name, text := range map[string]string{
		"brackets": strings.Repeat("[", 100_000),
		"arrows":   "return " + strings.Repeat("()=>", 60_000) + "1",
		"ternary":  "return " + strings.Repeat("a?b:", 60_000) + "1",
		"blocks":   strings.Repeat("{", 50_000) + strings.Repeat("}", 50_000),
		"ifs":      strings.Repeat("if(1)", 40_000) + ";",
		"regex":    "return /" + strings.Repeat("(", 50_000) + "/",
		"template": "return " + strings.Repeat("`${", 60_000),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := p.Compile(t.Context(), program.Source{Text: text})
			var fault *program.Error
			if err != nil && !errors.As(err, &fault) {
				t.Errorf("got %v", err)
			}
			if got := value(t, complete(t, begin(t, p, "return 'next'"))); got != `"next"` {
				t.Errorf("the next program: %s", got)
			}
		})
	}
}

// TestClosedPool: what comes after Close is an error.
func TestClosedPool(t *testing.T) {
	p := open(t, Options{})
	s := begin(t, p, "return 1")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Resume(t.Context(), nil); !errors.Is(err, errClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := p.Compile(t.Context(), program.Source{Text: "return 1"}); !errors.Is(err, errClosed) {
		t.Errorf("got %v", err)
	}
}

// TestServe: the child's side refuses what makes no sense, and ends with its input.
func TestServe(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"empty":      {"", ""},
		"nothing":    {`{}`, "asks for nothing"},
		"no session": {`{"resume":{}}`, `"failed":"there is no session"`},
		"close":      {`{"close":true}`, `"closed":`},
		"compile":    {`{"compile":{"text":"return 1"}}`, `"program":`},
		"fault":      {`{"compile":{"text":"return ("}}`, `"fault":`},
	} {
		t.Run(name, func(t *testing.T) {
			var in, out bytes.Buffer
			if tc.in != "" {
				if err := writeFrame(&in, json.RawMessage(tc.in)); err != nil {
					t.Fatal(err)
				}
			}
			err := serve(&in, &out, sandbox.New())
			got := out.String()
			if err != nil {
				got += err.Error()
			}
			if !strings.Contains(got, tc.want) {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func FuzzFrame(f *testing.F) {
	for _, text := range []string{`{}`, `{"resume":{"completions":[{"seq":"0"}]}}`, `{"turn":{"calls":[{"seq":"0","args":"e30="}]}}`} {
		var b bytes.Buffer
		if err := writeFrame(&b, json.RawMessage(text)); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		var req request
		var res response
		for _, message := range []any{&req, &res} {
			r := bytes.NewReader(data)
			if err := readFrame(r, 1<<20, message); err != nil {
				continue
			}
			var again bytes.Buffer
			if err := writeFrame(&again, message); err != nil {
				t.Fatalf("what was read cannot be written: %v", err)
			}
		}
	})
}
