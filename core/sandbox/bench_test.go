package sandbox

import (
	"context"
	"fmt"
	"testing"
)

func BenchmarkTrivial(b *testing.B) {
	sp := spec(`return 42`)
	for b.Loop() {
		if err := start(b, sp).finish().session.Close(); err != nil { // or its heap would stay
			b.Fatal(err)
		}
	}
}

const thousand = `let sum = 0; for (let i = 0; i < 1000; i++) sum += (await files.read({i})).i; return sum`

func BenchmarkThousandCalls(b *testing.B) {
	sp := spec(thousand)
	for b.Loop() {
		start(b, sp).finish()
	}
}

func BenchmarkReplayThousand(b *testing.B) {
	sp := spec(thousand)
	recorded := start(b, sp).finish().recorded
	sp.Replayed = len(recorded)
	for b.Loop() {
		s, err := New().Start(context.Background(), sp)
		if err != nil {
			b.Fatal(err)
		}
		turn, err := s.Resume(context.Background(), recorded)
		if err != nil || turn.Result == nil {
			b.Fatal(err, turn)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStartManyMethods(b *testing.B) {
	sp := spec(`return 42`)
	for i := range 10_000 {
		sp.Namespaces[0].Methods = append(sp.Namespaces[0].Methods, fmt.Sprintf("method_%d", i))
	}
	for b.Loop() {
		start(b, sp).finish()
	}
}

func BenchmarkDecode(b *testing.B) {
	s := bare(b)
	text := []byte(`[`)
	for i := range 10_000 {
		text = fmt.Appendf(text, `{"id":%d,"title":"issue number %d","labels":["a","b"],"open":true,"score":%d.5},`, i, i, i)
	}
	text[len(text)-1] = ']'
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := s.realm.decode(s.vm, text); err != nil {
			b.Fatal(err)
		}
	}
}

// bare is a session that nothing has run in.
func bare(t testing.TB) *session {
	t.Helper()
	s, err := New().Start(t.Context(), spec(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s.(*session)
}
