package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/config"
)

const overrides = `
connector "files" {
  plugin  = "mcp"
  timeout = "20s"
  method "read_*" {
    read_only         = true
    requires_approval = false
  }
  method "read_secret" {
    requires_approval = true
    timeout           = "5s"
  }
  method "fs/*" {
    destructive = true
    idempotent  = true
    timeout     = "7s"
  }
}
connector "other" {
  plugin = "other"
  rule {
    effect = "deny"
  }
}`

func TestApply(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, overrides, config.Options{}).Connector("files")
	for name, tc := range map[string]struct {
		method, want catalog.Method
		timeout      time.Duration
	}{
		"by the listed name": {
			catalog.Method{Name: "read_file", RequiresApproval: true},
			catalog.Method{Name: "read_file", ReadOnly: true}, 20 * time.Second},
		"the first block that sets an attribute wins": {
			catalog.Method{Name: "read_secret", RequiresApproval: true},
			catalog.Method{Name: "read_secret", ReadOnly: true}, 5 * time.Second},
		"by the raw name": {
			catalog.Method{Name: "fs_remove", Raw: "fs/remove"},
			catalog.Method{Name: "fs_remove", Raw: "fs/remove", Destructive: true, Idempotent: true}, 7 * time.Second},
		"by none": {
			catalog.Method{Name: "stat", RequiresApproval: true, Idempotent: true},
			catalog.Method{Name: "stat", RequiresApproval: true, Idempotent: true}, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.CallTimeout(&tc.method); got != tc.timeout {
				t.Errorf("got a time-out of %s", got)
			}
			c.Apply(&tc.method)
			if diff := cmp.Diff(tc.want, tc.method); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLookups(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, overrides, config.Options{})
	if c.Connector("none") != nil {
		t.Error("there is no such connector")
	}
	if got := c.Connector("other").CallTimeout(&catalog.Method{}); got != 0 {
		t.Errorf("got %s, want the sandbox's own", got)
	}
	rules := c.Policy()
	if len(rules["other"]) != 1 || len(rules["files"]) != 0 {
		t.Errorf("got %v", rules)
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, `
		connector "github" {
		  plugin = "github"
		  env    = { TOKEN = "x-${env("SECRET")}", HOME = "/root" }
		  config {
		    token = env("SECRET")
		    url   = "https://example.com"
		    deep  = sensitive({ list = ["one", "two"], n = 1 })
		  }
		}`, optionsOf("")).Connectors[0]
	want := []string{"one", "two", planted, "x-" + planted}
	got := c.Secrets()
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if strings.Contains(fmt.Sprintf(verb, c), planted) {
			t.Errorf("%s shows a secret", verb)
		}
	}
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		`coalesce(null, "a")`:                    `"a"`,
		`jsondecode("[1, {}]")[0]`:               `1`,
		`jsonencode({ a = [null] })`:             `"{\"a\":[null]}"`,
		`format("%s-%03d", "a", 7)`:              `"a-007"`,
		`join(",", concat(["a"], ["b"]))`:        `"a,b"`,
		`merge({ a = 1 }, { a = 2 })`:            `{"a":2}`,
		`contains(["a"], "a")`:                   `true`,
		`length("äb") + length([1, 2])`:          `4`,
		`length({ a = 1 })`:                      `1`,
		`lower("A") == "a" && upper("a") == "A"`: `true`,
		`trimspace(" a ")`:                       `"a"`,
		`split("/", "a/b")`:                      `["a","b"]`,
		`replace("a.b", ".", "-")`:               `"a-b"`,
		`try(jsondecode("x"), "else")`:           `"else"`,
		`can(jsondecode("x"))`:                   `false`,
		`within("/a/b", "/a") && within("/a/../a/b/", "/a/") && within("/a", "/a") && within("/x", "/")`:                                    `true`,
		`within("/a/../b", "/a") || within("/ab", "/a") || within("a/b", "a") || within("/a/b/../../c", "/a") || within("/a\\..\\b", "/a")`: `false`,
		`startswith("abc", "ab") && !startswith("abc", "b") && endswith("abc", "bc")`:                                                       `true`,
		`[for k, v in { a = 1 } : "${k}=${v}"]`: `["a=1"]`,
		`tostring(1)`:                           `"1"`,
		`regex("[0-9]+", "a12")`:                `"12"`,
	} {
		c := mustLoad(t, "connector \"x\" {\n plugin = \"x\"\n config {\n  v = "+expression+"\n }\n}\n", config.Options{})
		if got := string(c.Connectors[0].ConfigJSON); got != `{"v":`+want+`}` {
			t.Errorf("%s: got %s", expression, got)
		}
	}
}

func TestValidateAccepts(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, "connector \"x\" {\n plugin = \"x\"\n config {\n  v = 1\n }\n}\n", config.Options{}).Connectors[0]
	if err := c.Validate([]byte(`{"properties": {"v": {"type": "integer"}}}`)); err != nil {
		t.Error(err)
	}
	if err := c.Diagnose(nil, nil); err != nil {
		t.Error(err)
	}
	err := c.Validate([]byte(`{"type": "strin"}`))
	if err == nil || !strings.Contains(err.Error(), `configuration schema of connector "x"`) {
		t.Errorf("got %v, want a word on whose schema is broken", err)
	}
	guest := mustLoad(t, "connector \"x\" {\n plugin = \"x\"\n}\n", config.Options{Guest: true}).Connectors[0]
	if err := guest.Validate([]byte(`{"required": ["token"]}`)); err != nil {
		t.Error(err)
	}
}
