// Package locale formats numbers and dates as the Intl of JavaScript does, for
// English and for what other languages need no words for. It reads nothing of the
// machine: no locale and no clock. Time zones are those of the machine's tables where
// they can be read, and of the binary's own in a sandbox, which reads no files.
package locale

import (
	"fmt"
	"strings"
	_ "time/tzdata" // for a process that reads no files
)

// Part is a piece of a formatted text, as formatToParts names it.
type Part struct{ Type, Value string }

// Join returns the text of parts.
func Join(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Value)
	}
	return b.String()
}

// Locale is what a language and region change.
type Locale struct {
	Tag     string
	English bool // has names of months, days and units

	decimal, group string
	indian         bool // groups of two digits above the first three
	suffixed       bool // currency and percent stand behind the number, after a no-break space
	minus          string
	home           string            // the currency whose symbol is plain
	foreign        map[string]string // symbols that differ

	order    string // of a numeric date: mdy, dmy, ymd
	sep      string
	padded   bool // day and month of a numeric date have two digits
	short    bool // the short date has a two-digit year
	clock24  bool
	am, pm   string
	dateTime string // between date and time
	dayFirst bool   // 5 January 2024
}

const nbsp = "\u00a0"

var locales = map[string]*Locale{
	"en-US": {English: true, order: "mdy", sep: "/", short: true, home: "USD"},
	"en-GB": {English: true, order: "dmy", sep: "/", padded: true, clock24: true, dayFirst: true, foreign: map[string]string{"USD": "US$"}},
	"en-CA": {English: true, order: "ymd", sep: "-", padded: true, am: "a.m.", pm: "p.m.", home: "CAD", foreign: map[string]string{"CAD": "$", "USD": "US$"}},
	"en-AU": {English: true, order: "dmy", sep: "/", padded: true, short: true, am: "am", pm: "pm", dayFirst: true, foreign: map[string]string{"AUD": "$", "USD": "USD", "EUR": "EUR", "GBP": "GBP"}},
	"en-IN": {English: true, indian: true, order: "dmy", sep: "/", short: true, am: "am", pm: "pm", dayFirst: true},
	"de-DE": {decimal: ",", group: ".", suffixed: true, order: "dmy", sep: ".", short: true, clock24: true},
	"fr-FR": {decimal: ",", group: "\u202f", suffixed: true, order: "dmy", sep: "/", padded: true, clock24: true, dateTime: " ", foreign: map[string]string{"USD": "$US", "GBP": "£GB"}},
	"sv-SE": {decimal: ",", group: nbsp, suffixed: true, minus: "\u2212", order: "ymd", sep: "-", padded: true, clock24: true, dateTime: " ", foreign: map[string]string{"USD": "US$", "SEK": "kr", "GBP": "GBP"}},
}

func init() {
	for tag, l := range locales {
		l.Tag = tag
		for _, d := range []struct {
			field    *string
			standard string
		}{{&l.decimal, "."}, {&l.group, ","}, {&l.minus, "-"}, {&l.am, "AM"}, {&l.pm, "PM"}, {&l.dateTime, ", "}} {
			if *d.field == "" {
				*d.field = d.standard
			}
		}
	}
}

// aliases are other names of the locales; "default" is what programs pass for any.
var aliases = map[string]string{"en": "en-US", "default": "en-US", "und": "en-US", "de": "de-DE", "fr": "fr-FR", "sv": "sv-SE"}

// Find returns the first locale of a list that there is; en-US for an empty one.
func Find(tags []string) (*Locale, error) {
	if len(tags) == 0 {
		return locales["en-US"], nil
	}
	for _, tag := range tags {
		tag, _, _ = strings.Cut(tag, "-u-")
		if alias, ok := aliases[tag]; ok {
			tag = alias
		}
		if l := locales[tag]; l != nil {
			return l, nil
		}
	}
	return nil, fmt.Errorf("the locale %s is not available; en-US, en-GB, en-CA, en-AU and en-IN are, and for numbers and numeric dates de-DE, fr-FR and sv-SE; use one of them, or put the text together yourself", tags[0])
}

func (l *Locale) wordless(what string) error {
	return fmt.Errorf("%s are only available in English, not in %s; use en-US, or put the text together yourself", what, l.Tag)
}
