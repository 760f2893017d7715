package core

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
)

// attended is a connector in the host's own process, whose handlers cannot be ended. It knows which of them have run on
// after their deadline, so that what such a one was to do is neither repeated nor taken for settled.
type attended struct {
	wire.Connector

	mu      sync.Mutex
	running map[*wire.Call]bool // writes and reverts
}

// errRunsOn is why nothing can be found out about a call yet.
var errRunsOn = errors.New("its handler runs on after its deadline, in the host's own process, and cannot be ended")

// quiet reports a handler that its deadline has not stopped.
func (a *attended) quiet() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for call := range a.running {
		if !call.Deadline.IsZero() && time.Now().After(call.Deadline) {
			return errRunsOn
		}
	}
	return nil
}

// attend notes that a handler runs, until the returned function is called.
func (a *attended) attend(call *wire.Call) (done func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running[call] = true
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.running, call)
	}
}

func (a *attended) Invoke(ctx context.Context, call *wire.Call, progress func(wire.Progress)) (*wire.Result, error) {
	defer a.attend(call)()
	return a.Connector.Invoke(ctx, call, progress)
}

func (a *attended) Revert(ctx context.Context, req *wire.RevertRequest) error {
	defer a.attend(req.Call)()
	return a.Connector.Revert(ctx, req)
}
