package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// An envelope is the stored form of what is no event: version(1), CBOR, crc32c(4). The checksum covers the place
// that the content belongs to, too, so that it is good only there.
const envelopeSize = 1 + recordChecksum

func seal(place string, version byte, content any) ([]byte, error) {
	payload, err := encoding.Marshal(content)
	if err != nil {
		return nil, err
	}
	data := make([]byte, 0, envelopeSize+len(payload))
	data = append(append(data, version), payload...)
	return binary.BigEndian.AppendUint32(data, checksum(place, data)), nil
}

// unseal reads what seal made. Its errors quote nothing of the content; those that say ErrNewer mean no damage.
func unseal(place string, version byte, data []byte, into any) error {
	if len(data) < envelopeSize {
		return errors.New("it is cut")
	}
	content, sum := data[:len(data)-recordChecksum], data[len(data)-recordChecksum:]
	if binary.BigEndian.Uint32(sum) != checksum(place, content) {
		return errors.New("it does not match its checksum")
	}
	if content[0] != version {
		return fmt.Errorf("it has version %d: %w", content[0], ErrNewer)
	}
	return decodePayload(content[1:], into)
}
