package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
)

// The headers in which a guest says who it is.
const (
	headerVersion     = "Codemode-Control-Version"
	headerConfig      = "Codemode-Config"
	headerFingerprint = "Codemode-Fingerprint"
	// headerRequest names a run, so that it can be cancelled before its execution's id is known.
	headerRequest = "Codemode-Request"
	// headerSecret carries the secret of a decision, where the holder demands one. The socket is private.
	headerSecret = "Codemode-Secret"
)

// maxBody bounds a request: the largest program and the largest input fit in, however they are escaped.
const maxBody = 32 << 20

// The bodies of requests that have no type of their own.
type (
	idRequest struct {
		ID string `json:"executionId,omitempty"`
	}
	describeRequest struct {
		Target string `json:"target"`
	}
	typesRequest struct {
		Namespaces []string `json:"namespaces,omitempty"`
	}
	cancelRequest struct {
		Request     string `json:"request,omitempty"` // of a run, from its header
		ExecutionID string `json:"executionId,omitempty"`
		Cause       string `json:"cause"`
	}
	cancelReply struct {
		Found bool `json:"found"`
	}
	snippetRequest struct {
		Name    string `json:"name"`
		Version int    `json:"version,omitempty"` // 0: the newest
	}
	expireRequest struct {
		Age time.Duration `json:"age"` // in nanoseconds
	}
	backupRequest struct {
		Path string `json:"path"` // absolute
	}
	pruneRequest struct {
		Keep int `json:"keep"`
	}
)

// partial is a list with what went wrong beside it.
type partial[T any] struct {
	List  []T    `json:"list"`
	Fault *fault `json:"fault,omitempty"`
}

func partialOf[T any](list []T, err error) (partial[T], error) {
	p := partial[T]{List: list}
	if err != nil {
		f := faultOf(err)
		p.Fault = &f
	}
	return p, nil
}

// route is one request that a holder answers.
type route struct {
	// always says that guests of another version or configuration are served too.
	always bool
	answer func(ctx context.Context, s *Server, body []byte) (any, error)
}

