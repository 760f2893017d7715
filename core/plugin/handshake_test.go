package plugin

import (
	"strings"
	"testing"
)

// FuzzHandshake: a line that is accepted holds to the terms, and accepting it
// again changes nothing. The errors of refused lines are covered with the launch.
func FuzzHandshake(f *testing.F) {
	for _, seed := range []string{"1|1|unix|/d/s|grpc|", "1|1|unix|/d/s|grpc", "1|1|unix|/d/../e|grpc|x|true", "1|2|tcp|:1|netrpc", "|||", "hello"} {
		f.Add(seed)
	}
	t := terms{versions: []int{1}, dir: "/d", hider: newHider(nil)}
	f.Fuzz(func(tt *testing.T, line string) {
		got, err := t.accept(line)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\x1b\n\x00") || len(err.Error()) > 1000 {
				tt.Errorf("an unfit error: %q", err)
			}
			return
		}
		if !strings.HasPrefix(got, "1|") || !strings.HasSuffix(got, "|grpc|") || strings.Contains(got, "\n") {
			tt.Errorf("accepted %q as %q", line, got)
		}
		if again, err := t.accept(got); again != got || err != nil {
			tt.Errorf("accepted again: %q, %v", again, err)
		}
	})
}
