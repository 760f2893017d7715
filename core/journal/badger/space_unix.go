//go:build linux || darwin

package badger

import "golang.org/x/sys/unix"

// freeSpace returns the bytes that the journal's disk has left for this user.
func freeSpace(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil
}
