package plugin

import (
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	t.Parallel()
	type wait struct {
		delay time.Duration
		open  bool
	}
	tests := map[string]struct {
		exits []time.Duration // since the beginning
		at    time.Duration
		want  wait
	}{
		"no exit":                    {nil, 0, wait{}},
		"first exit":                 {[]time.Duration{0}, 0, wait{}},
		"second exit":                {[]time.Duration{0, 0}, 0, wait{250 * time.Millisecond, false}},
		"time passes":                {[]time.Duration{0, 0}, 100 * time.Millisecond, wait{150 * time.Millisecond, false}},
		"third exit":                 {[]time.Duration{0, 0, 0}, 0, wait{time.Second, false}},
		"fourth exit":                {[]time.Duration{0, 0, 0, 0}, 0, wait{5 * time.Second, false}},
		"fifth exit":                 {[]time.Duration{0, 0, 0, 0, 0}, 0, wait{30 * time.Second, true}},
		"fifth exit, after a while":  {[]time.Duration{0, 0, 0, 0, 0}, 29 * time.Second, wait{time.Second, true}},
		"fifth exit, after the wait": {[]time.Duration{0, 0, 0, 0, 0}, 30 * time.Second, wait{}},
		"sixth exit":                 {[]time.Duration{0, 0, 0, 0, 0, 31 * time.Second}, 31 * time.Second, wait{30 * time.Second, true}},
		"exit after a quiet minute":  {[]time.Duration{0, 0, 0, 0, 0, time.Minute}, time.Minute, wait{}},
		"exits spread over minutes":  {[]time.Duration{0, 20 * time.Second, 40 * time.Second, 60 * time.Second, 80 * time.Second}, 80 * time.Second, wait{time.Second, false}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			b := backoff{delays: restartDelays}
			for _, exit := range test.exits {
				b.exited(begin.Add(exit))
			}
			delay, open := b.wait(begin.Add(test.at))
			if got := (wait{delay, open}); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
