package locale

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// zones are those that have been loaded; loading one reads the tables.
var zones sync.Map

// zone finds a time zone by its IANA name or its offset.
func zone(name string) (*time.Location, error) {
	if loaded, ok := zones.Load(name); ok {
		return loaded.(*time.Location), nil
	}
	loc, err := loadZone(name)
	if err != nil {
		return nil, fmt.Errorf("invalid time zone specified: %s; use an IANA name such as Europe/Berlin", name)
	}
	zones.Store(name, loc)
	return loc, nil
}

func loadZone(name string) (*time.Location, error) {
	switch {
	case name == "", strings.EqualFold(name, "UTC"), strings.EqualFold(name, "GMT"), strings.EqualFold(name, "Etc/UTC"):
		return time.UTC, nil
	case name == "Local": // which would be the machine's
		return nil, errors.New("not a zone")
	case name[0] == '+' || name[0] == '-':
		at, err := time.Parse("-07:00", name)
		if err != nil {
			return nil, err
		}
		_, seconds := at.Zone()
		return time.FixedZone(name, seconds), nil
	}
	return time.LoadLocation(name)
}

// zoneName names the zone at a time as English does.
func (f *DateFormat) zoneName(at time.Time) string {
	short, seconds := at.Zone()
	name := f.Zone.String()
	switch f.ZoneName {
	case "shortOffset":
		return offset(seconds, false)
	case "longOffset":
		return offset(seconds, true)
	}
	names, ok := zoneNames[short]
	ok = ok && (names.prefix == "" || strings.HasPrefix(name, names.prefix))
	switch f.ZoneName {
	case "long":
		if ok {
			return names.long
		}
		return offset(seconds, true)
	case "shortGeneric":
		if ok && names.generic != "" {
			return names.generic
		}
		return offset(seconds, false)
	case "longGeneric":
		if ok {
			return strings.NewReplacer(" Standard Time", " Time", " Daylight Time", " Time").Replace(names.long)
		}
		return offset(seconds, true)
	}
	if ok && (names.prefix != "Europe/" && names.prefix != "Asia/") {
		return short
	}
	return offset(seconds, false)
}

func offset(seconds int, long bool) string {
	if seconds == 0 {
		return "GMT"
	}
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	hours, minutes := seconds/3600, seconds/60%60
	switch {
	case long:
		return fmt.Sprintf("GMT%c%02d:%02d", sign, hours, minutes)
	case minutes != 0:
		return fmt.Sprintf("GMT%c%d:%02d", sign, hours, minutes)
	}
	return fmt.Sprintf("GMT%c%d", sign, hours)
}

// zoneNames are the English names, by abbreviation. Outside of North America the short form is an offset.
var zoneNames = map[string]struct{ prefix, generic, long string }{
	"UTC":  {"", "UTC", "Coordinated Universal Time"},
	"GMT":  {"", "", "Greenwich Mean Time"},
	"EST":  {"America/", "ET", "Eastern Standard Time"},
	"EDT":  {"America/", "ET", "Eastern Daylight Time"},
	"CST":  {"America/", "CT", "Central Standard Time"},
	"CDT":  {"America/", "CT", "Central Daylight Time"},
	"MST":  {"America/", "MT", "Mountain Standard Time"},
	"MDT":  {"America/", "MT", "Mountain Daylight Time"},
	"PST":  {"America/", "PT", "Pacific Standard Time"},
	"PDT":  {"America/", "PT", "Pacific Daylight Time"},
	"AKST": {"America/", "AKT", "Alaska Standard Time"},
	"AKDT": {"America/", "AKT", "Alaska Daylight Time"},
	"HST":  {"Pacific/", "HST", "Hawaii-Aleutian Standard Time"},
	"BST":  {"Europe/", "", "British Summer Time"},
	"CET":  {"Europe/", "", "Central European Standard Time"},
	"CEST": {"Europe/", "", "Central European Summer Time"},
	"EET":  {"Europe/", "", "Eastern European Standard Time"},
	"EEST": {"Europe/", "", "Eastern European Summer Time"},
	"WET":  {"Europe/", "", "Western European Standard Time"},
	"WEST": {"Europe/", "", "Western European Summer Time"},
	"IST":  {"Asia/", "", "India Standard Time"},
	"JST":  {"Asia/", "", "Japan Standard Time"},
	"KST":  {"Asia/", "", "Korean Standard Time"},
}
