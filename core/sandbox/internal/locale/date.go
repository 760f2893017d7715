package locale

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Date says how dates are written. Its fields are the options of Intl.DateTimeFormat; empty means that it is not given.
type Date struct {
	Weekday, Year, Month, Day         string
	Hour, Minute, Second, Millisecond string // Millisecond is the number of digits
	ZoneName, DateStyle, TimeStyle    string
	Hour12, HourCycle                 string
	TimeZone                          string // an IANA name or an offset; UTC if empty
}

// DateFormat is a Date that has been checked and completed, for one locale.
type DateFormat struct {
	Date
	Zone   *time.Location
	locale *Locale
	half   bool // of the day: AM and PM
	zero   bool // the first hour is 0
}

// DateFormat completes d.
func (l *Locale) DateFormat(d Date) (*DateFormat, error) {
	f := &DateFormat{Date: d, locale: l}
	var err error
	if f.Zone, err = zone(d.TimeZone); err != nil {
		return nil, err
	}
	f.styles()
	switch {
	case d.Hour12 != "":
		f.half = d.Hour12 == "true"
		f.zero = !f.half
	case d.HourCycle != "":
		f.half = d.HourCycle == "h12" || d.HourCycle == "h11"
		f.zero = d.HourCycle == "h11" || d.HourCycle == "h23"
	default:
		f.half = !l.clock24
		f.zero = l.clock24
	}
	if !l.English && (f.words() || strings.HasPrefix(f.ZoneName, "long") && f.ZoneName != "longOffset") {
		return nil, l.wordless("names of months, days and time zones")
	}
	return f, nil
}

// styles spells out dateStyle and timeStyle.
func (f *DateFormat) styles() {
	switch f.DateStyle {
	case "full":
		f.Weekday, f.Month, f.Day, f.Year = "long", "long", "numeric", "numeric"
	case "long":
		f.Month, f.Day, f.Year = "long", "numeric", "numeric"
	case "medium":
		f.Month, f.Day, f.Year = "short", "numeric", "numeric"
		if !f.locale.English {
			f.Month = "2-digit"
			f.Day = "2-digit"
		}
	case "short":
		f.Month, f.Day, f.Year = "numeric", "numeric", "numeric"
		if f.locale.short {
			f.Year = "2-digit"
		}
		if !f.locale.English || f.locale.Tag == "en-IN" {
			f.Month, f.Day = "2-digit", "2-digit"
		}
	}
	switch f.TimeStyle {
	case "full":
		f.ZoneName = "long"
	case "long":
		f.ZoneName = "short"
	}
	if f.TimeStyle != "" {
		f.Hour, f.Minute = "numeric", "2-digit"
		if f.TimeStyle != "short" {
			f.Second = "2-digit"
		}
		if f.locale.clock24 {
			f.Hour = "2-digit"
		}
	}
}

// words reports whether the date has a name in it.
func (f *DateFormat) words() bool { return f.Weekday != "" || f.textMonth() }

func (f *DateFormat) textMonth() bool {
	return f.Month == "long" || f.Month == "short" || f.Month == "narrow"
}

// Format writes a point in time.
func (f *DateFormat) Format(at time.Time) []Part {
	at = at.In(f.Zone)
	date, clock := f.date(at), f.time(at)
	if f.ZoneName != "" {
		name := Part{"timeZoneName", f.zoneName(at)}
		if len(clock) == 0 {
			if len(date) > 0 {
				date = append(date, Part{"literal", f.locale.dateTime})
			}
			return append(date, name)
		}
		clock = append(clock, Part{"literal", " "}, name)
	}
	if len(date) == 0 {
		return clock
	}
	if len(clock) == 0 {
		return date
	}
	between := f.locale.dateTime
	switch {
	case f.Month == "long" && f.locale.English:
		between = " at "
	case f.Month == "" && f.Day == "" && f.Year == "" && !f.locale.dayFirst:
		between = " "
	}
	return append(append(date, Part{"literal", between}), clock...)
}

func (f *DateFormat) date(at time.Time) []Part {
	weekday := cutName(at.Weekday().String(), f.Weekday)
	day, month, year := pad(at.Day(), f.Day), pad(int(at.Month()), f.Month), pad(at.Year(), f.Year)
	if f.Year == "2-digit" {
		year = fmt.Sprintf("%02d", ((at.Year()%100)+100)%100)
	}
	if f.textMonth() {
		return f.spelled(weekday, day, cutName(at.Month().String(), f.Month), year)
	}
	if f.pads() {
		day, month = pad(at.Day(), padded(f.Day)), pad(int(at.Month()), padded(f.Month))
	}
	return f.numeric(weekday, day, month, year)
}

// pads reports whether day and month have two digits although one would do.
func (f *DateFormat) pads() bool {
	switch {
	case f.Month == "" || f.Day == "" && f.Year == "":
		return false
	case f.locale.Tag == "en-AU":
		return f.DateStyle == ""
	case f.locale.Tag == "en-IN":
		return f.Day == ""
	case f.locale.Tag == "sv-SE":
		return f.Year != ""
	}
	return f.locale.padded
}

