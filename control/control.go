// Package control lets other processes use the host of the process that has the
// journal open: its API as HTTP and JSON over a private Unix socket. [Serve]
// offers a host; [Dial] reaches it, and the [Client] answers as the host would.
//
// Whoever can open the data folder can connect: the socket and the file that
// tells of it can be used by the same user alone.
package control

import (
	"context"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
)

// Version is the version of what is spoken over the socket. A holder serves guests of another version what only
// reads, and rejections.
const Version = 5

// Service is what a host does for its users, in this process or in another.
type Service interface {
	// Run runs a program. When ctx ends, the execution is cancelled.
	Run(ctx context.Context, req core.RunRequest) (*core.Outcome, error)
	Pending(ctx context.Context, id string) ([]core.Pending, error)
	// Approve, Refuse, Settle and Resume wait for a pass. It goes on when ctx ends first.
	Approve(ctx context.Context, req core.ApproveRequest) (*core.Outcome, error)
	Refuse(ctx context.Context, req core.RejectRequest) (*core.Outcome, error)
	Reject(ctx context.Context, req core.RejectRequest) (*core.Reply, error)
	Settle(ctx context.Context, req core.SettleRequest) (*core.Outcome, error)
	Resume(ctx context.Context, id string) (*core.Outcome, error)
	// ResumeAll, like Snippets, ExpirePaused and Prune, returns what it could do beside the error.
	ResumeAll(ctx context.Context) ([]*core.Outcome, error)
	Rollback(ctx context.Context, req core.RollbackRequest) (*core.Rollback, error)
	Executions(ctx context.Context, req core.ListRequest) (*core.Page, error)
	Show(ctx context.Context, id string) (*core.Detail, error)
	Search(ctx context.Context, q catalog.Query) (*catalog.Results, error)
	Describe(ctx context.Context, target string) (*catalog.Description, error)
	// Types declares namespaces in TypeScript; none: all.
	Types(ctx context.Context, namespaces []string) (*core.Types, error)
	SaveSnippet(ctx context.Context, req core.SaveRequest) (*core.Snippet, error)
	Snippets(ctx context.Context) ([]core.Snippet, error)
	Snippet(ctx context.Context, name string, version int) (*core.Snippet, error)
	DeleteSnippet(ctx context.Context, name string) (bool, error)
	ExpirePaused(ctx context.Context, age time.Duration) ([]string, error)
	Prune(ctx context.Context, keep int) ([]string, error)
	Delete(ctx context.Context, id string) (*core.Reply, error)
	Export(ctx context.Context, id string) ([]byte, error)
	Import(ctx context.Context, req core.ImportRequest) (*core.Reply, error)
	// Backup has the host write a new file, at an absolute path.
	Backup(ctx context.Context, path string) error
}

// Host is a service in this process.
type Host interface {
	Service
	// Tool defines the one tool that a model sees.
	Tool(ctx context.Context) core.Tool
	// Cancel ends a running execution, and reports whether it was running.
	Cancel(id string, cause error) bool
	// Progress tells how far a running execution is.
	Progress(id string) core.Progress
}

var (
	_ Host    = (*core.Host)(nil)
	_ Service = (*Client)(nil)
)

// Identity is the configuration under which a process works.
type Identity struct {
	Config      string `json:"config"`      // the path of its file or directory
	Fingerprint string `json:"fingerprint"` // of the configuration as written
}
