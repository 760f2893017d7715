package core

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/codemode-go/codemode/core/schema"
)

// keySize is the length of the key in the data folder.
const keySize = 32

// fingerprintKey returns the key under which configurations are fingerprinted. The one in the data folder is made
// the first time.
func fingerprintKey(o Options) ([]byte, error) {
	if o.FingerprintKey != nil {
		return o.FingerprintKey, nil
	}
	if o.Dir == "" {
		sum := sha256.Sum256([]byte("codemode fingerprint " + o.Name))
		return sum[:], nil
	}
	return keyIn(o.Dir)
}

func keyIn(dir string) ([]byte, error) {
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("make the fingerprint key: %w", err)
	}
	path := keyPath(dir)
	if known, err := readKey(path); !errors.Is(err, fs.ErrNotExist) {
		return known, err
	}
	if err := writeKey(path, key); err != nil {
		return nil, fmt.Errorf("make the fingerprint key: %w", err)
	}
	return readKey(path) // of whichever process was first
}

func keyPath(dir string) string { return filepath.Join(dir, "fingerprint.key") }

// keepKey keeps a key that was brought along. A folder that has one of its own stays with it: approvals that wait are
// asked for again then.
func keepKey(dir string, key []byte) error {
	if len(key) != keySize {
		return errors.New("keep the fingerprint key: it is none")
	}
	if err := writeKey(keyPath(dir), key); err != nil {
		return fmt.Errorf("keep the fingerprint key: %w", err)
	}
	return nil
}

// writeKey puts a whole key in its place, unless there is one: a process that dies meanwhile leaves none, and not a
// part of one.
func writeKey(path string, key []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".fingerprint-*")
	if err != nil {
		return err
	}
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Link(f.Name(), path)
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return errors.Join(err, os.Remove(f.Name()))
}

func readKey(path string) ([]byte, error) {
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the fingerprint key: %w", err)
	}
	if len(key) != keySize {
		return nil, fmt.Errorf("the fingerprint key %s is damaged; remove it, and approvals given so far are asked for again", path)
	}
	return key, nil
}

// fingerprint stands for a connector's configuration in what an approval is bound to. Credentials, which the
// schema marks writeOnly, enter by name only: a rotated token voids nothing, another address does.
func fingerprint(key []byte, s *schema.Schema, config json.RawMessage) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(config))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("fingerprint the configuration: %w", err)
	}
	if s != nil {
		v, _ = replaceSecrets(s, v, nil, nil)
	}
	text, err := json.Marshal(v) // with sorted keys
	if err != nil {
		return nil, fmt.Errorf("fingerprint the configuration: %w", err)
	}
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil), nil
}

// replaceSecrets puts by in the place of each value that a schema marks writeOnly, and reports whether there was one.
func replaceSecrets(s *schema.Schema, v any, path []string, by any) (_ any, found bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, part := range v {
			var one bool
			v[name], one = replaceSecrets(s, part, append(slices.Clip(path), name), by)
			found = found || one
		}
		return v, found
	case []any:
		for i, part := range v {
			var one bool
			v[i], one = replaceSecrets(s, part, append(slices.Clip(path), strconv.Itoa(i)), by)
			found = found || one
		}
		return v, found
	}
	if s.Secret(path) {
		return by, true
	}
	return v, false
}
