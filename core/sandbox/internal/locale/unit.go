package locale

import "strings"

// unit is an English unit: its short form in the singular and plural, its narrow form with the space it takes, and
// its long form in the singular and plural.
type unit struct{ short, shorts, narrow, long, longs string }

// unitOf returns a unit of the list, or one per another.
func unitOf(name string) (unit, bool) {
	if u, ok := units[name]; ok {
		return u, true
	}
	of, per, compound := strings.Cut(name, "-per-")
	u, ok := units[of]
	by, known := units[per]
	if !compound || !ok || !known {
		return unit{}, false
	}
	by.short = strings.TrimSpace(strings.Replace(by.short, "hr", "h", 1))
	by.short = strings.TrimSpace(strings.Replace(by.short, "sec", "s", 1))
	slash := "/" + by.short
	return unit{u.short + slash, u.shorts + slash, u.narrow + slash, u.long + " per " + by.long, u.longs + " per " + by.long}, true
}

func (u unit) parts(display string, one bool) []Part {
	text, space := u.shorts, " "
	switch {
	case display == "long" && one:
		text = u.long
	case display == "long":
		text = u.longs
	case display == "narrow":
		text, space = u.narrow, ""
	case one:
		text = u.short
	}
	if display != "long" && (text == "%" || strings.HasPrefix(text, "°")) {
		space = ""
	}
	if display == "long" && text == "percent" {
		space = " "
	}
	if space == "" {
		return []Part{{"unit", text}}
	}
	return []Part{{"literal", space}, {"unit", text}}
}

var units = map[string]unit{
	"millisecond": {"ms", "ms", "ms", "millisecond", "milliseconds"},
	"second":      {"sec", "sec", "s", "second", "seconds"},
	"minute":      {"min", "min", "m", "minute", "minutes"},
	"hour":        {"hr", "hr", "h", "hour", "hours"},
	"day":         {"day", "days", "d", "day", "days"},
	"week":        {"wk", "wks", "w", "week", "weeks"},
	"month":       {"mth", "mths", "m", "month", "months"},
	"year":        {"yr", "yrs", "y", "year", "years"},

	"bit":      {"bit", "bit", "bit", "bit", "bits"},
	"byte":     {"byte", "byte", "B", "byte", "bytes"},
	"kilobyte": {"kB", "kB", "kB", "kilobyte", "kilobytes"},
	"megabyte": {"MB", "MB", "MB", "megabyte", "megabytes"},
	"gigabyte": {"GB", "GB", "GB", "gigabyte", "gigabytes"},
	"terabyte": {"TB", "TB", "TB", "terabyte", "terabytes"},
	"petabyte": {"PB", "PB", "PB", "petabyte", "petabytes"},

	"millimeter": {"mm", "mm", "mm", "millimeter", "millimeters"},
	"centimeter": {"cm", "cm", "cm", "centimeter", "centimeters"},
	"meter":      {"m", "m", "m", "meter", "meters"},
	"kilometer":  {"km", "km", "km", "kilometer", "kilometers"},
	"inch":       {"in", "in", "″", "inch", "inches"},
	"foot":       {"ft", "ft", "′", "foot", "feet"},
	"yard":       {"yd", "yd", "yd", "yard", "yards"},
	"mile":       {"mi", "mi", "mi", "mile", "miles"},

	"gram":       {"g", "g", "g", "gram", "grams"},
	"kilogram":   {"kg", "kg", "kg", "kilogram", "kilograms"},
	"ounce":      {"oz", "oz", "oz", "ounce", "ounces"},
	"pound":      {"lb", "lb", "#", "pound", "pounds"},
	"milliliter": {"mL", "mL", "mL", "milliliter", "milliliters"},
	"liter":      {"L", "L", "L", "liter", "liters"},
	"gallon":     {"gal", "gal", "gal", "gallon", "gallons"},

	"percent":    {"%", "%", "%", "percent", "percent"},
	"degree":     {"deg", "deg", "°", "degree", "degrees"},
	"celsius":    {"°C", "°C", "°C", "degree Celsius", "degrees Celsius"},
	"fahrenheit": {"°F", "°F", "°", "degree Fahrenheit", "degrees Fahrenheit"},

	"mile-per-hour": {"mph", "mph", "mph", "mile per hour", "miles per hour"},
}
