package journal

import (
	"strings"
	"unicode/utf8"
)

const (
	titleRunes     = 80
	errorTextRunes = 400
)

// Head returns what listings show of this state.
func (s *State) Head() Head {
	h := Head{
		ID: s.ID, Status: s.Status, Epoch: s.Epoch, Next: s.Next, Created: s.Created, Updated: s.Updated,
		Owner: s.Owner, Waiting: s.Waiting, Calls: len(s.Calls),
	}
	if b := s.Begun; b != nil {
		h.Title, h.Caller, h.Labels, h.Task = title(b.Source), b.Caller, b.Labels, b.Task
	}
	if s.End != nil && s.End.Failure != nil {
		h.ErrorText = clip(s.End.Failure.Message, errorTextRunes)
	}
	return h
}

// title finds the first line of a program that tells something: not a fence, a bracket or the opening of the
// function that every program is. A leading comment counts, for it says what the program is for.
func title(source string) string {
	first := ""
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			continue
		}
		line = strings.TrimSpace(strings.Trim(line, "/*"))
		if !strings.ContainsFunc(line, isWord) {
			continue
		}
		if !opensFunction(line) {
			return clip(line, titleRunes)
		}
		if first == "" {
			first = line
		}
	}
	return clip(first, titleRunes)
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= utf8.RuneSelf
}

func opensFunction(line string) bool {
	head, open := strings.CutSuffix(line, "{")
	if !open {
		return false
	}
	head = strings.TrimSpace(head)
	return strings.HasSuffix(head, "=>") || strings.HasPrefix(head, "export default") ||
		strings.HasPrefix(head, "function") || strings.HasPrefix(head, "async function")
}

// clip cuts text for a listing, never within a character.
func clip(text string, runes int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	for i := range text {
		if runes == 0 {
			return text[:i] + "…"
		}
		runes--
	}
	return text
}
