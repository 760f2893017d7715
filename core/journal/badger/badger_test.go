package badger_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/core/journal/badger"
	"github.com/codemode-go/codemode/core/journal/journaltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	journaltest.Run(t, func(t *testing.T) journal.Store { return open(t, t.TempDir()) })
}

func open(t testing.TB, dir string) *badger.Store {
	t.Helper()
	s, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
