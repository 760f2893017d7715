package plugin

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs the tests, or, when it is called as `BINARY as MODE`, one of
// the processes that the tests need.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "as" {
		goleak.VerifyTestMain(m)
		return
	}
	mode, ok := modes[os.Args[2]]
	if !ok {
		fmt.Fprintf(os.Stderr, "no mode %q\n", os.Args[2])
		os.Exit(2)
	}
	mode(os.Args[3:])
}
