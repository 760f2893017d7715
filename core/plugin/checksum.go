package plugin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

const checksumScheme = "sha256:"

// parseChecksum reads "sha256:HEX".
func parseChecksum(text string) ([]byte, error) {
	digits, ok := strings.CutPrefix(text, checksumScheme)
	sum, err := hex.DecodeString(digits)
	if !ok || err != nil || len(sum) != sha256.Size {
		return nil, fmt.Errorf("checksum %q is not %q and %d hexadecimal digits", text, checksumScheme, 2*sha256.Size)
	}
	return sum, nil
}

// verifyChecksum compares a binary with its checksum. It is done here, before
// the command is built, since go-plugin hashes an empty path when a runner of
// the host's own launches the process. Whoever can replace the binary between
// this and the launch gets past it: the folder has to be the operator's.
func verifyChecksum(path, checksum string) error {
	if checksum == "" {
		return nil
	}
	want, err := parseChecksum(checksum)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the binary to verify its checksum: %w", err)
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return fmt.Errorf("read %s to verify its checksum: %w", path, err)
	}
	if got := hash.Sum(nil); !bytes.Equal(got, want) {
		return fmt.Errorf("%s is not the binary that the configuration pins: its checksum is %s%x, expected %s%x",
			path, checksumScheme, got, checksumScheme, want)
	}
	return nil
}
