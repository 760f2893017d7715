package config_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"

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
	const input = `{"properties": {"repo": {"type": "string"}, "force": {"default": true}, "id": {"type": "integer"}, "labels": {},
		"deep": {"type": "object"}, "level": {"$ref": "#/$defs/level"}},
		"anyOf": [{"properties": {"either": {}}}, {"properties": {"or": {}}}], "$defs": {"level": {"default": 3}}}`
	for name, tc := range map[string]struct {
		when, args string
		holds      bool
		err        string // a part of it
	}{
		"an argument":               {when: `args.repo == "production"`, args: `{"repo": "production"}`, holds: true},
		"another argument":          {when: `args.repo == "production"`, args: `{"repo": "test"}`},
		"a missing one is null":     {when: `args.repo == null`, args: `{}`, holds: true},
		"a default counts":          {when: `args.force`, args: `{}`, holds: true},
		"a given value beats it":    {when: `args.force`, args: `{"force": false}`},
		"an unknown argument":       {when: `args.nothing == null`, args: `{}`, err: "unsupported attribute"},
		"behind can":                {when: `can(args.nothing)`, args: `{}`},
		"the caller":                {when: `caller == local.bot`, args: `{}`, holds: true},
		"the method":                {when: `startswith(method, "add_")`, args: `{}`, holds: true},
		"a label":                   {when: `labels.team == "ops"`, args: `{}`, holds: true},
		"another label's value":     {when: `labels.team == "dev"`, args: `{}`},
		"a label with a default":    {when: `lookup(labels, "stage", "test") == "test" && lookup(labels, "team", "none") == "ops"`, args: `{}`, holds: true},
		"all labels":                {when: `contains([for name, value in labels : "${name}=${value}"], "team=ops")`, args: `{}`, holds: true},
		"a label by a local":        {when: `labels[local.bot] == "x"`, args: `{}`, err: "invalid index"},
		"caller, label, argument":   {when: `caller == "release-bot" && labels.team == "ops" && args.repo != "test"`, args: `{"repo": "x"}`, holds: true},
		"missing in an alternative": {when: `args.either == null && args.or == null`, args: `{}`, holds: true},
		"missing below":             {when: `args.deep.x == null`, args: `{"deep": {}}`, err: "unsupported attribute"},
		"missing below, with try":   {when: `try(args.deep.x, null) == null`, args: `{"deep": {}}`, holds: true},
		"a default by reference":    {when: `args.level == 3`, args: `{}`, holds: true},
		"null is a given value":     {when: `args.level == null`, args: `{"level": null}`, holds: true},
		"a missing label is null":   {when: `labels.stage == null && labels["other stage"] == null`, args: `{}`, holds: true},
		"a variable":                {when: `contains(var.protected, args.repo)`, args: `{"repo": "billing"}`, holds: true},
		"a sensitive variable":      {when: `args.repo != var.password`, args: `{"repo": "billing"}`, holds: true},
		"lists":                     {when: `length([for l in args.labels : l if l == "deploy"]) > 0`, args: `{"labels": ["a", "deploy"]}`, holds: true},
		"numbers keep precision":    {when: `args.id == 9007199254740993`, args: `{"id": 9007199254740992}`},
		"a bigint is a number":      {when: `args.id > 9007199254740993`, args: `{"id": {"$bigint": "9007199254740994"}}`, holds: true},
		"bytes are a string":        {when: `args.repo == "AAEC"`, args: `{"repo": {"$bytes": "AAEC"}}`, holds: true},
		"the result is no boolean":  {when: `args.repo`, args: `{"repo": "true"}`, err: "no boolean"},
		"the result is null":        {when: `args.repo`, args: `{}`, err: "no boolean"},
		"a failing function":        {when: `tonumber(args.repo) > 1`, args: `{"repo": "planted-s3cr3t"}`, err: "invalid function argument"},
		"no object":                 {when: `args.repo == null`, args: `[]`, err: "got array, want object"},
		"no JSON":                   {when: `args.repo == null`, args: `{"repo": planted-s3cr3t}`, err: "not valid JSON"},
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

// A rule on caller and labels, as policy sees it.
func TestRulesOnCallerAndLabels(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, `
		connector "github" {
		  plugin = "github"
		  rule {
		    when   = caller == "release-bot" && labels.stage == "production"
		    effect = "allow"
		  }
		  rule {
		    when   = labels.stage == "production" || caller == null
		    effect = "approve"
		  }
		  rule {
		    when   = startswith(caller, "guest-")
		    effect = "deny"
		    reason = "Guests only look."
		  }
		}`, config.Options{})
	p := policy.New(c.Policy(), nil)
	for name, tc := range map[string]struct {
		caller string
		labels map[string]string
		want   policy.Effect
	}{
		"the bot in production":    {"release-bot", map[string]string{"stage": "production"}, policy.Allow},
		"a person in production":   {"ann", map[string]string{"stage": "production", "team": "ops"}, policy.Approve},
		"a guest in production":    {"guest-1", map[string]string{"stage": "production"}, policy.Approve},
		"a guest":                  {"guest-1", map[string]string{"stage": "test"}, policy.Deny},
		"a guest without labels":   {"guest-1", nil, policy.Deny},
		"nobody, without labels":   {"", nil, policy.Allow},
		"a label of another name":  {"ann", map[string]string{"Stage": "production"}, policy.Allow},
		"the bot, another label":   {"release-bot", map[string]string{"stage": "test"}, policy.Allow},
		"labels beside the tested": {"guest-2", map[string]string{"team": "production"}, policy.Deny},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := p.Judge(policy.Call{Connector: "github", Method: &catalog.Method{Name: "merge"}, Args: []byte(`{}`), Caller: tc.caller, Labels: tc.labels})
			if v.Effect != tc.want {
				t.Errorf("got %+v", v)
			}
		})
	}
}

