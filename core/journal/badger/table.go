package badger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	badgerdb "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"

	"github.com/codemode-go/codemode/core/journal"
)

// badTable is a table that cannot be used.
type badTable struct {
	id    uint64
	path  string
	cause error
}

// badTables reads every table of a database, which nobody may have open, and returns those that have changed or are
// missing. Badger looks itself as it opens them, but in goroutines that panic, or end the process, where a flipped bit
// has hit a length or compressed data.
func badTables(path string) (bad []badTable, err error) {
	f, err := os.Open(filepath.Join(path, badgerdb.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a new database, or one that has no table yet
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	manifest, _, err := badgerdb.ReplayManifestFile(f, 0, badgerdb.DefaultOptions(path).WithLogger(nil))
	if err != nil {
		return nil, damagedFile(f.Name(), err)
	}
	for _, id := range slices.Sorted(maps.Keys(manifest.Tables)) {
		name := table.NewFilename(id, path)
		data, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err // it may be readable another time
		}
		if err == nil {
			err = verifyTable(data, id, manifest.Tables[id].Compression)
		}
		if err != nil {
			bad = append(bad, badTable{id: id, path: name, cause: err})
		}
	}
	return bad, nil
}

func damagedFile(name string, err error) error {
	return &journal.DamagedError{After: -1, Cause: fmt.Sprintf("%s: %v", name, err)}
}

// verifyTable checks a table's index and every block of it against their checksums.
func verifyTable(data []byte, id uint64, compression options.CompressionType) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("the table has changed since it was written")
		}
	}()
	if !hasIndex(data) {
		return errors.New("the table's end has changed since it was written")
	}
	t, err := table.OpenInMemoryTable(data, id, &table.Options{Compression: compression, BlockSize: 4 << 10})
	if err != nil {
		return err
	}
	return t.VerifyChecksum()
}

// hasIndex reports whether the lengths at a table's end lead to an index. Badger ends the process where they do not.
// From the end, a table has the length of its checksum, the checksum, the length of its index, and the index.
func hasIndex(data []byte) bool {
	for range 2 {
		if len(data) < 4 {
			return false
		}
		length := uint64(binary.BigEndian.Uint32(data[len(data)-4:]))
		data = data[:len(data)-4]
		if length == 0 || length > uint64(len(data)) {
			return false
		}
		data = data[:uint64(len(data))-length]
	}
	return true
}
