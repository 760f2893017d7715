package memory_test

import (
	"testing"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
	"github.com/codemode-go/codemode/core/journal/memory"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("store", func(t *testing.T) {
		t.Parallel()
		journaltest.Run(t, func(*testing.T) journal.Store { return memory.New() })
	})
	t.Run("snippets", func(t *testing.T) {
		t.Parallel()
		journaltest.RunSnippets(t, func(*testing.T) journaltest.SnippetStore { return memory.New() })
	})
	t.Run("values", func(t *testing.T) {
		t.Parallel()
		journaltest.RunValues(t, func(*testing.T) journaltest.ValueStore { return memory.New() })
	})
	t.Run("import", func(t *testing.T) {
		t.Parallel()
		journaltest.RunImport(t, func(*testing.T) journaltest.ImportStore { return memory.New() })
	})
}
