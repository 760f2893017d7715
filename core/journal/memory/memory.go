// Package memory keeps journals in memory, for tests and for embedders without a folder. It encodes what it keeps
// as a durable store does, and it can fail as one does: see [Store.FailAfter], [Store.OnAppend] and [Store.Crash].
package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/codemode-go/codemode/core/journal"
)

var (
	_ journal.Store    = (*Store)(nil)
	_ journal.Snippets = (*Store)(nil)
	_ journal.Values   = (*Store)(nil)
	_ journal.Importer = (*Store)(nil)
)

// errClosed answers changes after Close.
var errClosed = errors.New("the journal is closed")

const defaultLimit = 50

// Store is a journal.Store, journal.Snippets and journal.Values in memory. All methods may be called concurrently.
type Store struct {
	// OnAppend, which is to be set while no append runs, is called twice for each: when its batch has been accepted and is
	// not yet durable, and when it is durable and not yet acknowledged. It may block, and it may call Crash. An error
	// is what a process meets that dies at this point: Append returns it, and the store takes no more appends.
	OnAppend func(stage Stage, batch journal.Batch) error

	mu         sync.Mutex
	executions map[string]*execution
	blobs      map[[sha256.Size]byte][]byte
	snippets   map[string][][]byte            // the versions of each, in order
	values     map[string]map[valueKey][]byte // of each execution
	inFlight   []*flight
	remaining  int // changes until the store fails; negative: it does not
	stopped    error
}

type execution struct {
	head    journal.Head
	encoded []byte
	records [][]byte
}

// New returns an empty store.
func New() *Store {
	return &Store{
		executions: map[string]*execution{},
		blobs:      map[[sha256.Size]byte][]byte{},
		snippets:   map[string][][]byte{},
		values:     map[string]map[valueKey][]byte{},
		remaining:  -1,
	}
}

// Append implements journal.Store.
func (s *Store) Append(ctx context.Context, batch journal.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	enc, err := batch.Encode()
	if err != nil {
		return err
	}
	f, err := s.take(batch, func(s *Store) (func(), error) {
		return func() { s.put(batch, enc) }, s.check(batch)
	})
	if err != nil {
		return err
	}
	if err := s.pass(BeforeDurable, batch); err != nil {
		return err
	}
	if err := s.write(f); err != nil {
		return err
	}
	return s.pass(AfterDurable, batch)
}

// Import implements journal.Importer.
func (s *Store) Import(ctx context.Context, whole journal.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	enc, err := whole.EncodeWhole()
	if err != nil {
		return err
	}
	f, err := s.take(whole, func(s *Store) (func(), error) {
		if s.executions[whole.ID] != nil {
			return nil, fmt.Errorf("import execution %s: %w: it is known already", whole.ID, journal.ErrConflict)
		}
		return func() { s.put(whole, enc) }, nil
	})
	if err != nil {
		return err
	}
	return s.write(f)
}

// check reports whether the batch follows what is stored. The caller holds the lock.
func (s *Store) check(batch journal.Batch) error {
	var stored *journal.Head
	if x := s.executions[batch.ID]; x != nil {
		stored = &x.head
	}
	return batch.Follows(stored)
}

// put keeps a batch. The caller holds the lock.
func (s *Store) put(batch journal.Batch, enc *journal.Encoded) {
	x := s.executions[batch.ID]
	if x == nil {
		x = &execution{}
		s.executions[batch.ID] = x
	}
	x.head, x.encoded = enc.Head, enc.HeadRecord
	x.records = append(x.records, enc.Records...)
	for _, blob := range batch.Blobs {
		s.blobs[sha256.Sum256(blob)] = slices.Clone(blob)
	}
}

// Read implements journal.Store. It shows the events that are stored when the iteration begins.
func (s *Store) Read(ctx context.Context, id string, from int64) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		records, err := s.records(id)
		if err != nil {
			yield(journal.Event{}, err)
			return
		}
		for i := max(from, 0); i < int64(len(records)); i++ {
			if err := ctx.Err(); err != nil {
				yield(journal.Event{}, err)
				return
			}
			e, err := journal.DecodeRecord(id, records[i])
			if err != nil {
				yield(journal.Event{}, fmt.Errorf("read event %d of execution %s: %w", i, id, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (s *Store) records(id string) ([][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.executions[id]
	if x == nil {
		return nil, fmt.Errorf("execution %s: %w", id, journal.ErrNotFound)
	}
	return x.records, nil
}

// Head implements journal.Store.
func (s *Store) Head(_ context.Context, id string) (journal.Head, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.executions[id]
	if x == nil {
		return journal.Head{}, fmt.Errorf("execution %s: %w", id, journal.ErrNotFound)
	}
	return journal.DecodeHead(id, x.encoded)
}

// List implements journal.Store.
func (s *Store) List(_ context.Context, q journal.Query) (journal.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := cmp.Or(max(q.Limit, 0), defaultLimit)
	var page journal.Page
	ids := slices.Sorted(maps.Keys(s.executions))
	for _, id := range slices.Backward(ids) {
		x := s.executions[id]
		if q.Cursor != "" && id >= q.Cursor || len(q.Statuses) > 0 && !slices.Contains(q.Statuses, x.head.Status) {
			continue
		}
		if len(page.Heads) == limit {
			page.Next = page.Heads[limit-1].ID
			break
		}
		head, err := journal.DecodeHead(id, x.encoded)
		if err != nil {
			return journal.Page{}, fmt.Errorf("execution %s: %w", id, err)
		}
		page.Heads = append(page.Heads, head)
	}
	return page, nil
}

// Delete implements journal.Store. Blobs stay: executions share them.
func (s *Store) Delete(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped != nil {
		return s.stopped
	}
	if s.executions[id] == nil {
		return fmt.Errorf("execution %s: %w", id, journal.ErrNotFound)
	}
	delete(s.executions, id)
	delete(s.values, id)
	return nil
}

// Blob implements journal.Store.
func (s *Store) Blob(_ context.Context, hash []byte) ([]byte, error) {
	if len(hash) != sha256.Size {
		return nil, fmt.Errorf("blob: a hash has %d bytes, not %d", sha256.Size, len(hash))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	blob, ok := s.blobs[[sha256.Size]byte(hash)]
	if !ok {
		return nil, fmt.Errorf("blob %x: %w", hash, journal.ErrNotFound)
	}
	return slices.Clone(blob), nil
}

// Close implements journal.Store: changes fail from now on.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = cmp.Or(s.stopped, errClosed)
	return nil
}
