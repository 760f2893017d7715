//go:build !linux

package badger

import "os"

// syncData makes a file's content durable.
func syncData(f *os.File) error { return f.Sync() }
