package wire

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// go-plugin's test connection logs to hclog's default output and cannot be told otherwise.
	hclog.DefaultOutput = io.Discard
	goleak.VerifyTestMain(m)
}

// link is a connector behind gRPC, in one process.
type link struct {
	*Client
	server *plugin.GRPCServer
}

// dial serves c over gRPC and returns the host's end.
func dial(t *testing.T, c Connector) link {
	t.Helper()
	conn, server := plugin.TestPluginGRPCConn(t, false, VersionedPlugins(c)[ProtocolVersion])
	raw, err := conn.Dispense(PluginName)
	if err != nil {
		t.Fatal(err)
	}
	client := raw.(*Client)
	t.Cleanup(func() {
		client.Close()
		_ = conn.Close() // ends the server, too
		<-server.DoneCh
	})
	return link{client, server}
}

// fake is a Connector made of functions; a nil one must not be called.
type fake struct {
	describe  func(context.Context) (*Description, error)
	configure func(context.Context, *ConfigureRequest) error
	methods   func(context.Context) (*Offer, error)
	watch     func(context.Context, func(Change)) error
	invoke    func(context.Context, *Call, func(Progress)) (*Result, error)
	prepare   func(context.Context, *Call) (json.RawMessage, error)
	revert    func(context.Context, *RevertRequest) error
	reconcile func(context.Context, *Call) (*Reconciliation, error)
	preview   func(context.Context, *Call) (string, error)
	resolve   func(context.Context, *Call) (*Resolution, error)
	passEnded func(context.Context, *PassEnd) error
	dispose   func(context.Context, *Disposal) error
}

func (f *fake) Describe(ctx context.Context) (*Description, error) { return f.describe(ctx) }

func (f *fake) Configure(ctx context.Context, r *ConfigureRequest) error { return f.configure(ctx, r) }

func (f *fake) Methods(ctx context.Context) (*Offer, error) { return f.methods(ctx) }

func (f *fake) Watch(ctx context.Context, report func(Change)) error { return f.watch(ctx, report) }

func (f *fake) Invoke(ctx context.Context, c *Call, progress func(Progress)) (*Result, error) {
	return f.invoke(ctx, c, progress)
}

func (f *fake) Prepare(ctx context.Context, c *Call) (json.RawMessage, error) {
	return f.prepare(ctx, c)
}

func (f *fake) Revert(ctx context.Context, r *RevertRequest) error { return f.revert(ctx, r) }

func (f *fake) Reconcile(ctx context.Context, c *Call) (*Reconciliation, error) {
	return f.reconcile(ctx, c)
}

func (f *fake) Resolve(ctx context.Context, c *Call) (*Resolution, error) { return f.resolve(ctx, c) }
func (f *fake) Preview(ctx context.Context, c *Call) (string, error)      { return f.preview(ctx, c) }

func (f *fake) PassEnded(ctx context.Context, r *PassEnd) error { return f.passEnded(ctx, r) }

func (f *fake) Dispose(ctx context.Context, r *Disposal) error { return f.dispose(ctx, r) }
