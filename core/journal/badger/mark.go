package badger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// The mark file has two slots, each in a sector of its own, which are written in turn: a write that a power cut tears
// leaves the other. A slot is magic(4) number(8) checked(8) crc32c(4).
const (
	markMagic  = "cmk1"
	slotLen    = 4 + 8 + 8 + 4
	slotStride = 4096
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mark is the file outside the database that remembers how far the database had come.
type mark struct {
	file   *os.File
	number uint64 // of the last acknowledged transaction
	// checked is a number up to which no transaction needs to be looked for any more.
	checked uint64
	// known says that a slot could be read. A new file has none.
	known bool
	next  int64 // the slot to write
}

func openMark(path string) (*mark, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("mark file: %w", err)
	}
	m := &mark{file: f}
	if err := m.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("mark file: %w", err), f.Close())
	}
	return m, nil
}

func (m *mark) load() error {
	info, err := m.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < 2*slotStride {
		// The file gets its full size once, so that writing a slot changes no metadata and syncs fast.
		if err := errors.Join(m.file.Truncate(2*slotStride), allocate(m.file, info.Size()), m.file.Sync()); err != nil {
			return err
		}
		if err := syncFolder(filepath.Dir(m.file.Name())); err != nil {
			return err
		}
	}
	for slot := range int64(2) {
		data := make([]byte, slotLen)
		if _, err := m.file.ReadAt(data, slot*slotStride); err != nil {
			return err
		}
		number, checked, ok := decodeSlot(data)
		if ok && (!m.known || number >= m.number) {
			m.number, m.checked, m.known, m.next = number, checked, true, 1-slot
		}
	}
	return nil
}

// allocate writes the blocks behind the file's former end.
func allocate(f *os.File, from int64) error {
	_, err := f.WriteAt(make([]byte, 2*slotStride-from), from)
	return err
}

func decodeSlot(data []byte) (number, checked uint64, ok bool) {
	content, sum := data[:slotLen-4], data[slotLen-4:]
	if string(content[:4]) != markMagic || binary.BigEndian.Uint32(sum) != crc32.Checksum(content, castagnoli) {
		return 0, 0, false
	}
	return binary.BigEndian.Uint64(content[4:]), binary.BigEndian.Uint64(content[12:]), true
}

// write makes the numbers durable.
func (m *mark) write(number, checked uint64) error {
	data := append(make([]byte, 0, slotLen), markMagic...)
	data = binary.BigEndian.AppendUint64(data, number)
	data = binary.BigEndian.AppendUint64(data, checked)
	data = binary.BigEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
	if _, err := m.file.WriteAt(data, m.next*slotStride); err != nil {
		return fmt.Errorf("mark file: %w", err)
	}
	if err := syncData(m.file); err != nil {
		return fmt.Errorf("mark file: %w", err)
	}
	m.number, m.checked, m.known, m.next = number, checked, true, 1-m.next
	return nil
}

func (m *mark) close() error { return m.file.Close() }
