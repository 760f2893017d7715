// Package hide takes secrets out of what an API says.
package hide

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
)

// Mark stands where a secret was.
const Mark = "[hidden]"

// shortest is the length from which on a secret is looked for: hiding every
// "1" would leave nothing to read.
const shortest = 6

// Text returns text without the secrets, as they are, within JSON and in base64.
func Text(text []byte, secrets []string) []byte {
	for _, spelling := range spellings(secrets) {
		if bytes.Contains(text, spelling) {
			text = bytes.ReplaceAll(text, spelling, []byte(Mark))
		}
	}
	return text
}

// spellings lists how secrets can be written, the longest first: one may be the beginning of another.
func spellings(secrets []string) [][]byte {
	var list [][]byte
	for _, secret := range secrets {
		if len(secret) < shortest {
			continue
		}
		quoted, _ := json.Marshal(secret) // a string always has a JSON form
		list = append(list, []byte(secret), quoted[1:len(quoted)-1], []byte(base64.StdEncoding.EncodeToString([]byte(secret))))
	}
	slices.SortFunc(list, func(a, b []byte) int { return len(b) - len(a) })
	return list
}
