package program

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
)

// maxExpression is how long an expression may be that is quoted in an error.
const maxExpression = 60

// leadingKeyword is a keyword that stands right before a bracket.
var leadingKeyword = regexp.MustCompile(`^(?:return|await|yield|typeof|throw|case|void|delete|in|of)([\[(])`)

// Expression returns the chain of names, such as item.list.first, that ends at a place of the model's text, where
// goja says that something is no function or has no property. It is empty where the text is anything else.
func (p *Program) Expression(line, column int) string {
	text, sourceMap, ok := strings.Cut(p.JS, "\n//# sourceMappingURL=data:application/json;base64,")
	if !ok {
		return ""
	}
	data, err := base64.StdEncoding.DecodeString(sourceMap)
	if err != nil {
		return ""
	}
	offset, ok := locateIn(data, text, position{line, column})
	if !ok {
		return ""
	}
	return chainAt(text, offset)
}

// locateIn finds a place of the model's text in a text, by the map that encode wrote.
func locateIn(sourceMap []byte, text string, place position) (int, bool) {
	var m struct{ Mappings string }
	if json.Unmarshal(sourceMap, &m) != nil {
		return 0, false
	}
	from, source, lineStart := position{1, 0}, 0, 0
	for group := range strings.SplitSeq(m.Mappings, ";") {
		column := 0
		for segment := range strings.SplitSeq(group, ",") {
			deltas, err := decodeVLQ(segment)
			if err != nil || len(deltas) < 4 {
				continue
			}
			column += deltas[0]
			source += deltas[1]
			from.line += deltas[2]
			from.column += deltas[3]
			if source == models && from == place && lineStart+column <= len(text) {
				return lineStart + column - 1, true
			}
		}
		next := strings.IndexByte(text[lineStart:], '\n')
		if next < 0 {
			break
		}
		lineStart += next + 1
	}
	return 0, false
}

// chainAt reads the name at an offset and the names and brackets before it.
func chainAt(text string, offset int) string {
	if strings.HasPrefix(text[offset:], "new ") {
		offset += len("new ")
	}
	end := offset
	for end < len(text) && (isWordByte(text[end]) || text[end] == '#') {
		end++
	}
	if end == offset {
		return ""
	}
	begin := offset
	for begin > 0 {
		switch c := text[begin-1]; {
		case isWordByte(c), c == '.', c == '#', c == '?' && text[begin] == '.':
			begin--
			continue
		case c == ')' || c == ']':
			if open := opener(text, begin-1); open >= 0 && begin < len(text) && strings.IndexByte(".?[(", text[begin]) >= 0 {
				begin = open
				continue
			}
		}
		break
	}
	chain := strings.TrimLeft(leadingKeyword.ReplaceAllString(text[begin:end], "$1"), ".?")
	if len(chain) > maxExpression || chain != "" && chain[0] >= '0' && chain[0] <= '9' {
		return text[offset:end]
	}
	return chain
}

// opener finds the bracket that one at an offset closes; -1 where a text literal stands in between.
func opener(text string, at int) int {
	depth := 0
	for i := at; i >= 0 && at-i < maxExpression; i-- {
		switch text[i] {
		case ')', ']':
			depth++
		case '(', '[':
			if depth--; depth == 0 {
				return i
			}
		case '"', '\'', '`', '{', '}', ';':
			return -1
		}
	}
	return -1
}
