package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// TestIdle: each report of a call gives it its time anew, and what is reported of others does not.
func TestIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const idle = time.Minute
		var p progress
		params := &mcp.CallToolParams{Name: "long"}
		ctx, forget := p.follow(t.Context(), params, idle)
		defer forget()
		_, other := p.follow(t.Context(), &mcp.CallToolParams{Name: "other"}, idle)
		defer other()
		for range 10 {
			time.Sleep(idle - time.Second)
			p.heard(params.GetProgressToken(), "going on", 1, 0)
		}
		if ctx.Err() != nil {
			t.Fatalf("ended by %v", context.Cause(ctx))
		}
		time.Sleep(idle - time.Second)
		p.heard("unknown", "", 0, 0)
		p.heard(7, "", 0, 0)
		time.Sleep(time.Second)
		synctest.Wait()
		if !errors.Is(context.Cause(ctx), errIdle) {
			t.Errorf("the cause is %v", context.Cause(ctx))
		}
		p.heard(params.GetProgressToken(), "too late", 2, 0) // begins nothing anew
	})
}

// TestNoIdleLimit: without a limit a call may be silent for ever.
func TestNoIdleLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p progress
		ctx, forget := p.follow(t.Context(), &mcp.CallToolParams{}, 0)
		time.Sleep(24 * time.Hour)
		if ctx.Err() != nil {
			t.Errorf("ended by %v", context.Cause(ctx))
		}
		forget()
	})
}

// TestSilentServer: a call that is given up is cancelled at the server; a write may have happened, a read is tried again.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		readOnly bool
		effect   wire.Effect
	}{"write": {false, wire.EffectUnknown}, "read": {true, wire.EffectNone}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cancelled := make(chan struct{})
			s := mcp.NewServer(&mcp.Implementation{Name: "silent"}, nil)
			tool := &mcp.Tool{Name: "slow", InputSchema: anyObject, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: want.readOnly}}
			s.AddTool(tool, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				<-ctx.Done()
				close(cancelled)
				return nil, ctx.Err()
			})
			c := mount(t, serving(s), map[string]any{"idle_timeout": "20ms", "trusted": true})
			_, err := invoke(t, c, "slow", "{}")
			e, ok := errors.AsType[*wire.Error](err)
			if !ok || e.Code != sdk.Timeout || e.Effect != want.effect || e.Retryable != want.readOnly {
				t.Errorf("got %+v", err)
			}
			within(t, cancelled)
		})
	}
}