var routes = map[string]route{
	"run": {answer: handle((*Server).run)},
	"pending": {always: true, answer: handle(func(s *Server, ctx context.Context, r idRequest) ([]core.Pending, error) {
		return s.host.Pending(ctx, r.ID)
	})},
	"approve": {answer: handle(func(s *Server, ctx context.Context, r core.ApproveRequest) (*core.Outcome, error) {
		return s.host.Approve(ctx, r)
	})},
	"refuse": {answer: handle(func(s *Server, ctx context.Context, r core.RejectRequest) (*core.Outcome, error) {
		return s.host.Refuse(ctx, r)
	})},
	"reject": {always: true, answer: handle(func(s *Server, ctx context.Context, r core.RejectRequest) (*core.Reply, error) {
		return s.host.Reject(ctx, r)
	})},
	"settle": {answer: handle(func(s *Server, ctx context.Context, r core.SettleRequest) (*core.Outcome, error) {
		return s.host.Settle(ctx, r)
	})},
	"resume": {answer: handle(func(s *Server, ctx context.Context, r idRequest) (*core.Outcome, error) {
		return s.host.Resume(ctx, r.ID)
	})},
	"resume-all": {answer: handle(func(s *Server, ctx context.Context, _ struct{}) (partial[*core.Outcome], error) {
		return partialOf(s.host.ResumeAll(ctx))
	})},
	"rollback": {answer: handle(func(s *Server, ctx context.Context, r core.RollbackRequest) (*core.Rollback, error) {
		return s.host.Rollback(ctx, r)
	})},
	"executions": {always: true, answer: handle(func(s *Server, ctx context.Context, r core.ListRequest) (*core.Page, error) {
		return s.host.Executions(ctx, r)
	})},
	"show": {always: true, answer: handle(func(s *Server, ctx context.Context, r idRequest) (*core.Detail, error) {
		return s.host.Show(ctx, r.ID)
	})},
	"search": {always: true, answer: handle(func(s *Server, ctx context.Context, q catalog.Query) (*catalog.Results, error) {
		return s.host.Search(ctx, q)
	})},
	"describe": {always: true, answer: handle(func(s *Server, ctx context.Context, r describeRequest) (*catalog.Description, error) {
		return s.host.Describe(ctx, r.Target)
	})},
	"types": {always: true, answer: handle(func(s *Server, ctx context.Context, r typesRequest) (*core.Types, error) {
		return s.host.Types(ctx, r.Namespaces)
	})},
	"save-snippet": {answer: handle(func(s *Server, ctx context.Context, r core.SaveRequest) (*core.Snippet, error) {
		return s.host.SaveSnippet(ctx, r)
	})},
	"snippets": {always: true, answer: handle(func(s *Server, ctx context.Context, _ struct{}) (partial[core.Snippet], error) {
		return partialOf(s.host.Snippets(ctx))
	})},
	"snippet": {always: true, answer: handle(func(s *Server, ctx context.Context, r snippetRequest) (*core.Snippet, error) {
		return s.host.Snippet(ctx, r.Name, r.Version)
	})},
	"delete-snippet": {answer: handle(func(s *Server, ctx context.Context, r snippetRequest) (bool, error) {
		return s.host.DeleteSnippet(ctx, r.Name)
	})},
	"expire": {answer: handle(func(s *Server, ctx context.Context, r expireRequest) (partial[string], error) {
		return partialOf(s.host.ExpirePaused(ctx, r.Age))
	})},
	"prune": {answer: handle(func(s *Server, ctx context.Context, r pruneRequest) (partial[string], error) {
		return partialOf(s.host.Prune(ctx, r.Keep))
	})},
	"delete": {answer: handle(func(s *Server, ctx context.Context, r idRequest) (*core.Reply, error) {
		return s.host.Delete(ctx, r.ID)
	})},
	"export": {always: true, answer: handle(func(s *Server, ctx context.Context, r idRequest) ([]byte, error) {
		return s.host.Export(ctx, r.ID)
	})},
	"import": {answer: handle(func(s *Server, ctx context.Context, r core.ImportRequest) (*core.Reply, error) {
		return s.host.Import(ctx, r)
	})},
	"backup": {answer: handle(func(s *Server, ctx context.Context, r backupRequest) (struct{}, error) {
		return struct{}{}, s.host.Backup(ctx, r.Path)
	})},
	"tool": {always: true, answer: handle(func(s *Server, ctx context.Context, _ struct{}) (core.Tool, error) {
		return s.host.Tool(ctx), nil
	})},
	"progress": {always: true, answer: handle(func(s *Server, _ context.Context, r idRequest) (core.Progress, error) {
		return s.host.Progress(r.ID), nil
	})},
	"holder": {always: true, answer: handle(func(s *Server, _ context.Context, _ struct{}) (Holder, error) {
		return s.holder, nil
	})},
	"cancel": {answer: handle(func(s *Server, _ context.Context, r cancelRequest) (cancelReply, error) {
		cause := errors.New(r.Cause)
		if r.Request != "" {
			return cancelReply{Found: s.runs.cancel(r.Request, cause)}, nil
		}
		return cancelReply{Found: s.host.Cancel(r.ExecutionID, cause)}, nil
	})},
}

// handle makes a route's answer of a function with typed ends.
func handle[Req, Res any](f func(*Server, context.Context, Req) (Res, error)) func(context.Context, *Server, []byte) (any, error) {
	return func(ctx context.Context, s *Server, body []byte) (any, error) {
		var req Req
		if err := json.Unmarshal(body, &req); err != nil {
			return nil, fmt.Errorf("read the request: %w", err)
		}
		return f(s, ctx, req)
	}
}

// runs are the programs that guests run, by the names of their requests.
type runs struct {
	mu sync.Mutex
	by map[string]context.CancelCauseFunc
}

func (r *runs) add(name string, cancel context.CancelCauseFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		r.by = map[string]context.CancelCauseFunc{}
	}
	r.by[name] = cancel
}

func (r *runs) remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.by, name)
}

// cancel reports whether there is such a run.
func (r *runs) cancel(name string, cause error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	cancel := r.by[name]
	if cancel != nil {
		cancel(cause)
	}
	return cancel != nil
}
