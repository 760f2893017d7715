package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
)

// answerTime is how long a holder may take to say who it is.
const answerTime = 3 * time.Second

// cancelTime bounds the attempts to tell a holder that a run is cancelled.
const cancelTime = 10 * time.Second

// Client is the host of another process. It is safe for concurrent use and holds nothing that needs closing.
//
// Its errors are those of the host, and besides [ErrNoHolder], *[LostError], *[MismatchError] and *[SecretError].
// Decisions carry the secret of their context; see [WithSecret].
type Client struct {
	holder Holder
	as     Identity
	http   *http.Client
	// version is the control version that this client says it speaks.
	version int
}

// Dial reaches the process that serves in a run folder, as a guest that works under the given configuration. Without
// one, also where one has died, the error is [ErrNoHolder]; where one does not answer it is a *[SilentError].
func Dial(ctx context.Context, dir string, as Identity) (*Client, error) {
	return dial(ctx, dir, as, answerTime)
}

// dial is Dial with the time in which the holder must answer.
func dial(ctx context.Context, dir string, as Identity, answerTime time.Duration) (*Client, error) {
	holder, err := readHolder(dir)
	if err != nil {
		return nil, err
	}
	c := &Client{holder: holder, as: as, version: Version}
	dialer := &net.Dialer{Timeout: answerTime}
	c.http = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", holder.Socket)
		},
		// One connection a request: that none can be made says that the request was not carried out.
		DisableKeepAlives: true,
	}}
	timed, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	found, err := call[Holder](timed, c, "holder", struct{}{})
	var timeout net.Error
	var lost *LostError
	switch {
	case err == nil:
		c.holder = found
		return c, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case timed.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return nil, &SilentError{PID: holder.PID, Cause: err}
	case errors.As(err, &lost): // it went away just now
		return nil, fmt.Errorf("%w: %w", ErrNoHolder, err)
	}
	return nil, err
}

// Holder is the process that answers.
func (c *Client) Holder() Holder { return c.holder }

// Run runs a program in the holder. When ctx ends the execution is cancelled, as with a host in this process; when the
// connection breaks, or this process dies, it goes on.
func (c *Client) Run(ctx context.Context, req core.RunRequest) (*core.Outcome, error) {
	name := uuid.NewString()
	done := make(chan struct{})
	cancelled := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(cancelled)
		c.cancelRun(name, context.Cause(ctx), done)
	})
	out, err := callNamed[*core.Outcome](context.WithoutCancel(ctx), c, "run", name, req)
	close(done)
	if !stop() {
		<-cancelled
	}
	return out, err
}

