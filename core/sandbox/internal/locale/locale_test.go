package locale

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The formats themselves are held to Node.js by core/sandbox: TestLikeNode.

func TestRound(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string][]string{
		"ceil": {"2", "-1", "2", "1"}, "floor": {"1", "-2", "1", "0"}, "trunc": {"1", "-1", "1", "0"}, "expand": {"2", "-2", "2", "1"},
		"halfExpand": {"2", "-2", "1", "1"}, "halfTrunc": {"1", "-1", "1", "0"}, "halfEven": {"2", "-2", "1", "0"},
		"halfCeil": {"2", "-1", "1", "1"}, "halfFloor": {"1", "-2", "1", "0"},
	} {
		for i, text := range []string{"1.5", "-1.5", "1.25", "0.5"} {
			whole, _ := parseDecimal(text).round(0, mode).split()
			if strings.HasPrefix(text, "-") {
				whole = "-" + whole
			}
			if whole != want[i] {
				t.Errorf("%s %s: got %s, want %s", mode, text, whole, want[i])
			}
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for want, tags := range map[string][]string{
		"en-US": nil, "en-GB": {"xx", "en-GB"}, "de-DE": {"de"}, "sv-SE": {"sv-SE-u-nu-latn"},
	} {
		if l, err := Find(tags); err != nil || l.Tag != want {
			t.Errorf("%v: got %v, %v", tags, l, err)
		}
	}
	if _, err := Find([]string{"xx-YY"}); err == nil || !strings.Contains(err.Error(), "xx-YY") {
		t.Errorf("got %v", err)
	}
}

func TestZone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Local", "Mars/Base", "../etc/passwd", "+99:99", "EST5"} {
		if z, err := zone(name); err == nil {
			t.Errorf("%s is %s", name, z)
		}
	}
	at := time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{"": "12", "utc": "12", "+05:30": "17", "Asia/Tokyo": "21"} {
		if z, err := zone(name); err != nil || at.In(z).Format("15") != want {
			t.Errorf("%q: got %v, %v", name, z, err)
		}
	}
}

// FuzzNumber holds that what is written is the number, rounded.
func FuzzNumber(f *testing.F) {
	f.Add(1234.5678, 2)
	f.Add(-0.005, 2)
	f.Add(9.999999e20, 0)
	f.Add(5e-324, 10)
	f.Fuzz(func(t *testing.T, x float64, digits int) {
		if math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) > 1e15 || digits < 0 || digits > 20 {
			t.Skip()
		}
		l, _ := Find(nil)
		n, err := l.NumberFormat(Number{Grouping: "false", MinFraction: digits, MaxFraction: digits, MinSignificant: -1, MaxSignificant: -1})
		if err != nil {
			t.Fatal(err)
		}
		text := Join(n.Format(strconv.FormatFloat(x, 'g', -1, 64)))
		got, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%v is written %q", x, text)
		}
		half := math.Pow10(-digits)/2*(1+1e-9) + math.Abs(x)*1e-15
		if math.Abs(got-x) > half {
			t.Errorf("%v with %d digits is written %q", x, digits, text)
		}
		if _, fraction, _ := strings.Cut(text, "."); len(fraction) != digits {
			t.Errorf("%v with %d digits is written %q", x, digits, text)
		}
	})
}
