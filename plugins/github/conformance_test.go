package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/acceptance/mockgithub"
	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/sdk/sdktest"
)

// served is the connector for a GitHub whose listings do not lag.
func served() *sdk.Connector { return (&connector{base: http.DefaultTransport}).sdk() }

func TestMain(m *testing.M) {
	sdktest.Serve(served)
	os.Exit(m.Run())
}

// leaving are the methods whose revert leaves something closed or dismissed behind.
var leaving = map[string]bool{"create_issue": true, "create_pull_request": true, "create_review": true}

// needed are the calls without which a call of the sample has nothing to work on,
// and where it gets the commit or the gist from that it names.
var needed = map[string][]string{
	"create_issue":        {"create_label"},
	"create_pull_request": {"commit_files"},
	"commit_files":        {"create_branch"},
	"delete_branch":       {"create_branch"},
	"merge_pull_request":  {"get_pull_request"},
	"get_gist":            {"create_gist"},
	"remove_label":        {"add_labels"},
	"unlock_issue":        {"lock_issue"},
}

// conformanceCall is a call of the sample as the suite takes it.
func conformanceCall(method, args string) sdktest.Call {
	c := sdktest.Call{Method: method, Leaves: leaving[method]}
	names := needed[method]
	for _, name := range names {
		for _, s := range sample {
			if s.method == name {
				c.First = append(c.First, conformanceCall(name, s.args))
				break
			}
		}
	}
	c.ArgsFrom = func(results []json.RawMessage) any {
		known := map[string]json.RawMessage{}
		for i, result := range results {
			known[names[i]] = result
		}
		return json.RawMessage((&house{}).fill(args, known))
	}
	return c
}

// TestConformance holds the connector to what a host relies on, in process and as
// a process.
func TestConformance(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	type args = map[string]any
	const secret = "ghp_conformance"
	calls := []sdktest.Call{
		{Method: "get_issue", Args: args{"owner": "acme", "repo": "shop", "number": 99}, Fails: sdk.NotFound},
		{Method: "create_label", Args: args{"owner": "acme", "repo": "shop", "name": "Bug"}, Fails: sdk.Conflict},
		{Method: "add_labels", Args: args{"owner": "acme", "repo": "shop", "number": 1, "labels": []string{"bugg"}}, Fails: sdk.InvalidArgument},
		{Method: "merge_pull_request", Args: args{"owner": "acme", "repo": "shop", "number": 3, "head_sha": strings.Repeat("0", 40)}, Fails: sdk.Conflict},
	}
	for _, s := range sample {
		calls = append(calls, conformanceCall(s.method, s.args))
	}
	sdktest.Run(t, func(t *testing.T) sdktest.World {
		mock := mockgithub.New()
		held := &holding{Handler: mock}
		server := httptest.NewServer(held)
		t.Cleanup(server.Close)
		return sdktest.World{
			Connector: served(),
			Config:    args{"token": secret, "base_url": server.URL},
			State:     func() string { return strings.Join(mock.State(), "\n") },
			Hold:      held.hold,
		}
	}, sdktest.Options{
		Path: self, Calls: calls, Secrets: []string{secret},
		Refused: []any{
			args{}, args{"token": ""}, args{"token": secret, "app": args{"id": 1, "installation_id": 1, "private_key": secret}},
			args{"app": args{"id": 1, "installation_id": 1, "private_key": secret}},
			args{"token": secret, "base_url": "nowhere"}, args{"token": secret, "concurrency": 0.5},
		},
	})
}

// holding is a server that can keep all answers back.
type holding struct {
	http.Handler
	mu      sync.Mutex
	reached func() // nil: nothing is kept back
	release chan struct{}
}

func (h *holding) hold() (<-chan struct{}, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	reached, release := make(chan struct{}), make(chan struct{})
	h.reached, h.release = sync.OnceFunc(func() { close(reached) }), release
	return reached, sync.OnceFunc(func() { close(release) })
}

func (h *holding) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	reached, release := h.reached, h.release
	h.mu.Unlock()
	if reached != nil {
		reached()
		<-release
	}
	h.Handler.ServeHTTP(w, r)
}
