package locale

import (
	"fmt"
	"strconv"
	"strings"
)

// Number says how numbers are written. Its fields are the options of Intl.NumberFormat;
// -1 in a field of digits, and an empty text, mean that the option is not given.
type Number struct {
	Style, Currency, CurrencyDisplay, CurrencySign string
	Unit, UnitDisplay                              string
	Notation, CompactDisplay                       string
	Grouping, SignDisplay, RoundingMode, Zeros     string
	MinInteger, MinFraction, MaxFraction           int
	MinSignificant, MaxSignificant                 int
}

// NumberFormat is a Number that has been checked and completed, for one locale.
type NumberFormat struct {
	Number
	locale  *Locale
	compact bool // rounded to two digits, as compact notation is when nothing else is said
}

// NumberFormat completes n.
func (l *Locale) NumberFormat(n Number) (*NumberFormat, error) {
	f := &NumberFormat{Number: n, locale: l}
	low, high := 0, 3
	switch f.Style {
	case "percent":
		high = 0
	case "currency":
		if f.Currency = strings.ToUpper(f.Currency); len(f.Currency) != 3 {
			return nil, fmt.Errorf("invalid currency code: %s; it has three letters, as in currency: 'USD'", n.Currency)
		}
		low = currencyDigits(f.Currency)
		high = low
	case "unit":
		if !l.English {
			return nil, l.wordless("units")
		}
		if _, ok := unitOf(f.Unit); !ok {
			return nil, fmt.Errorf("the unit %q is not available; write it behind the number yourself", f.Unit)
		}
	}
	if f.Notation == "compact" {
		if l.indian || !l.English {
			return nil, l.wordless("compact numbers")
		}
		low, high = 0, 0
		f.compact = f.MinFraction < 0 && f.MaxFraction < 0 && f.MinSignificant < 0 && f.MaxSignificant < 0
	}
	if f.Grouping == "" || f.Grouping == "auto" {
		f.Grouping = "always"
		if f.Notation == "compact" {
			f.Grouping = "min2"
		}
	}
	return f, f.digits(low, high)
}

// digits completes the numbers of digits, of which the style has the defaults.
func (f *NumberFormat) digits(low, high int) error {
	f.MinInteger = max(f.MinInteger, 1)
	if f.MinSignificant > 0 || f.MaxSignificant > 0 {
		f.MinSignificant = max(f.MinSignificant, 1)
		if f.MaxSignificant < 0 {
			f.MaxSignificant = 21
		}
		if f.MinSignificant > f.MaxSignificant {
			return fmt.Errorf("maximumSignificantDigits is out of range: it is less than minimumSignificantDigits")
		}
		return nil
	}
	switch {
	case f.MinFraction < 0 && f.MaxFraction < 0:
		f.MinFraction, f.MaxFraction = low, high
	case f.MinFraction < 0:
		f.MinFraction = min(low, f.MaxFraction)
	case f.MaxFraction < 0:
		f.MaxFraction = max(high, f.MinFraction)
	case f.MinFraction > f.MaxFraction:
		return fmt.Errorf("maximumFractionDigits is out of range: it is less than minimumFractionDigits")
	}
	return nil
}

// Format writes a number that is given as String writes it.
func (f *NumberFormat) Format(text string) []Part {
	negative := strings.HasPrefix(text, "-")
	var number []Part
	zero, one := false, false
	var suffix string
	switch strings.TrimPrefix(text, "-") {
	case "NaN":
		number = []Part{{"nan", "NaN"}}
	case "Infinity":
		number = []Part{{"infinity", "∞"}}
	default:
		var d decimal
		d, suffix = f.scale(parseDecimal(text))
		zero = d.zero()
		number = f.number(d)
		one = Join(number) == "1" && suffix == ""
	}
	return f.dress(number, suffix, f.sign(negative, zero, text == "NaN"), one)
}

// scale applies style and notation, and rounds. The suffix is that of the notation.
func (f *NumberFormat) scale(d decimal) (decimal, string) {
	if f.Style == "percent" {
		d = d.shift(2)
	}
	switch f.Notation {
	case "compact":
		return f.shorten(d)
	case "scientific", "engineering":
		return f.exponent(d)
	}
	return f.round(d), ""
}

func (f *NumberFormat) round(d decimal) decimal {
	switch {
	case f.compact && d.exp < 2:
		return d.significant(2, f.RoundingMode)
	case f.MaxSignificant > 0:
		return d.significant(f.MaxSignificant, f.RoundingMode)
	}
	return d.round(f.MaxFraction, f.RoundingMode)
}

var thousands = []struct{ short, long string }{{"", ""}, {"K", " thousand"}, {"M", " million"}, {"B", " billion"}, {"T", " trillion"}}

