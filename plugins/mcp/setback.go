package main

import "time"

// The pauses between attempts to start a server that does not start: each
// twice the one before it.
const (
	firstPause  = time.Second
	longestWait = time.Minute
)

// setback remembers attempts to start a server that failed, so that a program
// which calls in a loop does not start a process each time. Its zero value is none.
type setback struct {
	err   error
	pause time.Duration
	until time.Time
}

// pausedError is a setback's answer during a pause.
type pausedError struct {
	cause error
	left  time.Duration
}

func (e *pausedError) Error() string { return e.cause.Error() }
func (e *pausedError) Unwrap() error { return e.cause }

// check returns the last error while its pause lasts.
func (s *setback) check(now time.Time) error {
	if left := s.until.Sub(now); left > 0 {
		return &pausedError{cause: s.err, left: left}
	}
	return nil
}

// add records a failed attempt.
func (s *setback) add(err error, now time.Time) {
	s.pause = max(firstPause, min(2*s.pause, longestWait))
	s.err, s.until = err, now.Add(s.pause)
}
