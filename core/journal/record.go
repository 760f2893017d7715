package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// A record is one event in its stored form:
//
//	version(1) kind(1) flags(1) index(8) epoch(8) time in ns(8) payload crc32c(4)
//
// Numbers are big-endian, the payload is the body in deterministic CBOR. The checksum covers the execution's id and
// all that stands before it, so that a record is good only where it belongs. It stays at the end in every version.
const (
	recordVersion  = 1
	recordHeader   = 3 + 8 + 8 + 8
	recordChecksum = 4
)

// MaxCauses bounds the chain of a failure's causes, so that whatever is written can be read again: EncodeRecord refuses
// a longer one.
const MaxCauses = 100

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// EncodeRecord returns the stored form of an event of this execution.
func EncodeRecord(id string, e Event) ([]byte, error) {
	kind := kindOf(e.Body)
	if newBody(kind) == nil {
		return nil, fmt.Errorf("encode event %d: it has no body", e.Index)
	}
	if err := checkCauses(e.Body); err != nil {
		return nil, fmt.Errorf("encode event %d (%s): %w", e.Index, kind, err)
	}
	payload, err := encoding.Marshal(e.Body)
	if err != nil {
		return nil, fmt.Errorf("encode event %d (%s): %w", e.Index, kind, err)
	}
	data := make([]byte, 0, recordHeader+len(payload)+recordChecksum)
	data = append(data, recordVersion, byte(kind), 0)
	data = binary.BigEndian.AppendUint64(data, uint64(e.Index))
	data = binary.BigEndian.AppendUint64(data, e.Epoch)
	data = binary.BigEndian.AppendUint64(data, uint64(e.At.UnixNano()))
	data = append(data, payload...)
	return binary.BigEndian.AppendUint32(data, checksum(id, data)), nil
}

// DecodeRecord returns the event that EncodeRecord made these bytes of. Bytes that have changed since are refused;
// a record of a later version is refused with ErrNewer. The errors quote nothing of the record.
func DecodeRecord(id string, data []byte) (Event, error) {
	if len(data) < recordHeader+recordChecksum {
		return Event{}, errors.New("the record is cut")
	}
	content, sum := data[:len(data)-recordChecksum], data[len(data)-recordChecksum:]
	if binary.BigEndian.Uint32(sum) != checksum(id, content) {
		return Event{}, errors.New("the record does not match its checksum")
	}
	kind := Kind(content[1])
	body := newBody(kind)
	if content[0] != recordVersion || content[2] != 0 || body == nil {
		return Event{}, fmt.Errorf("record of version %d, %s, flags %#x: %w", content[0], kind, content[2], ErrNewer)
	}
	if err := decodePayload(content[recordHeader:], body); err != nil {
		return Event{}, fmt.Errorf("record of %s: %w", kind, err)
	}
	return Event{
		Index: int64(binary.BigEndian.Uint64(content[3:])),
		Epoch: binary.BigEndian.Uint64(content[11:]),
		At:    time.Unix(0, int64(binary.BigEndian.Uint64(content[19:]))).UTC(),
		Body:  body,
	}, nil
}

func checksum(id string, content []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(id), castagnoli), castagnoli, content)
}

// decodePayload reads CBOR into a struct, or says ErrNewer where it holds a field that the struct does not have:
// to leave out what a later version found worth recording would change what the events mean.
func decodePayload(data []byte, into any) error {
	err := decoding.Unmarshal(data, into)
	if _, unknown := errors.AsType[*cbor.UnknownFieldError](err); unknown {
		return ErrNewer
	}
	if err != nil {
		return errors.New("its content does not fit its kind")
	}
	return nil
}

func newBody(k Kind) Body {
	switch k {
	case KindBegun:
		return new(Begun)
	case KindClaimed:
		return new(Claimed)
	case KindPassBegun:
		return new(PassBegun)
	case KindIssued:
		return new(Issued)
	case KindReissued:
		return new(Reissued)
	case KindDecided:
		return new(Decided)
	case KindStarted:
		return new(Started)
	case KindOutcome:
		return new(Outcome)
	case KindDoubted:
		return new(Doubted)
	case KindWithdrawn:
		return new(Withdrawn)
	case KindPassEnded:
		return new(PassEnded)
	case KindEnded:
		return new(Ended)
	case KindRollbackBegun:
		return new(RollbackBegun)
	case KindRevertStarted:
		return new(RevertStarted)
	case KindRevertEnded:
		return new(RevertEnded)
	case KindRollbackEnded:
		return new(RollbackEnded)
	case KindHookRound:
		return new(HookRound)
	}
	return nil
}

func checkCauses(b Body) error {
	var f *Failure
	switch b := b.(type) {
	case *Outcome:
		f = b.Failure
	case *Ended:
		f = b.Failure
	case *RevertEnded:
		f = b.Failure
	}
	for n := 0; f != nil; n++ {
		if n > MaxCauses {
			return fmt.Errorf("its failure has more than %d causes", MaxCauses)
		}
		f = f.Cause
	}
	return nil
}

// The CBOR modes. Strings of a program need not be valid UTF-8, and a long console is a long array: what can be
// written must be readable, so the decoder is as generous as the encoder.
var (
	encoding = must(cbor.EncOptions{
		Sort:          cbor.SortCoreDeterministic,
		ShortestFloat: cbor.ShortestFloat16,
		NaNConvert:    cbor.NaNConvert7e00,
		InfConvert:    cbor.InfConvertFloat16,
		IndefLength:   cbor.IndefLengthForbidden,
		Time:          cbor.TimeRFC3339NanoUTC,
	}.EncMode())
	decoding = must(cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		IndefLength:       cbor.IndefLengthForbidden,
		MaxNestedLevels:   2*MaxCauses + 16,
		MaxArrayElements:  1 << 28,
		MaxMapPairs:       1 << 20,
		UTF8:              cbor.UTF8DecodeInvalid,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
	}.DecMode())
)

// must is for modes that are fixed at compile time.
func must[T any](mode T, err error) T {
	if err != nil {
		panic(err)
	}
	return mode
}
