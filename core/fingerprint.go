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
	path := filepath.Join(dir, "fingerprint.key")
	if known, err := readKey(path); !errors.Is(err, fs.ErrNotExist) {
		return known, err
	}
	if err := writeKey(path, key); err != nil {
		return nil, fmt.Errorf("make the fingerprint key: %w", err)
	}
	return readKey(path) // of whichever process was first
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
		v = withoutSecrets(s, v, nil)
	}
	text, err := json.Marshal(v) // with sorted keys
	if err != nil {
		return nil, fmt.Errorf("fingerprint the configuration: %w", err)
	}
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil), nil
}

func withoutSecrets(s *schema.Schema, v any, path []string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, part := range v {
			v[name] = withoutSecrets(s, part, append(slices.Clip(path), name))
		}
		return v
	case []any:
		for i, part := range v {
			v[i] = withoutSecrets(s, part, append(slices.Clip(path), strconv.Itoa(i)))
		}
		return v
	}
	if s.Secret(path) {
		return nil
	}
	return v
}
