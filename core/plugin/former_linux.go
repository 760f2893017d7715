package plugin

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// marked lists the processes that have a mark in their environment. One that has ended has none any more, and one that
// may not be looked at is another user's.
func marked(mark string) ([]int, error) {
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, path := range found {
		environ, err := os.ReadFile(path)
		if err != nil || !slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(v []byte) bool { return string(v) == mark }) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// killProcess kills one process. It fails only when that has ended.
func killProcess(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }
