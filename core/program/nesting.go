package program

import "strings"

// Bounds of one path from the program's outside to its innermost token. Parsers recurse along such a path: 200,000
// open brackets overflow the stack and end the process, and esbuild's time grows with the cube of nested functions
// (2,000 took 16 s). What people and models write stays below a tenth of both.
const (
	maxBrackets = 200   // open at one place
	maxTokens   = 2_000 // of the unfinished expressions and statements around one place
)

// checkNesting refuses text that no parser should see. It reads tokens, not grammar, and so it is an estimate.
func (c *code) checkNesting() error {
	s := scanner{text: c.text, levels: []level{{}}}
	if offset, ok := s.deepest(); !ok {
		return c.fault(c.at(offset), "the program is nested too deeply here; use fewer nested brackets, or split a long expression into several statements")
	}
	return nil
}

// level is one open bracket, or the text around all brackets.
type level struct {
	template bool // the bracket is ${ of a template literal
	tokens   int  // of the statement or expression under way
	control  int  // those of them that hold a statement open over line ends: if, for, while, ...
}

// scanner walks over the tokens of a text.
type scanner struct {
	text   string
	pos    int
	levels []level
	tokens int // over all levels

	last      string // the last token: a word, or one character
	lineBreak bool   // between the last token and this one
}

// deepest scans the whole text, or to the offset at which it is too deep.
func (s *scanner) deepest() (int, bool) {
	for s.skipBlank(); s.pos < len(s.text); s.skipBlank() {
		start := s.pos
		token := s.next()
		s.endStatement(token)
		s.count(token)
		if s.tokens > maxTokens || len(s.levels) > maxBrackets {
			return start, false
		}
		s.last, s.lineBreak = token, false
	}
	return 0, true
}

// count enters a token into the levels.
func (s *scanner) count(token string) {
	top := &s.levels[len(s.levels)-1]
	switch token {
	case "(", "[", "{", substitution:
		top.tokens++
		s.tokens++
		s.levels = append(s.levels, level{template: token == substitution})
	case ")", "]", "}":
		s.closeLevel()
	case ",":
		s.drop(0)
	default:
		top.tokens++
		s.tokens++
		if controls[token] {
			top.control++
		}
	}
}

func (s *scanner) closeLevel() {
	if len(s.levels) == 1 {
		return
	}
	s.drop(0)
	s.levels = s.levels[:len(s.levels)-1]
}

// drop forgets all tokens of the innermost level but keep.
func (s *scanner) drop(keep int) {
	top := &s.levels[len(s.levels)-1]
	s.tokens -= top.tokens - keep
	top.tokens, top.control = keep, keep
}

var (
	controls   = set("if else for while do with try")
	continuing = set("else catch finally while in of instanceof as satisfies extends implements from")
	// operators are the words that an expression cannot end with.
	operators = set("return typeof case in of delete void throw new else do await yield instanceof extends default as satisfies keyof readonly infer is async")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// endStatement forgets the statement before a token that begins another.
func (s *scanner) endStatement(token string) {
	if continuing[token] {
		return
	}
	switch {
	case s.last == ";", token == "case", s.last == "}" && isWord(token):
		s.drop(0)
	case s.lineBreak && isWord(token) && s.last == ")": // if (a) has its statement in the next line
		s.drop(s.levels[len(s.levels)-1].control)
	case s.lineBreak && isWord(token) && (s.endsExpression() || s.last == "return"):
		s.drop(0)
	}
}

// endsExpression reports whether the last token can be an expression's last.
func (s *scanner) endsExpression() bool {
	switch s.last {
	case ")", "]", "}", `"`:
		return true
	}
	return isWord(s.last) && !operators[s.last]
}

func isWord(token string) bool { return token != "" && isWordByte(token[0]) }

func isWordByte(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