// What cannot be evaluated is logged with everything by which it can be found, and with nothing that it looked at.
func TestLogOfAConditionShowsNoValue(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{
		`tonumber(args.repo) > 1`, `args[args.repo] == 1`, `jsondecode(args.repo).x`, `args.repo`, `args.repo > 5`,
		`labels[args.repo] == "x"`, `{ a = 1 }[args.repo] == 1`, `args.repo.x`, `args.repo && true`, `element([], args.repo) == 1`, `tonumber("${var.password}${caller}") > args.id`,
		`substr(args.repo, 0, args.repo) == ""`, `format("%d", args.repo) == ""`, `{ (args.repo) = 1, b = args.none }.b == 1`, `tobool(args.repo)`, `args.repo ? true : false`,
	} {
		c := mustLoad(t, `
			variable "password" {
			  sensitive = true
			}
			connector "github" {
			  plugin = "github"
			  rule {
			    effect = "deny"
			    when   = caller == "bot" ? `+expression+` : false
			  }
			}`, optionsOf("var password="+planted))
		var out bytes.Buffer
		p := policy.New(c.Policy(), hclog.New(&hclog.LoggerOptions{Output: &out, Level: hclog.Trace}))
		v := p.Judge(policy.Call{
			Connector: "github", Method: &catalog.Method{Name: "add_labels"}, Args: []byte(`{"repo": "` + planted + `", "id": 7}`),
			Caller: "bot", Labels: map[string]string{"team": planted},
		})
		if v.Effect != policy.Deny {
			t.Errorf("%s: got %s", expression, v.Effect)
		}
		for _, want := range []string{"connector=github", "method=add_labels", "rule 1 at codemode.hcl:7", "evaluate when at codemode.hcl:9"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: the log lacks %q: %s", expression, want, out.String())
			}
		}
		if strings.Contains(out.String(), planted) {
			t.Errorf("%s: the log shows a value: %s", expression, out.String())
		}
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
