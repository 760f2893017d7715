package sdktest

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/wire"
)

// testDescription: a connector says who it is before it is configured, and says
// the same each time. Approvals are bound to it.
func testDescription(t *testing.T, b bench) {
	c, w := b.unconfigured(t)
	first := describe(t, c)
	if first.Name == "" || first.Version == "" {
		t.Errorf("the name is %q and the version %q", first.Name, first.Version)
	}
	if first.ConfigSchema != nil {
		if _, err := compile(first.ConfigSchema); err != nil {
			t.Errorf("the schema of the configuration is none: %v", err)
		}
	}
	if err := configure(t, c, encode(t, orEmpty(w.Config))); err != nil {
		t.Fatalf("the configuration is refused: %v", err)
	}
	if diff := cmp.Diff(first, describe(t, c)); diff != "" {
		t.Errorf("configured, it describes itself in another way:\n%s", diff)
	}
	another, _ := b.unconfigured(t)
	if diff := cmp.Diff(first, describe(t, another)); diff != "" {
		t.Errorf("the next one describes itself in another way:\n%s", diff)
	}
}

func describe(t *testing.T, c wire.Connector) *wire.Description {
	t.Helper()
	d, err := c.Describe(t.Context())
	if err != nil {
		t.Fatalf("it cannot describe itself: %v", err)
	}
	return d
}

// testConfiguration: a wrong configuration is refused, with a reason.
func testConfiguration(t *testing.T, b bench) {
	_, w := b.unconfigured(t)
	misspelt := map[string]any{}
	if err := json.Unmarshal(encode(t, orEmpty(w.Config)), &misspelt); err != nil {
		t.Fatalf("the configuration is no object: %v", err)
	}
	misspelt["sdktest_unknown"] = true
	for _, config := range append([]any{misspelt, []int{}}, b.Refused...) {
		c, _ := b.unconfigured(t)
		raw := encode(t, config)
		s := &subject{t: t}
		e := s.wantCode(configure(t, c, raw), "the configuration "+outline(config), wire.CodeInvalidArgument)
		if e.Code != "" && len(e.Diagnostics) == 0 {
			t.Errorf("the configuration %s is refused without Diagnostics, so that nobody learns where it is wrong", outline(config))
		}
	}
}

// outline names a configuration without its values, which may be secret.
func outline(config any) string {
	properties, ok := config.(map[string]any)
	if !ok {
		return "that is no object"
	}
	text := "with"
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		text += " " + name
	}
	return text
}

// testMethods: what is declared is sound and stays the same, and each method is
// in the sample.
func testMethods(t *testing.T, b bench) {
	s := b.subject(t)
	first := s.offer()
	if len(first.Methods) == 0 {
		t.Error("there is no method")
	}
	seen := map[string]bool{}
	for _, m := range first.Methods {
		if seen[m.Name] || m.Name == "" {
			t.Errorf("the name %q is empty or there twice", m.Name)
		}
		seen[m.Name] = true
		wantSound(t, m)
		if !slices.Contains(b.Untried, m.Name) && !slices.ContainsFunc(b.Calls, func(c Call) bool { return c.Method == m.Name && c.Fails == "" }) {
			t.Errorf("%s: Options.Calls has no call of it that succeeds", m.Name)
		}
	}
	for _, c := range b.Calls {
		if !seen[c.Method] {
			t.Errorf("%s: Options.Calls has a call of it, and it is not there", c.Method)
		}
	}
	if diff := cmp.Diff(first, s.offer()); diff != "" {
		t.Errorf("listed again, the methods are others:\n%s", diff)
	}
}

// wantSound checks what a method says of itself.
func wantSound(t *testing.T, m *wire.Method) {
	t.Helper()
	refuse := func(wrong bool, what string) {
		t.Helper()
		if wrong {
			t.Errorf("%s: %s", m.Name, what)
		}
	}
	refuse(m.Description == "", "it has no Description, by which a model would find it")
	refuse(m.ReadOnly && m.Destructive, "it cannot be both ReadOnly and Destructive")
	refuse(m.ReadOnly && m.Reverts, "it is ReadOnly and has a Revert")
	refuse(m.ReadOnly && m.Reconciles, "it is ReadOnly and has a Reconcile: reads are repeated")
	refuse(m.Replay == wire.ReplayReexecute && (!m.ReadOnly || m.RequiresApproval), "what is executed again in every pass must be ReadOnly and need no approval")
	if m.OutputSchema != nil {
		_, err := compile(m.OutputSchema)
		refuse(err != nil, "its OutputSchema is none")
	}
	if m.InputSchema == nil {
		return
	}
	schema, err := compile(m.InputSchema)
	refuse(err != nil, "its InputSchema is none")
	refuse(err == nil && schema.Validate([]any{}) == nil, "its InputSchema lets arguments be a list, and they are always an object")
}
