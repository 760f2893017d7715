package config

import (
	"fmt"
	"math"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// The rates that can be set: a wait of a quarter of an hour between two calls is
// slower than any service wants, and no host is faster than a million a second.
const (
	slowestRate = 0.001
	fastestRate = 1e6
)

// The waits between retries where the block does not say otherwise.
const (
	firstBackoff   = 200 * time.Millisecond
	longestBackoff = 5 * time.Second
)

// retries reads the retries block of a connector; nil is an absent one. Where
// one of the two waits is given, the default of the other follows it.
func (l *loader) retries(block *hcl.Block) Retries {
	r := Retries{Max: 2}
	if block != nil {
		l.decode(block, []attribute{
			countOrNone("max", &r.Max), duration("backoff", &r.Backoff), duration("max_backoff", &r.MaxBackoff),
		})
	}
	if r.MaxBackoff == 0 {
		r.MaxBackoff = max(longestBackoff, r.Backoff)
	}
	if r.Backoff == 0 {
		r.Backoff = min(firstBackoff, r.MaxBackoff)
	}
	if r.MaxBackoff < r.Backoff {
		l.fail(block.DefRange, "Invalid retries", fmt.Sprintf("max_backoff (%s) must not be below backoff (%s).", r.MaxBackoff, r.Backoff))
	}
	return r
}

// rateLimit reads the rate_limit block of a connector; nil is an absent one.
func (l *loader) rateLimit(block *hcl.Block) RateLimit {
	r := RateLimit{}
	if block == nil {
		return r
	}
	l.decode(block, []attribute{rate("per_second", &r.PerSecond), count("burst", &r.Burst)})
	if r.Burst == 0 {
		r.Burst = int(math.Ceil(r.PerSecond))
	}
	return r
}

// rate reads a number of calls a second.
func rate(name string, to *float64) attribute {
	return attribute{name: name, required: true, kind: cty.Number, take: func(v cty.Value) error {
		n, _ := v.AsBigFloat().Float64()
		if n < slowestRate || n > fastestRate {
			return fmt.Errorf("it must be from %g to %.0f calls a second", slowestRate, fastestRate)
		}
		*to = n
		return nil
	}}
}
