package locale

import "strings"

// Plural returns the English plural category of a formatted number.
func Plural(number string, ordinal bool) string {
	if !ordinal {
		if number == "1" {
			return "one"
		}
		return "other"
	}
	if strings.ContainsAny(number, ".-") || number == "" {
		return "other"
	}
	teen := len(number) > 1 && number[len(number)-2] == '1'
	switch last := number[len(number)-1]; {
	case last == '1' && !teen:
		return "one"
	case last == '2' && !teen:
		return "two"
	case last == '3' && !teen:
		return "few"
	}
	return "other"
}
