package sdktest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/sdk/sdktest"
)

// faultVar names the fault of the connector that the test binary checks.
const faultVar = "SDKTEST_FAULT"

func TestMain(m *testing.M) {
	sdktest.Serve(func() *sdk.Connector { return (&shelf{}).connector() })
	os.Exit(m.Run())
}

// shelf is what the connector of these tests works on: names, and who put them there.
type shelf struct {
	mu     sync.Mutex
	things map[string]string
	held   atomic.Pointer[chan struct{}]
	enter  func()
}

type thing struct {
	Name string `json:"name" jsonschema:"minLength=1"`
}

type config struct {
	Token string `json:"token,omitempty" jsonschema_extras:"writeOnly=true"`
}

const secret = "s3cr3t-token"

// wait waits while the shelf is held.
func (s *shelf) wait(ctx context.Context) error {
	held := s.held.Load()
	if held == nil {
		return nil
	}
	s.enter()
	select {
	case <-*held:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *shelf) put(ctx context.Context, in thing) (thing, error) {
	if err := s.wait(ctx); err != nil {
		return thing{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sdk.IdempotencyKey(ctx)
	if owner, there := s.things[in.Name]; there && owner != key {
		return thing{}, sdk.Errorf(sdk.Conflict, "%s is there already", in.Name)
	}
	s.things[in.Name] = key
	return in, nil
}

func (s *shelf) remove(_ context.Context, in, _ thing) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.things, in.Name)
	return nil
}

func (s *shelf) get(ctx context.Context, in thing) (thing, error) {
	if err := s.wait(ctx); err != nil {
		return thing{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.things[in.Name]; !there {
		return thing{}, sdk.Errorf(sdk.NotFound, "there is no %s", in.Name)
	}
	return in, nil
}

func (s *shelf) found(ctx context.Context, in thing) (sdk.Happened[thing], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.things[in.Name] != sdk.IdempotencyKey(ctx) {
		return sdk.Happened[thing]{Answer: sdk.No}, nil
	}
	return sdk.Happened[thing]{Answer: sdk.Yes, Result: in}, nil
}

func (s *shelf) state() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Keys(s.things)), "\n")
}

func (s *shelf) hold() (<-chan struct{}, func()) {
	reached, release := make(chan struct{}), make(chan struct{})
	s.enter = sync.OnceFunc(func() { close(reached) })
	s.held.Store(&release)
	return reached, sync.OnceFunc(func() { close(release) })
}

func (s *shelf) methods() (sdk.Func[thing, thing], sdk.Func[thing, thing]) {
	return sdk.Func[thing, thing]{Name: "get", Description: "Get a thing.", ReadOnly: true, Call: s.get},
		sdk.Func[thing, thing]{
			Name: "put", Description: "Put a thing there.", Idempotent: true, Approval: sdk.Required,
			Call: s.put, Revert: s.remove, RevertWithoutResult: true, Reconcile: s.found,
			Prepare: func(context.Context, thing) (any, error) { return true, nil },
			Preview: func(_ context.Context, in thing) (string, error) { return "Put " + in.Name + " there.", nil },
		}
}

func (s *shelf) connector() *sdk.Connector {
	s.things = map[string]string{"book": ""}
	get, put := s.methods()
	return &sdk.Connector{
		Name: "shelf", Version: "1", Methods: []sdk.Method{get, put},
		Configure: sdk.Config(func(context.Context, config) error { return nil }),
	}
}

// faults are ways to write the connector wrongly, with a part of what the suite says.
var faults = map[string]struct {
	make func(s *shelf, c *sdk.Connector, get, put *sdk.Func[thing, thing])
	want string
}{
	"no version":     {func(_ *shelf, c *sdk.Connector, _, _ *sdk.Func[thing, thing]) { c.Version = "" }, `the version ""`},
	"no description": {func(_ *shelf, _ *sdk.Connector, get, _ *sdk.Func[thing, thing]) { get.Description = "" }, "get: it has no Description"},
	"no sample": {func(_ *shelf, c *sdk.Connector, _, _ *sdk.Func[thing, thing]) {
		c.DynamicMethods = func(context.Context) ([]sdk.Method, error) {
			return []sdk.Method{sdk.RawMethod{Name: "more", Description: "More.", ReadOnly: true, Call: nothing}}, nil
		}
	}, "more: Options.Calls has no call of it"},
	"methods that change": {func(_ *shelf, c *sdk.Connector, _, _ *sdk.Func[thing, thing]) {
		n := 0
		c.DynamicMethods = func(context.Context) ([]sdk.Method, error) {
			n++
			return []sdk.Method{sdk.RawMethod{Name: fmt.Sprint("more", n), Description: "More.", ReadOnly: true, Call: nothing}}, nil
		}
	}, "listed again, the methods are others"},
	"a refusal without a place": {func(_ *shelf, c *sdk.Connector, _, _ *sdk.Func[thing, thing]) {
		c.Configure = sdk.Config(func(_ context.Context, in config) error {
			if in.Token == "" {
				return sdk.Errorf(sdk.InvalidArgument, "there is no token")
			}
			return nil
		})
	}, "is refused without Diagnostics"},
	"a configuration that is accepted": {func(_ *shelf, c *sdk.Connector, _, _ *sdk.Func[thing, thing]) {}, "the configuration with: got <nil>"},
	"a read that writes": {func(s *shelf, _ *sdk.Connector, get, _ *sdk.Func[thing, thing]) {
		get.Call = func(ctx context.Context, in thing) (thing, error) { s.add("x"); return s.get(ctx, in) }
	}, "get is ReadOnly and changes something"},
	"a failure that writes": {func(s *shelf, _ *sdk.Connector, _, put *sdk.Func[thing, thing]) {
		put.Call = func(ctx context.Context, in thing) (thing, error) {
			out, err := s.put(ctx, in)
			if err != nil {
				s.add("x")
			}
			return out, err
		}
	}, "put fails with conflict, by which nothing has happened"},
	"the wrong code": {func(s *shelf, _ *sdk.Connector, get, _ *sdk.Func[thing, thing]) {
		get.Call = func(ctx context.Context, in thing) (thing, error) {
			out, err := s.get(ctx, in)
			if err != nil {
				return out, errors.New("none")
			}
			return out, nil
		}
	}, "got the code internal"},
	"a key that is ignored": {func(s *shelf, _ *sdk.Connector, _, put *sdk.Func[thing, thing]) {
		put.Call = func(ctx context.Context, in thing) (thing, error) {
			s.add(fmt.Sprint(sdk.CallFrom(ctx).Attempt))
			return s.put(ctx, in)
		}
	}, "a second attempt with the same key changes something"},
	"a revert of nothing": {func(_ *shelf, _ *sdk.Connector, _, put *sdk.Func[thing, thing]) {
		put.Revert = func(context.Context, thing, thing) error { return nil }
	}, "Revert does not restore what was there"},
	"a revert that needs its result": {func(s *shelf, _ *sdk.Connector, _, put *sdk.Func[thing, thing]) {
		put.Revert = func(ctx context.Context, _, out thing) error { return s.remove(ctx, out, out) }
	}, "without the result, Revert does not restore"},
	"a preview that writes": {func(s *shelf, _ *sdk.Connector, _, put *sdk.Func[thing, thing]) {
		put.Preview = func(context.Context, thing) (string, error) { s.add("x"); return "Put.", nil }
	}, "Preview changes something"},
	"a preparation that writes": {func(s *shelf, _ *sdk.Connector, _, put *sdk.Func[thing, thing]) {
		put.Prepare = func(context.Context, thing) (any, error) { s.add("x"); return nil, nil }
	}, "Prepare changes something"},
	"an effect that is denied": {func(_ *shelf, _ *sdk.Connector, _, put *sdk.Func[thing, thing]) {
		put.Reconcile = func(context.Context, thing) (sdk.Happened[thing], error) {
			return sdk.Happened[thing]{Answer: sdk.No}, nil
		}
	}, "says that the call has not happened after it was made"},
	"an effect that is imagined": {func(_ *shelf, _ *sdk.Connector, _, put *sdk.Func[thing, thing]) {
		put.Reconcile = func(_ context.Context, in thing) (sdk.Happened[thing], error) {
			return sdk.Happened[thing]{Answer: sdk.Yes, Result: in}, nil
		}
	}, "says that the call has happened before it was made"},
	"a result that does not fit": {func(_ *shelf, _ *sdk.Connector, get, _ *sdk.Func[thing, thing]) {
		get.OutputSchema = json.RawMessage(`{"type":"string"}`)
	}, "get returns what does not fit its OutputSchema"},
	"a schema that is none": {func(_ *shelf, c *sdk.Connector, _, _ *sdk.Func[thing, thing]) {
		c.DynamicMethods = func(context.Context) ([]sdk.Method, error) {
			return []sdk.Method{sdk.RawMethod{Name: "more", Description: "More.", ReadOnly: true, Call: nothing, InputSchema: json.RawMessage(`{"type":"thing"}`)}}, nil
		}
	}, "more: its InputSchema is none"},
	"arguments that nobody checks": {func(_ *shelf, c *sdk.Connector, _, _ *sdk.Func[thing, thing]) {
		c.DynamicMethods = func(context.Context) ([]sdk.Method, error) {
			return []sdk.Method{sdk.RawMethod{Name: "more", Description: "More.", ReadOnly: true, Call: nothing}}, nil
		}
	}, "more accepts arguments that are a list"},
	"a call that cannot be cancelled": {func(s *shelf, _ *sdk.Connector, get, _ *sdk.Func[thing, thing]) {
		get.Call = func(ctx context.Context, in thing) (thing, error) {
			return s.get(context.WithoutCancel(ctx), in)
		}
	}, "get goes on although its context has ended"},
	"a write that was cancelled and says it was not there": {func(s *shelf, _ *sdk.Connector, _, put *sdk.Func[thing, thing]) {
		put.Call = func(ctx context.Context, in thing) (thing, error) {
			out, err := s.put(ctx, in)
			if ctx.Err() != nil {
				return out, sdk.Errorf(sdk.NotFound, "gone")
			}
			return out, err
		}
	}, "put was cancelled while it wrote, and says not_found"},
	"a watch without an end": {func(_ *shelf, c *sdk.Connector, _, _ *sdk.Func[thing, thing]) {
		c.Watch = func(context.Context, func(sdk.Change)) error { select {} }
	}, "Watch goes on although its context has ended"},
	"a hook that hears once": {func(_ *shelf, c *sdk.Connector, _, _ *sdk.Func[thing, thing]) {
		var heard atomic.Bool
		c.Dispose = func(context.Context, sdk.Disposal) error {
			if heard.Swap(true) {
				return errors.New("again")
			}
			return nil
		}
	}, "Dispose of sdktest: internal: again"},
	"a read that serves one call": {func(s *shelf, _ *sdk.Connector, get, _ *sdk.Func[thing, thing]) {
		var served sync.Map
		get.Call = func(ctx context.Context, in thing) (thing, error) {
			served.Store(sdk.CallFrom(ctx).Seq, true)
			calls := 0
			served.Range(func(any, any) bool { calls++; return true })
			if calls > 1 {
				return in, sdk.Errorf(sdk.Conflict, "busy")
			}
			return s.get(ctx, in)
		}
	}, "get fails beside other calls: conflict: busy"},
	"a secret in an error": {func(s *shelf, _ *sdk.Connector, get, _ *sdk.Func[thing, thing]) {
		get.Call = func(ctx context.Context, in thing) (thing, error) {
			out, err := s.get(ctx, in)
			if err != nil {
				return out, sdk.Errorf(sdk.NotFound, "not with %s", secret)
			}
			return out, nil
		}
	}, "not_found: not with [SECRET]"},
	"a secret in the log": {func(s *shelf, _ *sdk.Connector, get, _ *sdk.Func[thing, thing]) {
		get.Call = func(ctx context.Context, in thing) (thing, error) {
			sdk.Logger(ctx).Info("got", "token", secret)
			return s.get(ctx, in)
		}
	}, "secret 0 is told"},
}

