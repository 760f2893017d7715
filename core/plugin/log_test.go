package plugin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"
)

// screened runs lines through a logScreen and returns the host's log lines,
// without their times, and the tail.
func screened(t testing.TB, secrets []string, lines ...string) ([]map[string]any, []string) {
	t.Helper()
	var out bytes.Buffer
	log := hclog.New(&hclog.LoggerOptions{Name: "host", Output: &out, Level: hclog.Trace, JSONFormat: true})
	s := &logScreen{log: log.With("connector", "label"), hider: newHider(secrets), tail: &tail{}}
	for _, line := range lines {
		s.line([]byte(line))
	}
	var entries []map[string]any
	for line := range strings.Lines(out.String()) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		delete(e, "@timestamp")
		entries = append(entries, e)
	}
	return entries, s.tail.last()
}

func TestLogLine(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		line  string
		level string
		text  string
		more  map[string]any
	}{
		"structured":       {`{"@level":"warn","@message":"m","@timestamp":"t","n":9007199254740993,"s":"x","b":true}`, "warn", "m", map[string]any{"n": "9007199254740993", "s": "x", "b": true}},
		"nested":           {`{"@level":"info","@message":"m","o":{"a":[1]}}`, "info", "m", map[string]any{"o": `{"a":[1]}`}},
		"module":           {`{"@level":"info","@message":"m","@module":"core"}`, "info", "m", map[string]any{"module": "core"}},
		"host's fields":    {`{"@level":"info","@message":"m","connector":"other","@x":1}`, "info", "m", nil},
		"escape sequence":  {`{"@level":"info","@message":"\u001b[2Jm\nx"}`, "info", "\uFFFD[2Jm\uFFFDx", nil},
		"secret":           {`{"@level":"info","@message":"got hunter22","k":"hunter2"}`, "info", "got [hidden]", map[string]any{"k": "[hidden]"}},
		"plain":            {"hello\x00", "debug", "hello\uFFFD", nil},
		"plain with level": {"[WARN] careful", "warn", "[WARN] careful", nil},
		"panic":            {"panic: oh no", "error", "panic: oh no", nil},
		"number":           {`{"@level":"info","@message":5}`, "debug", `{"@level":"info","@message":5}`, nil},
		"level as number":  {`{"@level":5,"@message":"m"}`, "debug", `{"@level":5,"@message":"m"}`, nil},
		"level off":        {`{"@level":"off","@message":"m"}`, "debug", `{"@level":"off","@message":"m"}`, nil},
		"no message":       {`{"@level":"info"}`, "debug", `{"@level":"info"}`, nil},
		"null":             {`null`, "debug", `null`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := map[string]any{"@level": test.level, "@message": test.text, "@module": "host", "connector": "label"}
			for k, v := range test.more {
				want[k] = v
			}
			got, _ := screened(t, []string{"hunter2", "hunter22", "m"}, test.line)
			if diff := cmp.Diff([]map[string]any{want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPanicLines(t *testing.T) {
	t.Parallel()
	got, _ := screened(t, nil, "panic: oh no", "", "goroutine 1 [running]:")
	if len(got) != 2 || got[1]["@level"] != "error" {
		t.Errorf("got %v", got)
	}
}

func TestLogFieldsAreBounded(t *testing.T) {
	t.Parallel()
	fields := []string{`"@level":"info","@message":"m"`}
	for i := range 100 {
		fields = append(fields, fmt.Sprintf(`"f%d":1`, i))
	}
	fields = append(fields, fmt.Sprintf(`"a%s":1`, strings.Repeat("a", logFieldBytes)))
	got, _ := screened(t, nil, "{"+strings.Join(fields, ",")+"}")
	if n := len(got[0]); n != logFields+4 {
		t.Errorf("%d fields", n)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	var lines, want []string
	for i := range tailLines + 5 {
		lines = append(lines, fmt.Sprintf(`{"@level":"info","@message":"line %d","k":"v"}`, i))
		if i >= 5 {
			want = append(want, fmt.Sprintf("line %d k=v", i))
		}
	}
	if _, got := screened(t, nil, lines...); !cmp.Equal(want, got) {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
	}
	_, got := screened(t, nil, strings.Repeat("é", lineBytes/2))
	if len(got[0]) > tailLineBytes+len("...") || strings.ContainsRune(got[0], unicode.ReplacementChar) {
		t.Errorf("%d bytes: %q", len(got[0]), got[0])
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		writes []string
		want   []string
	}{
		"lines":            {[]string{"a\nb\n"}, []string{"a", "b"}},
		"pieces":           {[]string{"a", "b\nc", "\n"}, []string{"ab", "c"}},
		"carriage return":  {[]string{"a\r\n"}, []string{"a"}},
		"empty lines":      {[]string{"\n\na\n"}, []string{"", "", "a"}},
		"no end":           {[]string{"a\nb"}, []string{"a", "b"}},
		"of the limit":     {[]string{"12345678\nx\n"}, []string{"12345678", "x"}},
		"too long":         {[]string{"123456789\nx\n"}, []string{"12345678", "x"}},
		"long in pieces":   {[]string{"12345", "6789", "0", "1\nx\n"}, []string{"12345678", "x"}},
		"too long, no end": {[]string{"123456789"}, []string{"12345678"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			w := &lineWriter{limit: 8, emit: func(line []byte) { got = append(got, string(line)) }}
			for _, text := range test.writes {
				if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
					t.Errorf("Write = %d, %v", n, err)
				}
			}
			w.flush()
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzStderr: whatever a connector writes, the host logs it under the
// connector's label, in lines that are bounded and fit for a terminal.
func FuzzStderr(f *testing.F) {
	for _, seed := range []string{`{"@message": 5}`, `{"@level":"info","@message":"m","a":{"b":null}}`, "[INFO] x\n", "\x1b[0m\xff\n\n", "panic: \n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var lines []string
		w := &lineWriter{limit: 256, emit: func(line []byte) { lines = append(lines, string(line)) }}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		w.flush()
		entries, tail := screened(t, nil, lines...)
		for _, e := range entries {
			if e["connector"] != "label" || e["@module"] != "host" {
				t.Errorf("a line under another name: %v", e)
			}
		}
		for _, line := range tail {
			if strings.ContainsFunc(line, unicode.IsControl) || len(line) > tailLineBytes+3 {
				t.Errorf("%q", line)
			}
		}
	})
}
