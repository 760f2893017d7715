package core_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/codemode-go/codemode/core"
)

// benchMemory measures a host without disk and processes: what programs and engine cost by themselves.
func benchMemory(b *testing.B, code string) {
	c, err := newItems(1).connector().InProcess()
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	h, err := core.New(ctx, core.Options{Connectors: []core.Connector{{Label: "items", Connector: c}}})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	for b.Loop() {
		out, err := h.Run(ctx, core.RunRequest{Code: code})
		if err != nil || out.Status != "completed" {
			b.Fatalf("%v, %+v", err, out)
		}
	}
}

func BenchmarkTrivialInMemory(b *testing.B) { benchMemory(b, "return 1") }

func BenchmarkReads1000InMemory(b *testing.B) {
	benchMemory(b, "for (let i = 0; i < 1000; i++) await items.list()")
}

func BenchmarkConcurrent1000InMemory(b *testing.B) {
	benchMemory(b, "await Promise.all(Array.from({length: 1000}, () => items.list()))")
}

// BenchmarkDurable measures executions on disk, with one write and with five after each other, each of them synced before and
// after it: one program at once and sixty-four. Beside it stands the floor, one synced append to a file of the same disk. What
// a write costs its program, and the executions that end in a second, are among the figures.
func BenchmarkDurable(b *testing.B) {
	b.Run("raw", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "raw"))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		record := make([]byte, 300)
		for b.Loop() {
			if _, err := f.Write(record); err != nil {
				b.Fatal(err)
			}
			if err := f.Sync(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, writes := range []int{1, 5} {
		for _, programs := range []int{1, 64} {
			b.Run(fmt.Sprintf("writes=%d/programs=%d", writes, programs), func(b *testing.B) { benchDurable(b, writes, programs) })
		}
	}
}

func benchDurable(b *testing.B, writes, programs int) {
	c, err := newItems().connector().InProcess()
	if err != nil {
		b.Fatal(err)
	}
	h, err := core.New(b.Context(), core.Options{
		Dir: b.TempDir(), Sandboxes: programs, Connectors: []core.Connector{{Label: "items", Connector: c}},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	var left atomic.Int64
	var calls atomic.Int64 // what the writes took, together, in nanoseconds
	code := fmt.Sprintf("for (let i = 0; i < %d; i++) await items.add({ id: 1 })\nreturn 1", writes)
	left.Store(int64(b.N))
	b.ResetTimer()
	var wg sync.WaitGroup
	for range programs {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				out, err := h.Run(b.Context(), core.RunRequest{Code: code})
				if err != nil || out.Status != "completed" {
					b.Errorf("%v, %+v", err, out)
					return
				}
				for _, c := range out.Calls {
					calls.Add(int64(c.EndedAt.Sub(c.IssuedAt)))
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "executions/s")
	b.ReportMetric(float64(calls.Load())/float64(b.N*writes), "ns/call")
}
