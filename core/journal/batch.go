package journal

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// The limits of what a store takes, in bytes. They stand far above what an execution may record, and keep one
// mistake from filling the memory of everything that lists or reads.
const (
	MaxRecord = 64 << 20  // one event's record, or one blob
	MaxBatch  = 256 << 20 // all records and blobs of a batch
	MaxHead   = 256 << 10 // a head: labels, title, error text
)

// TooLargeError says that something exceeds what a store takes. It never quotes the content.
type TooLargeError struct {
	What        string // "event 3 (outcome)", "a blob", "the head", `a value of connector "tracker"`
	Size, Limit int    // in units
	Unit        string // empty: bytes
	Advice      string // what to do instead, if anything
}

func (e *TooLargeError) Error() string {
	text := fmt.Sprintf("%s takes %d %s, more than the %d that the journal can keep",
		e.What, e.Size, cmp.Or(e.Unit, "bytes"), e.Limit)
	if e.Advice != "" {
		text += ": " + e.Advice
	}
	return text
}

// Encoded is a batch in its stored form. Stores make it before they take any lock.
type Encoded struct {
	Head       Head     // with Epoch and Next filled in
	HeadRecord []byte   // the head's stored form
	Records    [][]byte // of the events, in order
}

// Encode checks that a batch is sound in itself and within the limits, and returns its stored form.
func (b Batch) Encode() (*Encoded, error) {
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("append to execution %s: %w", b.ID, err)
	}
	return b.encode(MaxBatch)
}

// Whole is the batch that holds an execution from its first event on, as others have recorded it. It is for
// [Importer.Import]: its events may be of several owners.
func Whole(id string, events []Event, blobs [][]byte) (Batch, error) {
	s, err := Fold(id, func(yield func(Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		return Batch{}, err
	}
	return Batch{ID: id, Epoch: s.Epoch, Events: events, Head: s.Head(), Blobs: blobs}, nil
}

// EncodeWhole returns the stored form of what Whole has made.
func (b Batch) EncodeWhole() (*Encoded, error) { return b.encode(math.MaxInt) }

// encode does so within a limit on all records and blobs together.
func (b Batch) encode(limit int) (*Encoded, error) {
	enc := &Encoded{Head: b.Head, Records: make([][]byte, len(b.Events))}
	total := 0
	for i, e := range b.Events {
		record, err := EncodeRecord(b.ID, e)
		if err != nil {
			return nil, fmt.Errorf("append to execution %s: %w", b.ID, err)
		}
		if len(record) > MaxRecord {
			what := fmt.Sprintf("event %d (%s)", e.Index, kindOf(e.Body))
			return nil, &TooLargeError{What: what, Size: len(record), Limit: MaxRecord}
		}
		enc.Records[i] = record
		total += len(record)
	}
	for _, blob := range b.Blobs {
		if len(blob) > MaxRecord {
			return nil, &TooLargeError{What: "a blob", Size: len(blob), Limit: MaxRecord}
		}
		total += len(blob)
	}
	if total > limit {
		return nil, &TooLargeError{What: "a batch", Size: total, Limit: limit}
	}
	enc.Head.ID, enc.Head.Epoch, enc.Head.Next = b.ID, b.Epoch, b.Events[len(b.Events)-1].Index+1
	var err error
	enc.HeadRecord, err = EncodeHead(enc.Head)
	return enc, err
}

func (b Batch) check() error {
	switch {
	case b.ID == "":
		return errors.New("the batch names no execution")
	case len(b.Events) == 0:
		return errors.New("the batch has no events")
	case b.Epoch == 0:
		return errors.New("the batch has no epoch")
	case b.Head.Status == "":
		return errors.New("the batch's head has no status")
	}
	first := b.Events[0].Index
	for i, e := range b.Events {
		_, begun := e.Body.(*Begun)
		_, claimed := e.Body.(*Claimed)
		switch {
		case e.Index != first+int64(i):
			return fmt.Errorf("event %d stands where event %d belongs", e.Index, first+int64(i))
		case e.Epoch != b.Epoch:
			return fmt.Errorf("event %d has epoch %d in a batch of epoch %d", e.Index, e.Epoch, b.Epoch)
		case begun != (e.Index == 0):
			return errors.New("an execution begins once, with its first event")
		case claimed && i > 0:
			return fmt.Errorf("event %d claims the execution for the events before it too", e.Index)
		}
	}
	return nil
}

// Follows checks whether a sound batch may be appended behind the stored head; nil says that nothing is stored.
// The error wraps ErrFenced or ErrConflict.
func (b Batch) Follows(stored *Head) error {
	next, epoch := int64(0), uint64(1)
	if stored != nil {
		next, epoch = stored.Next, stored.Epoch
		if _, claims := b.Events[0].Body.(*Claimed); claims {
			epoch++
		}
	}
	switch {
	case b.Epoch < epoch:
		return fmt.Errorf("append to execution %s: %w: it has epoch %d", b.ID, ErrFenced, stored.epoch())
	case b.Epoch > epoch:
		return fmt.Errorf("append to execution %s: %w: epoch %d does not follow %d", b.ID, ErrConflict, b.Epoch, stored.epoch())
	case b.Events[0].Index != next:
		return fmt.Errorf("append to execution %s: %w: its next event is %d, not %d", b.ID, ErrConflict, next, b.Events[0].Index)
	}
	return nil
}

func (h *Head) epoch() uint64 {
	if h == nil {
		return 0
	}
	return h.Epoch
}

const headVersion = 1

// EncodeHead returns the stored form of a head.
func EncodeHead(h Head) ([]byte, error) {
	data, err := seal(h.ID, headVersion, h)
	if err != nil {
		return nil, fmt.Errorf("encode the head of execution %s: %w", h.ID, err)
	}
	if len(data) > MaxHead {
		return nil, &TooLargeError{What: "the head", Size: len(data), Limit: MaxHead}
	}
	return data, nil
}

// DecodeHead returns the head of this execution that EncodeHead made these bytes of.
func DecodeHead(id string, data []byte) (Head, error) {
	var h Head
	if err := unseal(id, headVersion, data, &h); err != nil {
		return Head{}, fmt.Errorf("head: %w", err)
	}
	return h, nil
}
