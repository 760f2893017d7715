package plugin

import (
	"testing"

	"golang.org/x/sys/unix"
)

// orphanModes are connectors that hear of their host's death in one way only:
// from the kernel, or from the end of stdin.
var orphanModes = []string{"heedless", "unsignalled"}

func init() {
	modes["unsignalled"] = func([]string) {
		if err := unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0); err != nil {
			panic(err)
		}
		modes["connector"](nil)
	}
}

// awaitStopped returns when a child of this process stands still.
func awaitStopped(t *testing.T, pid int) {
	t.Helper()
	if err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
}
