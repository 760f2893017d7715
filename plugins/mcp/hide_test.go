package main

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/sdk"
)

func TestHide(t *testing.T) {
	t.Parallel()
	c := &Config{
		Env: map[string]string{"PATH": "/usr/bin", "SHORT": "abc", "A": "token", "B": "token-longer", "NONE": ""},
		Secrets: map[string]string{
			"PIN": "7", "QUOTED": `a"b\c"`, "FILE": " padded\n", "TAG": "<&>", "KEY": "BEGIN\nMIIE\n}\nEND KEY\n", "NONE": "", "BLANK": " \n",
		},
	}
	tests := map[string]struct{ said, printed, erred string }{
		"nothing":      {"all is well", "all is well", "all is well"},
		"path":         {"/usr/bin/x", "/usr/bin/x", "/usr/bin/x"},
		"short":        {"abc", "abc", "abc"},
		"env":          {"token token-longer", "[hidden] [hidden]", "token token-longer"},
		"short secret": {"pin 7", "pin [hidden]", "pin [hidden]"},
		"quotes":       {`a"b\c".`, "[hidden].", "[hidden]."},
		"in JSON":      {`{"t":"a\"b\\c\""}`, `{"t":"[hidden]"}`, `{"t":"[hidden]"}`},
		"in HTML":      {`"\u003c\u0026\u003e <&>"`, `"[hidden] [hidden]"`, `"[hidden] [hidden]"`},
		"from a file":  {"<padded>", "<[hidden]>", "<[hidden]>"},
		"a whole key":  {"BEGIN\nMIIE\n}\nEND KEY", "[hidden]", "[hidden]"},
		"a key's line": {"  MIIE", "  [hidden]", "  [hidden]"},
		"a brace":      {"}", "}", "}"},
		"key in JSON":  {`"BEGIN\nMIIE\n}\nEND KEY\n"`, `"[hidden]\n"`, `"[hidden]\n"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.printHider().text(test.said); got != test.printed {
				t.Errorf("printed: got %q, want %q", got, test.printed)
			}
			if got := c.secretsHider().text(test.said); got != test.erred {
				t.Errorf("in an error: got %q, want %q", got, test.erred)
			}
		})
	}
}

// TestHideInErrors: what is no secret stays as it was, and the caller's error is not touched.
func TestHideInErrors(t *testing.T) {
	t.Parallel()
	hide := (&Config{Secrets: map[string]string{"A": "s/t", "PIN": "7350"}}).secretsHider()
	tests := map[string]struct{ details, want string }{
		"none":           {``, ``},
		"harmless":       {`{"b": 1.0, "a": "<x>"}`, `{"b": 1.0, "a": "<x>"}`},
		"plain":          {`{"a":"s/t"}`, ``},
		"escaped":        {`{"a":"\u0073\/t"}`, ``},
		"in a list":      {`[1,["x s/t"]]`, ``},
		"a name":         {`{"s/t":1}`, ``},
		"a number":       {`{"n":7350}`, ``},
		"another number": {`{"n":7.350}`, `{"n":7.350}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := &sdk.Error{Code: sdk.Conflict, Message: "no s/t", Retryable: true, Effect: sdk.EffectUnknown}
			want := &sdk.Error{Code: sdk.Conflict, Message: "no [hidden]", Retryable: true, Effect: sdk.EffectUnknown}
			if test.details != "" {
				given.Details = json.RawMessage(test.details)
			}
			if test.want != "" {
				want.Details = json.RawMessage(test.want)
			}
			if diff := cmp.Diff(error(want), hide.err(given)); diff != "" {
				t.Error(diff)
			}
			if given.Message != "no s/t" || string(given.Details) != test.details {
				t.Errorf("the original is now %+v", given)
			}
		})
	}
	if err := hide.err(nil); err != nil {
		t.Errorf("no error became %v", err)
	}
	if err := hide.err(context.Canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancellation became %v", err)
	}
}
