// Package docs_test holds the pages in this folder to the tree.
package docs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// root is the folder that the pages' paths start from.
const root = ".."

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// path matches what a page names as a path: a folder of the tree's top level, and what follows.
var path = regexp.MustCompile("(?m)(?:^|[`(\\s])((?:acceptance|cmd|control|core|docs|examples|internal|mcpserver|plugin|plugins)/[\\w./-]*)")

func TestPathsExist(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"architecture.md", "durability.md", "parity.md", "mutations.md"} {
		found := path.FindAllStringSubmatch(read(t, page), -1)
		if len(found) < 10 {
			t.Errorf("%s names %d paths: are they still found?", page, len(found))
		}
		for _, m := range found {
			if _, err := os.Stat(filepath.Join(root, m[1])); errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
	}
}

// row is a line of parity.md's tables.
type row struct {
	line   int
	number string
	stands string
	tests  []shown
}

// shown is a test that a row names, with its case, if any.
type shown struct{ file, test, subtest string }

var test = regexp.MustCompile("`([\\w./-]+_test\\.go): ((?:Test|Fuzz|Example)\\w*)(?:/([\\w/.-]+))?`")

func rows(t *testing.T) []row {
	t.Helper()
	var list []row
	for i, line := range strings.Split(read(t, "parity.md"), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| |") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 4 {
			t.Fatalf("line %d has %d cells", i+1, len(cells))
		}
		r := row{line: i + 1, number: strings.TrimSpace(cells[0]), stands: strings.TrimSpace(cells[2])}
		for _, m := range test.FindAllStringSubmatch(cells[3], -1) {
			r.tests = append(r.tests, shown{m[1], m[2], m[3]})
		}
		if rest := test.ReplaceAllString(cells[3], ""); strings.Trim(rest, " ,") != "" {
			t.Errorf("line %d: %q is no test", r.line, rest)
		}
		list = append(list, r)
	}
	return list
}

func TestEveryTestOfParityExists(t *testing.T) {
	t.Parallel()
	for _, r := range rows(t) {
		for _, s := range r.tests {
			text, err := os.ReadFile(filepath.Join(root, s.file))
			switch {
			case err != nil:
				t.Errorf("line %d: %v", r.line, err)
			case !strings.Contains(string(text), "\nfunc "+s.test+"("):
				t.Errorf("line %d: %s has no %s", r.line, s.file, s.test)
			case s.subtest != "" && !hasCase(t, filepath.Dir(filepath.Join(root, s.file)), s.subtest):
				t.Errorf("line %d: %s/%s is no golden file of %s", r.line, s.test, s.subtest, s.file)
			}
		}
	}
}

// A promise is worth the test that stands behind it.
func TestEveryTestOfDurabilityExists(t *testing.T) {
	t.Parallel()
	text := read(t, "durability.md")
	named := test.FindAllStringSubmatch(text, -1)
	if len(named) < 30 {
		t.Errorf("it names %d tests: are they still found?", len(named))
	}
	for _, m := range named {
		code, err := os.ReadFile(filepath.Join(root, m[1]))
		if err != nil || !strings.Contains(string(code), "\nfunc "+m[2]+"(") {
			t.Errorf("%s has no %s: %v", m[1], m[2], err)
		}
	}
	for line := range strings.Lines(text) {
		promise := strings.HasPrefix(line, "| ") && strings.Count(line, "|") == 3
		if promise && !test.MatchString(line) && !strings.Contains(line, "shown by") {
			t.Errorf("no test stands behind: %s", line)
		}
	}
}

// hasCase reports whether a package's golden files have a case: ARCHIVE, ARCHIVE/SECTION, or SECTION.
func hasCase(t *testing.T, dir, name string) bool {
	t.Helper()
	found := false
	err := filepath.WalkDir(filepath.Join(dir, "testdata"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		archive, err := txtar.ParseFile(path)
		if err != nil {
			return err
		}
		base := stem(filepath.Base(path))
		found = found || name == base || slices.ContainsFunc(archive.Files, func(f txtar.File) bool {
			return name == stem(f.Name) || name == base+"/"+stem(f.Name)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func stem(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// required are the lines that must be met or differ on purpose, and have a test: values, connectors, executions,
// approval, rollback, and what is better of journal and replay.
func required() (numbers []string) {
	for _, r := range [][2]int{{83, 93}, {159, 166}, {168, 169}, {192, 235}} {
		for n := r[0]; n <= r[1]; n++ {
			numbers = append(numbers, strconv.Itoa(n))
		}
	}
	for _, n := range []int{7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 25, 28, 35, 36, 37, 38, 68} {
		numbers = append(numbers, "W-"+strconv.Itoa(n))
	}
	return numbers
}

func TestRequiredLinesAreShown(t *testing.T) {
	t.Parallel()
	byNumber := map[string]row{}
	for _, r := range rows(t) {
		if other, twice := byNumber[r.number]; twice {
			t.Errorf("%s stands in lines %d and %d", r.number, other.line, r.line)
		}
		byNumber[r.number] = r
	}
	for _, n := range required() {
		r, ok := byNumber[n]
		switch {
		case !ok:
			t.Errorf("%s has no row", n)
		case len(r.tests) == 0, strings.HasPrefix(r.stands, "not yet"):
			t.Errorf("line %d: %s is not shown by any test", r.line, n)
		}
	}
}

var stands = regexp.MustCompile(`^(?:met|differs: \S|not yet: \S)`)

// Every row says how codemode stands; what is there has a test, and what is not names a capability.
func TestEveryRowStands(t *testing.T) {
	t.Parallel()
	for _, r := range rows(t) {
		if !stands.MatchString(r.stands) {
			t.Errorf("line %d: it stands %q", r.line, r.stands)
		}
		if strings.HasPrefix(r.stands, "met") && len(r.tests) == 0 {
			t.Errorf("line %d: it is met, and no test shows it", r.line)
		}
	}
}
