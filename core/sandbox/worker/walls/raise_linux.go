package walls

import "runtime"

// wall is one layer as the child raises it.
type wall struct {
	layer string
	raise func(Limits) error // puts it up, and tries it; an error says what is missing
}

// walls are in the order in which they can be raised: each takes away something that those before it need.
var walls = []wall{
	{Inherited, closeInherited},
	{Memory, limitMemory},
	{CPU, limitCPU},
	{Threads, limitThreads},
	{FileSize, limitFileSize},
	{Filesystem, lockFilesystem},
	{Descriptors, forbidDescriptors},
	{CoreDumps, forbidDumps},
	{SystemCalls, filterSystemCalls},
}

// Raise takes from this process all that it does not need to compute and to use its open descriptors. There is no way
// back. A layer that cannot be raised is reported and does not keep the others from being raised.
//
// The process should be warm: what it has not loaded from files by now (time zones, certificates) it never will. Call
// it once.
func Raise(l Limits) []Layer {
	// As set, it stays: the runtime would look for it in files again, and take what it does not find for all processors.
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	return raise(l, func(string) bool { return true })
}

// raise raises the wanted walls.
func raise(l Limits, wanted func(layer string) bool) []Layer {
	var layers []Layer
	for _, w := range walls {
		if !wanted(w.layer) {
			continue
		}
		if err := w.raise(l); err != nil {
			layers = append(layers, missing(w.layer, "%v", err))
			continue
		}
		layers = append(layers, Layer{Name: w.layer, Holds: true})
	}
	return layers
}
