package journal

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The limits of a snippet, in characters.
const (
	MaxSnippetName = 128
	MaxSnippetText = 1_000_000 // its source, its description and its input schema, each
)

// ErrSnippetName refuses a name.
var ErrSnippetName = fmt.Errorf(`a snippet's name has 1 to %d ASCII letters, digits, "_" and "-"`, MaxSnippetName)

// CheckSnippetName returns an error that wraps ErrSnippetName where a name is none for a snippet.
func CheckSnippetName(name string) error {
	if name == "" || len(name) > MaxSnippetName || strings.ContainsFunc(name, notInName) {
		return fmt.Errorf("snippet %.*q: %w", MaxSnippetName, name, ErrSnippetName)
	}
	return nil
}

func notInName(r rune) bool {
	return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

const snippetVersion = 1

// EncodeSnippet checks that a snippet is sound and within the limits, and returns its stored form.
func EncodeSnippet(s Snippet) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	data, err := seal(snippetPlace(s.Name, s.Version), snippetVersion, s)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", snippetPlace(s.Name, s.Version), err)
	}
	if len(data) > MaxRecord {
		return nil, &TooLargeError{What: fmt.Sprintf("snippet %q", s.Name), Size: len(data), Limit: MaxRecord}
	}
	return data, nil
}

// DecodeSnippet returns the version of this snippet that EncodeSnippet made these bytes of. The error is
// DamagedSnippet's, or ErrNewer with the snippet's name.
func DecodeSnippet(name string, version int, data []byte) (Snippet, error) {
	var s Snippet
	err := unseal(snippetPlace(name, version), snippetVersion, data, &s)
	if errors.Is(err, ErrNewer) {
		return Snippet{}, fmt.Errorf("%s: %w", snippetPlace(name, version), err)
	}
	if err != nil {
		return Snippet{}, DamagedSnippet(name, version, err)
	}
	return s, nil
}

// DamagedSnippet returns the *DamagedError that names this version. The cause must quote nothing of it.
func DamagedSnippet(name string, version int, cause error) error {
	return &DamagedError{Part: snippetPlace(name, version), After: -1, Cause: cause.Error()}
}

func snippetPlace(name string, version int) string {
	return fmt.Sprintf("version %d of snippet %q", version, name)
}

func (s *Snippet) check() error {
	if err := CheckSnippetName(s.Name); err != nil {
		return err
	}
	for _, part := range []struct {
		what, advice string
		size         int
	}{
		{"source", "read large data from a connector or from the input", utf8.RuneCountInString(s.Source)},
		{"description", "a few sentences are read best", utf8.RuneCountInString(s.Description)},
		{"input schema", "describe the parts that matter", utf8.RuneCount(s.InputSchema)},
	} {
		if part.size > MaxSnippetText {
			return &TooLargeError{
				What: fmt.Sprintf("the %s of snippet %q", part.what, s.Name), Advice: part.advice,
				Size: part.size, Limit: MaxSnippetText, Unit: "characters",
			}
		}
	}
	return nil
}
