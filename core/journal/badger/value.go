package badger

import (
	"encoding/binary"
	"errors"
	"fmt"

	badgerdb "github.com/dgraph-io/badger/v4"
)

// Records and blobs above largeValue are cut into chunks, so that a transaction holds them and the LSM tree, not the
// value log, keeps them.
const (
	largeValue = 512 << 10
	chunkSize  = 256 << 10
)

// A stored value starts with its form: the content follows, or the content's length as a uvarint, with the content
// under the chunk keys.
const (
	formWhole  = 'w'
	formChunks = 'c'
)

// entry is one key to write, or to remove.
type entry struct {
	key, value []byte
	remove     bool
}

func removal(key []byte) entry { return entry{key: key, remove: true} }

// size is what an entry takes of a transaction, generously.
func (e entry) size() int64 { return int64(len(e.key) + len(e.value) + 64) }

// appendValue appends the entries that hold a value. The one that refers to chunks comes behind them: whatever part
// of the entries is written when a process dies, no reader meets half a value.
func appendValue(entries []entry, key, content []byte) []entry {
	if len(content) <= largeValue {
		return append(entries, entry{key: key, value: append([]byte{formWhole}, content...)})
	}
	length := len(content)
	for n := uint16(0); len(content) > 0; n++ {
		part := content[:min(chunkSize, len(content))]
		content = content[len(part):]
		entries = append(entries, entry{key: chunkKey(key, n), value: part})
	}
	return append(entries, entry{key: key, value: binary.AppendUvarint([]byte{formChunks}, uint64(length))})
}

func chunkKey(key []byte, n uint16) []byte {
	return binary.BigEndian.AppendUint16(append(make([]byte, 0, len(key)+2), key...), n)
}

var errForm = errors.New("the stored value has no known form")

// parseValue returns a stored value's content, or the length of the content that lies in chunks.
func parseValue(value []byte, limit int) (content []byte, length int, err error) {
	if len(value) == 0 {
		return nil, 0, errForm
	}
	switch form, rest := value[0], value[1:]; form {
	case formWhole:
		return rest, 0, nil
	case formChunks:
		length, n := binary.Uvarint(rest)
		if n > 0 && n == len(rest) && length > 0 && length <= uint64(limit) {
			return nil, int(length), nil
		}
	}
	return nil, 0, errForm
}

// readValue returns the content that appendValue has stored under the item's key.
func readValue(txn *badgerdb.Txn, item *badgerdb.Item, limit int) ([]byte, error) {
	value, err := item.ValueCopy(nil)
	if err != nil {
		return nil, err
	}
	content, length, err := parseValue(value, limit)
	if err != nil || length == 0 {
		return content, err
	}
	return readChunks(txn, item.KeyCopy(nil), length)
}

func readChunks(txn *badgerdb.Txn, key []byte, length int) ([]byte, error) {
	content := make([]byte, 0, length)
	for n := uint16(0); len(content) < length; n++ {
		item, err := txn.Get(chunkKey(key, n))
		if err != nil {
			return nil, fmt.Errorf("part %d of the stored value: %w", n, err)
		}
		err = item.Value(func(part []byte) error {
			if want := min(chunkSize, length-len(content)); len(part) != want {
				return fmt.Errorf("part %d of the stored value has %d bytes, not %d", n, len(part), want)
			}
			content = append(content, part...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return content, nil
}
