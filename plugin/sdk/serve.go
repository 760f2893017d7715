package sdk

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"github.com/codemode-go/codemode/plugin/wire"
)

// Serve serves the connector to the host that started this process; main
// calls it. It returns when the host has ended the process's work, and exits
// the process itself when the host is gone: standard input, which belongs to
// the host, reaches its end. Standard output belongs to the host too.
//
// A connector that was written wrongly, or a process that no host started,
// ends with an explanation on standard error and exit code 1.
func Serve(c *Connector) {
	m, err := mount(c)
	if err != nil {
		fmt.Fprintf(stderr, "connector %s cannot be served:\n%v\n", c.Name, err)
		os.Exit(1)
	}
	if os.Getenv(wire.Handshake.MagicCookieKey) != wire.Handshake.MagicCookieValue {
		fmt.Fprint(stderr, usage(c, os.Args[0]))
		os.Exit(1)
	}
	closeOnce := sync.OnceFunc(m.close)
	go func() {
		// The host holds the other end and never writes. The end of input is
		// the one sign of the host's death that works on every system.
		_, _ = io.Copy(io.Discard, os.Stdin)
		closeOnce()
		os.Exit(0)
	}()
	plugin.Serve(wire.ServeConfig(m, stderrLogger(hclog.Warn)))
	closeOnce()
}

// usage is what a person reads who starts a connector by hand.
func usage(c *Connector, path string) string {
	return fmt.Sprintf(`%s %s is a codemode connector. A codemode host starts it; name it in the host's configuration:

connector %q {
  plugin = %q
}
`, c.Name, c.Version, c.Name, path)
}

// closeTimeout bounds a connector's Close.
const closeTimeout = 2 * time.Second

// close runs the connector's Close. It does not wait for one that overstays: the process ends next.
func (m *mounted) close() {
	if m.connector.Close == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- guardHook(ctx, m, &scope{}, "Close", m.connector.Close) }()
	select {
	case err := <-done:
		if err != nil {
			m.logger.Warn("the connector did not close cleanly", "error", err)
		}
	case <-ctx.Done():
		m.logger.Warn("the connector did not close in time")
	}
}
