package core_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/core"
	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/core/policy"
	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// Methods keep the connector's order; only those that wait for a person, or run in every pass, say so.
func TestMethodsAsDeclared(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, newItems())
	names := []string{"list", "fresh", "add", "remove", "notify", "fail"}
	want, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	w.is(w.run(`return Object.keys(items)`), "completed", string(want))
	page, err := w.host.Describe(ctx, "items")
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for _, text := range []string{"List the items.", "Count its calls.", "Add an item.", "Remove an item.", "Tell people.", "Fail."} {
		at := strings.Index(page.Types, text)
		if at <= last {
			t.Errorf("%q stands at %d, after %d:\n%s", text, at, last, page.Types)
		}
		last = at
	}
	found, err := w.host.Search(ctx, catalog.Query{Connector: "items"})
	if err != nil || len(found.Results) != len(names) {
		t.Fatalf("%v, %+v", err, found)
	}
	for _, r := range found.Results {
		if r.RequiresApproval != (r.Method == "remove") {
			t.Errorf("%s: requiresApproval is %v", r.Path, r.RequiresApproval)
		}
	}
	offer, err := mounted(t, newItems().connector()).Methods(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range offer.Methods {
		if (m.Replay == wire.ReplayReexecute) != (m.Name == "fresh") {
			t.Errorf("%s: replay is %q", m.Name, m.Replay)
		}
	}
}

func mounted(t *testing.T, c *sdk.Connector) wire.Connector {
	t.Helper()
	m, err := c.InProcess()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A method that does not exist is an error that names it: before anything runs where the text shows it, else where
// the call is, and from the connector itself as well.
func TestUnknownMethod(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems())
	out := w.run(`await items.add({id: 1}); await items.lits()`)
	w.is(out, "error", "compile", `items has no method "lits"`)
	w.is(w.run(`const m = "nope"; try { await items[m]() } catch (e) { return e.message }`), "completed",
		`"items has no method \"nope\"; Object.keys(items) lists its methods"`)
	w.effectsAre()
	_, err := mounted(t, newItems().connector()).Invoke(context.Background(), &wire.Call{Method: "nope"}, nil)
	if told, ok := err.(*wire.Error); !ok || told.Code != wire.CodeNotFound || !strings.Contains(told.Message, `"nope"`) {
		t.Errorf("error %v", err)
	}
}

// A revert gets the call's arguments and its result; a method without one says so and is no failure of a rollback.
func TestRevertGetsArgumentsAndResult(t *testing.T) {
	t.Parallel()
	type in struct{ A int }
	var reverted []string
	w := newWorld(t, newItems(), func(o *core.Options) {
		c := &sdk.Connector{Name: "log", Version: "1", Methods: []sdk.Method{
			sdk.Func[in, map[string]int]{
				Name: "write", Description: "Write.", Approval: sdk.NotRequired,
				Call: func(_ context.Context, in in) (map[string]int, error) { return map[string]int{"twice": 2 * in.A}, nil },
				Revert: func(_ context.Context, in in, out map[string]int) error {
					text, err := json.Marshal([]any{in, out})
					reverted = append(reverted, string(text))
					return err
				},
			},
			sdk.Func[in, int]{Name: "stay", Description: "Stay.", Approval: sdk.NotRequired, Call: func(context.Context, in) (int, error) { return 1, nil }},
		}}
		o.Connectors = append(o.Connectors, core.Connector{Label: "log", Connector: mounted(t, c)})
	})
	out := w.run(`await log.write({A: 4}); await log.stay({A: 5})`)
	r, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID})
	if err != nil || !r.Changed || len(r.Failed) != 0 || len(r.NoRevert) != 1 || r.NoRevert[0].Method != "stay" {
		t.Fatalf("%+v, %v", r, err)
	}
	same(t, "reverted", reverted, []string{`[{"A":4},{"twice":8}]`})
}

// Whoever mounts a connector may change what its methods declare, before any of them is used.
func TestHostAdjustsAMethod(t *testing.T) {
	t.Parallel()
	it := newItems()
	w := newWorld(t, it, func(o *core.Options) {
		o.Connectors[0].Adjust = func(m *catalog.Method) {
			if m.Raw == "add" {
				m.RequiresApproval, m.Description = true, "Add, if a person agrees."
			}
		}
	})
	out := w.run(`return await items.add({id: 4})`)
	w.is(out, "paused", "0")
	d, err := w.host.Describe(context.Background(), "items.add")
	if err != nil || !d.RequiresApproval || !strings.Contains(d.Description, "if a person agrees") {
		t.Errorf("%+v, %v", d, err)
	}
	w.is(w.approve(out.ExecutionID), "completed", `"added 4"`)
}

