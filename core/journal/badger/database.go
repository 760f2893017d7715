package badger

import (
	"errors"
	"fmt"
	"os"
	"strings"

	badgerdb "github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/journal"
)

const memTableSize = 16 << 20

// LockedError says that a process has the journal open: the one to ask instead.
type LockedError struct {
	Dir string
}

func (e *LockedError) Error() string {
	return "the journal in " + e.Dir + " is open in another process, or already in this one"
}

// errLocked says that the folder's lock is taken.
var errLocked = errors.New("locked")

// prepare looks for damage that Badger would not survive, sets aside the tables that have it, and removes the empty
// files over which it would stumble. It returns what is lost by it. Where the lock that keeps other processes from
// writing meanwhile is not known, it does nothing.
func prepare(path string) (lost string, err error) {
	release, err := lockFolder(path)
	if errors.Is(err, errors.ErrUnsupported) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	bad, err := badTables(path)
	if err == nil {
		lost, err = setAside(path, bad)
	}
	if err == nil {
		err = removeEmptyLogs(path)
	}
	return lost, errors.Join(err, release())
}

// openDatabase opens Badger. Everything lies in the LSM tree (values are cut below the threshold): value logs are
// hardly ever collected, and tables carry checksums that are verified before anything is served.
// lost says what was set aside before it could be opened.
func openDatabase(path string, opts Options) (db *badgerdb.DB, lost string, err error) {
	lost, err = prepare(path)
	if errors.Is(err, errLocked) {
		return nil, "", &LockedError{Dir: opts.Dir}
	}
	if err != nil {
		return nil, "", fmt.Errorf("open journal in %s: %w", opts.Dir, err)
	}
	defer func() {
		// Badger takes it for granted that its other files are sound, too.
		if r := recover(); r != nil {
			db, lost, err = nil, "", &journal.DamagedError{After: -1, Cause: "the files in " + path + " cannot be read"}
		}
	}()
	db, err = badgerdb.Open(badgerdb.DefaultOptions(path).
		WithSyncWrites(true).
		WithMemTableSize(memTableSize).
		WithNumMemtables(2).
		WithNumLevelZeroTables(2).
		WithNumLevelZeroTablesStall(6).
		WithNumCompactors(2).
		WithBlockCacheSize(16 << 20).
		WithIndexCacheSize(8 << 20).
		WithValueThreshold(1 << 20).
		WithValueLogFileSize(16 << 20).
		WithMetricsEnabled(false).
		WithChecksumVerificationMode(options.OnTableRead).
		WithLogger(logger{opts.Logger}))
	switch {
	case err == nil:
		return db, lost, nil
	case strings.Contains(err.Error(), "Cannot acquire directory lock"):
		return nil, "", &LockedError{Dir: opts.Dir}
	case saysDamage(err):
		err = &journal.DamagedError{After: -1, Cause: err.Error()}
	}
	return nil, "", fmt.Errorf("open journal in %s: %w", opts.Dir, err)
}

// saysDamage reports whether Badger means that a file has changed. It wraps its errors as text. Its files are not
// encrypted: where it finds a key wrong or missing, a bit of the file has flipped.
func saysDamage(err error) bool {
	for _, text := range []string{"checksum", badgerdb.ErrEncryptionKeyMismatch.Error(), badgerdb.ErrInvalidDataKeyID.Error()} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// logger passes on what Badger warns of; its running commentary is dropped.
type logger struct{ to hclog.Logger }

func (l logger) Errorf(format string, args ...any) {
	l.to.Error(strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (l logger) Warningf(format string, args ...any) {
	l.to.Warn(strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (logger) Infof(string, ...any)  {}
func (logger) Debugf(string, ...any) {}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
