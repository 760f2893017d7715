package acceptance

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/config"
	"github.com/codemode-go/codemode/core/plugin"
	"github.com/codemode-go/codemode/plugin/wire"
)

// counting is a host in this process, with a journal on disk and the counter, which writes to effects, in a process of
// its own. attributes are those of the connector.
func counting(t testing.TB, effects, attributes string) *core.Host {
	t.Helper()
	path := filepath.Join(t.TempDir(), "codemode.hcl")
	text := fmt.Sprintf("connector \"t\" {\n  plugin = %q\n%s\n  config {\n    file = %q\n  }\n}\n",
		filepath.Join(bin, "codemode-connector-counter"), attributes, effects)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := core.Open(context.Background(), cfg, core.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func benchHost(b *testing.B) *core.Host {
	b.Helper()
	h := counting(b, filepath.Join(b.TempDir(), "effects.jsonl"), "")
	benchRun(b, h, "return await t.read({k: 0})", "completed") // the connector is up
	return h
}

func benchRun(b *testing.B, h *core.Host, code, status string) *core.Outcome {
	b.Helper()
	out, err := h.Run(context.Background(), core.RunRequest{Code: code})
	if err != nil || out.Status != status {
		b.Fatalf("%v, %+v", err, out)
	}
	return out
}

// perCall reports the time of one call of those in an operation.
func perCall(b *testing.B, calls int) {
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*calls), "us/call")
}

// BenchmarkSyncedAppend is the floor: one append and fdatasync on the same disk.
func BenchmarkSyncedAppend(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	record := make([]byte, 1024)
	for b.Loop() {
		if _, err := f.Write(record); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTrivialProgram(b *testing.B) {
	h := benchHost(b)
	for b.Loop() {
		benchRun(b, h, "return 1", "completed")
	}
}

// BenchmarkBareCall is a unary call to the same plugin without a host around it.
// BenchmarkTrivialProgramOverMCP is the same by way of codemode mcp: as the process that has the journal, and as the guest
// of another one.
func BenchmarkTrivialProgramOverMCP(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "codemode.hcl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"holder", "guest"} {
		cmd := exec.Command(filepath.Join(bin, "codemode"), "mcp", "--config", path)
		session, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).
			Connect(b.Context(), &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { session.Close() })
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: "codemode", Arguments: map[string]any{"code": "return 1"}})
				if err != nil || r.IsError {
					b.Fatalf("%v, %+v", err, r)
				}
			}
		})
	}
}

func BenchmarkBareCall(b *testing.B) {
	s, err := plugin.New(plugin.Spec{
		Label: "t", Plugin: filepath.Join(bin, "codemode-connector-counter"),
		Config: fmt.Appendf(nil, `{"file": %q}`, filepath.Join(b.TempDir(), "effects.jsonl")),
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	defer s.Close(ctx)
	call := func() {
		_, err := s.Invoke(ctx, &wire.Call{
			ExecutionID: "e", Seq: "0", IdempotencyKey: "e/0", Attempt: 1, Method: "read", Args: []byte(`{"k":1}`),
			Deadline: time.Now().Add(time.Minute),
		}, nil)
		if err != nil {
			b.Fatal(err)
		}
	}
	call()
	for b.Loop() {
		call()
	}
	perCall(b, 1)
}

func benchReads(b *testing.B, n int) {
	h := benchHost(b)
	code := fmt.Sprintf("for (let i = 0; i < %d; i++) await t.read({k: i})", n)
	for b.Loop() {
		benchRun(b, h, code, "completed")
	}
	perCall(b, n)
}

func BenchmarkSequentialReads100(b *testing.B)  { benchReads(b, 100) }
func BenchmarkSequentialReads1000(b *testing.B) { benchReads(b, 1000) }

func BenchmarkBatchesOfTen1000(b *testing.B) {
	h := benchHost(b)
	code := "for (let i = 0; i < 100; i++) await Promise.all(Array.from({length: 10}, (_, k) => t.read({k})))"
	for b.Loop() {
		benchRun(b, h, code, "completed")
	}
	perCall(b, 1000)
}

// BenchmarkPauseAndApprove is a run to its pause and the pass that continues it.
func BenchmarkPauseAndApprove(b *testing.B) {
	h := benchHost(b)
	for b.Loop() {
		out := benchRun(b, h, "return await t.gated({k: 1})", "paused")
		done, err := h.Approve(context.Background(), core.ApproveRequest{ExecutionID: out.ExecutionID, All: true})
		if err != nil || done.Status != "completed" {
			b.Fatalf("%v, %+v", err, done)
		}
	}
}

// BenchmarkReplay1000 is a pass that replays 1,000 recorded calls before it delivers one refusal.
func BenchmarkReplay1000(b *testing.B) {
	h := benchHost(b)
	code := strings.Join([]string{
		"for (let i = 0; i < 1000; i++) await t.read({k: i});",
		"for (;;) { try { return await t.gated({k: 1}) } catch {} }",
	}, "\n")
	out := benchRun(b, h, code, "paused")
	by := core.Decider{By: "bench", Note: "again"}
	for b.Loop() {
		next, err := h.Refuse(context.Background(), core.RejectRequest{ExecutionID: out.ExecutionID, Seq: out.Pending[0].Seq, Decider: by})
		if err != nil || next.Status != "paused" {
			b.Fatalf("%v, %+v", err, next)
		}
		out = next
	}
}
