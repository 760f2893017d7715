package badger

import (
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"

	"github.com/codemode-go/codemode/core/journal"
)

// The keys. Ids are 16 bytes, numbers big-endian, so that keys sort by execution, then by event.
//
//	j/ID INDEX(8)              a record
//	j/ID INDEX(8) CHUNK(2)     a part of a large record
//	x/ID                       an execution's head
//	s/STATUS/ID                the executions of a status; no value
//	b/SHA256, b/SHA256 CHUNK   a blob, a part of a large blob
//	d/ID                       an execution whose deletion has begun
//	n/SLOT(4)                  the number of the last transaction that used the slot
//	m/schema, m/batch, m/damage
const (
	idLen     = len(uuid.UUID{})
	recordLen = len("j/") + idLen + 8
)

var (
	keySchema = []byte("m/schema")
	keyBatch  = []byte("m/batch")
	keyDamage = []byte("m/damage")

	prefixRecords  = []byte("j/")
	prefixHeads    = []byte("x/")
	prefixDeletion = []byte("d/")
	prefixSlots    = []byte("n/")
)

// ids are the executions' ids as keys hold them.
type id [idLen]byte

func parseID(text string) (id, error) {
	u, err := uuid.Parse(text)
	if err != nil || u.String() != text {
		return id{}, fmt.Errorf("execution %q: %w: an id is a UUID", text, journal.ErrNotFound)
	}
	return id(u), nil
}

func (x id) String() string { return uuid.UUID(x).String() }

func (x id) key(prefix []byte) []byte {
	return append(append(make([]byte, 0, recordLen+2), prefix...), x[:]...)
}

func (x id) records() []byte { return x.key(prefixRecords) }

func (x id) record(index int64) []byte {
	return binary.BigEndian.AppendUint64(x.records(), uint64(index))
}

func (x id) head() []byte { return x.key(prefixHeads) }

func (x id) deletion() []byte { return x.key(prefixDeletion) }

func (x id) status(s journal.Status) []byte { return x.key(statusPrefix(s)) }

func statusPrefix(s journal.Status) []byte { return []byte("s/" + string(s) + "/") }

// idOf reads the id at the end of a key.
func idOf(key []byte) id { return id(key[len(key)-idLen:]) }

func blobKey(hash []byte) []byte { return append([]byte("b/"), hash...) }

func slotKey(slot uint32) []byte { return binary.BigEndian.AppendUint32([]byte("n/"), slot) }
