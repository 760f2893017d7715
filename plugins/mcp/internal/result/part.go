package result

import (
	"encoding/base64"
	"encoding/json"

	"github.com/codemode-go/codemode/plugin/wire"
)

// The kinds of content that hold something else than JSON.
const (
	kindText     = "text"
	kindImage    = "image"
	kindAudio    = "audio"
	kindResource = "resource"
)

// part is one part of a result's content.
type part struct {
	kind string
	text string          // of kindText
	raw  json.RawMessage // the part as it came
}

// parsePart reads one part; ok is false for what is none.
func parsePart(raw json.RawMessage) (p part, ok bool) {
	var fields struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if string(raw) == "null" || json.Unmarshal(raw, &fields) != nil {
		return part{}, false
	}
	return part{kind: fields.Type, text: fields.Text, raw: raw}, true
}

// media is an image or a sound, without what concerns its display.
type media struct {
	Type     string  `json:"type"`
	MIMEType string  `json:"mimeType,omitempty"`
	Data     encoded `json:"data"`
}

// embedded is a resource within a result.
type embedded struct {
	Type     string `json:"type"`
	Resource struct {
		URI      string   `json:"uri,omitempty"`
		MIMEType string   `json:"mimeType,omitempty"`
		Text     *string  `json:"text,omitempty"`
		Blob     *encoded `json:"blob,omitempty"`
	} `json:"resource"`
}

// value returns the part with tags for its bytes. Links, texts, kinds that are
// not known, and parts that are not what their kind says stay as they came.
func (p part) value() (json.RawMessage, error) {
	var known any
	switch p.kind {
	case kindImage, kindAudio:
		known = &media{}
	case kindResource:
		known = &embedded{}
	}
	if known == nil || json.Unmarshal(p.raw, known) != nil {
		return wire.Escape(p.raw)
	}
	return Encode(known)
}

// encoded is a base64 string of a result. It is handed to a program as the bytes
// that it stands for, or as it is if it stands for none.
type encoded string

// MarshalJSON implements json.Marshaler.
func (e encoded) MarshalJSON() ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(string(e))
	if err != nil {
		return Encode(string(e))
	}
	return Encode(map[string][]byte{"$bytes": data})
}
