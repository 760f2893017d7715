package config_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/core/config"
)

func TestPacing(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	usual := config.Retries{Max: 2, Backoff: 200 * ms, MaxBackoff: 5000 * ms}
	for name, tc := range map[string]struct {
		blocks  string
		retries config.Retries
		rate    config.RateLimit
	}{
		"nothing said":               {retries: usual},
		"empty retries":              {blocks: "retries {\n}", retries: usual},
		"null is not given":          {blocks: "retries {\nmax = null\n}", retries: usual},
		"no retries":                 {blocks: "retries {\nmax = 0\n}", retries: config.Retries{Max: 0, Backoff: 200 * ms, MaxBackoff: 5000 * ms}},
		"a long first wait":          {blocks: "retries {\nbackoff = \"6s\"\n}", retries: config.Retries{Max: 2, Backoff: 6000 * ms, MaxBackoff: 6000 * ms}},
		"a short longest wait":       {blocks: "retries {\nmax_backoff = \"50ms\"\n}", retries: config.Retries{Max: 2, Backoff: 50 * ms, MaxBackoff: 50 * ms}},
		"all of retries":             {blocks: "retries {\nmax = 7\nbackoff = \"1ms\"\nmax_backoff = \"2ms\"\n}", retries: config.Retries{Max: 7, Backoff: ms, MaxBackoff: 2 * ms}},
		"a rate's burst, rounded up": {blocks: "rate_limit {\nper_second = 1.2\n}", retries: usual, rate: config.RateLimit{PerSecond: 1.2, Burst: 2}},
		"a slow rate":                {blocks: "rate_limit {\nper_second = 0.001\n}", retries: usual, rate: config.RateLimit{PerSecond: 0.001, Burst: 1}},
		"a rate and a burst":         {blocks: "rate_limit {\nper_second = 100\nburst = 3\n}", retries: usual, rate: config.RateLimit{PerSecond: 100, Burst: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := mustLoad(t, "connector \"x\" {\nplugin = \"x\"\n"+tc.blocks+"\n}\n", config.Options{}).Connectors[0]
			if diff := cmp.Diff(tc.retries, c.Retries); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.rate, c.RateLimit); diff != "" {
				t.Error(diff)
			}
		})
	}
}