// cancelRun cancels a run by its request's name. The request may not have arrived yet: it is told again until it is
// found or done.
func (c *Client) cancelRun(name string, cause error, done <-chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), cancelTime)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		reply, err := call[cancelReply](ctx, c, "cancel", cancelRequest{Request: name, Cause: cause.Error()})
		if err != nil || reply.Found {
			return // what went wrong there goes wrong with the run as well, which reports it
		}
		select {
		case <-again.C:
		case <-done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Cancel ends a running execution, and reports whether it was running.
func (c *Client) Cancel(ctx context.Context, id string, cause error) (bool, error) {
	reply, err := call[cancelReply](ctx, c, "cancel", cancelRequest{ExecutionID: id, Cause: cause.Error()})
	return reply.Found, err
}

// Progress tells how far a running execution is.
func (c *Client) Progress(ctx context.Context, id string) (core.Progress, error) {
	return call[core.Progress](ctx, c, "progress", idRequest{ID: id})
}

// Gone waits until the holder serves no more, because it leaves or has died, or until ctx ends. The error is ctx's.
func (c *Client) Gone(ctx context.Context) error {
	// Whatever ends the request: the connection has, or the holder said so.
	_, _, _ = c.send(ctx, gonePath, "", struct{}{})
	return ctx.Err()
}

// Pending lists the calls that wait for a person: of one execution, or of all if id is empty.
func (c *Client) Pending(ctx context.Context, id string) ([]core.Pending, error) {
	return call[[]core.Pending](ctx, c, "pending", idRequest{ID: id})
}

// Approve allows waiting calls and waits for the pass.
func (c *Client) Approve(ctx context.Context, req core.ApproveRequest) (*core.Outcome, error) {
	return call[*core.Outcome](ctx, c, "approve", req)
}

// Refuse tells the program that a person refused a call, and waits for the pass.
func (c *Client) Refuse(ctx context.Context, req core.RejectRequest) (*core.Outcome, error) {
	return call[*core.Outcome](ctx, c, "refuse", req)
}

// Reject rejects a waiting call and ends its execution.
func (c *Client) Reject(ctx context.Context, req core.RejectRequest) (*core.Reply, error) {
	return call[*core.Reply](ctx, c, "reject", req)
}

// Settle records what a person knows of a call whose effect is in doubt, and waits for the pass.
func (c *Client) Settle(ctx context.Context, req core.SettleRequest) (*core.Outcome, error) {
	return call[*core.Outcome](ctx, c, "settle", req)
}

// Resume continues an execution, and waits for the pass.
func (c *Client) Resume(ctx context.Context, id string) (*core.Outcome, error) {
	return call[*core.Outcome](ctx, c, "resume", idRequest{ID: id})
}

// ResumeAll resumes what former processes left behind, and returns the outcomes, also beside an error.
func (c *Client) ResumeAll(ctx context.Context) ([]*core.Outcome, error) {
	return callPartial[*core.Outcome](ctx, c, "resume-all", struct{}{})
}

// Rollback undoes what an execution has done.
func (c *Client) Rollback(ctx context.Context, req core.RollbackRequest) (*core.Rollback, error) {
	return call[*core.Rollback](ctx, c, "rollback", req)
}

// Executions lists executions, newest first.
func (c *Client) Executions(ctx context.Context, req core.ListRequest) (*core.Page, error) {
	return call[*core.Page](ctx, c, "executions", req)
}

// Show tells an execution in full.
func (c *Client) Show(ctx context.Context, id string) (*core.Detail, error) {
	return call[*core.Detail](ctx, c, "show", idRequest{ID: id})
}

// Search finds methods.
func (c *Client) Search(ctx context.Context, q catalog.Query) (*catalog.Results, error) {
	return call[*catalog.Results](ctx, c, "search", q)
}

// Describe tells of a namespace, a method or a type.
func (c *Client) Describe(ctx context.Context, target string) (*catalog.Description, error) {
	return call[*catalog.Description](ctx, c, "describe", describeRequest{Target: target})
}

// Types declares namespaces in TypeScript; none: all.
func (c *Client) Types(ctx context.Context, namespaces []string) (*core.Types, error) {
	return call[*core.Types](ctx, c, "types", typesRequest{Namespaces: namespaces})
}

// SaveSnippet saves an execution's program under a name.
func (c *Client) SaveSnippet(ctx context.Context, req core.SaveRequest) (*core.Snippet, error) {
	return call[*core.Snippet](ctx, c, "save-snippet", req)
}

// Snippets lists the newest version of each snippet; those that can be read also beside an error.
func (c *Client) Snippets(ctx context.Context) ([]core.Snippet, error) {
	return callPartial[core.Snippet](ctx, c, "snippets", struct{}{})
}

// Snippet returns a version of a snippet, the newest if version is 0.
func (c *Client) Snippet(ctx context.Context, name string, version int) (*core.Snippet, error) {
	return call[*core.Snippet](ctx, c, "snippet", snippetRequest{Name: name, Version: version})
}

// DeleteSnippet removes a snippet, and reports whether there was one.
func (c *Client) DeleteSnippet(ctx context.Context, name string) (bool, error) {
	return call[bool](ctx, c, "delete-snippet", snippetRequest{Name: name})
}

// ExpirePaused ends executions whose last event is older than age, and returns their ids, also beside an error.
func (c *Client) ExpirePaused(ctx context.Context, age time.Duration) ([]string, error) {
	return callPartial[string](ctx, c, "expire", expireRequest{Age: age})
}

// Prune deletes executions that have ended, all but the newest, and returns their ids, also beside an error.
func (c *Client) Prune(ctx context.Context, keep int) ([]string, error) {
	return callPartial[string](ctx, c, "prune", pruneRequest{Keep: keep})
}

// Delete removes an execution.
func (c *Client) Delete(ctx context.Context, id string) (*core.Reply, error) {
	return call[*core.Reply](ctx, c, "delete", idRequest{ID: id})
}

// Export returns an execution's journal as JSON lines.
func (c *Client) Export(ctx context.Context, id string) ([]byte, error) {
	return call[[]byte](ctx, c, "export", idRequest{ID: id})
}

// Import keeps an execution that was exported.
func (c *Client) Import(ctx context.Context, req core.ImportRequest) (*core.Reply, error) {
	return call[*core.Reply](ctx, c, "import", req)
}

// Backup has the host write all that its journal holds to a new file.
func (c *Client) Backup(ctx context.Context, path string) error {
	_, err := call[struct{}](ctx, c, "backup", backupRequest{Path: path})
	return err
}

// Tool defines the one tool that a model sees.
func (c *Client) Tool(ctx context.Context) (core.Tool, error) {
	return call[core.Tool](ctx, c, "tool", struct{}{})
}

// call sends a request and reads its answer.
func call[Res any](ctx context.Context, c *Client, path string, body any) (Res, error) {
	return callNamed[Res](ctx, c, path, "", body)
}

// callPartial sends a request whose answer may have an error beside it.
func callPartial[T any](ctx context.Context, c *Client, path string, body any) ([]T, error) {
	p, err := call[partial[T]](ctx, c, path, body)
	if err == nil && p.Fault != nil {
		err = p.Fault.err()
	}
	return p.List, err
}

func callNamed[Res any](ctx context.Context, c *Client, path, name string, body any) (res Res, err error) {
	text, status, err := c.send(ctx, path, name, body)
	if err != nil {
		return res, err
	}
	if status != http.StatusOK {
		var f fault
		if err := json.Unmarshal(text, &f); err != nil {
			return res, fmt.Errorf("%s: process %d answered with status %d", path, c.holder.PID, status)
		}
		return res, f.err()
	}
	if err := json.Unmarshal(text, &res); err != nil {
		return res, fmt.Errorf("%s: read the answer of process %d: %w", path, c.holder.PID, err)
	}
	return res, nil
}

func (c *Client) send(ctx context.Context, path, name string, body any) (text []byte, status int, err error) {
	text, err = encode(body)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: write the request: %w", path, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://codemode/"+path, bytes.NewReader(text))
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(headerVersion, strconv.Itoa(c.version))
	req.Header.Set(headerConfig, url.PathEscape(c.as.Config)) // a header has no control characters, a path may
	req.Header.Set(headerFingerprint, c.as.Fingerprint)
	if name != "" {
		req.Header.Set(headerRequest, name)
	}
	if secret := secretOf(ctx); secret != "" {
		req.Header.Set(headerSecret, url.PathEscape(secret))
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, 0, c.lost(ctx, err)
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(resp.Body)
	if err != nil {
		return nil, 0, c.lost(ctx, err)
	}
	return text, resp.StatusCode, nil
}

// lost says what a broken connection means.
func (c *Client) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" && !op.Timeout() {
		return fmt.Errorf("%w: %w", ErrNoHolder, err)
	}
	return &LostError{PID: c.holder.PID, Cause: err}
}
