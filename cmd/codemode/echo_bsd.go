//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package main

import "golang.org/x/sys/unix"

// The requests that read and set how a terminal behaves.
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)
