//go:build !unix

package main

import (
	"errors"
	"os"
)

// openTTY fails: there is no controlling terminal to ask a person at.
func openTTY(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// terminalColumns takes no file for a terminal.
func terminalColumns(*os.File) (int, bool) { return 0, false }
