package config_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/config"
	"github.com/codemode-go/codemode/core/policy"
)

// load loads one file with these contents.
func load(t *testing.T, text string, o config.Options) (*config.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "codemode.hcl")
	write(t, path, []byte(text))
	if o.UserConfigDir == "" {
		o.UserConfigDir = "/nowhere"
	}
	return config.Load(path, o)
}

func mustLoad(t *testing.T, text string, o config.Options) *config.Config {
	t.Helper()
	c, err := load(t, text, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// when returns the condition of a rule.
func when(t *testing.T, expression string) policy.Condition {
	t.Helper()
	c := mustLoad(t, `
		variable "protected" {
		  default = ["production", "billing"]
		}
		variable "password" {
		  default   = "planted-s3cr3t"
		  sensitive = true
		}
		locals {
		  bot = "release-bot"
		}
		connector "github" {
		  plugin = "github"
		  rule {
		    effect = "deny"
		    when   = `+expression+`
		  }
		}`, config.Options{})
	return c.Connectors[0].Rules[0].When
}

func TestCondition(t *testing.T) {
	t.Parallel()
	const input = `{"properties": {"repo": {"type": "string"}, "force": {"default": true}, "id": {"type": "integer"}, "labels": {}}}`
	for name, tc := range map[string]struct {
		when, args string
		holds      bool
		err        string // a part of it
	}{
		"an argument":              {when: `args.repo == "production"`, args: `{"repo": "production"}`, holds: true},
		"another argument":         {when: `args.repo == "production"`, args: `{"repo": "test"}`},
		"a missing one is null":    {when: `args.repo == null`, args: `{}`, holds: true},
		"a default counts":         {when: `args.force`, args: `{}`, holds: true},
		"a given value beats it":   {when: `args.force`, args: `{"force": false}`},
		"an unknown argument":      {when: `args.nothing == null`, args: `{}`, err: "unsupported attribute"},
		"behind can":               {when: `can(args.nothing)`, args: `{}`},
		"the caller":               {when: `caller == local.bot`, args: `{}`, holds: true},
		"the method":               {when: `startswith(method, "add_")`, args: `{}`, holds: true},
		"a label":                  {when: `labels.team == "ops"`, args: `{}`, holds: true},
		"a missing label is null":  {when: `labels.stage == null && labels["other stage"] == null`, args: `{}`, holds: true},
		"a variable":               {when: `contains(var.protected, args.repo)`, args: `{"repo": "billing"}`, holds: true},
		"a sensitive variable":     {when: `args.repo != var.password`, args: `{"repo": "billing"}`, holds: true},
		"lists":                    {when: `length([for l in args.labels : l if l == "deploy"]) > 0`, args: `{"labels": ["a", "deploy"]}`, holds: true},
		"numbers keep precision":   {when: `args.id == 9007199254740993`, args: `{"id": 9007199254740992}`},
		"a bigint is a number":     {when: `args.id > 9007199254740993`, args: `{"id": {"$bigint": "9007199254740994"}}`, holds: true},
		"bytes are a string":       {when: `args.repo == "AAEC"`, args: `{"repo": {"$bytes": "AAEC"}}`, holds: true},
		"the result is no boolean": {when: `args.repo`, args: `{"repo": "true"}`, err: "no boolean"},
		"the result is null":       {when: `args.repo`, args: `{}`, err: "no boolean"},
		"a failing function":       {when: `tonumber(args.repo) > 1`, args: `{"repo": "planted-s3cr3t"}`, err: "invalid function argument"},
		"no object":                {when: `args.repo == null`, args: `[]`, err: "got array, want object"},
		"no JSON":                  {when: `args.repo == null`, args: `{"repo": planted-s3cr3t}`, err: "not valid JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holds, err := when(t, tc.when).Holds(policy.Call{
				Connector: "github", Caller: "release-bot", Labels: map[string]string{"team": "ops"}, Args: []byte(tc.args),
				Method: &catalog.Method{Name: "add_labels", Raw: "add-labels", InputSchema: json.RawMessage(input)},
			})
			if holds != tc.holds || (err == nil) != (tc.err == "") {
				t.Fatalf("got %v, %v", holds, err)
			}
			if err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), planted)) {
				t.Errorf("got %v, want %q in it and no value", err, tc.err)
			}
		})
	}
}

func TestConditionNeedsAReadableSchema(t *testing.T) {
	t.Parallel()
	_, err := when(t, `args.repo == null`).Holds(policy.Call{
		Method: &catalog.Method{InputSchema: json.RawMessage(`{"type": "strin"}`)}, Args: []byte(`{}`),
	})
	if err == nil || !strings.Contains(err.Error(), "codemode.hcl:16") {
		t.Errorf("got %v, want an error with the condition's place", err)
	}
}

func TestConditionIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	c := when(t, `contains(args.tags[*].name, "a") && [for x in args.tags : x][0].name == caller`)
	var wg sync.WaitGroup
	for _, caller := range []string{"a", "b", "a", "b"} {
		wg.Go(func() {
			for range 100 {
				holds, err := c.Holds(policy.Call{Caller: caller, Method: &catalog.Method{}, Args: []byte(`{"tags": [{"name": "a"}]}`)})
				if err != nil || holds != (caller == "a") {
					t.Errorf("caller %s: got %v, %v", caller, holds, err)
					return
				}
			}
		})
	}
	wg.Wait()
}
