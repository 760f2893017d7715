package badger

import (
	"bytes"
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
//	p/NAME/VERSION(8)          a version of a snippet
//	p/NAME/VERSION(8) CHUNK(2) a part of a large version
//	k/ID LEN(4) CONNECTOR LEN(4) KEY            a connector's value
//	k/ID LEN(4) CONNECTOR LEN(4) KEY CHUNK(2)   a part of a large value
//	d/ID                       an execution whose deletion has begun
//	c/PREFIX                   keys whose removal has begun: all with the prefix
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
	prefixSnippets = []byte("p/")
	prefixValues   = []byte("k/")
	prefixDeletion = []byte("d/")
	prefixClearing = []byte("c/")
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

// ownerOf reads the execution's id in the key of a value.
func ownerOf(key []byte) id { return id(key[len(prefixValues):][:idLen]) }

// values is the prefix of what all connectors keep.
func (x id) values() []byte { return x.key(prefixValues) }

func (x id) connector(label string) []byte { return appendText(x.values(), label) }

func (x id) value(label, key string) []byte { return appendText(x.connector(label), key) }

// appendText appends a text behind its length: no text is then the beginning of another, nor of one and its chunk.
func appendText(key []byte, text string) []byte {
	return append(binary.BigEndian.AppendUint32(key, uint32(len(text))), text...)
}

// isChunk reports whether a key under a connector's prefix is that of a part.
func isChunk(key, prefix []byte) bool {
	rest := key[len(prefix):]
	return len(rest) > 4 && len(rest) != 4+int(binary.BigEndian.Uint32(rest))
}

// idOf reads the id at the end of a key.
func idOf(key []byte) id { return id(key[len(key)-idLen:]) }

func blobKey(hash []byte) []byte { return append([]byte("b/"), hash...) }

func snippetPrefix(name string) []byte { return []byte("p/" + name + "/") }

func snippetKey(name string, version int) []byte {
	return binary.BigEndian.AppendUint64(snippetPrefix(name), uint64(version))
}

// parseSnippetKey reports false for the key of a part.
func parseSnippetKey(key []byte) (name string, version int, ok bool) {
	text, rest, found := bytes.Cut(key[len(prefixSnippets):], []byte("/"))
	if !found || len(rest) != 8 {
		return "", 0, false
	}
	return string(text), int(binary.BigEndian.Uint64(rest)), true
}

func slotKey(slot uint32) []byte { return binary.BigEndian.AppendUint32([]byte("n/"), slot) }
