package config_test

import (
	"math"
	"testing"

	"github.com/codemode-go/codemode/core/config"
)

func TestParseSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0B": 0, "7B": 7, "1KiB": 1024, "256MiB": 256 << 20, "256 MiB": 256 << 20, "2GiB": 2 << 30, "1TiB": 1 << 40,
		"1kB": 1000, "1KB": 1000, "3MB": 3_000_000, "1GB": 1_000_000_000, "2TB": 2_000_000_000_000,
		"9223372036854775807B": math.MaxInt64, "8388607TiB": 8388607 << 40,
	} {
		if got, err := config.ParseSize(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "256", "MiB", "-1MiB", "+1MiB", "1.5GiB", "1 0MiB", "1  MiB", " 1MiB", "1MiB ", "1mib", "1kiB", "0x1MiB", "1_0MiB",
		"9223372036854775808B", "8388608TiB", "99999999999999999999TiB", "1MiBMiB",
	} {
		if got, err := config.ParseSize(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	for _, text := range []string{"256MiB", "1 GB", "", "9223372036854775807TiB"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := config.ParseSize(text); n < 0 || err != nil && n != 0 {
			t.Errorf("%q: got %d, %v", text, n, err)
		}
	})
}
