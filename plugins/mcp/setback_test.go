package main

import (
	"errors"
	"testing"
	"time"
)

func TestSetback(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	cause := errors.New("no")
	var s setback
	if err := s.check(now); err != nil {
		t.Fatalf("without a failure: %v", err)
	}
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		want *= time.Second
		s.add(cause, now)
		paused, ok := errors.AsType[*pausedError](s.check(now))
		if !ok || paused.left != want || !errors.Is(paused, cause) {
			t.Errorf("failure %d: %+v, want a pause of %v", i+1, paused, want)
		}
		now = now.Add(want)
		if err := s.check(now); err != nil {
			t.Errorf("failure %d: after the pause: %v", i+1, err)
		}
	}
}
