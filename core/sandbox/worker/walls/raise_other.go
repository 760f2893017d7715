//go:build !linux

package walls

import "runtime"

// Raise takes nothing from the process on this system, and says so.
func Raise(Limits) []Layer {
	var layers []Layer
	for _, name := range []string{Inherited, Memory, CPU, Threads, FileSize, Filesystem, Descriptors, CoreDumps, SystemCalls} {
		layers = append(layers, missing(name, "only Linux has it, this is %s", runtime.GOOS))
	}
	return layers
}
