package plugin

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestEndFormer: what a connector has started outlives a host's kill -9, and is ended by the next host.
func TestEndFormer(t *testing.T) {
	t.Parallel()
	life := newLifelines(t)
	notes := filepath.Join(t.TempDir(), "notes")
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "as", "host", "connector", "descend")
	cmd.Env = []string{lifelineVar + "=" + life.path, "TMPDIR=" + filepath.Dir(life.path), notesVar + "=" + notes}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	connector, descendant := life.next(t), life.next(t)
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the host said %q, %v", line, err)
	}
	stopProcess(t, cmd.Process.Pid)
	awaitDeath(t, connector)
	if err := cmd.Wait(); err == nil {
		t.Error("the host was not killed")
	}
	left, err := os.ReadDir(notes)
	if err != nil || len(left) != 1 {
		t.Fatalf("notes: %v, %v", left, err)
	}
	if pids, err := marked(mark(content(t, filepath.Join(notes, left[0].Name())))); err != nil || len(pids) != 1 {
		t.Fatalf("the descendant is gone, or not to be found: %v, %v", pids, err)
	}
	if err := EndFormer(context.Background(), notes); err != nil {
		t.Fatal(err)
	}
	awaitDeath(t, descendant)
	if left, err := os.ReadDir(notes); err != nil || len(left) != 0 {
		t.Errorf("notes: %v, %v", left, err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestNotes: a launch is noted for as long as anything of it is left.
func TestNotes(t *testing.T) {
	t.Parallel()
	if err := EndFormer(context.Background(), filepath.Join(t.TempDir(), "none")); err != nil {
		t.Errorf("without notes: %v", err)
	}
	spec := specOf(t, "connector")
	spec.Notes = filepath.Join(t.TempDir(), "notes")
	s := supervise(t, spec)
	mustInvoke(t, s, "echo", "")
	left, err := os.ReadDir(spec.Notes)
	if err != nil || len(left) != 1 {
		t.Fatalf("while it runs: %v, %v", left, err)
	}
	s.Close(context.Background())
	if left, err := os.ReadDir(spec.Notes); err != nil || len(left) != 0 {
		t.Errorf("after it: %v, %v", left, err)
	}
}
