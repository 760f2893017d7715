package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The names under which a configuration is found, and the variable that names another.
const (
	fileName     = "codemode.hcl"
	dirName      = "codemode.d"
	pathVariable = "CODEMODE_CONFIG"
)

// NotFoundError says that there is no configuration.
type NotFoundError struct {
	// Looked lists the paths that were tried, in order.
	Looked []string
}

// Error lists where the configuration was looked for and how to name one.
func (e *NotFoundError) Error() string {
	return "no configuration found; looked for\n  " + strings.Join(e.Looked, "\n  ") +
		"\nName one with --config or " + pathVariable + ", or create " + fileName + " here (an empty file will do)."
}

// Find returns the path of the configuration to load: flag, else
// $CODEMODE_CONFIG, else codemode.hcl or codemode.d in cwd, else the same under
// codemode in the user's configuration folder (empty: the user has none). A path
// that flag or the variable names must exist. Without any configuration the
// error is a *[NotFoundError].
func Find(flag string, env func(name string) string, cwd, userConfigDir string) (string, error) {
	for _, named := range []string{flag, env(pathVariable)} {
		if named == "" {
			continue
		}
		if !filepath.IsAbs(named) {
			named = filepath.Join(cwd, named)
		}
		if ok, err := exists(named); !ok {
			return "", errors.Join(&NotFoundError{Looked: []string{named}}, err)
		}
		return named, nil
	}
	folders := []string{cwd}
	if userConfigDir != "" {
		folders = append(folders, userFolder(userConfigDir))
	}
	missing := &NotFoundError{}
	for _, folder := range folders {
		path, err := findIn(folder)
		if path != "" || err != nil {
			return path, err
		}
		missing.Looked = append(missing.Looked, filepath.Join(folder, fileName), filepath.Join(folder, dirName))
	}
	return "", missing
}

// findIn looks in one folder. With both a file and a directory, taking one would silently leave out the rules of the other.
func findIn(folder string) (string, error) {
	file, dir := filepath.Join(folder, fileName), filepath.Join(folder, dirName)
	hasFile, err := exists(file)
	if err != nil {
		return "", err
	}
	hasDir, err := exists(dir)
	if err != nil {
		return "", err
	}
	switch {
	case hasFile && hasDir:
		return "", fmt.Errorf("both %s and %s exist; name the one to use with --config", file, dir)
	case hasFile:
		return file, nil
	case hasDir:
		return dir, nil
	}
	return "", nil
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// userFolder is where a user's configuration lies.
func userFolder(userConfigDir string) string { return filepath.Join(userConfigDir, "codemode") }
