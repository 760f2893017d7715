package core_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/sandbox"
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

// BenchmarkSyncedExecutions runs programs of one write over a journal on disk, one and sixty-four at once, beside the
// floor: one append of 300 bytes to a file on the same disk, synced. The programs run in this process, so that the
// journal's part of the cost shows.
func BenchmarkSyncedExecutions(b *testing.B) {
	b.Run("floor", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "log"))
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
	for _, atOnce := range []int{1, 64} {
		b.Run(fmt.Sprintf("at-once=%d", atOnce), func(b *testing.B) { benchSynced(b, atOnce) })
	}
}

func benchSynced(b *testing.B, atOnce int) {
	c, err := newItems(1).connector().InProcess()
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	h, err := core.New(ctx, core.Options{
		Dir: b.TempDir(), Sandbox: sandbox.New(), Sandboxes: atOnce,
		Connectors: []core.Connector{{Label: "items", Connector: c}},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	work := make(chan struct{}, b.N)
	for range b.N {
		work <- struct{}{}
	}
	close(work)
	b.ResetTimer()
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for range work {
				out, err := h.Run(ctx, core.RunRequest{Code: "return await items.add({id: 5})"})
				if err != nil || out.Status != "completed" {
					b.Errorf("%v, %+v", err, out)
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "executions/s")
}
