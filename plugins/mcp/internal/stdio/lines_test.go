package stdio

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLines(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		writes []string
		want   []string
	}{
		"one":         {[]string{"a\n"}, []string{"a"}},
		"in pieces":   {[]string{"a", "b\nc", "\n"}, []string{"ab", "c"}},
		"blank":       {[]string{"\n \r\na\r\n"}, []string{"a"}},
		"without end": {[]string{"a\nb"}, []string{"a", "b"}},
		"long":        {[]string{strings.Repeat("x", 12) + "\nb\n"}, []string{"xxxxxxxx", "b"}},
		"exact":       {[]string{"12345678\nb\n"}, []string{"12345678", "b"}},
		"long pieces": {[]string{"12345", "67890", "x\nb\n"}, []string{"12345678", "b"}},
		"nothing":     {nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			w := &lineWriter{limit: 8, emit: func(line string) { got = append(got, line) }}
			for _, text := range test.writes {
				if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
					t.Errorf("Write = %d, %v", n, err)
				}
			}
			w.flush()
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
