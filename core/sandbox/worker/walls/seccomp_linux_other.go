//go:build linux && !amd64 && !arm64

package walls

import (
	"fmt"
	"runtime"
)

func filterSystemCalls(Limits) error {
	return fmt.Errorf("no filter has been written for %s", runtime.GOARCH)
}