func nothing(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }

func (s *shelf) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.things[name] = ""
}

// world is the shelf with its connector, and with the fault that is asked for.
func world(fault string) sdktest.World {
	s := &shelf{}
	c := s.connector()
	if f, faulty := faults[fault]; faulty {
		get, put := s.methods()
		f.make(s, c, &get, &put)
		c.Methods = []sdk.Method{get, put}
	}
	return sdktest.World{Connector: c, Config: map[string]any{"token": secret}, State: s.state, Hold: s.hold}
}

func options(fault string) sdktest.Options {
	o := sdktest.Options{
		Patience: patience(fault),
		Secrets:  []string{secret},
		Calls: []sdktest.Call{
			{Method: "get", Args: thing{"book"}},
			{Method: "get", Args: thing{"pen"}, Fails: sdk.NotFound},
			{Method: "put", Args: thing{"pen"}},
			{Method: "put", Args: thing{"book"}, Fails: sdk.Conflict},
		},
	}
	switch fault {
	case "a refusal without a place", "a configuration that is accepted":
		o.Refused = []any{map[string]any{}}
	}
	return o
}

// patience is short where the fault is that something never ends.
func patience(fault string) time.Duration {
	switch fault {
	case "a call that cannot be cancelled", "a watch without an end":
		return time.Second
	}
	return 0
}

// TestRun: a connector that keeps the contract passes, in process and as one.
func TestRun(t *testing.T) {
	fault := os.Getenv(faultVar)
	o := options(fault)
	if fault == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		o.Path = self
	}
	sdktest.Run(t, func(*testing.T) sdktest.World {
		w := world(fault)
		if fault == "" {
			w.State, w.Hold = nil, nil // the process has a shelf of its own
		}
		return w
	}, o)
}

// TestHonest: the same with all that can be seen in process.
func TestHonest(t *testing.T) {
	sdktest.Run(t, func(*testing.T) sdktest.World { return world("") }, options(""))
}

// TestFaults: the suite finds every fault, and says what it is.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process for every fault")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestRun$")
			cmd.Env = append(os.Environ(), faultVar+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), fault.want) {
				t.Errorf("%v, without %q:\n%s", err, fault.want, out)
			}
		})
	}
}
