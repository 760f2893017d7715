package acceptance

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/codemode-go/codemode/"

// imports lists each package of the module with what it imports directly, tests not counted.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	list := map[string][]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list[strings.TrimPrefix(p.ImportPath, module)] = p.Imports
	}
}

// TestImportsPointDown holds the tree to the picture in docs/architecture.md.
func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	all := imports(t)
	// may is what a package of the module may import of the module.
	may := map[string][]string{
		"internal/nearest":          {},
		"core/program":              {"internal/nearest"},
		"core/sandbox":              {"core/program", "internal/nearest"},
		"core/sandbox/worker":       {"core/program", "core/sandbox", "core/sandbox/worker/walls"},
		"core/sandbox/worker/walls": {},
		"core/journal":              {},
		"core/journal/badger":       {"core/journal"},
		"core/journal/memory":       {"core/journal"},
		"core/schema":               {"internal/nearest"},
		"core/typescript":           {},
		"core/catalog":              {"core/typescript", "core/schema", "internal/nearest"},
		"core/policy":               {"core/catalog"},
		"core/declared":             {"core/schema", "core/typescript", "plugin/wire"},
		"core/config":               {"core/catalog", "core/declared", "core/policy", "core/schema", "internal/nearest"},
		"core/truncate":             {},
		"core/codetool":             {"core/catalog", "core/program", "core/sandbox", "core/schema", "core/typescript", "plugin/sdk", "plugin/wire"},
		"core/engine":               {"core/catalog", "core/journal", "core/policy", "core/program", "core/sandbox", "plugin/wire"},
		"core/plugin":               {"plugin/wire"},
		"plugin/wire":               {"plugin/wire/pb"},
		"plugin/sdk":                {"plugin/wire"},
	}
	for pkg, allowed := range may {
		if _, there := all[pkg]; !there {
			t.Errorf("there is no package %s", pkg)
		}
		for _, path := range all[pkg] {
			inner, ours := strings.CutPrefix(path, module)
			if ours && !slices.Contains(allowed, inner) && !strings.HasPrefix(inner, pkg+"/internal/") {
				t.Errorf("%s imports %s", pkg, inner)
			}
		}
	}
	// only is who may know a library.
	only := map[string][]string{
		"github.com/dop251/goja":         {"core/program", "core/sandbox"},
		"github.com/evanw/esbuild":       {"core/program"},
		"github.com/dgraph-io/badger/v4": {"core/journal/badger"},
		"github.com/hashicorp/hcl/v2":    {"core/config"},
		"github.com/hashicorp/go-plugin": {"core/plugin", "plugin/wire", "plugin/sdk", "plugin/sdk/sdktest"},
	}
	for pkg, list := range all {
		for _, path := range list {
			for library, users := range only {
				if (path == library || strings.HasPrefix(path, library+"/")) && !slices.Contains(users, pkg) {
					t.Errorf("%s imports %s", pkg, path)
				}
			}
		}
	}
}
