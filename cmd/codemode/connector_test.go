package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// connectorEnv makes the test binary a connector.
const connectorEnv = "CODEMODE_TEST_CONNECTOR"

// board is a connector that keeps notes as files of a folder.
type board struct {
	folder string
	posted chan struct{}
}

type (
	boardConfig struct {
		Folder string `json:"folder"`
	}
	note struct {
		Text string `json:"text"`
	}
	posted struct {
		File string `json:"file"`
	}
	none struct{}
)

func serveConnector() {
	b := &board{posted: make(chan struct{}, 100)}
	dashed := sdk.RawMethod{Name: "list-notes", Description: "List otherwise.", ReadOnly: true,
		Call: func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }}
	sdk.Serve(&sdk.Connector{
		Name: "board", Version: "1.0.0", Configure: sdk.Config(b.configure),
		Methods: []sdk.Method{
			sdk.Func[note, posted]{
				Name: "post", Description: "Post a note.", Approval: sdk.Required, Call: b.post, Revert: b.remove,
				Preview: func(_ context.Context, in note) (string, error) { return "Posts " + in.Text, nil },
			},
			sdk.Func[none, []string]{Name: "list_notes", Description: "List the notes.", ReadOnly: true, Call: b.list},
			sdk.Func[none, none]{Name: "await_post", Description: "Wait until a note is posted.", ReadOnly: true, Call: b.wait},
			dashed,
		},
	})
}

func (b *board) configure(_ context.Context, c boardConfig) error {
	b.folder = c.Folder
	return nil
}

func (b *board) post(_ context.Context, in note) (posted, error) {
	f, err := os.CreateTemp(b.folder, "note")
	if err != nil {
		return posted{}, err
	}
	if _, err := f.WriteString(in.Text); err != nil {
		return posted{}, err
	}
	b.posted <- struct{}{}
	return posted{File: f.Name()}, f.Close()
}

func (b *board) remove(_ context.Context, _ note, out posted) error { return os.Remove(out.File) }

func (b *board) list(context.Context, none) ([]string, error) {
	entries, err := os.ReadDir(b.folder)
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

func (b *board) wait(ctx context.Context, _ none) (none, error) {
	select {
	case <-b.posted:
		return none{}, nil
	case <-ctx.Done():
		return none{}, ctx.Err()
	}
}

// boardConfiguration writes a configuration with a board, and returns its path and the folder of the notes.
func boardConfiguration(t *testing.T, more string) (config, notes string) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	notes = filepath.Join(dir, "notes")
	if err := os.Mkdir(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, dir, "codemode.hcl", fmt.Sprintf(`
connector "board" {
  plugin = %q
  env    = { %s = "1" }
  config {
    folder = %q
  }
  %s
}
`, binary, connectorEnv, notes, more)), notes
}

func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
