package mcpserver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/codemode-go/codemode/core"
)

// pendingRound is what a client carries from a question to its answer: which calls of which execution it showed. It is
// signed, so that an answer is an answer to what was shown.
type pendingRound struct {
	ID    string       `json:"id"`
	Calls []core.Shown `json:"calls"`
	Round int          `json:"round"`
}

// stateEncoding has one text for each state.
var stateEncoding = base64.RawURLEncoding.Strict()

// errForged says that a state is none of this server's.
var errForged = errors.New("the request's state is not this server's")

func (s *Server) sign(p pendingRound) string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return stateEncoding.EncodeToString(text) + "." + stateEncoding.EncodeToString(s.mac(text))
}

// verify reads what sign wrote.
func (s *Server) verify(state string) (p pendingRound, err error) {
	body, signature, _ := strings.Cut(state, ".")
	text, err := stateEncoding.DecodeString(body)
	if err != nil {
		return p, errForged
	}
	mac, err := stateEncoding.DecodeString(signature)
	if err != nil || !hmac.Equal(mac, s.mac(text)) {
		return p, errForged
	}
	if err := json.Unmarshal(text, &p); err != nil || len(p.Calls) == 0 {
		return p, errForged
	}
	return p, nil
}

func (s *Server) mac(text []byte) []byte {
	h := hmac.New(sha256.New, s.key)
	h.Write(text)
	return h.Sum(nil)
}
