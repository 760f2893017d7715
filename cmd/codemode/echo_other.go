//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package main

import (
	"errors"
	"os"
)

// hideTyped fails: a secret that would be shown is not asked for.
func hideTyped(*os.File) (restore func() error, err error) { return nil, errors.ErrUnsupported }
