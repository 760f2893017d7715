package control_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
)

// theSecret has what a header cannot carry as it is.
const theSecret = "s3cret Ünïcode %0a"

func secretFile(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadSecret(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		mode os.FileMode
		want string // of the error
	}{
		"good":      {" " + theSecret + "\n", 0o600, ""},
		"read-only": {theSecret, 0o400, ""},
		"group":     {theSecret, 0o640, "mode 0640"},
		"others":    {theSecret, 0o604, "chmod 600"},
		"empty":     {" \n", 0o600, "empty"},
		"large":     {strings.Repeat("x", 5000), 0o600, "larger"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := control.ReadSecret(secretFile(t, test.text, test.mode))
			switch {
			case test.want == "" && (err != nil || got != theSecret):
				t.Errorf("%q, %v", got, err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("error %v, want %q", err, test.want)
			case err != nil && strings.Contains(err.Error(), "s3cret"):
				t.Errorf("the error tells the secret: %v", err)
			}
		})
	}
	if _, err := control.ReadSecret(t.TempDir()); err == nil {
		t.Error("a folder is read")
	}
	if _, err := control.ReadSecret(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// decisions are the requests that need a secret, and what they are to the host.
var decisions = map[string]func(context.Context, control.Service) error{
	"approve": func(ctx context.Context, s control.Service) error {
		_, err := s.Approve(ctx, core.ApproveRequest{})
		return err
	},
	"settle": func(ctx context.Context, s control.Service) error {
		_, err := s.Settle(ctx, core.SettleRequest{})
		return err
	},
	"rollback": func(ctx context.Context, s control.Service) error {
		_, err := s.Rollback(ctx, core.RollbackRequest{})
		return err
	},
	"import": func(ctx context.Context, s control.Service) error {
		_, err := s.Import(ctx, core.ImportRequest{Live: true})
		return err
	},
	"save snippet": func(ctx context.Context, s control.Service) error {
		_, err := s.SaveSnippet(ctx, core.SaveRequest{})
		return err
	},
}

// counting is a host that counts its decisions.
func counting(decided *int) *fake {
	return &fake{
		approve: func(context.Context, core.ApproveRequest) (*core.Outcome, error) {
			*decided++
			return completed("x"), nil
		},
		settle:      func(core.SettleRequest) (*core.Outcome, error) { *decided++; return completed("x"), nil },
		rollback:    func(core.RollbackRequest) (*core.Rollback, error) { *decided++; return &core.Rollback{}, nil },
		saveSnippet: func(core.SaveRequest) (*core.Snippet, error) { *decided++; return &core.Snippet{}, nil },
		imports: func(r core.ImportRequest) (*core.Reply, error) {
			if r.Live {
				*decided++
			}
			return &core.Reply{}, nil
		},
		refuse:  func(core.RejectRequest) (*core.Outcome, error) { return completed("x"), nil },
		reject:  func(core.RejectRequest) (*core.Reply, error) { return &core.Reply{}, nil },
		pending: nothingWaits,
	}
}

// A decision over the socket needs the secret; nothing else does.
func TestSecretOverTheSocket(t *testing.T) {
	t.Parallel()
	decided := 0
	dir, _ := serve(t, control.Guard(counting(&decided), secretFile(t, theSecret+"\n", 0o600)))
	c := guest(t, dir, here)
	for name, decide := range decisions {
		var refused *control.SecretError
		if err := decide(t.Context(), c); !errors.As(err, &refused) || !refused.Missing {
			t.Errorf("%s without a secret: %v", name, err)
		}
	}
	var refused *control.SecretError
	if err := decisions["approve"](control.WithSecret(t.Context(), "guess"), c); !errors.As(err, &refused) || refused.Missing {
		t.Errorf("with a wrong secret: %v", err)
	}
	if decided > 0 {
		t.Fatalf("%d decisions were taken", decided)
	}
	for name, decide := range decisions {
		if err := decide(control.WithSecret(t.Context(), theSecret), c); err != nil {
			t.Errorf("%s with the secret: %v", name, err)
		}
	}
	if decided != len(decisions) {
		t.Errorf("%d decisions were taken", decided)
	}
	for name, ask := range map[string]func() error{
		"dry run": func() error { _, err := c.Rollback(t.Context(), core.RollbackRequest{DryRun: true}); return err },
		"import":  func() error { _, err := c.Import(t.Context(), core.ImportRequest{}); return err },
		"refuse":  func() error { _, err := c.Refuse(t.Context(), core.RejectRequest{}); return err },
		"reject":  func() error { _, err := c.Reject(t.Context(), core.RejectRequest{}); return err },
		"pending": func() error { _, err := c.Pending(t.Context(), ""); return err },
	} {
		if err := ask(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Many guesses at once are no faster than one after the other, and another secret holds at once.
func TestGuessesTakeTheirTime(t *testing.T) {
	t.Parallel()
	path := secretFile(t, theSecret, 0o600)
	synctest.Test(t, func(t *testing.T) {
		decided := 0
		host := control.Guard(counting(&decided), path)
		began := time.Now()
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				var refused *control.SecretError
				if err := decisions["settle"](control.WithSecret(t.Context(), "guess"), host); !errors.As(err, &refused) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(began); took < 5*time.Second {
			t.Errorf("five guesses took %s", took)
		}
		if err := os.WriteFile(path, []byte("another"), 0o600); err != nil {
			t.Fatal(err)
		}
		began = time.Now()
		if err := decisions["settle"](control.WithSecret(t.Context(), "another"), host); err != nil || decided != 1 {
			t.Errorf("%v, %d decisions", err, decided)
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("the right one took %s", took)
		}
	})
}

// A secret that others may read opens nothing.
func TestSecretOthersMayReadOpensNothing(t *testing.T) {
	t.Parallel()
	decided := 0
	host := control.Guard(counting(&decided), secretFile(t, theSecret, 0o644))
	if err := decisions["approve"](control.WithSecret(t.Context(), theSecret), host); err == nil || decided > 0 {
		t.Errorf("%v, %d decisions", err, decided)
	}
}
