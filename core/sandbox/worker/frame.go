package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A frame is the length of a JSON document, four bytes, the highest first, and the document.

// errFrame is what a frame is that its sender cannot have meant.
var errFrame = errors.New("bad frame")

// writeFrame writes a message as one frame.
func writeFrame(w io.Writer, message any) error {
	var frame bytes.Buffer
	frame.Write(make([]byte, 4))
	e := json.NewEncoder(&frame)
	e.SetEscapeHTML(false)
	if err := e.Encode(message); err != nil {
		return fmt.Errorf("encode frame: %w", err)
	}
	size := frame.Len() - 4
	if int64(size) > int64(^uint32(0)) {
		return fmt.Errorf("encode frame: %d bytes are too many", size)
	}
	binary.BigEndian.PutUint32(frame.Bytes(), uint32(size))
	if _, err := w.Write(frame.Bytes()); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

// readFrame reads one frame of limit bytes at most into a message. Memory is taken as the bytes come, not as the
// length announces them. At the end of the stream, before a frame, it returns io.EOF.
func readFrame(r io.Reader, limit int64, message any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return fmt.Errorf("%w: read its length: %w", errFrame, err)
	}
	size := int64(binary.BigEndian.Uint32(head[:]))
	if size > limit {
		return fmt.Errorf("%w: %d bytes announced, %d are allowed", errFrame, size, limit)
	}
	var body bytes.Buffer
	body.Grow(int(min(size, 64<<10)))
	if n, err := io.CopyN(&body, r, size); err != nil {
		return fmt.Errorf("%w: %d of %d bytes came: %w", errFrame, n, size, err)
	}
	if err := json.Unmarshal(body.Bytes(), message); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	return nil
}
