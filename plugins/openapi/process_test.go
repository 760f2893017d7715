package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/plugin"
)

// TestProcess: a program reads through a real connector process, its write
// waits for a person, and the approved request is the one that was shown.
func TestProcess(t *testing.T) {
	t.Parallel()
	var posted []string
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Method == http.MethodPost:
			posted = append(posted, string(body))
			reply(w, 201, `{"id":9,"name":"from a program"}`)
		case strings.HasSuffix(r.URL.Path, "/picture"):
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte{1, 2, 3})
		case r.URL.Path == "/items/404":
			reply(w, 404, `{"message":"no such item"}`)
		default:
			reply(w, 200, fmt.Sprintf(`[{"id":1,"name":%q}]`, r.Header.Get("Authorization")))
		}
	})
	config, err := json.Marshal(map[string]any{
		"spec": writeSpec(t, shop), "base_url": s.URL, "credentials": map[string]any{"token": map[string]any{"token": "bearer-secret"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	supervisor, err := plugin.New(plugin.Spec{
		Label: "shop", Plugin: binary, Env: map[string]string{roleVar: "1", "GORACE": "atexit_sleep_ms=0"}, Config: config,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { supervisor.Close(context.Background()) })
	host, err := core.New(t.Context(), core.Options{Connectors: []core.Connector{{Label: "shop", Connector: supervisor, Config: config}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	left, err := host.Skipped(t.Context(), "shop")
	if err != nil || left.Offered != 8 || len(left.Skipped) != 1 || left.Skipped[0].Name != "broken (GET /broken)" {
		t.Errorf("skipped: %+v, %v", left, err)
	}
	if _, err := host.Skipped(t.Context(), "none"); err == nil {
		t.Error("a connector that is not there has been asked")
	}
	outcome, err := host.Run(t.Context(), core.RunRequest{Code: `
		const [item] = await shop.items_list({ tag: ["a", "b"] });
		const picture = await shop.items_picture({ id: item.id });
		let missing;
		try { await shop.items_get({ id: 404 }); } catch (e) { missing = e.code + " " + e.message; }
		let refused;
		try { await shop.items_create({ body: { note: 1 } }); } catch (e) { refused = e.code; }
		const made = await shop.items_create({ body: { name: "from a program", note: null } });
		return { name: item.name, bytes: picture.length, missing, refused, made: made.id };
	`})
	if err != nil || outcome.Status != "paused" || len(outcome.Pending) != 1 || outcome.Pending[0].Method != "items_create" {
		t.Fatalf("got %+v, %v", outcome, err)
	}
	if len(posted) > 0 {
		t.Fatalf("posted before anybody approved: %q", posted)
	}
	outcome, err = host.Approve(t.Context(), core.ApproveRequest{ExecutionID: outcome.ExecutionID, All: true, Decider: core.Decider{By: "tester"}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"name":"Bearer [hidden]","bytes":3,"missing":"not_found HTTP 404 Not Found: no such item","refused":"invalid_argument","made":9}`
	if outcome.Status != "completed" || string(outcome.Result) != want {
		t.Errorf("got %s, want %s (%+v)", outcome.Result, want, outcome)
	}
	if len(posted) != 1 || posted[0] != `{"name":"from a program","note":null}` {
		t.Errorf("posted %q", posted)
	}
}
