package journal

import (
	"slices"
	"testing"
)

func TestCompareSeq(t *testing.T) {
	t.Parallel()
	sorted := []string{"0", "1", "2", "4", "4.0", "4.0.12", "4.1", "4.2", "4.10", "5", "10", "10.0", "99999999999999999998", "99999999999999999999", "100000000000000000000"}
	for i, a := range sorted {
		for j, b := range sorted {
			want := 0
			switch {
			case i < j:
				want = -1
			case i > j:
				want = 1
			}
			if got := CompareSeq(a, b); got != want {
				t.Errorf("CompareSeq(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestUnder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		seq, parent string
		want        bool
	}{
		{"4.0", "4", true}, {"4.0.1", "4", true}, {"4", "4", false}, {"40.0", "4", false}, {"4", "4.0", false}, {"5.0", "4", false},
	} {
		if got := Under(test.seq, test.parent); got != test.want {
			t.Errorf("Under(%q, %q) = %v", test.seq, test.parent, got)
		}
	}
}

func FuzzSeq(f *testing.F) {
	for _, seq := range []string{"", "0", "4.10", "01", ".", "1.", "-1", "1..2", "٣"} {
		f.Add(seq, "4.2")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if CompareSeq(a, b) != -CompareSeq(b, a) {
			t.Errorf("%q and %q are ordered both ways", a, b)
		}
		if !validSeq(a) || !validSeq(b) {
			return
		}
		if (CompareSeq(a, b) == 0) != (a == b) {
			t.Errorf("%q and %q are one", a, b)
		}
		if Under(a, b) && CompareSeq(b, a) >= 0 {
			t.Errorf("%q is under %q and not behind it", a, b)
		}
		if p := parentSeq(a); p != "" && !Under(a, p) {
			t.Errorf("%q is not under its parent %q", a, p)
		}
	})
}

func TestValidSeq(t *testing.T) {
	t.Parallel()
	valid := []string{"0", "7", "10", "4.0", "4.10.2"}
	for _, seq := range append(valid, "", ".", "1.", ".1", "01", "1.02", "-1", "1..2", "a", "1 ", "٣") {
		if got := validSeq(seq); got != slices.Contains(valid, seq) {
			t.Errorf("validSeq(%q) = %v", seq, got)
		}
	}
}
