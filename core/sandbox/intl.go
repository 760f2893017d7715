package sandbox

import (
	"math"
	"time"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/codemode-go/codemode/core/sandbox/internal/locale"
)

// formatOptions reads the options that the prelude has checked: own properties that are texts and integers.
type formatOptions struct{ *goja.Object }

func (o formatOptions) text(name string) string { return o.Get(name).String() }
func (o formatOptions) digits(name string) int  { return int(o.Get(name).ToInteger()) }

// locale returns the first locale of a list that there is, or throws.
func (s *session) locale(list goja.Value) *locale.Locale {
	l, err := locale.Find(s.texts(list))
	if err != nil {
		panic(s.rangeError(err))
	}
	return l
}

func (s *session) texts(list goja.Value) []string {
	var texts []string
	o := list.ToObject(s.vm)
	for i := range o.Get("length").ToInteger() {
		texts = append(texts, o.Get(s.vm.ToValue(i).String()).String())
	}
	return texts
}

func (s *session) rangeError(err error) goja.Value {
	return s.realm.newError.call(s.vm.ToValue("RangeError"), s.vm.ToValue(err.Error()), s.vm.NewObject(), s.vm.ToValue(""))
}

func (s *session) hasLocale(call goja.FunctionCall) goja.Value {
	_, err := locale.Find([]string{call.Argument(0).String()})
	return s.vm.ToValue(err == nil)
}

// numberFormat returns {format, locale, ...} for locales and options.
func (s *session) numberFormat(call goja.FunctionCall) goja.Value {
	l, o := s.locale(call.Argument(0)), formatOptions{call.Argument(1).ToObject(s.vm)}
	f, err := l.NumberFormat(locale.Number{
		Style: o.text("style"), Currency: o.text("currency"), CurrencyDisplay: o.text("currencyDisplay"), CurrencySign: o.text("currencySign"),
		Unit: o.text("unit"), UnitDisplay: o.text("unitDisplay"), Notation: o.text("notation"), CompactDisplay: o.text("compactDisplay"),
		Grouping: grouping(o.text("useGrouping")), SignDisplay: o.text("signDisplay"), RoundingMode: o.text("roundingMode"),
		Zeros: o.text("trailingZeroDisplay"), MinInteger: o.digits("minimumIntegerDigits"),
		MinFraction: o.digits("minimumFractionDigits"), MaxFraction: o.digits("maximumFractionDigits"),
		MinSignificant: o.digits("minimumSignificantDigits"), MaxSignificant: o.digits("maximumSignificantDigits"),
	})
	if err != nil {
		panic(s.rangeError(err))
	}
	made, digits := s.vm.NewObject(), s.vm.NewObject()
	for _, d := range []struct {
		name string
		n    int
	}{
		{"minimumIntegerDigits", f.MinInteger}, {"minimumFractionDigits", f.MinFraction}, {"maximumFractionDigits", f.MaxFraction},
		{"minimumSignificantDigits", f.MinSignificant}, {"maximumSignificantDigits", f.MaxSignificant},
	} {
		if d.n >= 0 {
			_ = define(digits, d.name, s.vm.ToValue(d.n))
		}
	}
	_ = define(made, "digits", digits)
	_ = define(made, "locale", s.vm.ToValue(l.Tag))
	_ = define(made, "currency", s.vm.ToValue(f.Currency))
	_ = define(made, "grouping", s.vm.ToValue(f.Grouping))
	_ = define(made, "format", s.function("format", func(call goja.FunctionCall) goja.Value {
		return s.formatted(f.Format(call.Argument(0).String()), call.Argument(1).ToBoolean())
	}))
	return made
}

func grouping(option string) string {
	if option == "true" {
		return "always"
	}
	return option
}

// formatted returns parts, or the text that they make.
func (s *session) formatted(parts []locale.Part, apart bool) goja.Value {
	if !apart {
		return s.vm.ToValue(locale.Join(parts))
	}
	items := make([]any, len(parts))
	for i, p := range parts {
		o := s.vm.NewObject()
		_ = define(o, "type", s.vm.ToValue(p.Type))
		_ = define(o, "value", s.vm.ToValue(p.Value))
		items[i] = o
	}
	return s.vm.NewArray(items...)
}

// dateFormat returns {format, locale, timeZone, hourCycle} for locales and options.
func (s *session) dateFormat(call goja.FunctionCall) goja.Value {
	l, o := s.locale(call.Argument(0)), formatOptions{call.Argument(1).ToObject(s.vm)}
	f, err := l.DateFormat(locale.Date{
		Weekday: o.text("weekday"), Year: o.text("year"), Month: o.text("month"), Day: o.text("day"),
		Hour: o.text("hour"), Minute: o.text("minute"), Second: o.text("second"), Millisecond: o.text("fractionalSecondDigits"),
		ZoneName: o.text("timeZoneName"), DateStyle: o.text("dateStyle"), TimeStyle: o.text("timeStyle"),
		Hour12: o.text("hour12"), HourCycle: o.text("hourCycle"), TimeZone: o.text("timeZone"),
	})
	if err != nil {
		panic(s.rangeError(err))
	}
	made := s.vm.NewObject()
	_ = define(made, "locale", s.vm.ToValue(l.Tag))
	_ = define(made, "timeZone", s.vm.ToValue(f.Zone.String()))
	_ = define(made, "hourCycle", s.vm.ToValue(f.Cycle()))
	_ = define(made, "format", s.function("format", func(call goja.FunctionCall) goja.Value {
		at := time.UnixMilli(int64(math.Floor(call.Argument(0).ToFloat())))
		return s.formatted(f.Format(at), call.Argument(1).ToBoolean())
	}))
	return made
}

// collator returns a function that compares two texts, for a locale, numeric or not, and a sensitivity.
func (s *session) collator(call goja.FunctionCall) goja.Value {
	tag, err := language.Parse(call.Argument(0).String())
	if err != nil {
		tag = language.Und // as for "default"
	}
	var options []collate.Option
	if call.Argument(1).ToBoolean() {
		options = append(options, collate.Numeric)
	}
	switch call.Argument(2).String() {
	case "base":
		options = append(options, collate.IgnoreCase, collate.IgnoreDiacritics)
	case "accent":
		options = append(options, collate.IgnoreCase)
	case "case":
		options = append(options, collate.IgnoreDiacritics)
	}
	c := collate.New(tag, options...)
	return s.function("compare", func(call goja.FunctionCall) goja.Value {
		return s.vm.ToValue(c.CompareString(call.Argument(0).String(), call.Argument(1).String()))
	})
}

func (s *session) plural(call goja.FunctionCall) goja.Value {
	return s.vm.ToValue(locale.Plural(call.Argument(0).String(), call.Argument(1).ToBoolean()))
}