// twisted is a connector of which one method declares what contradicts itself.
type twisted struct{ wire.Connector }

func (c twisted) Methods(ctx context.Context) (*wire.Offer, error) {
	offer, err := c.Connector.Methods(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range offer.Methods {
		if m.Replay == wire.ReplayReexecute {
			m.RequiresApproval = true
		}
	}
	return offer, nil
}

// A method cannot both wait for a person and run again in every pass. The SDK refuses to build one, and the host to
// load one; the other connectors work.
func TestReexecuteWithApprovalIsRefused(t *testing.T) {
	t.Parallel()
	built := &sdk.Connector{Name: "x", Version: "1", Methods: []sdk.Method{
		sdk.Func[struct{}, int]{
			Name: "both", Description: "Both.", ReadOnly: true, Replay: sdk.Reexecute, Approval: sdk.Required,
			Call: func(context.Context, struct{}) (int, error) { return 1, nil },
		},
	}}
	if _, err := built.InProcess(); err == nil || !strings.Contains(err.Error(), "both") {
		t.Errorf("the SDK says %v", err)
	}
	w := newWorld(t, newItems(1), func(o *core.Options) {
		c := twisted{mounted(t, newItems().connector())}
		o.Connectors = append(o.Connectors, core.Connector{Label: "odd", Connector: c})
	})
	w.is(w.run(`return await items.list()`), "completed", "[1]")
	for range 2 { // it is tried again, and says the same
		d, err := w.host.Describe(context.Background(), "odd")
		if err != nil || d.Types != "" || !strings.Contains(strings.Join(d.Notes, "\n"), "cannot combine approval with replay") {
			t.Errorf("%+v, %v", d, err)
		}
	}
}

// A connector that could not list its methods is tried again by itself, and hurts no other meanwhile. Models learn in a
// word what is wrong; the connector's own words are for operators.
func TestUnavailableConnectorIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ready atomic.Bool
		w := newWorld(t, newItems(1), func(o *core.Options) {
			c := &sdk.Connector{Name: "late", Version: "1", DynamicMethods: func(context.Context) ([]sdk.Method, error) {
				if !ready.Load() {
					return nil, sdk.Errorf(sdk.Unavailable, "open /srv/late/token: not yet")
				}
				return []sdk.Method{sdk.Func[struct{}, int]{Name: "one", Description: "One.", ReadOnly: true, Call: func(context.Context, struct{}) (int, error) { return 1, nil }}}, nil
			}}
			o.Connectors = append(o.Connectors, core.Connector{Label: "late", Connector: mounted(t, c)})
		})
		w.is(w.run(`return await items.list()`), "completed", "[1]")
		d, err := w.host.Describe(context.Background(), "late")
		if notes := strings.Join(d.Notes, "\n"); err != nil || !strings.Contains(notes, "it cannot list its methods") || strings.Contains(notes, "/srv") {
			t.Errorf("%+v, %v", d, err)
		}
		w.is(w.run(`return (await codemode.search("")).unavailable`), "completed", `[{"connector":"late","reason":"it cannot list its methods"}]`)
		synctest.Wait()
		ready.Store(true)
		time.Sleep(time.Minute)
		w.is(w.run(`return await late.one()`), "completed", "1")
		w.stop()
	})
}

// slow is a connector that does not answer when it is asked what it is, as long as it is told to.
type slow struct {
	wire.Connector
	until <-chan struct{}
}

func (s slow) Describe(ctx context.Context) (*wire.Description, error) {
	select {
	case <-s.until:
		return s.Connector.Describe(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Only a connector that has never been tried is waited for, and not for longer than half a minute.
func TestUnavailableConnectorDelaysNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		until := make(chan struct{})
		w := newWorld(t, newItems(1), func(o *core.Options) {
			o.Connectors = append(o.Connectors, core.Connector{Label: "slow", Connector: slow{mounted(t, newItems(2).connector()), until}})
		})
		takes := func(most time.Duration, code string, want ...string) {
			t.Helper()
			began := time.Now()
			w.is(w.run(code), want...)
			if took := time.Since(began); took > most {
				t.Errorf("%s took %s", code, took)
			}
		}
		takes(30*time.Second, `return await items.list()`, "completed", "[1]")
		takes(0, `return await items.list()`, "completed", "[1]")
		takes(0, `try { await slow.list() } catch (e) { return e.code }`, "completed", `"unavailable"`)
		time.Sleep(10 * time.Minute) // attempts fail meanwhile
		takes(0, `return await items.list()`, "completed", "[1]")
		close(until)
		time.Sleep(2 * time.Minute)
		takes(0, `return await slow.list()`, "completed", "[2]")
		w.stop()
	})
}

