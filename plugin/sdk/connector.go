package sdk

import (
	"context"
	"errors"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/plugin/wire"
)

// Connector is one connector: what its author fills in and hands to [Serve].
// It must not be changed afterwards.
type Connector struct {
	// Name is the plugin's name; the host's configuration gives it a label of its own there.
	Name string
	// Version is recorded with every execution and bound to every approval.
	Version string
	// Instructions tell a model how to use the connector, in a paragraph; see
	// also DynamicInstructions.
	Instructions string

	// Configure takes the configuration, see [Config]; the zero value accepts none.
	Configure Configuration

	// Methods are the methods that are known from the start.
	Methods []Method
	// DynamicMethods returns the methods known only after configuration. It
	// runs after Configure, and again whenever the host lists the methods. Its
	// methods come after those in Methods; a name may occur once in both.
	DynamicMethods func(ctx context.Context) ([]Method, error)
	// DynamicInstructions returns the instructions known only after
	// configuration; empty: none. It runs whenever the host lists the methods,
	// after DynamicMethods; its error fails that listing. A model reads its
	// text before Instructions.
	DynamicInstructions func(ctx context.Context) (string, error)
	// Skipped says, for operators, what DynamicMethods could make no method
	// of, and why. It runs whenever the host lists the methods, after
	// DynamicMethods; its error fails that listing. Nil: nothing.
	Skipped func(ctx context.Context) ([]Skipped, error)
	// Watch reports changes until ctx ends, from any goroutine, and then
	// returns: that the host is to list the methods again, or the connector's
	// health. Nil: nothing ever changes.
	Watch func(ctx context.Context, report func(Change)) error

	// PassEnded hears of the end of every pass of an execution ("completed",
	// "error" or "paused"), Dispose of the end of every execution
	// ("completed", "error", "rejected" or "rolled_back"), whether or not it
	// has called this connector. Both must bear being repeated. Their errors
	// are logged and change nothing.
	PassEnded func(ctx context.Context, e PassEnd) error
	Dispose   func(ctx context.Context, d Disposal) error

	// Close is called before the process ends and has two seconds. It is not
	// called when the process is killed, nor for a connector in the host's process.
	Close func(ctx context.Context) error

	// Logger is where [Logger] and contained panics write; nil: JSON lines on
	// standard error, which the host reads.
	Logger hclog.Logger
}

// The messages of the hooks, of Watch and of Skipped.
type (
	PassEnd  = wire.PassEnd
	Disposal = wire.Disposal
	Change   = wire.Change
	Skipped  = wire.Skipped
)

// Validate reports what is wrong with the connector as it was written, every
// fault and each with the method's name. Serve and InProcess call it.
func (c *Connector) Validate() error {
	_, err := mount(c)
	return err
}

// InProcess mounts the connector in the process of its host, which cannot tell
// it from a connector process. The error is that of Validate. The connector's
// own state is shared by everything that is mounted from the same value, so
// mount a value once.
func (c *Connector) InProcess() (wire.Connector, error) {
	m, err := mount(c)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// checkIdentity reports what is wrong with the connector apart from its methods.
func (c *Connector) checkIdentity() error {
	if c.Name == "" {
		return errors.New("the connector has no Name")
	}
	return c.Configure.err
}
