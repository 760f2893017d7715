package safetext

import "testing"

func TestEscape(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ in, want string }{
		"plain":              {"grüße, 漢字 😀\nnext", "grüße, 漢字 😀\nnext"},
		"escape sequence":    {"\x1b[2J", `\u001b[2J`},
		"carriage return":    {"yes\rno", `yes\u000dno`},
		"backspace":          {"a\b", `a\u0008`},
		"delete":             {"\x7f", `\u007f`},
		"C1 control":         {"\u009b31m", `\u009b31m`},
		"right to left":      {"\u202egnp", `\u202egnp`},
		"isolate":            {"\u2066x\u2069", `\u2066x\u2069`},
		"zero width":         {"a\u200bb\ufeff", `a\u200bb\ufeff`},
		"no-break space":     {"a\u00a0b", `a\u00a0b`},
		"line separator":     {"a\u2028b", `a\u2028b`},
		"tag characters":     {"\U000e0041", `\udb40\udc41`},
		"private use":        {"\ue000", `\ue000`},
		"broken UTF-8":       {"a\xff\xc3", `a\xff\xc3`},
		"replacement itself": {"\ufffd", "\ufffd"},
	} {
		if got := Escape(tc.in); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}
