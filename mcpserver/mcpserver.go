// Package mcpserver offers a host as an MCP server: one tool that runs programs,
// one that fetches an outcome later, and the executions and snippets to read.
//
//	server := mcpserver.New(ctx, mcpserver.Options{Host: host, User: "ada"})
//	err := server.ServeStdio(ctx, os.Stdin, os.Stdout)
//
// A client that can ask its person (elicitation) is asked about the calls that
// wait for an approval, and the tool's call goes on with the answer. A client
// that cannot gets the outcome "paused"; after the person has decided elsewhere,
// the tool result has what came of it.
//
// Only a client's explicit cancellation ends an execution. A connection that
// breaks does not: the pass goes on, and its outcome can be fetched.
package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
)

// Host is what a server needs of a host: of a [core.Host], or of one in another process.
type Host interface {
	Run(ctx context.Context, req core.RunRequest) (*core.Outcome, error)
	Approve(ctx context.Context, req core.ApproveRequest) (*core.Outcome, error)
	Reject(ctx context.Context, req core.RejectRequest) (*core.Reply, error)
	Resume(ctx context.Context, id string) (*core.Outcome, error)
	Cancel(id string, cause error) bool
	Progress(id string) core.Progress
	Show(ctx context.Context, id string) (*core.Detail, error)
	Executions(ctx context.Context, req core.ListRequest) (*core.Page, error)
	Snippets(ctx context.Context) ([]core.Snippet, error)
	Snippet(ctx context.Context, name string, version int) (*core.Snippet, error)
	Search(ctx context.Context, q catalog.Query) (*catalog.Results, error)
	Describe(ctx context.Context, target string) (*catalog.Description, error)
	// Tool is the tool's definition, the zero value if it is not known now.
	Tool(ctx context.Context) core.Tool
	ForModel(out *core.Outcome) *core.Outcome
}

var _ Host = (*core.Host)(nil)

// The tools that a server can offer.
const (
	ToolRun      = "codemode" // runs a program, under the name that the host gives it
	ToolResult   = "result"   // fetches the outcome of an execution
	ToolSearch   = "search"   // finds methods
	ToolDescribe = "describe" // describes a namespace, a method or a type
)

// DefaultTools are the tools of a server that names none.
var DefaultTools = []string{ToolRun, ToolResult}

// Options make a [Server].
type Options struct {
	// Host runs the programs. The server does not close it.
	Host Host
	// Tools are the tools to offer; nil: DefaultTools.
	Tools []string
	// NoElicitation asks no client's person: whatever waits for an approval is answered as paused.
	NoElicitation bool
	// User is who decides where a client asks its person: the operating system's user.
	User string
	// Caller says who asks, for rules and the audit; empty: the client's own name.
	Caller string
	// Labels are those of every execution.
	Labels map[string]string
	// Version is what the server says of itself.
	Version string
	// Logger receives what operators should know; nil: nobody does.
	Logger hclog.Logger
}

// Server is a host as an MCP server, for any number of clients at once.
type Server struct {
	options Options
	host    Host
	logger  hclog.Logger
	mcp     *mcp.Server
	key     []byte // signs what clients carry between two rounds of a call
	// tick is how often a client is told how far its call is.
	tick time.Duration
	// follow is how often the server looks whether what the tool's description says has changed.
	follow time.Duration
	// patience is how long the tool result waits for a pass that runs.
	patience time.Duration

	calls sync.WaitGroup // the tools' calls that are being answered

	mu   sync.Mutex // guards tool
	tool core.Tool  // as it was last told to clients
}

const instructions = "codemode runs whole programs against its connectors: the description of its tool says how. " +
	"What needs a person's approval waits for it, and goes on from there."

// New makes a server. It asks the host for the tool's description, which may have to wait for connectors.
func New(ctx context.Context, o Options) *Server {
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	if o.Tools == nil {
		o.Tools = DefaultTools
	}
	s := &Server{
		options: o, host: o.Host, logger: o.Logger, key: make([]byte, 32),
		tick: time.Second, follow: 30 * time.Second, patience: 20 * time.Second,
	}
	rand.Read(s.key) // it never fails
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "codemode", Title: "codemode", Version: o.Version}, &mcp.ServerOptions{Instructions: instructions})
	s.addTools(ctx)
	s.addResources()
	s.mcp.AddReceivingMiddleware(s.fresh)
	return s
}

// Close ends the sessions of all clients and waits until no tool's call is being answered, as calls are once the host
// has been closed. The caller has stopped what serves.
func (s *Server) Close() error {
	var err error
	for session := range s.mcp.Sessions() {
		err = errors.Join(err, session.Close())
	}
	s.calls.Wait()
	return err
}
