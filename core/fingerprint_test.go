package core_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// safeConfig has credentials by name, as the mcp connector has.
type safeConfig struct {
	URL     string            `json:"url"`
	Secrets map[string]string `json:"secrets,omitempty" jsonschema_extras:"writeOnly=true"`
}

// safe is a connector with credentials and one method, which needs approval.
func safe() *sdk.Connector {
	return &sdk.Connector{
		Name: "safe", Version: "1",
		Configure: sdk.Config(func(context.Context, safeConfig) error { return nil }),
		Methods: []sdk.Method{sdk.Func[struct{}, string]{
			Name: "open", Description: "Open it.", Approval: sdk.Required,
			Call: func(context.Context, struct{}) (string, error) { return "open", nil },
		}},
	}
}

// An approval outlives a rotated credential. It does not outlive another address, nor a credential more or less.
func TestApprovalsOutliveRotatedCredentials(t *testing.T) {
	t.Parallel()
	const before = `{"url": "https://a", "secrets": {"TOKEN": "old"}}`
	tests := map[string]struct {
		after string
		want  []string
	}{
		"nothing":         {before, []string{"completed", `"open"`}},
		"a new value":     {`{"url": "https://a", "secrets": {"TOKEN": "new"}}`, []string{"completed", `"open"`}},
		"another address": {`{"url": "https://b", "secrets": {"TOKEN": "old"}}`, []string{"paused", "0"}},
		"another name":    {`{"url": "https://a", "secrets": {"KEY": "old"}}`, []string{"paused", "0"}},
		"one more":        {`{"url": "https://a", "secrets": {"TOKEN": "old", "LD_PRELOAD": "x"}}`, []string{"paused", "0"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := before
			w := newWorld(t, newItems(), func(o *core.Options) {
				o.Connectors = []core.Connector{{Label: "safe", Connector: mounted(t, safe()), Config: json.RawMessage(config)}}
			})
			out := w.run(`return await safe.open()`)
			w.is(out, "paused", "0")
			w.stop()
			config = test.after
			w.start()
			w.is(w.approve(out.ExecutionID), test.want...)
		})
	}
}
