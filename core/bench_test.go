package core_test

import (
	"context"
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