// A method without an input schema takes any object.
func TestMethodWithoutASchema(t *testing.T) {
	t.Parallel()
	w, v := newVault(t)
	w.is(w.run(`return await vault.echo({any: [1, {thing: null}]})`), "completed", `{"any":[1,{"thing":null}]}`)
	w.is(w.run(`return await vault.echo()`), "completed", `{}`)
	w.is(w.run(`try { await vault.echo(...[[1]]) } catch (e) { return e.name }`), "completed", `"TypeError"`)
	same(t, "received", v.received(), []string{`echo {"any":[1,{"thing":null}]}`, `echo {}`})
}

// Call and revert learn the execution's id, which is one over every pass, and the call's own number and key.
func TestHandlersKnowTheirExecution(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []sdk.Call
	note := func(ctx context.Context) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, sdk.CallFrom(ctx))
	}
	method := func(name string, approval sdk.Approval) sdk.Method {
		return sdk.Func[struct{}, int]{
			Name: name, Description: "Note.", Approval: approval,
			Call:   func(ctx context.Context, _ struct{}) (int, error) { note(ctx); return 1, nil },
			Revert: func(ctx context.Context, _ struct{}, _ int) error { note(ctx); return nil },
		}
	}
	w := newWorld(t, newItems(), func(o *core.Options) {
		c := &sdk.Connector{Name: "log", Version: "1", Methods: []sdk.Method{method("free", sdk.NotRequired), method("gated", sdk.Required)}}
		o.Connectors = append(o.Connectors, core.Connector{Label: "log", Connector: mounted(t, c)})
	})
	out := w.run(`await log.free(); await log.gated(); await log.free()`)
	w.is(out, "paused", "1")
	w.restart()
	w.is(w.approve(out.ExecutionID), "completed", "1")
	if _, err := w.host.Rollback(context.Background(), core.RollbackRequest{ExecutionID: out.ExecutionID}); err != nil {
		t.Fatal(err)
	}
	var got []string
	keys := map[string]bool{}
	for _, c := range seen {
		if c.ExecutionID != out.ExecutionID {
			t.Errorf("call %s belongs to %q, not %s", c.Seq, c.ExecutionID, out.ExecutionID)
		}
		got, keys[c.IdempotencyKey] = append(got, c.Seq), true
	}
	same(t, "seqs", got, []string{"0", "1", "2", "2", "1", "0"})
	if len(keys) != 6 {
		t.Errorf("%d idempotency keys, want one for each call and each revert: %v", len(keys), keys)
	}
}

// Two connectors of one name, and a name that the language or the host has taken, are refused when the host is made.
func TestLabelsAreRefusedAtConstruction(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		labels []string
		want   string
	}{
		"twice":             {[]string{"state", "state"}, `duplicate connector name "state"`},
		"the host's own":    {[]string{"codemode"}, `"codemode"`},
		"a global":          {[]string{"Promise"}, `"Promise"`},
		"a timer":           {[]string{"setTimeout"}, `"setTimeout"`},
		"the console":       {[]string{"console"}, `"console"`},
		"the input":         {[]string{"input"}, `"input"`},
		"no identifier":     {[]string{"a-b"}, `"a-b"`},
		"a word of its own": {[]string{"class"}, `"class"`},
		"nothing":           {[]string{""}, `""`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o core.Options
			for _, l := range test.labels {
				o.Connectors = append(o.Connectors, core.Connector{Label: l, Connector: mounted(t, newItems().connector())})
			}
			h, err := core.New(context.Background(), o)
			if err == nil {
				_ = h.Close()
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// A rule decides over what the connector declares, in both directions.
func TestRulesOutrankDeclarations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newItems(1), func(o *core.Options) {
		o.Connectors[0].Rules = []policy.Rule{
			{Methods: []string{"remove"}, Effect: policy.Allow},
			{Methods: []string{"add"}, Effect: policy.Approve},
			{Methods: []string{"notify"}, Effect: policy.Deny, Reason: "Nobody is to be told."},
		}
	})
	out := w.run(`const seen = [await items.remove({id: 1})]; try { await items.notify({id: 1}) } catch (e) { seen.push(e.name) } await items.add({id: 2}); return seen`)
	w.is(out, "paused", "2")
	w.effectsAre("remove 1")
	w.is(w.approve(out.ExecutionID), "completed", `["removed 1","PolicyError"]`)
	if !slices.Equal(w.items.effects(), []string{"remove 1", "add 2"}) {
		t.Errorf("effects %q", w.items.effects())
	}
}