func (f *NumberFormat) shorten(d decimal) (decimal, string) {
	step := min(max(0, (d.exp-1)/3), 4)
	short := f.round(d.shift(-3 * step))
	if short.exp > 3 && step < 4 { // 999,999 rounds to a million
		step++
		short = f.round(d.shift(-3 * step))
	}
	if f.CompactDisplay == "long" {
		return short, thousands[step].long
	}
	if f.locale.Tag == "en-GB" && step > 0 {
		return short, []string{"", "k", "m", "bn", "tn"}[step]
	}
	return short, thousands[step].short
}

func (f *NumberFormat) exponent(d decimal) (decimal, string) {
	power := func(d decimal) int {
		p := d.exp - 1
		if d.zero() {
			p = 0
		}
		if f.Notation == "engineering" {
			p -= (p%3 + 3) % 3
		}
		return p
	}
	p := power(d)
	rounded := f.round(d.shift(-p))
	if over := power(rounded); over > 0 {
		p += over
		rounded = f.round(d.shift(-p))
	}
	return rounded, "E" + strconv.Itoa(p)
}

// number writes the digits of a rounded number.
func (f *NumberFormat) number(d decimal) []Part {
	whole, fraction := d.split()
	whole = strings.Repeat("0", max(0, f.MinInteger-len(whole))) + whole
	low := f.MinFraction
	if f.MaxSignificant > 0 {
		low = f.MinSignificant - len(strings.TrimLeft(whole, "0"))
		if whole == "0" {
			low = f.MinSignificant + len(fraction) - len(strings.TrimLeft(fraction, "0"))
		}
		if d.zero() {
			low = f.MinSignificant - 1
		}
	}
	if f.compact {
		low = 0
	}
	fraction += strings.Repeat("0", max(0, low-len(fraction)))
	if f.Zeros == "stripIfInteger" && strings.Trim(fraction, "0") == "" {
		fraction = ""
	}
	parts := f.grouped(whole)
	if fraction != "" {
		parts = append(parts, Part{"decimal", f.locale.decimal}, Part{"fraction", fraction})
	}
	return parts
}

func (f *NumberFormat) grouped(whole string) []Part {
	if f.Grouping == "false" || len(whole) <= 3 || f.Grouping == "min2" && len(whole) == 4 {
		return []Part{{"integer", whole}}
	}
	size := 3
	if f.locale.indian {
		size = 2
	}
	groups := []string{whole[len(whole)-3:]}
	for whole = whole[:len(whole)-3]; len(whole) > size; whole = whole[:len(whole)-size] {
		groups = append(groups, whole[len(whole)-size:])
	}
	parts := []Part{{"integer", whole}}
	for i := len(groups) - 1; i >= 0; i-- {
		parts = append(parts, Part{"group", f.locale.group}, Part{"integer", groups[i]})
	}
	return parts
}

func (f *NumberFormat) sign(negative, zero, nan bool) string {
	switch f.SignDisplay {
	case "never":
		return ""
	case "negative":
		negative = negative && !zero
	case "exceptZero":
		if zero || nan {
			return ""
		}
		if !negative {
			return "+"
		}
	case "always":
		if !negative {
			return "+"
		}
	}
	if negative {
		return "-"
	}
	return ""
}

// dress puts sign, notation, currency, percent sign or unit around the digits.
func (f *NumberFormat) dress(number []Part, suffix, sign string, one bool) []Part {
	var parts, after []Part
	accounting := f.Style == "currency" && f.CurrencySign == "accounting" && sign == "-" && !f.locale.suffixed
	switch {
	case accounting:
		parts = append(parts, Part{"literal", "("})
	case sign == "-":
		parts = append(parts, Part{"minusSign", f.locale.minus})
	case sign == "+":
		parts = append(parts, Part{"plusSign", "+"})
	}
	switch f.Style {
	case "currency":
		before, behind := f.currency(one)
		parts, after = append(parts, before...), behind
	case "percent":
		if f.locale.suffixed {
			after = append(after, Part{"literal", nbsp})
		}
		after = append(after, Part{"percentSign", "%"})
	case "unit":
		u, _ := unitOf(f.Unit)
		after = u.parts(f.UnitDisplay, one)
	}
	parts = append(parts, number...)
	switch {
	case strings.HasPrefix(suffix, "E"):
		parts = append(parts, Part{"exponentSeparator", "E"})
		digits, negative := strings.CutPrefix(suffix[1:], "-")
		if negative {
			parts = append(parts, Part{"exponentMinusSign", f.locale.minus})
		}
		parts = append(parts, Part{"exponentInteger", digits})
	case strings.HasPrefix(suffix, " "):
		parts = append(parts, Part{"literal", " "}, Part{"compact", suffix[1:]})
	case suffix != "":
		parts = append(parts, Part{"compact", suffix})
	}
	parts = append(parts, after...)
	if accounting {
		parts = append(parts, Part{"literal", ")"})
	}
	return parts
}
