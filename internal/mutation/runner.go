package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// testTime bounds the tests that are run against one mutation: a mutation may also be noticed by what never ends.
const testTime = time.Minute

// runner builds and runs tests against mutated code.
type runner struct {
	root string // of the module
	dir  string // for what is built
}

func newRunner(root string) (*runner, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mutation-")
	if err != nil {
		return nil, err
	}
	return &runner{root: root, dir: dir}, nil
}

func (r *runner) close() { _ = os.RemoveAll(r.dir) }

// place is a test's package, as a folder from the module's root, and its name.
func (m Mutation) place() (dir, test string) {
	file, test, _ := strings.Cut(m.Test, ": ")
	return path.Dir(file), test
}

// mutated returns the file's text with the mutation in it.
func (m Mutation) mutated(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(text, []byte(m.Old)); n != 1 {
		return nil, fmt.Errorf("the text to replace stands in %s %d times, not once", m.File, n)
	}
	return bytes.Replace(text, []byte(m.Old), []byte(m.New), 1), nil
}

// baseline checks that the tests of these mutations pass as the code is: else their failing says nothing.
func (r *runner) baseline(ctx context.Context, list []Mutation) error {
	tests := map[string][]string{}
	for _, m := range list {
		dir, test := m.place()
		if !slices.Contains(tests[dir], test) {
			tests[dir] = append(tests[dir], test)
		}
	}
	for dir, names := range tests {
		bin, err := r.build(ctx, dir, "")
		if err != nil {
			return err
		}
		failed, out, err := r.run(ctx, bin, dir, "^("+strings.Join(names, "|")+")$")
		if err != nil {
			return err
		}
		if len(failed) > 0 {
			return fmt.Errorf("%s fails without any mutation: %s\n%s", dir, strings.Join(failed, ", "), out)
		}
	}
	return nil
}

// mutant says which tests notice a mutation, and whether any does: its own test, or, in a survey, all of its package
// and of those that rest on it.
func (r *runner) mutant(ctx context.Context, m Mutation, survey bool) (said string, killed bool) {
	by, err := r.noticed(ctx, m, survey)
	switch {
	case err != nil:
		return "NOT TRIED: " + err.Error(), false
	case len(by) == 0:
		return "SURVIVED: no test notices what it breaks", false
	}
	return "killed by " + strings.Join(by, ", "), true
}

func (r *runner) noticed(ctx context.Context, m Mutation, survey bool) (by []string, err error) {
	overlay, err := r.overlay(m)
	if err != nil {
		return nil, err
	}
	dir, test := m.place()
	dirs, pattern := []string{dir}, "^"+test+"$"
	if survey {
		dirs, pattern = surveyed(m.File), "."
	}
	for _, dir := range dirs {
		bin, err := r.build(ctx, dir, overlay)
		if err != nil {
			return nil, err
		}
		failed, _, err := r.run(ctx, bin, dir, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range failed {
			by = append(by, dir+": "+name)
		}
	}
	return by, nil
}

// surveyed are the packages whose tests may notice that a file is broken.
func surveyed(file string) []string {
	switch dir := path.Dir(file); dir {
	case "core/engine":
		return []string{dir, "core"} // most of the engine is tested over a whole host
	case "core/journal":
		return []string{dir, "core/journal/memory"}
	default:
		return []string{dir}
	}
}

// overlay tells the compiler to read the mutated file in place of the real one. It returns the path that tells it.
func (r *runner) overlay(m Mutation) (string, error) {
	text, err := m.mutated(r.root)
	if err != nil {
		return "", err
	}
	file := filepath.Join(r.dir, "mutated.go")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(r.root, m.File): file}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(r.dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}

// build compiles a package's tests. A mutation that does not compile shows nothing, so it is an error.
func (r *runner) build(ctx context.Context, dir, overlay string) (bin string, err error) {
	bin = filepath.Join(r.dir, "mutant.test")
	args := []string{"test", "-c", "-o", bin}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+dir)...)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the tests of %s: %w\n%s", dir, err, out)
	}
	return bin, nil
}

// failure matches the line that tells a failed test, not one of its cases; panic is what ends them all.
var failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// run runs tests and returns those that failed. A panic, and what never ends, fails the whole run.
func (r *runner) run(ctx context.Context, bin, dir, pattern string) (failed []string, out string, err error) {
	cmd := exec.CommandContext(ctx, bin, "-test.short", "-test.run="+pattern, "-test.timeout="+testTime.String())
	cmd.Dir = filepath.Join(r.root, dir)
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	for _, m := range failure.FindAllSubmatch(text, -1) {
		failed = append(failed, string(m[1]))
	}
	switch {
	case err == nil:
		return nil, string(text), nil
	case len(failed) == 0 && bytes.Contains(text, []byte("test timed out")):
		failed = []string{"no end"}
	case len(failed) == 0:
		failed = []string{"a panic"}
	}
	return failed, string(text), nil
}
