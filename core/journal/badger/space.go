package badger

import "fmt"

// Badger maps its files into memory: where the disk is full, the process dies of a bus error instead of meeting an
// error it could report. So there must be room for its tables before a batch is written, and more before an
// execution begins, so that those under way can end.
const (
	spaceToBegin    = 256 << 20
	spaceToContinue = 4 * memTableSize
)

// FullError says that the journal's disk has too little space left to go on safely.
type FullError struct {
	Dir        string
	Free, Need uint64 // bytes
}

func (e *FullError) Error() string {
	return fmt.Sprintf("the disk of the journal in %s has %d MiB left, and %d MiB are needed", e.Dir, e.Free>>20, e.Need>>20)
}

// checkSpace refuses a batch of this size for which the disk has too little room.
func checkSpace(dir string, free uint64, begins bool, size int64) error {
	need := uint64(spaceToContinue + size)
	if begins {
		need = max(need, spaceToBegin)
	}
	if free < need {
		return &FullError{Dir: dir, Free: free, Need: need}
	}
	return nil
}
