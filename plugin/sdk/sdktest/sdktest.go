// Package sdktest is the conformance suite of connectors: what a host relies on,
// checked with calls that the connector's author gives.
//
//	func TestMain(m *testing.M) {
//		sdktest.Serve(New) // in the process that Run starts
//		os.Exit(m.Run())
//	}
//
//	func TestConformance(t *testing.T) {
//		self, err := os.Executable()
//		if err != nil {
//			t.Fatal(err)
//		}
//		sdktest.Run(t, func(t *testing.T) sdktest.World {
//			service := startService(t)
//			return sdktest.World{
//				Connector: New(),
//				Config:    map[string]any{"url": service.URL, "token": "s3cr3t"},
//				State:     service.Dump,
//			}
//		}, sdktest.Options{
//			Path:    self,
//			Secrets: []string{"s3cr3t"},
//			Calls: []sdktest.Call{
//				{Method: "list_issues", Args: map[string]any{"state": "open"}},
//				{Method: "create_issue", Args: map[string]any{"title": "Slow"}},
//				{Method: "get_issue", Args: map[string]any{"number": 99}, Fails: sdk.NotFound},
//			},
//		})
//	}
//
// Nothing here knows the connector but through the contract that its host knows,
// so that a connector in another language can be checked by its Path alone.
package sdktest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// World is a connector and what it works on. Each check gets one of its own.
type World struct {
	// Connector is checked in the test's process; nil: Options.Path alone is checked.
	Connector *sdk.Connector
	// Config is the connector's config block, encoded by encoding/json; nil: an empty one.
	Config any
	// State shows what the connector works on, all that its methods change and a
	// revert restores. Nil: what calls do to it is not checked.
	State func() string
	// Hold keeps what the connector works on from answering until release is
	// called; reached is closed once a call waits for it. Nil: whether the end of
	// a call's context ends the call is not checked.
	Hold func() (reached <-chan struct{}, release func())
}

// Options say what is checked.
type Options struct {
	// Calls are the sample: of every method at least one call that succeeds in a
	// new world. Order does not matter.
	Calls []Call
	// Untried are methods of which no sample is wanted.
	Untried []string
	// Refused are config blocks that the connector must refuse, besides those
	// that Run makes itself.
	Refused []any
	// Secrets are texts of the configuration that must reach nobody.
	Secrets []string
	// HostChecks says that the host alone checks arguments against the schemas,
	// as for an sdk.RawMethod.
	HostChecks bool
	// Patience is how long the suite waits for what must come before it says that
	// it does not: no verdict but that depends on it. 0: 20 seconds.
	Patience time.Duration

	// Path is the connector as a program: everything is checked of its process,
	// too. Empty: it is not. For the test's own program see [Serve].
	Path string
	// Args and Env are the program's arguments and whole environment, for the
	// handshake is added to it.
	Args, Env []string
}

// Call is a call of the sample.
type Call struct {
	Method string
	// Args are the arguments, encoded by encoding/json; nil: {}. ArgsFrom, if
	// set, makes them of the results of First.
	Args     any
	ArgsFrom func(results []json.RawMessage) any
	// First are calls that come before this one, in the same world.
	First []Call
	// Fails is the code with which the call has to fail; empty: it succeeds.
	Fails sdk.Code
	// Leaves says that a revert does not restore the state in full: it closes an
	// issue, say, that cannot be deleted.
	Leaves bool
}

// Run checks a connector. open makes a world, in which no call has been made.
func Run(t *testing.T, open func(t *testing.T) World, o Options) {
	t.Helper()
	if o.Patience == 0 {
		o.Patience = 20 * time.Second
	}
	s := &suite{Options: o, open: open}
	if s.open(t).Connector != nil {
		t.Run("in process", func(t *testing.T) { s.run(t, inProcess) })
	}
	if o.Path != "" {
		t.Run("as a process", func(t *testing.T) { s.run(t, s.asProcess) })
	}
}

// suite is what the checks share.
type suite struct {
	Options
	open func(t *testing.T) World
}

// mounting starts a world's connector, before it is configured.
type mounting func(t *testing.T, w World, said *ear) wire.Connector

func (s *suite) run(t *testing.T, mount mounting) {
	for _, check := range []struct {
		name string
		run  func(t *testing.T, b bench)
	}{
		{"description", testDescription},
		{"configuration", testConfiguration},
		{"methods", testMethods},
		{"arguments", testArguments},
		{"what is not there", testAbsent},
		{"calls", testCalls},
		{"reads at once", testConcurrency},
		{"late calls", testLate},
		{"cancelled calls", testCancelled},
		{"watch", testWatch},
		{"ends of executions", testHooks},
	} {
		t.Run(check.name, func(t *testing.T) { check.run(t, bench{s, mount}) })
	}
}
