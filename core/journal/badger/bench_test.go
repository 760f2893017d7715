package badger

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

// BenchmarkRawAppend is the floor: one write of 300 bytes to the end of a file, and one sync.
func BenchmarkRawAppend(b *testing.B) {
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
		if err := syncData(f); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppend appends batches of three events, each writer to an execution of its own. An operation is one append.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			s := open(b, b.TempDir())
			authors := make([]*journaltest.Author, writers)
			batches := make([][]journal.Batch, writers)
			for i := range authors {
				authors[i] = journaltest.NewAuthor()
				write(b, s, authors[i].Begin())
				for n := range (b.N + writers - 1) / writers {
					batches[i] = append(batches[i], authors[i].Write(fmt.Sprint(n)))
				}
			}
			b.ResetTimer()
			var wg sync.WaitGroup
			for i := range authors {
				wg.Go(func() {
					for _, batch := range batches[i] {
						if err := s.Append(b.Context(), batch); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// BenchmarkRead reads an execution of about a thousand events and folds it.
func BenchmarkRead(b *testing.B) {
	s, a := open(b, b.TempDir()), journaltest.NewAuthor()
	write(b, s, a.Begin())
	for n := range 333 {
		write(b, s, a.Write(fmt.Sprint(n)))
	}
	for b.Loop() {
		if _, err := journal.Fold(a.ID(), s.Read(b.Context(), a.ID(), 0)); err != nil {
			b.Fatal(err)
		}
	}
}
