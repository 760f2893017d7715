// Package badger keeps journals, and snippets and connectors' values beside them, in a folder, in a Badger database:
// the store of a single host.
//
// One goroutine writes. It gathers the appends that wait into one synced transaction, for Badger itself syncs once
// per transaction, and then writes the transaction's number into the mark file beside the database. Badger opens a
// damaged log without an error and with a shorter history; a store whose numbers fall short of its mark is therefore
// taken to be damaged, see [Store.Damage].
package badger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	badgerdb "github.com/dgraph-io/badger/v4"
	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/journal"
)

var (
	_ journal.Store    = (*Store)(nil)
	_ journal.Snippets = (*Store)(nil)
	_ journal.Values   = (*Store)(nil)
	_ journal.Importer = (*Store)(nil)
)

// errClosed answers calls after Close.
var errClosed = errors.New("the journal is closed")

// Options say where and how a store is opened.
type Options struct {
	// Dir is the journal's folder. It is made if it does not exist, readable by its user alone.
	// The database lies in Dir/badger, the mark in Dir/mark; they belong together.
	Dir string
	// Floor is the space, in bytes, that the disk must have left for an execution to begin; DefaultFloor if 0. Those
	// that have begun go on below it, until a few tables' worth is left.
	Floor uint64
	// Logger receives what Badger warns of. nil: nobody.
	Logger hclog.Logger
}

// Store is a journal.Store, journal.Snippets and journal.Values on Badger. All methods may be called concurrently.
type Store struct {
	dir    string
	floor  uint64
	db     *badgerdb.DB
	mark   *mark
	damage atomic.Pointer[damage]

	requests chan *request
	written  chan struct{} // closed when the writer has ended
	writer   *writer

	// lifetime is held for reading by whoever uses the database, and for writing by Close.
	lifetime sync.RWMutex
	closed   bool
}

// Open opens the journal in a folder, or makes an empty one. It fails with a *LockedError when a process has it
// open already, with journal.ErrNewer when a later version made it, and with a *journal.DamagedError when nothing of
// it can be read. A store that has lost events opens all the same, also where a table of it cannot be read: the table
// is set aside, and what it alone held is missing. See Damage.
func Open(ctx context.Context, opts Options) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if opts.Logger == nil {
		opts.Logger = hclog.NewNullLogger()
	}
	path := filepath.Join(opts.Dir, "badger")
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	db, lost, err := openDatabase(path, opts)
	if err != nil {
		return nil, err
	}
	s, err := start(opts, db, lost)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open journal in %s: %w", opts.Dir, err), db.Close())
	}
	return s, nil
}

// start makes the store of an open database. lost says what was set aside of it, and why; empty: nothing.
func start(opts Options, db *badgerdb.DB, lost string) (*Store, error) {
	facts, err := readFacts(db)
	if err != nil {
		return nil, err
	}
	m, err := openMark(filepath.Join(opts.Dir, "mark"))
	if err != nil {
		return nil, err
	}
	s := &Store{
		dir: opts.Dir, floor: cmp.Or(opts.Floor, DefaultFloor), db: db, mark: m,
		requests: make(chan *request, maxGroup),
		written:  make(chan struct{}),
	}
	s.writer = &writer{store: s}
	err = s.examine(facts, lost)
	if err == nil {
		err = noteLost(filepath.Join(opts.Dir, "badger"))
	}
	if err != nil {
		return nil, errors.Join(err, m.close())
	}
	go s.writer.run()
	return s, nil
}

// Close writes what has been accepted, waits for the writer and closes the database. A second Close does nothing.
func (s *Store) Close() error {
	s.lifetime.Lock()
	if s.closed {
		s.lifetime.Unlock()
		return nil
	}
	s.closed = true
	close(s.requests)
	s.lifetime.Unlock()

	<-s.written
	err := s.db.Close()
	if err == nil && s.writer.failure == nil {
		// All is in tables now, which carry checksums: the next Open need not look for lost transactions.
		err = s.mark.write(s.mark.number, s.mark.number)
	}
	if err := errors.Join(err, s.mark.close()); err != nil {
		return fmt.Errorf("close journal: %w", err)
	}
	return nil
}

// view runs f on a snapshot.
func (s *Store) view(f func(txn *badgerdb.Txn) error) error {
	s.lifetime.RLock()
	defer s.lifetime.RUnlock()
	if s.closed {
		return errClosed
	}
	return s.db.View(f)
}
