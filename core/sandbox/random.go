package sandbox

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"github.com/dop251/goja"
)

// chance is one frame's source of randomness. It is a fixed function of seed and
// frame, so that a step can be skipped without moving anybody else's draws.
type chance struct{ *rand.ChaCha8 }

func newChance(seed []byte, seq string) *chance {
	text := binary.BigEndian.AppendUint64(nil, uint64(len(seed)))
	text = append(append(text, seed...), seq...)
	return &chance{rand.NewChaCha8(sha256.Sum256(text))}
}

// float returns a number in [0, 1) of 53 random bits.
func (c *chance) float() float64 {
	return float64(c.Uint64()>>11) / (1 << 53)
}

// chance returns the generator of the running code. Code of a lost frame gets
// none: whether it draws depends on whether a step was skipped.
func (s *session) chance() *chance {
	f := s.frames.current()
	if f == s.frames.lost {
		panic(s.realm.typeError(s.vm, lostAdvice))
	}
	if f.chance == nil {
		f.chance = newChance(s.spec.Seed, f.seq)
	}
	return f.chance
}

func (s *session) random() float64 { return s.chance().float() }

// fillRandom is the host side of crypto: it overwrites the bytes that a view shows.
func (s *session) fillRandom(call goja.FunctionCall) goja.Value {
	b, ok := s.realm.bytes(call.Argument(0))
	if !ok {
		panic(s.realm.typeError(s.vm, "crypto.getRandomValues takes a typed array"))
	}
	// ChaCha8's Read never fails.
	_, _ = s.chance().Read(b)
	return call.Argument(0)
}
