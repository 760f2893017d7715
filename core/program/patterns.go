package program

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Pattern turns a regular expression into one that goja matches as the language says, and refuses what goja lacks.
// Goja has two engines, and the one for expressions without lookarounds takes \p{L} for the letter p; an empty
// lookahead at the end chooses the other, which knows properties, though not by all their names.
func Pattern(pattern, flags string) (string, error) {
	switch {
	case strings.Contains(flags, "v"):
		return "", errors.New("the regular expression flag v is not available; use the flag u, and write set operations as two expressions")
	case strings.Contains(flags, "d"):
		return "", errors.New("the regular expression flag d is not available; use match.index and the lengths of the groups")
	case modifiers.MatchString(pattern):
		return "", errors.New("regular expression modifiers such as (?i:...) are not available; use a flag for the whole expression, or a class such as [aA]")
	}
	seen := map[string]bool{}
	for _, m := range groupName.FindAllStringSubmatch(pattern, -1) {
		if seen[m[1]] {
			return "", fmt.Errorf("the regular expression has two groups named %q; give each its own name", m[1])
		}
		seen[m[1]] = true
	}
	if !strings.Contains(flags, "u") || !property.MatchString(pattern) {
		return pattern, nil
	}
	return unicodePattern(pattern)
}

var (
	property  = regexp.MustCompile(`\\[pP]\{`)
	modifiers = regexp.MustCompile(`\(\?[ims]*-?[ims]+:|\(\?[ims]+-:`)
	groupName = regexp.MustCompile(`\(\?<([^>=!]+)>`)
)

// unicodePattern spells properties as goja's second engine knows them, and chooses it.
func unicodePattern(pattern string) (string, error) {
	var b strings.Builder
	found, class := false, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '\\' && i+1 < len(pattern):
			end := strings.IndexByte(pattern[i:], '}')
			if !property.MatchString(pattern[i:min(i+3, len(pattern))]) || end < 0 {
				b.WriteString(pattern[i : i+2])
				i++
				continue
			}
			p, err := spellProperty(pattern[i+3:i+end], pattern[i+1] == 'P', class)
			if err != nil {
				return "", err
			}
			found = true
			b.WriteString(p)
			i += end
			continue
		}
		b.WriteByte(pattern[i])
	}
	if !found {
		return pattern, nil
	}
	return b.String() + "(?=)", nil
}

// spellProperty writes a property, inside of a character class or outside.
func spellProperty(text string, negated, class bool) (string, error) {
	name := text
	if key, value, ok := strings.Cut(text, "="); ok {
		switch key {
		case "Script", "sc", "Script_Extensions", "scx", "General_Category", "gc":
			name = value
		default:
			return "", noProperty(text)
		}
	}
	if script, ok := scriptCodes[name]; ok {
		name = script
	}
	set, ok := propertySets[name]
	switch {
	case !ok && negated:
		return `\P{` + name + `}`, nil
	case !ok:
		return `\p{` + name + `}`, nil
	case class && negated:
		return "", fmt.Errorf(`\P{%s} is not available inside of a character class; use [^\p{%s}]`, text, text)
	case class:
		return set, nil
	case negated:
		return "[^" + set + "]", nil
	}
	return "[" + set + "]", nil
}

func noProperty(text string) error {
	return fmt.Errorf(`the Unicode property \p{%s} is not available; general categories (\p{L}, \p{Lu}, \p{N}, \p{P}), scripts (\p{Script=Greek}), \p{Alphabetic}, \p{White_Space} and \p{Emoji} are`, text)
}

// propertySets are properties that are made of others.
var propertySets = map[string]string{
	"Any": `\s\S`, "ASCII": `\x00-\x7F`,
	"Alphabetic": `\p{L}\p{Nl}\p{Other_Alphabetic}`, "Alpha": `\p{L}\p{Nl}\p{Other_Alphabetic}`,
	"Lowercase": `\p{Ll}\p{Other_Lowercase}`, "Lower": `\p{Ll}\p{Other_Lowercase}`,
	"Uppercase": `\p{Lu}\p{Other_Uppercase}`, "Upper": `\p{Lu}\p{Other_Uppercase}`,
	"ID_Start": `\p{L}\p{Nl}\p{Other_ID_Start}`, "IDS": `\p{L}\p{Nl}\p{Other_ID_Start}`,
	"ID_Continue": `\p{L}\p{Nl}\p{Other_ID_Start}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Other_ID_Continue}`,
	"IDC":         `\p{L}\p{Nl}\p{Other_ID_Start}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Other_ID_Continue}`,
	"space":       `\p{White_Space}`,
}

// scriptCodes are the short names of the commonest scripts.
var scriptCodes = map[string]string{
	"Latn": "Latin", "Grek": "Greek", "Cyrl": "Cyrillic", "Hani": "Han", "Hira": "Hiragana", "Kana": "Katakana", "Hang": "Hangul",
	"Arab": "Arabic", "Hebr": "Hebrew", "Thai": "Thai", "Deva": "Devanagari", "Armn": "Armenian", "Geor": "Georgian", "Zyyy": "Common",
}
