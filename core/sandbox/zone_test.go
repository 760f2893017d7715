package sandbox

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

const zoned = `const d = new Date(2024, 6, 1, 12), s = new Date("2024-07-01T12:00"), t = new Date("Jul 1, 2024 12:00"), u = new Date("2024-07-01");
	d.setHours(d.getHours() + 1);
	return [+d, +s, +t, +u, d.getHours(), s.getDate(), s.getTimezoneOffset(), String(d), d.toLocaleString(), Date.parse("2024-07-01T00:00:00")]`

// TestTimeZone: a program is in UTC wherever its host is. The zone is the process's, so it takes another process.
func TestTimeZone(t *testing.T) {
	t.Parallel()
	if want := os.Getenv("SANDBOX_TEST_ZONED"); want != "" {
		if got := run(t, zoned).value(); got != want {
			t.Errorf("in %s\n got %s\nwant %s", time.Local, got, want)
		}
		return
	}
	want := `[1719838800000,1719835200000,1719835200000,1719792000000,13,1,0,"Mon Jul 01 2024 13:00:00 GMT+0000 (Coordinated Universal Time)","7/1/2024, 1:00:00 PM",1719792000000]`
	for _, zone := range []string{"UTC", "America/New_York", "Asia/Kolkata"} {
		if _, err := time.LoadLocation(zone); err != nil {
			t.Logf("the machine does not know %s", zone)
			continue
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestTimeZone$")
		cmd.Env = append(os.Environ(), "TZ="+zone, "SANDBOX_TEST_ZONED="+want)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("in %s: %v\n%s", zone, err, out)
		}
	}
}
