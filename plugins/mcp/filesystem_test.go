package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// TestFilesystemServer speaks to the unmodified npm server.
func TestFilesystemServer(t *testing.T) {
	t.Parallel()
	binary, err := filepath.Abs("../../acceptance/node/node_modules/.bin/mcp-server-filesystem")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Skip("@modelcontextprotocol/server-filesystem is not installed: run make node")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := mount(t, func(c *Config, log hclog.Logger) (server, error) { return launch(c, log) }, map[string]any{
		"command": binary, "args": []string{dir}, "env": map[string]string{"PATH": filepath.Dir(node) + ":/usr/bin:/bin"}, "trusted": true,
	})
	methods := map[string]*wire.Method{}
	offer, err := c.Methods(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range offer.Methods {
		methods[m.Name] = m
	}
	write, read := methods["write_file"], methods["read_text_file"]
	if write == nil || !write.RequiresApproval || write.ReadOnly || read == nil || read.RequiresApproval || !read.ReadOnly {
		t.Fatalf("write_file is %+v, read_text_file is %+v", write, read)
	}
	path := filepath.Join(dir, "note.txt")
	args := func(more map[string]any) string {
		more["path"] = path
		raw, err := json.Marshal(more)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	if _, err := invoke(t, c, "write_file", args(map[string]any{"content": "1.10"})); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "1.10" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if got, err := invoke(t, c, "read_text_file", args(map[string]any{})); err != nil || got != `{"content":"1.10"}` {
		t.Errorf("read_text_file: %s, %v", got, err)
	}
	path = "/etc/passwd"
	_, err = invoke(t, c, "read_text_file", args(map[string]any{}))
	if e := told(t, err); e.Code != sdk.Internal || !strings.Contains(e.Message, "outside allowed directories") {
		t.Errorf("got %v", e)
	}
}
