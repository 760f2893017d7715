package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
)

// filesystemServer is the unmodified MCP server from npm.
func filesystemServer(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the npm package @modelcontextprotocol/server-filesystem is not installed (make node): %v", err)
	}
	return path
}

// A program lists, reads, filters and writes a file behind an approval; its host is killed while it waits; another
// process approves, and the file is written once.
func TestFilesystemServerSurvivesAKill(t *testing.T) {
	t.Parallel()
	server := filesystemServer(t)
	files := t.TempDir()
	for name, text := range map[string]string{"a.txt": "apple pie", "b.txt": "banana", "c.txt": "apple juice", "d.md": "apple"} {
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := newSite(t, fmt.Sprintf(`
connector "files" {
  plugin = %q
  config {
    command = "node"
    args    = [%q, %q]
    env     = { PATH = env("PATH") }
    trusted = true
  }
}
`, filepath.Join(bin, "codemode-connector-mcp"), server, files))
	s.write("program.js", fmt.Sprintf(`
const dir = %q;
const { content: listing } = await files.list_directory({ path: dir });
const names = listing.split("\n").filter((l) => l.endsWith(".txt")).map((l) => l.replace("[FILE] ", ""));
const read = await Promise.all(names.map(async (n) => [n, (await files.read_text_file({ path: dir + "/" + n })).content]));
const apples = read.filter(([, text]) => text.includes("apple")).map(([n]) => n);
await files.write_file({ path: dir + "/apples.txt", content: apples.join("\n") + "\n" });
return apples;
`, files))

	// The host is killed as soon as it has told of the pause, before it can end by itself.
	run := s.command(t.Context(), "run", "program.js", "--json")
	stdout, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	run.Stderr = &stderr
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	var paused core.Outcome
	if err := json.NewDecoder(stdout).Decode(&paused); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait() // it reports the kill
	if paused.Status != "paused" || len(paused.Pending) != 1 || paused.Pending[0].Method != "write_file" {
		t.Fatalf("%+v\n%s", paused, stderr.String())
	}
	written := filepath.Join(files, "apples.txt")
	if _, err := os.Stat(written); err == nil {
		t.Fatal("the file was written before anybody allowed it")
	}
	// What changes meanwhile does not show: the reads are in the journal.
	if err := os.Remove(filepath.Join(files, "a.txt")); err != nil {
		t.Fatal(err)
	}
	done := s.outcome(0, "approve", paused.ExecutionID, "--all")
	if got := compact(t, done.Result); done.Status != "completed" || got != `["a.txt","c.txt"]` {
		t.Fatalf("%s %s %s", done.Status, got, done.Error)
	}
	text, err := os.ReadFile(written)
	if err != nil || string(text) != "a.txt\nc.txt\n" {
		t.Fatalf("%q, %v", text, err)
	}
	if err := os.WriteFile(written, []byte("edited"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := s.want(4, "approve", paused.ExecutionID, "--all")
	if text, err := os.ReadFile(written); err != nil || string(text) != "edited" {
		t.Fatalf("approving again wrote again: %q, %v", text, err)
	}
	if !strings.Contains(again.stdout+again.stderr, "completed") {
		t.Errorf("the second approval says %q", again.stdout+again.stderr)
	}
}
