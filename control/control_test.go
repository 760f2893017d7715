package control_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a host of functions; those that are nil are not expected to be called.
type fake struct {
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
	tool          core.Tool
	cancel        func(string, error) bool
	progress      func(string) core.Progress
}

var _ control.Host = (*fake)(nil)

func (f *fake) Run(ctx context.Context, r core.RunRequest) (*core.Outcome, error) {
	return f.run(ctx, r)
}
func (f *fake) Pending(_ context.Context, id string) ([]core.Pending, error) { return f.pending(id) }
func (f *fake) Approve(ctx context.Context, r core.ApproveRequest) (*core.Outcome, error) {
	return f.approve(ctx, r)
}
func (f *fake) Refuse(_ context.Context, r core.RejectRequest) (*core.Outcome, error) {
	return f.refuse(r)
}
func (f *fake) Reject(_ context.Context, r core.RejectRequest) (*core.Reply, error) {
	return f.reject(r)
}
func (f *fake) Settle(_ context.Context, r core.SettleRequest) (*core.Outcome, error) {
	return f.settle(r)
}
func (f *fake) Resume(_ context.Context, id string) (*core.Outcome, error) { return f.resume(id) }
func (f *fake) ResumeAll(context.Context) ([]*core.Outcome, error)         { return f.resumeAll() }
func (f *fake) Rollback(_ context.Context, r core.RollbackRequest) (*core.Rollback, error) {
	return f.rollback(r)
}
func (f *fake) Executions(_ context.Context, r core.ListRequest) (*core.Page, error) {
	return f.executions(r)
}
func (f *fake) Show(_ context.Context, id string) (*core.Detail, error) { return f.show(id) }
func (f *fake) Search(_ context.Context, q catalog.Query) (*catalog.Results, error) {
	return f.search(q)
}
func (f *fake) Describe(_ context.Context, target string) (*catalog.Description, error) {
	return f.describe(target)
}
func (f *fake) Types(_ context.Context, names []string) (*core.Types, error) { return f.types(names) }
func (f *fake) SaveSnippet(_ context.Context, r core.SaveRequest) (*core.Snippet, error) {
	return f.saveSnippet(r)
}
func (f *fake) Snippets(context.Context) ([]core.Snippet, error) { return f.snippets() }
func (f *fake) Snippet(_ context.Context, name string, version int) (*core.Snippet, error) {
	return f.snippet(name, version)
}
func (f *fake) DeleteSnippet(_ context.Context, name string) (bool, error) {
	return f.deleteSnippet(name)
}
func (f *fake) ExpirePaused(_ context.Context, age time.Duration) ([]string, error) {
	return f.expire(age)
}
func (f *fake) Prune(_ context.Context, keep int) ([]string, error)      { return f.prune(keep) }
func (f *fake) Delete(_ context.Context, id string) (*core.Reply, error) { return f.remove(id) }
func (f *fake) Export(_ context.Context, id string) ([]byte, error)      { return f.export(id) }
func (f *fake) Import(_ context.Context, r core.ImportRequest) (*core.Reply, error) {
	return f.imports(r)
}
func (f *fake) Backup(_ context.Context, path string) error { return f.backup(path) }
func (f *fake) Tool(context.Context) core.Tool              { return f.tool }
func (f *fake) Progress(id string) core.Progress            { return f.progress(id) }
func (f *fake) Cancel(id string, cause error) bool          { return f.cancel(id, cause) }
func nothingWaits(string) ([]core.Pending, error)           { return []core.Pending{}, nil }
func completed(id string) *core.Outcome                     { return &core.Outcome{Status: "completed", ExecutionID: id} }
func identity(config, fingerprint string) (i control.Identity) {
	return control.Identity{Config: config, Fingerprint: fingerprint}
}

// here is the configuration of holders in these tests.
var here = identity("/etc/codemode.hcl", "f1")

// serve serves a host in a new run folder until the test ends.
func serve(t *testing.T, host control.Host) (dir string, s *control.Server) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	return dir, serveIn(t, dir, host)
}

func serveIn(t *testing.T, dir string, host control.Host) *control.Server {
	t.Helper()
	s, err := control.Serve(t.Context(), control.Options{Dir: dir, Host: host, Identity: here})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		s.Wait()
	})
	return s
}

// guest dials the holder of a run folder.
func guest(t *testing.T, dir string, as control.Identity) *control.Client {
	t.Helper()
	c, err := control.Dial(t.Context(), dir, as)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// receive waits for a value that must come.
func receive[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(30 * time.Second):
		t.Fatal("waited for nothing")
	}
	return v
}

var errTest = errors.New("a test's cause")
