package main

import "golang.org/x/sys/unix"

// The requests that read and set how a terminal behaves.
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)
