package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/auth"
	"github.com/codemode-go/codemode/plugins/openapi/internal/client"
	"github.com/codemode-go/codemode/plugins/openapi/internal/document"
	"github.com/codemode-go/codemode/plugins/openapi/internal/operation"
)

// connector offers the operations of one document.
type connector struct {
	// Set by configure.
	config    *Config
	log       hclog.Logger
	transport *http.Transport

	mu sync.Mutex
	// read is what configure has read and nobody has listed yet.
	read *api
	// about is the last document's introduction, skipped what it has that cannot be offered.
	about   string
	skipped []sdk.Skipped
}

// api is one reading of the document, ready to be called.
type api struct {
	config *Config
	auth   *auth.Set
	reads  *client.Client
	writes *client.Client // which reads larger answers
	set    *operation.Set
	about  string
}

// configure checks the configuration. A document in a file is read at once, so
// that what is wrong with it is shown at its attribute; one on the web is read
// when the methods are listed: that it cannot be had is no fault of the configuration.
func (c *connector) configure(ctx context.Context, config Config) error {
	if err := config.resolve(); err != nil {
		return err
	}
	c.config, c.log = &config, sdk.Logger(ctx)
	c.transport = http.DefaultTransport.(*http.Transport).Clone()
	c.transport.MaxIdleConnsPerHost = 16 // as many as calls of one execution are in flight
	if config.specURL != nil {
		return nil
	}
	read, err := c.load(ctx)
	c.read = read
	return err
}

// close frees the connections.
func (c *connector) close(context.Context) error {
	if c.transport != nil {
		c.transport.CloseIdleConnections()
	}
	return nil
}

// specTimeout bounds the reading of a document from the web.
const specTimeout = 60 * time.Second

// load reads the document.
func (c *connector) load(ctx context.Context) (*api, error) {
	ctx, cancel := context.WithTimeout(ctx, specTimeout)
	defer cancel()
	source := document.Folder(c.config.Spec)
	if c.config.specURL != nil {
		source = document.Origin(c.config.specURL, &http.Client{Transport: c.transport})
	}
	d, err := document.Load(ctx, source)
	if err != nil {
		return nil, c.unreadable(err)
	}
	if pinned := c.config.Checksum; pinned != "" && pinned != "sha256:"+d.Sum {
		return nil, diagnosed([]sdk.Diagnostic{{Path: []string{"checksum"}, Summary: "the document is another one: its checksum is sha256:" + d.Sum}})
	}
	return c.prepare(d)
}

// unreadable is the error of a document that cannot be read.
func (c *connector) unreadable(err error) error {
	if c.config.specURL == nil {
		return diagnosed([]sdk.Diagnostic{{Path: []string{"spec"}, Summary: fmt.Sprintf("the document cannot be read: %v", err)}})
	}
	e := sdk.Errorf(sdk.Unavailable, "the document %s cannot be read: %v", c.config.specURL.Redacted(), err)
	e.Retryable = true
	return e
}

// prepare makes methods of a document's operations.
func (c *connector) prepare(d *document.Document) (*api, error) {
	tokens := &http.Client{Transport: c.transport, Timeout: c.config.headerTimeout}
	credentials, faults := auth.New(c.config.Credentials, d.Security, c.config.specURL, tokens)
	var wrong []sdk.Diagnostic
	for _, f := range faults {
		wrong = append(wrong, sdk.Diagnostic{Path: []string{"credentials", f.Name, f.Field}, Summary: f.Text})
	}
	if err := diagnosed(wrong); err != nil {
		return nil, err
	}
	a := &api{config: c.config, auth: credentials}
	a.reads = &client.Client{
		Transport: c.transport, UserAgent: c.config.UserAgent, HeaderTimeout: c.config.headerTimeout,
		BodyTimeout: c.config.bodyTimeout, MaxBody: int64(c.config.MaxResponse),
	}
	writes := *a.reads
	writes.MaxBody = max(maxWritten, writes.MaxBody)
	a.writes = &writes
	a.set = operation.Methods(d, operation.Options{BaseURL: c.config.BaseURL, Document: c.config.specURL, Variables: c.config.ServerVariables})
	a.about = about(d, a.set)
	c.report(d, a.set)
	if len(a.set.Methods) == 0 && len(a.set.Skipped) > 0 {
		return nil, diagnosed([]sdk.Diagnostic{{Path: []string{"spec"}, Summary: "none of its operations can be offered, the first because of: " + a.set.Skipped[0].Reason}})
	}
	return a, nil
}

// report tells the operator what the document offers, and what it does not.
func (c *connector) report(d *document.Document, set *operation.Set) {
	c.log.Info("the document is read", "title", d.Title, "version", d.Version, "checksum", "sha256:"+d.Sum, "methods", len(set.Methods), "skipped", len(set.Skipped))
	for _, s := range set.Skipped {
		c.log.Warn("an operation is not offered", "method", s.Method, "path", s.Path, "id", s.ID, "reason", s.Reason)
	}
}

// methods lists the operations. The document is read anew for every list but
// the first, for whoever asks for a list again wants what is true now.
func (c *connector) methods(ctx context.Context) ([]sdk.Method, error) {
	a, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	var methods []sdk.Method
	for _, m := range a.set.Methods {
		methods = append(methods, a.method(m))
	}
	if c.config.Request {
		methods = append(methods, a.requestMethod())
	}
	return methods, nil
}

func (c *connector) current(ctx context.Context) (*api, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.read
	c.read = nil
	if a == nil {
		var err error
		if a, err = c.load(ctx); err != nil {
			return nil, err
		}
	}
	c.about, c.skipped = a.about, nil
	for _, s := range a.set.Skipped {
		c.skipped = append(c.skipped, sdk.Skipped{Name: nameOf(s), Reason: s.Reason})
	}
	return a, nil
}

// instructions introduce the API.
func (c *connector) instructions(context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.about, nil
}

// skippedOperations lists what is not offered of the document that was listed last.
func (c *connector) skippedOperations(context.Context) ([]sdk.Skipped, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.skipped), nil
}

// nameOf is an operation's name for an operator.
func nameOf(s document.Skipped) string {
	name := s.Method + " " + s.Path
	if s.ID != "" {
		name = s.ID + " (" + name + ")"
	}
	return name
}
