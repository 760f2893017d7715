package memory_test

import (
	"testing"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/journaltest"
	"github.com/codemode-go/codemode/core/journal/memory"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	journaltest.Run(t, func(*testing.T) journal.Store { return memory.New() })
}