func padded(option string) string {
	if option == "" {
		return ""
	}
	return "2-digit"
}

func pad(n int, option string) string {
	switch {
	case option == "":
		return ""
	case option == "2-digit":
		return fmt.Sprintf("%02d", n)
	}
	return strconv.Itoa(n)
}

func cutName(name, option string) string {
	switch option {
	case "":
		return ""
	case "short":
		return name[:3]
	case "narrow":
		return name[:1]
	}
	return name
}

// numeric joins the fields in the order of the locale, behind or before a weekday.
func (f *DateFormat) numeric(weekday, day, month, year string) []Part {
	fields := map[rune]Part{'d': {"day", day}, 'm': {"month", month}, 'y': {"year", year}}
	sep := f.locale.sep
	if f.locale.Tag == "sv-SE" && year == "" {
		fields['d'], fields['m'] = fields['m'], fields['d']
		sep = "/"
	}
	if f.locale.Tag == "de-DE" && day == "" {
		sep = "/"
	}
	var parts []Part
	for _, c := range f.locale.order {
		if fields[c].Value == "" {
			continue
		}
		if len(parts) > 0 {
			parts = append(parts, Part{"literal", sep})
		}
		parts = append(parts, fields[c])
	}
	if f.locale.Tag == "de-DE" && year == "" && day != "" && month != "" {
		parts = append(parts, Part{"literal", "."})
	}
	switch {
	case weekday == "":
		return parts
	case len(parts) == 0:
		return []Part{{"weekday", weekday}}
	case f.locale.dayFirst && year == "" && f.Weekday == "short":
		return append([]Part{{"weekday", weekday}, {"literal", " "}}, parts...)
	case month != "" || year != "":
		return append([]Part{{"weekday", weekday}, {"literal", ", "}}, parts...)
	case f.locale.dayFirst:
		return append([]Part{{"weekday", weekday}, {"literal", " "}}, parts...)
	}
	return append(parts, Part{"literal", " "}, Part{"weekday", weekday})
}

// spelled writes a date with the name of its month, in English.
func (f *DateFormat) spelled(weekday, day, month, year string) []Part {
	var parts []Part
	add := func(before string, p Part) {
		if p.Value == "" {
			return
		}
		if len(parts) > 0 {
			parts = append(parts, Part{"literal", before})
		}
		parts = append(parts, p)
	}
	add("", Part{"weekday", weekday})
	if f.locale.dayFirst {
		first := ", "
		if year == "" && f.Weekday == "short" {
			first = " "
		}
		if day == "" {
			add(first, Part{"month", month})
		} else {
			add(first, Part{"day", day})
			add(" ", Part{"month", month})
		}
		add(" ", Part{"year", year})
		return parts
	}
	add(", ", Part{"month", month})
	add(" ", Part{"day", day})
	if day == "" {
		add(" ", Part{"year", year})
	} else {
		add(", ", Part{"year", year})
	}
	return parts
}

func (f *DateFormat) time(at time.Time) []Part {
	var parts []Part
	add := func(p Part) {
		if len(parts) > 0 {
			parts = append(parts, Part{"literal", ":"})
		}
		parts = append(parts, p)
	}
	if f.Hour != "" {
		add(Part{"hour", f.hour(at.Hour())})
	}
	if f.Minute != "" {
		add(Part{"minute", pad(at.Minute(), f.within(f.Hour != "" || f.Second != ""))})
	}
	if f.Second != "" {
		add(Part{"second", pad(at.Second(), f.within(f.Minute != ""))})
	}
	if digits := f.Millisecond; digits != "" {
		n := int(digits[0] - '0')
		text := fmt.Sprintf("%03d", at.Nanosecond()/1e6)[:min(n, 3)]
		if len(parts) > 0 {
			parts = append(parts, Part{"literal", "."})
		}
		parts = append(parts, Part{"fractionalSecond", text})
	}
	if f.Hour != "" && f.half {
		half := f.locale.am
		if at.Hour() >= 12 {
			half = f.locale.pm
		}
		parts = append(parts, Part{"literal", " "}, Part{"dayPeriod", half})
	}
	return parts
}

// within is the width of minutes and seconds: two digits beside another field, whatever is asked for.
func (f *DateFormat) within(others bool) string {
	if others {
		return "2-digit"
	}
	return "numeric"
}

func (f *DateFormat) hour(h int) string {
	switch {
	case f.half && f.zero:
		h %= 12
	case f.half:
		h = (h+11)%12 + 1
	case !f.zero && h == 0:
		h = 24
	}
	if f.Hour == "2-digit" || !f.half {
		return fmt.Sprintf("%02d", h)
	}
	return strconv.Itoa(h)
}

// Cycle is the name of the hours' cycle.
func (f *DateFormat) Cycle() string {
	switch {
	case f.half && f.zero:
		return "h11"
	case f.half:
		return "h12"
	case f.zero:
		return "h23"
	}
	return "h24"
}
