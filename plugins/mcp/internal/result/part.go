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
	Type     string          `json:"type"`
	MIMEType string          `json:"mimeType,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// embedded is a resource within a result.
type embedded struct {
	Type     string `json:"type"`
	Resource struct {
		URI      string          `json:"uri,omitempty"`
		MIMEType string          `json:"mimeType,omitempty"`
		Text     json.RawMessage `json:"text,omitempty"`
		Blob     json.RawMessage `json:"blob,omitempty"`
	} `json:"resource"`
}

// value returns the part with tags for its bytes. Links, texts and kinds that
// are not known stay as they came.
func (p part) value() (json.RawMessage, error) {
	switch p.kind {
	case kindImage, kindAudio:
		var m media
		if json.Unmarshal(p.raw, &m) == nil {
			m.Data = tagged(m.Data)
			return encode(m)
		}
	case kindResource:
		var r embedded
		if json.Unmarshal(p.raw, &r) == nil {
			r.Resource.Blob = tagged(r.Resource.Blob)
			return encode(r)
		}
	}
	return wire.Escape(p.raw)
}

// tagged makes bytes of a base64 string; anything else stays what it is.
func tagged(data json.RawMessage) json.RawMessage {
	var s string
	if json.Unmarshal(data, &s) != nil {
		return data
	}
	bytes, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return data
	}
	tag, err := json.Marshal(map[string][]byte{"$bytes": bytes})
	if err != nil {
		return data
	}
	return tag
}
