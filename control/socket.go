package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
)

const (
	socketName = "control.sock"
	// maxSocketPath is how long a socket's path may be everywhere: the kernel's field has 104 bytes on BSD and macOS,
	// 108 on Linux, a closing zero included.
	maxSocketPath = 103
	// farPrefix begins the name of the folder of a socket that lies elsewhere.
	farPrefix = "codemode-"
)

// listen opens a socket for a run folder: in it, or, where its path would be too long, in a folder of its own under the
// user's runtime folder or the one for temporary files.
func listen(ctx context.Context, dir string) (net.Listener, string, error) {
	path, err := socketPath(dir)
	if err != nil {
		return nil, "", err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "unix", path)
	if err != nil {
		return nil, "", errors.Join(err, removeSocket(path))
	}
	// The folder keeps others out from the start; the mode says so to whoever looks at the socket.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, "", errors.Join(err, l.Close(), removeSocket(path))
	}
	return l, path, nil
}

func socketPath(dir string) (string, error) {
	path := filepath.Join(dir, socketName)
	if len(path) <= maxSocketPath {
		return path, nil
	}
	base := os.Getenv("XDG_RUNTIME_DIR")
	if base == "" {
		base = os.TempDir()
	}
	// A new name each time: one that can be known beforehand could be taken by somebody else. The mode is 0700.
	far, err := os.MkdirTemp(base, farPrefix)
	if err != nil {
		return "", err
	}
	path = filepath.Join(far, "s")
	if len(path) > maxSocketPath {
		return "", errors.Join(fmt.Errorf("the path of the socket would be too long: %s; set XDG_RUNTIME_DIR to a shorter one", path), os.Remove(far))
	}
	return path, nil
}

// removeSocket removes a socket, and the folder that was made for it alone.
func removeSocket(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	far := filepath.Dir(path)
	if !strings.HasPrefix(filepath.Base(far), farPrefix) || filepath.Base(path) == socketName {
		return nil
	}
	if err := os.Remove(far); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// privateFolder makes the run folder, for this user alone.
func privateFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700) // one that was there may be open to others
}
