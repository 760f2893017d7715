package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/codemode-go/codemode/core/journal"
)

// SaveSnippet implements journal.Snippets.
func (s *Store) SaveSnippet(ctx context.Context, snippet journal.Snippet) (int, error) {
	var version int
	err := s.do(ctx, journal.Batch{}, func(s *Store) (func(), error) {
		next := snippet
		next.Version = len(s.snippets[snippet.Name]) + 1
		record, err := journal.EncodeSnippet(next)
		return func() {
			s.snippets[snippet.Name] = append(s.snippets[snippet.Name], record)
			version = next.Version
		}, err
	})
	if err != nil {
		return 0, err // and version may still be written, by a crash
	}
	return version, nil
}

// Snippet implements journal.Snippets.
func (s *Store) Snippet(ctx context.Context, name string, version int) (journal.Snippet, error) {
	if err := ctx.Err(); err != nil {
		return journal.Snippet{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	versions := s.snippets[name]
	if len(versions) == 0 {
		return journal.Snippet{}, fmt.Errorf("snippet %q: %w", name, journal.ErrNotFound)
	}
	if version == 0 {
		version = len(versions)
	}
	if version < 1 || version > len(versions) {
		return journal.Snippet{}, fmt.Errorf("version %d of snippet %q: %w", version, name, journal.ErrNotFound)
	}
	return journal.DecodeSnippet(name, version, versions[version-1])
}

// Snippets implements journal.Snippets.
func (s *Store) Snippets(ctx context.Context) ([]journal.Snippet, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []journal.Snippet
	var unreadable []error
	for _, name := range slices.Sorted(maps.Keys(s.snippets)) {
		version := len(s.snippets[name])
		snippet, err := journal.DecodeSnippet(name, version, s.snippets[name][version-1])
		if err != nil {
			unreadable = append(unreadable, err)
			continue
		}
		list = append(list, snippet)
	}
	return list, errors.Join(unreadable...)
}

// DeleteSnippet implements journal.Snippets.
func (s *Store) DeleteSnippet(ctx context.Context, name string) (bool, error) {
	var found bool
	err := s.do(ctx, journal.Batch{}, func(s *Store) (func(), error) {
		return func() {
			found = s.snippets[name] != nil
			delete(s.snippets, name)
		}, nil
	})
	if err != nil {
		return false, err
	}
	return found, nil
}
