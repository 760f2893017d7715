package main

import (
	"context"
	"encoding/json"
	"fmt"
)

// send sends a request that go-github has no way, or no right way, to make.
func (c *connector) send(ctx context.Context, method, path string, body, result any) error {
	r, err := c.client.NewRequest(ctx, method, path, body)
	if err != nil {
		return err
	}
	_, err = c.client.Do(r, result)
	return err
}

// path is the address of something of the repository.
func (r Repo) path(rest string) string { return fmt.Sprintf("repos/%s/%s/%s", r.Owner, r.Repo, rest) }

// path is the address of the issue or the pull request, as kind says.
func (n Numbered) path(kind string) string { return n.Repo.path(fmt.Sprintf("%s/%d", kind, n.Number)) }

// decode reads an answer that came in an unusual way.
func decode(raw []byte, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read GitHub's answer: %w", err)
	}
	return nil
}
