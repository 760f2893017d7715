package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/cmd/codemode/internal/render"
	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
)

// TestMain runs the tests, or, where the environment says so, the connector that they start.
func TestMain(m *testing.M) {
	if os.Getenv(connectorEnv) != "" {
		serveConnector()
		return
	}
	goleak.VerifyTestMain(m)
}

// service is a host of functions. A function that is nil must not be called.
type service struct {
	run           func(context.Context, core.RunRequest) (*core.Outcome, error)
	pending       func(string) ([]core.Pending, error)
	approve       func(context.Context, core.ApproveRequest) (*core.Outcome, error)
	refuse        func(core.RejectRequest) (*core.Outcome, error)
	reject        func(core.RejectRequest) (*core.Reply, error)
	settle        func(core.SettleRequest) (*core.Outcome, error)
	resume        func(string) (*core.Outcome, error)
	resumeAll     func() ([]*core.Outcome, error)
	rollback      func(core.RollbackRequest) (*core.Rollback, error)
	executions    func(core.ListRequest) (*core.Page, error)
	show          func(string) (*core.Detail, error)
	search        func(catalog.Query) (*catalog.Results, error)
	describe      func(string) (*catalog.Description, error)
	types         func([]string) (*core.Types, error)
	saveSnippet   func(core.SaveRequest) (*core.Snippet, error)
	snippets      func() ([]core.Snippet, error)
	snippet       func(string, int) (*core.Snippet, error)
	deleteSnippet func(string) (bool, error)
	expire        func(time.Duration) ([]string, error)
	prune         func(int) ([]string, error)
	remove        func(string) (*core.Reply, error)
	export        func(string) ([]byte, error)
	imports       func(core.ImportRequest) (*core.Reply, error)
	backup        func(string) error
}

var _ control.Service = (*service)(nil)

func (s *service) Run(ctx context.Context, r core.RunRequest) (*core.Outcome, error) {
	return s.run(ctx, r)
}
func (s *service) Pending(_ context.Context, id string) ([]core.Pending, error) { return s.pending(id) }
func (s *service) Approve(ctx context.Context, r core.ApproveRequest) (*core.Outcome, error) {
	return s.approve(ctx, r)
}
func (s *service) Refuse(_ context.Context, r core.RejectRequest) (*core.Outcome, error) {
	return s.refuse(r)
}
func (s *service) Reject(_ context.Context, r core.RejectRequest) (*core.Reply, error) {
	return s.reject(r)
}
func (s *service) Settle(_ context.Context, r core.SettleRequest) (*core.Outcome, error) {
	return s.settle(r)
}
func (s *service) Resume(_ context.Context, id string) (*core.Outcome, error) { return s.resume(id) }
func (s *service) ResumeAll(context.Context) ([]*core.Outcome, error)         { return s.resumeAll() }
func (s *service) Rollback(_ context.Context, r core.RollbackRequest) (*core.Rollback, error) {
	return s.rollback(r)
}
func (s *service) Executions(_ context.Context, r core.ListRequest) (*core.Page, error) {
	return s.executions(r)
}
func (s *service) Show(_ context.Context, id string) (*core.Detail, error) { return s.show(id) }
func (s *service) Search(_ context.Context, q catalog.Query) (*catalog.Results, error) {
	return s.search(q)
}
func (s *service) Describe(_ context.Context, target string) (*catalog.Description, error) {
	return s.describe(target)
}
func (s *service) Types(_ context.Context, names []string) (*core.Types, error) {
	return s.types(names)
}
func (s *service) SaveSnippet(_ context.Context, r core.SaveRequest) (*core.Snippet, error) {
	return s.saveSnippet(r)
}
func (s *service) Snippets(context.Context) ([]core.Snippet, error) { return s.snippets() }
func (s *service) Snippet(_ context.Context, name string, version int) (*core.Snippet, error) {
	return s.snippet(name, version)
}
func (s *service) DeleteSnippet(_ context.Context, name string) (bool, error) {
	return s.deleteSnippet(name)
}
func (s *service) ExpirePaused(_ context.Context, age time.Duration) ([]string, error) {
	return s.expire(age)
}
func (s *service) Prune(_ context.Context, keep int) ([]string, error)      { return s.prune(keep) }
func (s *service) Delete(_ context.Context, id string) (*core.Reply, error) { return s.remove(id) }
func (s *service) Export(_ context.Context, id string) ([]byte, error)      { return s.export(id) }
func (s *service) Import(_ context.Context, r core.ImportRequest) (*core.Reply, error) {
	return s.imports(r)
}
func (s *service) Backup(_ context.Context, path string) error { return s.backup(path) }

// stage is an invocation without surroundings: no input, no terminal, and a host of functions.
type stage struct {
	*app
	out, err   bytes.Buffer
	opened     int
	unattended bool
	secret     bool
	cancelled  []string
}

func newStage(host control.Service) *stage {
	s := &stage{}
	s.app = &app{
		in: strings.NewReader(""), out: &s.out, err: &s.err, user: "ada", tty: "/nonexistent/tty", patience: time.Second,
		page: render.Page{Zone: time.UTC, Now: time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)},
	}
	s.open = func(context.Context) (*session, error) {
		s.opened++
		return &session{
			service: host, unattended: s.unattended, secret: s.secret, kept: 50, close: func(context.Context) {},
			cancel: func(_ context.Context, id string, cause error) (bool, error) {
				s.cancelled = append(s.cancelled, id+": "+cause.Error())
				return true, nil
			},
			again: func(context.Context) error { return errors.New("the host is gone for good") },
		}, nil
	}
	return s
}

// does runs a command line and checks its exit code.
func (s *stage) does(t *testing.T, code int, args ...string) {
	t.Helper()
	if got := s.run(t.Context(), args); got != code {
		t.Errorf("codemode %s: exit code %d, want %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), got, code, &s.out, &s.err)
	}
}

// says checks that a text is in the output.
func says(t *testing.T, output *bytes.Buffer, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(output.String(), text) {
			t.Errorf("%q is not in\n%s", text, output)
		}
	}
}

func completed() *core.Outcome { return &core.Outcome{Status: "completed", ExecutionID: "x1"} }
