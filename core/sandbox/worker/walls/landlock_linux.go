package walls

import (
	"errors"
	"fmt"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
)

// lockFilesystem denies all that Landlock of this kernel can deny: files from version 1 on, TCP from 4, signals and
// abstract sockets from 6.
func lockFilesystem(Limits) error {
	if err := landlock.V10.BestEffort().Restrict(); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	root, err := os.Open("/")
	if err == nil {
		return errors.Join(errors.New("the kernel has no Landlock (5.13 or later, and in its list of security modules)"), root.Close())
	}
	return nil
}
