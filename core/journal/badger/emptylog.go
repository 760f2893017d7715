package badger

import (
	"io/fs"
	"os"
	"path/filepath"
)

// removeEmptyLogs removes the logs of no size at all from a database, which nobody may have open. A process that is
// killed leaves one between making it and giving it its size, or between emptying one that is no longer needed and
// removing it; Badger takes it for a new file, and fails to open. No other unfinished file stops it.
//
// None of them holds a record. If one that did is empty now, the mark tells.
func removeEmptyLogs(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !isLog(e) {
			continue
		}
		info, err := e.Info()
		if err == nil && info.Size() == 0 {
			err = os.Remove(filepath.Join(path, e.Name()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isLog reports whether a file is the log of a memtable or of values.
func isLog(e fs.DirEntry) bool {
	ext := filepath.Ext(e.Name())
	return e.Type().IsRegular() && (ext == ".mem" || ext == ".vlog")
}
