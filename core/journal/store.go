package journal

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"
)

// Store keeps journals. An append is durable when it returns nil.
// All methods may be called concurrently.
type Store interface {
	// Append writes a batch in one step: all of it or nothing. It fails with ErrFenced when another owner has
	// taken the execution, with ErrConflict when the events do not follow what is stored.
	Append(ctx context.Context, batch Batch) error
	// Read yields an execution's events from index on. A damaged or missing record ends it with an error.
	Read(ctx context.Context, id string, from int64) iter.Seq2[Event, error]
	// Head returns an execution's head, or ErrNotFound.
	Head(ctx context.Context, id string) (Head, error)
	// List returns heads, newest execution first.
	List(ctx context.Context, q Query) (Page, error)
	// Delete removes an execution and all that belongs to it, or returns ErrNotFound.
	Delete(ctx context.Context, id string) error
	// Blob returns what a batch stored under this hash, or ErrNotFound.
	Blob(ctx context.Context, hash []byte) ([]byte, error)
	Close() error
}

// Importer is a Store that takes whole executions from elsewhere.
type Importer interface {
	// Import writes what Whole has made, in one step. It fails with ErrConflict where the execution is known already.
	Import(ctx context.Context, whole Batch) error
}

// Batch is one append to one execution.
type Batch struct {
	ID string
	// Epoch is the owner's. An append of a Claimed event carries the epoch that it takes, which must be one more
	// than the stored one; any other append must carry the stored one. The first batch has index 0 and epoch 1.
	Epoch  uint64
	Events []Event
	// Head replaces the stored head; the store fills in Epoch and Next.
	Head Head
	// Blobs are stored by the SHA-256 of their content, once.
	Blobs [][]byte
}

// Head is what listings know of an execution without reading its events.
type Head struct {
	ID        string            `cbor:"1,keyasint" json:"id"`
	Status    Status            `cbor:"2,keyasint" json:"status"`
	Epoch     uint64            `cbor:"3,keyasint" json:"-"`
	Next      int64             `cbor:"4,keyasint" json:"-"`
	Created   time.Time         `cbor:"5,keyasint" json:"created"`
	Updated   time.Time         `cbor:"6,keyasint" json:"updated"`
	Title     string            `cbor:"7,keyasint,omitempty" json:"title,omitempty"` // the program's first telling line
	Caller    string            `cbor:"8,keyasint,omitempty" json:"caller,omitempty"`
	Labels    map[string]string `cbor:"9,keyasint,omitempty" json:"labels,omitempty"`
	Task      string            `cbor:"10,keyasint,omitempty" json:"task,omitempty"`
	Owner     string            `cbor:"11,keyasint,omitempty" json:"-"`
	Waiting   int               `cbor:"12,keyasint,omitempty" json:"waiting,omitempty"` // calls that wait for a person
	Calls     int               `cbor:"13,keyasint,omitempty" json:"calls"`
	ErrorText string            `cbor:"14,keyasint,omitempty" json:"error,omitempty"`
}

// Query selects heads.
type Query struct {
	Statuses []Status // any of them; empty: all
	Limit    int      // 0: 50
	Cursor   string   // from a Page; empty: from the newest
}

// Page is a part of a listing.
type Page struct {
	Heads []Head
	Next  string // the cursor of the next page; empty: this was the last
	// Unreadable names executions whose head cannot be decoded. They hurt no other.
	Unreadable []string
}

// The errors that callers branch on.
var (
	ErrNotFound = errors.New("not found")
	ErrFenced   = errors.New("another host has taken over this execution")
	ErrConflict = errors.New("the journal has moved on")
	// ErrNewer meets records that a later version wrote and this one cannot understand. Nothing is damaged.
	ErrNewer = errors.New("a newer version of codemode wrote this")
)

// DamagedError says that an execution's journal, or the whole store, or one thing that a store keeps beside the
// journals, cannot be trusted.
type DamagedError struct {
	ID    string // the execution; empty: the store, or the snippet that Part names
	After int64  // the last good event; -1: none
	Cause string
	// Part names what is damaged where that is not the journal: `version 2 of snippet "greet"`,
	// `a value of connector "tracker"`. All else is as good as it was.
	Part string
}

func (e *DamagedError) Error() string {
	text := cmp.Or(e.Part, "the journal")
	if e.ID != "" {
		text += " of execution " + e.ID
	}
	return text + " is damaged: " + e.Cause
}
