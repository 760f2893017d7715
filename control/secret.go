package control

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/codemode-go/codemode/core"
)

// maxSecret bounds a secret, in bytes.
const maxSecret = 4 << 10

// wrongSecret is how long a wrong secret takes to be answered. While it does, no other one is looked at.
const wrongSecret = time.Second

// SecretError says that a decision did not come with the secret that it needs. Nothing was done.
type SecretError struct {
	Missing bool // there was none; else it was a wrong one
}

func (e *SecretError) Error() string {
	if e.Missing {
		return "deciding needs the secret of approvals.secret_file, and none came with it"
	}
	return "the secret is wrong"
}

// ReadSecret reads a secret from a file, without the white space around it. Only the file's owner may have rights to it.
func ReadSecret(path string) (secret string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", fmt.Errorf("read the secret: %w", err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("read the secret: %s is not a regular file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0: // there, the mode says nothing of others
		return "", fmt.Errorf("read the secret: %s has mode %04o: others than its owner have rights to it; take them away (chmod 600)", path, info.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	switch secret = strings.TrimSpace(string(text)); {
	case err != nil:
		return "", fmt.Errorf("read the secret: %w", err)
	case len(text) > maxSecret:
		return "", fmt.Errorf("read the secret: %s is larger than %d bytes", path, maxSecret)
	case secret == "":
		return "", fmt.Errorf("read the secret: %s is empty", path)
	}
	return secret, nil
}

// secretKey is the key of a secret in a context.
type secretKey struct{}

// WithSecret returns a context whose decisions come with a secret.
func WithSecret(ctx context.Context, secret string) context.Context {
	return context.WithValue(ctx, secretKey{}, secret)
}

func secretOf(ctx context.Context) string {
	secret, _ := ctx.Value(secretKey{}).(string)
	return secret
}

// Guard returns a host that decides only with the secret in a file, which each decision's context must carry; see
// [WithSecret]. Decisions are Approve, Settle, Rollback and SaveSnippet; what only refuses, reads or tidies up needs
// none. The file is read at each decision, so that another secret holds at once. The error is a *[SecretError], or
// says what is wrong with the file.
func Guard(h Host, file string) Host {
	return &guarded{Host: h, file: file, turn: make(chan struct{}, 1)}
}

// guarded is a host behind a secret.
type guarded struct {
	Host
	file string
	turn chan struct{} // holds one token while a secret is looked at
}

// admit says why a decision is not taken; nil: it is. Secrets are looked at one after the other, and a wrong one takes
// its time, so that guessing at once from many sides is no faster.
func (g *guarded) admit(ctx context.Context) error {
	given := secretOf(ctx)
	if given == "" {
		return &SecretError{Missing: true}
	}
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	want, err := ReadSecret(g.file)
	if err != nil || same(given, want) {
		return err
	}
	select {
	case <-time.After(wrongSecret):
	case <-ctx.Done():
	}
	return &SecretError{}
}

// CheckSecret holds the secret that ctx carries to the one in a file, as Guard does for a host's decisions.
func CheckSecret(ctx context.Context, file string) error {
	return (&guarded{file: file, turn: make(chan struct{}, 1)}).admit(ctx)
}

// same compares secrets in a time that tells neither their length nor where they differ.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

func (g *guarded) Approve(ctx context.Context, req core.ApproveRequest) (*core.Outcome, error) {
	if err := g.admit(ctx); err != nil {
		return nil, err
	}
	return g.Host.Approve(ctx, req)
}

func (g *guarded) Settle(ctx context.Context, req core.SettleRequest) (*core.Outcome, error) {
	if err := g.admit(ctx); err != nil {
		return nil, err
	}
	return g.Host.Settle(ctx, req)
}

func (g *guarded) Rollback(ctx context.Context, req core.RollbackRequest) (*core.Rollback, error) {
	if !req.DryRun {
		if err := g.admit(ctx); err != nil {
			return nil, err
		}
	}
	return g.Host.Rollback(ctx, req)
}

func (g *guarded) SaveSnippet(ctx context.Context, req core.SaveRequest) (*core.Snippet, error) {
	if err := g.admit(ctx); err != nil {
		return nil, err
	}
	return g.Host.SaveSnippet(ctx, req)
}
