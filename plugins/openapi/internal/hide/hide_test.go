package hide_test

import (
	"testing"

	"github.com/codemode-go/codemode/plugins/openapi/internal/hide"
)

func TestText(t *testing.T) {
	t.Parallel()
	secrets := []string{"", "1", "token-1", "token-1-longer", `qu"ote<d`, "user:password"}
	tests := map[string]struct{ text, want string }{
		"nothing":       {"all is well", "all is well"},
		"as it is":      {"Bearer token-1.", "Bearer [hidden]."},
		"the longer":    {"token-1-longer", "[hidden]"},
		"in JSON":       {`{"a":"qu\"ote\u003cd"}`, `{"a":"[hidden]"}`},
		"in base64":     {"Basic dXNlcjpwYXNzd29yZA==", "Basic [hidden]"},
		"too short":     {"1 of 11", "1 of 11"},
		"a part of one": {"token", "token"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := string(hide.Text([]byte(test.text), secrets)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
