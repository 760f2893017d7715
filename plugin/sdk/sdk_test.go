package sdk

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"go.uber.org/goleak"

	"github.com/codemode-go/codemode/plugin/wire"
)

func TestMain(m *testing.M) {
	if os.Getenv(wire.Handshake.MagicCookieKey) != "" || os.Getenv(roleVar) != "" {
		Serve(served(os.Getenv(roleVar)))
		return
	}
	// go-plugin's test connection logs to hclog's default output and cannot be told otherwise.
	hclog.DefaultOutput = io.Discard
	// go-plugin looks once a second whether a process that it did not start has ended.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/hashicorp/go-plugin/internal/cmdrunner.pidWait"))
}

// bothWays runs a test on a connector in the host's process and on the same
// connector behind gRPC. newConnector is called for each.
func bothWays(t *testing.T, newConnector func() *Connector, test func(t *testing.T, c wire.Connector)) {
	t.Helper()
	t.Run("in process", func(t *testing.T) {
		t.Parallel()
		test(t, inProcess(t, newConnector()))
	})
	t.Run("over gRPC", func(t *testing.T) {
		t.Parallel()
		test(t, overGRPC(t, newConnector()))
	})
}

func inProcess(t *testing.T, c *Connector) wire.Connector {
	t.Helper()
	if c.Logger == nil {
		c.Logger = hclog.NewNullLogger()
	}
	mounted, err := c.InProcess()
	if err != nil {
		t.Fatal(err)
	}
	return mounted
}

func overGRPC(t *testing.T, c *Connector) wire.Connector {
	t.Helper()
	plugins := wire.VersionedPlugins(inProcess(t, c))[wire.ProtocolVersion]
	conn, server := plugin.TestPluginGRPCConn(t, false, plugins)
	client, err := conn.Dispense(wire.PluginName)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.(*wire.Client).Close()
		_ = conn.Close() // ends the server, too
		<-server.DoneCh
	})
	return client.(wire.Connector)
}

// one returns a connector with the one method m.
func one(m Method) func() *Connector {
	return func() *Connector { return &Connector{Name: "test", Methods: []Method{m}} }
}

// empty is an input without properties.
type empty = struct{}

// reading returns a read-only method named m with this handler.
func reading[I, O any](call func(context.Context, I) (O, error)) Func[I, O] {
	return Func[I, O]{Name: "m", ReadOnly: true, Call: call}
}

// invoke calls the method m and returns its result's bytes.
func invoke(t *testing.T, c wire.Connector, args string) (json.RawMessage, error) {
	t.Helper()
	result, err := c.Invoke(t.Context(), &wire.Call{ExecutionID: "e", Method: "m", Args: json.RawMessage(args)}, nil)
	if err != nil {
		return nil, err
	}
	return result.Value, nil
}
