package sdk

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImportsNothingOfTheHost: a connector must not carry the host with it.
func TestImportsNothingOfTheHost(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/codemode-go/codemode/"
	seen := false
	for pkg := range strings.Lines(string(out)) {
		pkg = strings.TrimSpace(pkg)
		seen = seen || pkg == module+"plugin/wire"
		if strings.HasPrefix(pkg, module) && !strings.HasPrefix(pkg, module+"plugin/") {
			t.Errorf("package sdk depends on %s", pkg)
		}
	}
	if !seen {
		t.Errorf("go list did not list plugin/wire:\n%s", out)
	}
}
