package badger

import "fmt"

// DefaultFloor is the space, in bytes, that the disk must have left for an execution to begin, where Options set none.
const DefaultFloor = 256 << 20

// spaceToContinue is needed for every change. Badger maps its files into memory: where the disk is full, the process
// dies of a bus error instead of meeting an error it could report. So there must be room for its tables before
// a batch is written, and more, the floor, before an execution begins, so that those under way can end.
const spaceToContinue = 4 * memTableSize

// FullError says that the journal's disk has too little space left to go on safely. Nothing was written.
type FullError struct {
	Dir        string
	Free, Need uint64 // bytes
	// Begins says that a new execution was refused; those under way can still go on until less is left.
	Begins bool
}

func (e *FullError) Error() string {
	text := fmt.Sprintf("the disk of the journal in %s has %d MiB left, and %d MiB are needed", e.Dir, e.Free>>20, e.Need>>20)
	if e.Begins {
		return text + " to begin an execution; those under way can still end"
	}
	return text + " to record anything"
}

// Room returns a *FullError where the disk has too little space left for an execution to begin.
func (s *Store) Room() error {
	free, err := freeSpace(s.dir)
	if err != nil {
		return fmt.Errorf("look at the journal's disk: %w", err)
	}
	return s.checkSpace(free, true, 0)
}

// checkSpace refuses a batch of this size for which the disk has too little room.
func (s *Store) checkSpace(free uint64, begins bool, size int64) error {
	need := uint64(spaceToContinue + size)
	if begins {
		need = max(need, s.floor)
	}
	if free < need {
		return &FullError{Dir: s.dir, Free: free, Need: need, Begins: begins}
	}
	return nil
}
