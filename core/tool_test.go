package core_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
)

// An embedder names the tool and words its description; what the connectors offer is there to build on.
func TestToolInTheEmbeddersWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(), func(o *core.Options) {
		o.Tool = core.ToolOptions{Name: "office", Describe: func(standard string) string { return "Our office.\n" + standard }}
	})
	tool := w.host.Tool(context.Background())
	if tool.Name != "office" || !strings.HasPrefix(tool.Description, "Our office.\nRuns one") || !strings.Contains(tool.Description, "- items (") {
		t.Errorf("%+v", tool)
	}
	out, err := w.host.Call(context.Background(), json.RawMessage(`{}`), core.RunRequest{})
	if err != nil || !strings.Contains(out.Error, "The tool office takes") {
		t.Errorf("%+v, %v", out, err)
	}
}
