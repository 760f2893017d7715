package badger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	badgerdb "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"google.golang.org/protobuf/proto"
)

// lostFile, in the database's folder, says what was set aside of it, until that is noted in the database itself.
const lostFile = "LOST"

// setAside takes tables that cannot be used out of a database that nobody has open, so that the rest can be read, and
// returns what is lost by it; empty: nothing. The tables stay in the folder under another name.
//
// What is lost is written down first: wherever a process dies in between, the next one knows of it.
func setAside(path string, bad []badTable) (lost string, err error) {
	noted, err := os.ReadFile(filepath.Join(path, lostFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	lost = string(noted)
	if len(bad) == 0 {
		return lost, nil
	}
	causes := make([]string, len(bad))
	for i, t := range bad {
		causes[i] = fmt.Sprintf("%s: %v", t.path, t.cause)
	}
	lost = strings.Join(causes, "; ") + ": what it held is missing"
	if err := writeSynced(filepath.Join(path, lostFile), []byte(lost), os.O_TRUNC); err != nil {
		return "", err
	}
	if err := syncFolder(path); err != nil {
		return "", err
	}
	for _, t := range bad {
		// Badger would delete a table that its manifest does not name.
		if err := os.Rename(t.path, t.path+".damaged"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return lost, forgetTables(path, bad)
}

// forgetTables appends to the manifest that tables are gone.
func forgetTables(path string, bad []badTable) error {
	set := &pb.ManifestChangeSet{}
	for _, t := range bad {
		set.Changes = append(set.Changes, &pb.ManifestChange{Id: t.id, Op: pb.ManifestChange_DELETE})
	}
	content, err := proto.Marshal(set)
	if err != nil {
		return err
	}
	record := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	record = binary.BigEndian.AppendUint32(record, crc32.Checksum(content, castagnoli))
	return writeSynced(filepath.Join(path, badgerdb.ManifestFilename), append(record, content...), os.O_APPEND)
}

// noteLost ends what setAside began: what is lost is noted in the database.
func noteLost(path string) error {
	err := os.Remove(filepath.Join(path, lostFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func writeSynced(path string, content []byte, mode int) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|mode, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}
