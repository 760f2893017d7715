package locale

import (
	"strings"
)

// decimal is 0.d1d2d3... times ten to the power of exp. Zero has no digits.
type decimal struct {
	negative bool
	digits   string
	exp      int
}

// parseDecimal reads what String makes of a finite number or a bigint.
func parseDecimal(text string) decimal {
	var d decimal
	text, d.negative = strings.CutPrefix(text, "-")
	mantissa, exponent, _ := strings.Cut(text, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.digits, d.exp = whole+fraction, len(whole)+parseInt(exponent)
	return d.trim()
}

// parseInt reads an exponent, which the engine has written.
func parseInt(text string) int {
	text, negative := strings.CutPrefix(strings.TrimPrefix(text, "+"), "-")
	n := 0
	for _, c := range text {
		n = n*10 + int(c-'0')
	}
	if negative {
		return -n
	}
	return n
}

func (d decimal) trim() decimal {
	short := strings.TrimLeft(d.digits, "0")
	d.exp -= len(d.digits) - len(short)
	d.digits = strings.TrimRight(short, "0")
	if d.digits == "" {
		d.exp = 0
	}
	return d
}

func (d decimal) zero() bool { return d.digits == "" }

// shift multiplies by a power of ten.
func (d decimal) shift(power int) decimal {
	if !d.zero() {
		d.exp += power
	}
	return d
}

// round keeps the digits down to ten to the power of -fraction.
func (d decimal) round(fraction int, mode string) decimal {
	keep := d.exp + fraction
	if keep >= len(d.digits) {
		return d
	}
	kept, rest := "", strings.Repeat("0", max(0, -keep))+d.digits
	if keep > 0 {
		kept, rest = d.digits[:keep], d.digits[keep:]
	}
	rounded := decimal{d.negative, kept, d.exp}
	if keep < 0 {
		rounded.exp = -fraction
	}
	if d.away(mode, kept, rest) {
		rounded = rounded.increment()
	}
	return rounded.trim()
}

// away reports whether what is dropped makes the magnitude grow.
func (d decimal) away(mode, kept, rest string) bool {
	odd := kept != "" && (kept[len(kept)-1]-'0')%2 == 1
	half := rest[0] == '5' && strings.Trim(rest[1:], "0") == ""
	switch mode {
	case "ceil":
		return !d.negative
	case "floor":
		return d.negative
	case "expand":
		return true
	case "trunc":
		return false
	case "halfTrunc":
		return rest[0] >= '5' && !half
	case "halfEven":
		return rest[0] >= '5' && (!half || odd)
	case "halfCeil":
		return rest[0] >= '5' && (!half || !d.negative)
	case "halfFloor":
		return rest[0] >= '5' && (!half || d.negative)
	}
	return rest[0] >= '5'
}

// increment adds one to the last digit.
func (d decimal) increment() decimal {
	digits := []byte(d.digits)
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] < '9' {
			digits[i]++
			return decimal{d.negative, string(digits), d.exp}
		}
		digits[i] = '0'
	}
	return decimal{d.negative, "1" + string(digits), d.exp + 1}
}

// significant rounds to a number of digits.
func (d decimal) significant(n int, mode string) decimal { return d.round(n-d.exp, mode) }

// split returns the digits before and after the decimal point.
func (d decimal) split() (whole, fraction string) {
	switch {
	case d.exp <= 0:
		return "0", strings.Repeat("0", -d.exp) + d.digits
	case d.exp >= len(d.digits):
		return d.digits + strings.Repeat("0", d.exp-len(d.digits)), ""
	}
	return d.digits[:d.exp], d.digits[d.exp:]
}
