package core_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/journal"
	"github.com/codemode-go/codemode/plugin/sdk"
)

// vault is a connector that handles the bytes of its arguments and results itself, and remembers them.
type vault struct {
	mu   sync.Mutex
	got  []string        // "method args", in the order of arrival
	give json.RawMessage // what read returns; nil is undefined
}

func (v *vault) keep(method string, args json.RawMessage) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.got = append(v.got, method+" "+string(args))
}

func (v *vault) received() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.got)
}

// gives sets what read returns from now on.
func (v *vault) gives(value string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.give = json.RawMessage(value)
	if value == "" {
		v.give = nil
	}
}

func (v *vault) connector() *sdk.Connector {
	echo := func(method string) func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
			v.keep(method, args)
			return args, nil
		}
	}
	type blob struct {
		Data []byte `json:"data"`
	}
	return &sdk.Connector{Name: "vault", Version: "1", Instructions: "Keeps anything.", Methods: []sdk.Method{
		sdk.RawMethod{Name: "echo", Description: "Give back what is given.", ReadOnly: true, Call: echo("echo")},
		sdk.RawMethod{Name: "put", Description: "Keep a value.", Approval: sdk.NotRequired, Call: echo("put")},
		sdk.RawMethod{Name: "seal", Description: "Keep a value for ever.", Approval: sdk.Required, Call: echo("seal")},
		sdk.RawMethod{Name: "read", Description: "Read a value.", ReadOnly: true, Call: func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
			v.keep("read", args)
			v.mu.Lock()
			defer v.mu.Unlock()
			return v.give, nil
		}},
		sdk.Func[blob, int]{Name: "sum", Description: "Add bytes up.", ReadOnly: true, Call: func(_ context.Context, in blob) (int, error) {
			sum := 0
			for _, b := range in.Data {
				sum += int(b)
			}
			return sum, nil
		}},
	}}
}

// with adds the vault to a world's host.
func (v *vault) with(t *testing.T) func(*core.Options) {
	return func(o *core.Options) {
		t.Helper()
		c, err := v.connector().InProcess()
		if err != nil {
			t.Fatal(err)
		}
		o.Connectors = append(o.Connectors, core.Connector{Label: "vault", Connector: c})
	}
}

// newVault is a world of numbered items and a vault.
func newVault(t *testing.T, more ...func(*core.Options)) (*world, *vault) {
	t.Helper()
	v := &vault{}
	w := newWorld(t, newItems(1, 2, 3), func(o *core.Options) {
		v.with(t)(o)
		for _, f := range more {
			f(o)
		}
	})
	return w, v
}

// onDisk keeps a host's journal in a folder, so that a restart reads what was written.
func onDisk(dir string) func(*core.Options) {
	return func(o *core.Options) { o.Store, o.Dir = nil, dir }
}

// recorded folds what the journal holds of an execution.
func (w *world) recorded(id string) *journal.State {
	w.t.Helper()
	s, err := journal.Fold(id, w.store.Read(context.Background(), id, 0))
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// calls lists an outcome's calls as "seq connector.method state".
func calls(out *core.Outcome) []string {
	list := []string{}
	for _, c := range out.Calls {
		list = append(list, c.Seq+" "+c.Connector+"."+c.Method+" "+c.State)
	}
	return list
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got  %q\n want %q", what, got, want)
	}
}
