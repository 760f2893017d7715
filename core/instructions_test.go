package core_test

import (
	"context"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// Instructions that a connector knows only after its configuration stand before its own, on its page, and make the
// line about it in the tool's description.
func TestInstructions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ own, offered, page, line string }{
		"both":         {"Items.\n", " The team's items. Ask first.\n\nNever twice.", "The team's items. Ask first.\n\nNever twice.\n\nItems.", ": The team's items."},
		"own only":     {"Items.", "", "Items.", ": Items."},
		"offered only": {"", "The team's items.", "The team's items.", ": The team's items."},
		"neither":      {" ", "\n", "", ": such as list"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := offering(t, test.own, test.offered)
			page, err := h.Describe(context.Background(), "shop")
			if err != nil || page.Kind != catalog.KindConnector || page.Description != test.page {
				t.Errorf("got %+v, %v, want %q", page, err, test.page)
			}
			told := h.Tool(context.Background()).Description
			if line := "- shop (1 method)" + test.line + "\n"; !strings.Contains(told, line) {
				t.Errorf("the tool's description has no %q:\n%s", line, told)
			}
		})
	}
}

// offering returns a host whose only connector has these instructions.
func offering(t *testing.T, own, offered string) *core.Host {
	t.Helper()
	c := &sdk.Connector{
		Name: "shop", Version: "1", Instructions: own,
		Methods: []sdk.Method{sdk.Func[struct{}, int]{
			Name: "list", ReadOnly: true,
			Call: func(context.Context, struct{}) (int, error) { return 0, nil },
		}},
		DynamicInstructions: func(context.Context) (string, error) { return offered, nil },
	}
	h, err := core.New(context.Background(), core.Options{Connectors: []core.Connector{{Label: "shop", Connector: mounted(t, c)}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}
