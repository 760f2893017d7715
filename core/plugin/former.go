package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
)

// mark is the variable by which the processes of one launch are known, wherever they have gone: its value is the
// launch's own folder, and descendants inherit it.
func mark(dir string) string { return goplugin.EnvUnixSocketDir + "=" + dir }

// note records a launch in the folder of notes, before its process is started. The path is empty where none are kept.
func note(notes, dir string) (path string, err error) {
	if notes == "" {
		return "", nil
	}
	if err := os.MkdirAll(notes, 0o700); err != nil {
		return "", fmt.Errorf("note the launch: %w", err)
	}
	path = filepath.Join(notes, filepath.Base(dir))
	if err := os.WriteFile(path, []byte(dir), 0o600); err != nil {
		return "", fmt.Errorf("note the launch: %w", err)
	}
	return path, nil
}

// formerPatience is how long processes that were killed may take to be gone.
const formerPatience = 10 * time.Second

// EndFormer ends what is left of the connectors of a host that died. notes is the folder that was in their Specs; no
// host may use it at the same time. On systems that do not show the environments of processes it can only rely on the
// connectors' having heard of the host's death. The error says which process cannot be ended.
func EndFormer(ctx context.Context, notes string) error {
	found, err := os.ReadDir(notes)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("connectors of a former host: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, formerPatience)
	defer cancel()
	for _, entry := range found {
		path := filepath.Join(notes, entry.Name())
		dir, err := os.ReadFile(path)
		if err == nil && len(dir) > 0 {
			err = endMarked(ctx, mark(string(dir)))
		}
		if err == nil {
			err = os.Remove(path)
		}
		if err != nil {
			return fmt.Errorf("connectors of a former host: %w", err)
		}
	}
	return nil
}

// endMarked kills the processes with a mark until there is none.
func endMarked(ctx context.Context, mark string) error {
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		pids, err := marked(mark)
		if err != nil || len(pids) == 0 {
			return err
		}
		for _, pid := range pids {
			killProcess(pid)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("process %d still runs and cannot be ended; end it before anything is decided", pids[0])
		}
	}
}
