package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Config is the connector's config block.
type Config struct {
	File string `json:"file" jsonschema:"minLength=1,description=Where the tracker keeps its data. It is filled with a sample when it does not exist."`
}

// tracker serves the data in one file. Each call reads the file anew and writes it whole.
type tracker struct {
	mu   sync.Mutex
	path string
}

// data is what the file holds.
type data struct {
	Next         int     `json:"next"` // the next free number
	Issues       []Issue `json:"issues"`
	PullRequests []pull  `json:"pullRequests"`
	// Done maps the idempotency keys of creations to the numbers or ids they made.
	Done map[string]int `json:"done"`
}

func (t *tracker) configure(_ context.Context, c Config) error {
	path, err := filepath.Abs(c.File)
	if err != nil {
		return refused(err)
	}
	_, err = load(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = write(path, sample(now()))
	}
	if err != nil {
		return refused(err)
	}
	t.path = path
	return nil
}

// refused says that the file cannot be used, at its place in the configuration.
func refused(err error) error {
	e := sdk.Errorf(sdk.InvalidArgument, "the tracker's file cannot be used")
	e.Diagnostics = []sdk.Diagnostic{{Path: []string{"file"}, Summary: "the file cannot be used", Detail: err.Error()}}
	return e
}

// read calls f with the data.
func (t *tracker) read(f func(*data) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	d, err := load(t.path)
	if err != nil {
		return unusable(err)
	}
	return f(d)
}

// change calls f with the data and keeps what f made of it, unless f fails.
func (t *tracker) change(f func(*data) error) error {
	return t.read(func(d *data) error {
		if err := f(d); err != nil {
			return err
		}
		if err := write(t.path, d); err != nil {
			return unusable(err)
		}
		return nil
	})
}

// unusable is the error of a call that cannot use the file. Its code alone would
// leave it open whether a write has happened; write replaces the file or does nothing.
func unusable(err error) error {
	e := sdk.Errorf(sdk.Unavailable, "the tracker's file cannot be used: %v", err)
	e.Effect = sdk.EffectNone
	return e
}

func load(path string) (*data, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := &data{Done: map[string]int{}}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	return d, nil
}

// write replaces the file in one step, so that a crash leaves the old one or the new one.
func write(path string, d *data) error {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".tracker-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(append(text, '\n'))
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// number takes the next free number.
func (d *data) number() int {
	d.Next++
	return d.Next - 1
}

func (d *data) issue(number int) (*Issue, error) {
	for i := range d.Issues {
		if d.Issues[i].Number == number {
			return &d.Issues[i], nil
		}
	}
	return nil, notFound("issue", number)
}

func (d *data) pull(number int) (*pull, error) {
	for i := range d.PullRequests {
		if d.PullRequests[i].Number == number {
			return &d.PullRequests[i], nil
		}
	}
	return nil, notFound("pull request", number)
}

func notFound(kind string, number int) error {
	return sdk.Errorf(sdk.NotFound, "there is no %s #%d", kind, number)
}
