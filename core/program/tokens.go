package program

import "strings"

// Tokens that stand for more than their own text.
const (
	literal      = `"`  // a string, a regular expression, or the end of a template
	substitution = "`{" // what opens an expression inside a template
)

// next reads one token: a word, a literal, or one character.
func (s *scanner) next() string {
	start := s.pos
	b := s.text[s.pos]
	s.pos++
	switch {
	case isWordByte(b):
		for s.pos < len(s.text) && isWordByte(s.text[s.pos]) {
			s.pos++
		}
		return s.text[start:s.pos]
	case b == '"' || b == '\'':
		s.quoted(b)
		return literal
	case b == '`':
		return s.template()
	case b == '}' && s.levels[len(s.levels)-1].template:
		s.closeLevel()
		return s.template()
	case b == '/' && !s.endsExpression():
		s.regexp()
		return literal
	}
	return s.text[start:s.pos]
}

// quoted goes behind a string, or to the end of the line.
func (s *scanner) quoted(quote byte) {
	for s.pos < len(s.text) && s.text[s.pos] != '\n' {
		b := s.text[s.pos]
		s.pos++
		switch b {
		case quote:
			return
		case '\\':
			s.pos++
		}
	}
	s.pos = min(s.pos, len(s.text))
}

// template goes through a template's text, behind its end or behind the next ${.
func (s *scanner) template() string {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch {
		case rest[0] == '\\' && len(rest) > 1, strings.HasPrefix(rest, "${"):
			s.pos += 2
		default:
			s.pos++
		}
		switch {
		case rest[0] == '`':
			return literal
		case strings.HasPrefix(rest, "${"):
			return substitution
		}
	}
	return literal
}

// regexp goes behind a regular expression, or to the end of the line.
func (s *scanner) regexp() {
	class := false
	for s.pos < len(s.text) && s.text[s.pos] != '\n' {
		b := s.text[s.pos]
		s.pos++
		switch {
		case b == '\\':
			s.pos++
		case b == '[':
			class = true
		case b == ']':
			class = false
		case b == '/' && !class:
			return
		}
	}
	s.pos = min(s.pos, len(s.text))
}

// skipBlank goes over blanks and comments.
func (s *scanner) skipBlank() {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch {
		case rest[0] == '\n':
			s.lineBreak = true
			s.pos++
		case rest[0] == ' ' || rest[0] == '\t':
			s.pos++
		case strings.HasPrefix(rest, "//"):
			s.skipPast("\n", 0)
		case strings.HasPrefix(rest, "/*"):
			s.skipPast("*/", 2)
		default:
			return
		}
	}
}

// skipPast goes behind the next end, or to it if width is 0.
func (s *scanner) skipPast(end string, width int) {
	begin := s.pos + 2
	i := strings.Index(s.text[begin:], end)
	if i < 0 {
		s.pos = len(s.text)
		return
	}
	s.lineBreak = s.lineBreak || strings.Contains(s.text[begin:begin+i], "\n")
	s.pos = begin + i + width
}
