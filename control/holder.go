package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// holderFile is the file in the run folder that tells who serves there, and where.
const holderFile = "holder.json"

// Holder is the process that has the journal open.
type Holder struct {
	PID     int    `json:"pid"`
	Version int    `json:"version"` // of the control protocol
	Socket  string `json:"socket"`  // the absolute path
	Identity
}

// readHolder reads who serves in a run folder. Without one, the error is ErrNoHolder.
func readHolder(dir string) (Holder, error) {
	var h Holder
	text, err := os.ReadFile(filepath.Join(dir, holderFile))
	if errors.Is(err, fs.ErrNotExist) {
		return h, ErrNoHolder
	}
	if err != nil {
		return h, fmt.Errorf("find the holder of the journal: %w", err)
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, fmt.Errorf("find the holder of the journal: %s: %w", filepath.Join(dir, holderFile), err)
	}
	return h, nil
}

// writeHolder tells who serves in a run folder. A reader sees the old file or the new one, never a part.
func writeHolder(dir string, h Holder) (err error) {
	text, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, holderFile+".*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, holderFile))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// removeHolder takes back what writeHolder told.
func removeHolder(dir string) error {
	err := os.Remove(filepath.Join(dir, holderFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
