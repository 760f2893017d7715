package main

import (
	"net/http"
	"testing"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/sdk/sdktest"
)

// TestConformance holds the connector to what a host relies on.
func TestConformance(t *testing.T) {
	t.Parallel()
	type args = map[string]any
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/items/99":
			reply(w, http.StatusNotFound, `{"message":"There is no item 99."}`)
		case r.URL.Path == "/items" && r.Method == http.MethodGet:
			reply(w, http.StatusOK, `[{"id":1,"name":"Pen"}]`)
		case r.Method == http.MethodDelete, r.Method == http.MethodPut, r.URL.Path == "/items/newest", r.URL.Path == "/secret":
			w.WriteHeader(http.StatusNoContent)
		default:
			reply(w, http.StatusOK, `{"id":1,"name":"Pen"}`)
		}
	})
	spec := writeSpec(t, shop)
	sdktest.Run(t, func(t *testing.T) sdktest.World {
		return sdktest.World{Connector: New(), Config: args{
			"spec": spec, "base_url": s.URL,
			"credentials": args{"token": args{"token": "bearer-secret"}, "key": args{"token": "query-secret"}},
		}}
	}, sdktest.Options{
		HostChecks: true,
		Secrets:    []string{"bearer-secret", "query-secret"},
		Untried:    []string{"items/picture"},
		Refused:    []any{args{}, args{"spec": spec}, args{"spec": spec, "base_url": "nowhere"}},
		Calls: []sdktest.Call{
			{Method: "items/list", Args: args{"tag": []string{"new"}}},
			{Method: "items/get", Args: args{"id": 1}},
			{Method: "items/get", Args: args{"id": 99}, Fails: sdk.NotFound},
			{Method: "items/newest"},
			{Method: "secret"},
			{Method: "items/create", Args: args{"body": args{"name": "Pen"}}},
			{Method: "items/replace", Args: args{"id": 1, "body": args{"name": "Pen"}}},
			{Method: "items/delete", Args: args{"id": 1}},
		},
	})
}
