package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// BinaryPrefix precedes a plugin's name in the name of its binary.
const BinaryPrefix = "codemode-connector-"

// Find returns the absolute path of a plugin's binary. A plugin with a slash in
// it is a path, relative to the working directory if it is not absolute. Any
// other is a name: codemode-connector-NAME beside the host's binary, then in
// each of dirs. The error of a plugin that is not found names every place
// looked at and satisfies errors.Is(err, fs.ErrNotExist).
func Find(plugin string, dirs []string) (string, error) {
	places, err := places(plugin, dirs)
	if err != nil {
		return "", err
	}
	for _, path := range places {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", fmt.Errorf("cannot look at plugin %q: %w", plugin, err)
		case !info.Mode().IsRegular():
			return "", fmt.Errorf("plugin %q: %s is not a file that can be run", plugin, path)
		default:
			return path, nil
		}
	}
	return "", &notFoundError{plugin: plugin, places: places}
}

// places lists where a plugin may lie, best first.
func places(plugin string, dirs []string) ([]string, error) {
	if strings.ContainsRune(plugin, filepath.Separator) {
		path, err := filepath.Abs(plugin)
		if err != nil {
			return nil, fmt.Errorf("resolve the path of plugin %q: %w", plugin, err)
		}
		return []string{path}, nil
	}
	host, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the host's own binary: %w", err)
	}
	var paths []string
	for _, dir := range append([]string{filepath.Dir(host)}, dirs...) {
		path, err := filepath.Abs(filepath.Join(dir, BinaryPrefix+plugin))
		if err != nil {
			return nil, fmt.Errorf("resolve plugin directory %q: %w", dir, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// notFoundError names every place that was looked at.
type notFoundError struct {
	plugin string
	places []string
}

func (e *notFoundError) Error() string {
	return fmt.Sprintf("plugin %q was not found; looked for %s", e.plugin, strings.Join(e.places, ", "))
}

func (e *notFoundError) Unwrap() error { return fs.ErrNotExist }
