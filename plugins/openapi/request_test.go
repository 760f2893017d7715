package main

import (
	"strings"
	"testing"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// TestRequest: the free form is off; when it is on, it is one of the operations, and guarded like the worst.
func TestRequest(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	if _, err := invoke(t, mustMount(t, s, nil), "request", `{"method":"GET","path":"/items"}`); told(t, err).Code != sdk.NotFound {
		t.Errorf("without being configured: %v", err)
	}
	c := mustMount(t, s, map[string]any{"request": true})
	m := methods(t, c)["request"]
	if m == nil || !m.RequiresApproval || m.ReadOnly || !m.Destructive || m.Idempotent {
		t.Errorf("its guard: %+v", m)
	}
	tests := map[string]struct{ args, want string }{
		"read":             {`{"method":"get","path":"/items","query":{"tag":["a","b"]}}`, "GET /items?tag=a&tag=b"},
		"write":            {`{"method":"PUT","path":"/items/a%20b","body":{"name":"x"}}`, "PUT /items/a%20b"},
		"literal first":    {`{"method":"GET","path":"/items/newest"}`, "GET /items/newest"},
		"no operation":     {`{"method":"GET","path":"/admin"}`, "no operation is GET /admin"},
		"no such method":   {`{"method":"PATCH","path":"/items"}`, "no operation is PATCH /items"},
		"climbing":         {`{"method":"GET","path":"/items/%2e%2e"}`, "must not climb"},
		"unknown query":    {`{"method":"GET","path":"/items","query":{"x":1}}`, `no query parameter "x"`},
		"unknown header":   {`{"method":"GET","path":"/items","headers":{"Authorization":"x"}}`, `no header "Authorization"`},
		"query in path":    {`{"method":"GET","path":"/items?x=1"}`, "put the query into query"},
		"another server":   {`{"method":"GET","path":"//evil.example/items"}`, "no operation is GET //evil.example/items"},
		"a skipped one":    {`{"method":"GET","path":"/broken"}`, "no operation is GET /broken"},
		"not the argument": {`{"method":1}`, "the arguments are not"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if _, err := invoke(t, c, "request", test.args); err != nil {
				got = told(t, err).Message
			} else {
				got = s.requests()
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	stands, err := c.Resolve(t.Context(), &wire.Call{Method: "request", Args: []byte(`{"method":"DELETE","path":"/items/3"}`)})
	if err != nil || stands.Method != "items/delete" || string(stands.Args) != `{"id":"3"}` {
		t.Errorf("it stands for %+v, %v", stands, err)
	}
	if _, err := c.Resolve(t.Context(), &wire.Call{Method: "request", Args: []byte(`{"method":"GET","path":"/admin"}`)}); told(t, err).Code != sdk.NotFound {
		t.Errorf("what is no operation: %v", err)
	}
	preview, err := c.Preview(t.Context(), &wire.Call{Method: "request", Args: []byte(`{"method":"DELETE","path":"/items/3"}`)})
	if err != nil || !strings.Contains(preview, `items/delete with {"id":"3"}`) {
		t.Errorf("the preview is %q, %v", preview, err)
	}
}
