// Package truncate shortens results that are too large for a model's context. A
// JSON value is not cut like text: it shrinks in place and stays JSON of the same
// shape.
//
//	short, truncated := truncate.JSON(result, truncate.Tokens(6000))
//
// What each kind of value becomes:
//
//   - A string keeps its beginning: "Once upon a t… [5120 more characters]".
//   - An array keeps its leading items, and its last one counts the rest:
//     "… 240 more items".
//   - An object keeps its keys in their order with shortened values. Where there are
//     too many, one more key behind them counts those left out: "…": "12 more keys".
//     That key is none of the object's own, which may have one that looks like it.
//   - A number with more digits than have room becomes a string that says so.
//
// Markers are written and never read. Text that merely looks like one is data, and
// is counted and shortened like any other.
//
// The same value and limit always give the same bytes. Sizes are in characters
// (Unicode code points of the text), of which a token has about four.
package truncate

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

const (
	// CharactersPerToken is how many characters are taken for a token.
	CharactersPerToken = 4
	// DefaultTokens is the budget of a result for which none is set.
	DefaultTokens = 6000
	// DefaultLimit is the same in characters.
	DefaultLimit = DefaultTokens * CharactersPerToken
	// MinLimit is the smallest limit. Every value has a form of this size.
	MinLimit = 64
)

// Tokens returns the limit, in characters, that stands for a number of tokens.
func Tokens(n int) int { return n * CharactersPerToken }

// JSON returns a JSON value in at most limit characters, and whether anything was
// left out. A value that has room is returned as it is, the same bytes; one that has
// room without its white space loses only that. A limit of 0 is [DefaultLimit], and
// one below [MinLimit] is MinLimit. What is no JSON, such as nil for undefined, is
// returned as it is.
//
// The time grows with the value's size, the memory with the limit.
func JSON(value []byte, limit int) (short []byte, truncated bool) {
	limit = effective(limit)
	if utf8.RuneCount(value) <= limit {
		return value, false
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return value, false
	}
	if utf8.RuneCount(compact.Bytes()) <= limit {
		return compact.Bytes(), false
	}
	short, fits := shorten(compact.Bytes(), limit, 0)
	if !fits {
		return value, false // cannot be: what has no form of MinLimit has room
	}
	return short, true
}

// Text returns a text in at most limit characters, and whether anything was left
// out: its beginning, and a marker that counts the rest. Limits are those of [JSON].
func Text(text string, limit int) (short string, truncated bool) {
	limit = effective(limit)
	total := utf8.RuneCountInString(text)
	if total <= limit {
		return text, false
	}
	kept := limit - utf8.RuneCountInString(moreCharacters(total))
	return prefix(text, kept) + moreCharacters(total-kept), true
}

// prefix returns the first n characters of a text.
func prefix(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

func effective(limit int) int {
	if limit == 0 {
		return DefaultLimit
	}
	return max(limit, MinLimit)
}
