//go:build !unix

package badger

import "errors"

// lockFolder is not known on this system.
func lockFolder(string) (release func() error, err error) { return nil, errors.ErrUnsupported }
