package typescript

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

// Identifier returns the JavaScript identifier for a raw name: each run of
// characters that no identifier has becomes "_", a leading digit gets "_"
// before it, a reserved word "_" behind it. Case is kept. The empty name
// becomes "_".
func Identifier(raw string) string {
	var b strings.Builder
	gap := false
	for _, r := range raw {
		if !continues(r) {
			gap = true
			continue
		}
		if gap {
			b.WriteByte('_')
			gap = false
		}
		if b.Len() == 0 && !starts(r) {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	if gap || b.Len() == 0 {
		b.WriteByte('_')
	}
	if reserved[b.String()] {
		b.WriteByte('_')
	}
	return b.String()
}

// IsIdentifier reports whether s is an identifier as [Identifier] makes them.
func IsIdentifier(s string) bool { return Identifier(s) == s }

// Identifiers returns the identifiers for raw names, which must be distinct.
// Where several meet, the one that needed no change keeps the name and every
// other gets "_" and four hex digits of its raw name's hash (more in the rare
// case that those meet as well). The result for a name does not depend on the
// order of the others.
func Identifiers(raws []string) []string {
	names := make([]string, len(raws))
	groups := make(map[string][]int, len(raws))
	for i, raw := range raws {
		names[i] = Identifier(raw)
		groups[names[i]] = append(groups[names[i]], i)
	}
	suffixed := map[int]string{} // the identifier without its suffix
	for name, group := range groups {
		for _, i := range group {
			if len(group) > 1 && raws[i] != name {
				suffixed[i] = name
			}
		}
	}
	for digits := 4; len(suffixed) > 0 && digits <= 2*sha256.Size; digits += 4 {
		for i, base := range suffixed {
			names[i] = base + "_" + hash(raws[i], digits)
		}
		suffixed = clashing(names, suffixed)
	}
	return names
}

// clashing returns those of the suffixed names that are still not the only ones of their kind.
func clashing(names []string, suffixed map[int]string) map[int]string {
	count := make(map[string]int, len(names))
	for _, name := range names {
		count[name]++
	}
	rest := map[int]string{}
	for i, base := range suffixed {
		if count[names[i]] > 1 {
			rest[i] = base
		}
	}
	return rest
}

func hash(raw string, digits int) string {
	sum := sha256.Sum256([]byte(raw))
	return hex.EncodeToString(sum[:])[:digits]
}

// starts reports whether an identifier can start with r.
func starts(r rune) bool {
	if r < unicode.MaxASCII {
		return r == '$' || r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) && !syntax(r)
}

// continues reports whether an identifier can contain r. The invisible joiners
// that JavaScript allows are left out: two names must not look the same.
func continues(r rune) bool {
	if r < unicode.MaxASCII {
		return starts(r) || '0' <= r && r <= '9'
	}
	return starts(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) && !syntax(r)
}

func syntax(r rune) bool {
	return unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

// reserved are the words that cannot be identifiers in strict code, and those
// that an object must not have by accident: with a then it is taken for a
// promise, with a toJSON it is called when it is printed, and __proto__ is no
// ordinary property.
var reserved = set(`
	await break case catch class const continue debugger default delete do else
	enum export extends false finally for function if implements import in
	instanceof interface let new null package private protected public return
	static super switch this throw true try typeof var void while with yield
	then toJSON __proto__`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
