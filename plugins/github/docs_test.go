package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/plugin/wire"
)

// TestPage holds docs/connectors/github.md to the connector's own description:
// the text is testdata/page.md, the tables are made here.
func TestPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/page.md")
	if err != nil {
		t.Fatal(err)
	}
	methods := offered(t, `{"token":"x"}`)
	page := strings.NewReplacer(
		"{{configuration}}", attributes(t),
		"{{methods}}", families(methods),
		"{{count}}", fmt.Sprint(len(methods)),
		"{{unrevertible}}", unrevertible(methods),
	).Replace(string(text))
	golden(t, "../../docs/connectors/github.md", page)
}

// property is what the page says of an attribute.
type property struct {
	Type        string              `json:"type"`
	Description string              `json:"description"`
	Default     any                 `json:"default"`
	WriteOnly   bool                `json:"writeOnly"`
	Ref         string              `json:"$ref"`
	Properties  map[string]property `json:"properties"`
}

// attributes is the table of the configuration.
func attributes(t *testing.T) string {
	mounted, err := New().InProcess()
	if err != nil {
		t.Fatal(err)
	}
	d, err := mounted.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		property
		Defs map[string]property `json:"$defs"`
	}
	if err := json.Unmarshal(d.ConfigSchema, &schema); err != nil {
		t.Fatal(err)
	}
	lines := []string{"| attribute | type | default | meaning |", "|---|---|---|---|"}
	var add func(prefix string, properties map[string]property)
	add = func(prefix string, properties map[string]property) {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			p := properties[name]
			kind, secret, fallback := p.Type, "", ""
			if p.WriteOnly {
				secret = " A secret."
			}
			if p.Default != nil {
				fallback = fmt.Sprintf("`%v`", p.Default)
			}
			if p.Ref != "" {
				kind = "object"
			}
			lines = append(lines, fmt.Sprintf("| `%s%s` | %s | %s | %s%s |", prefix, name, kind, fallback, p.Description, secret))
			add(prefix+name+".", schema.Defs[strings.TrimPrefix(p.Ref, "#/$defs/")].Properties)
		}
	}
	add("", schema.Properties)
	return strings.Join(lines, "\n")
}

// families are the tables of the methods, one for each tag.
func families(methods []*wire.Method) string {
	var order []string
	lines := map[string][]string{}
	for _, m := range methods {
		tag := m.Tags[0]
		if lines[tag] == nil {
			order = append(order, tag)
			lines[tag] = []string{"### " + strings.ToUpper(tag[:1]) + tag[1:], "", "| method | | approval | rollback | after a crash |", "|---|---|---|---|---|"}
		}
		lines[tag] = append(lines[tag], fmt.Sprintf("| `%s` | %s | %s | %s | %s |", m.Name, m.Description, approval(m), rollback(m), afterCrash(m)))
	}
	var text []string
	for _, tag := range order {
		text = append(text, strings.Join(lines[tag], "\n"))
	}
	return strings.Join(text, "\n\n")
}

func approval(m *wire.Method) string {
	if m.RequiresApproval {
		return "yes"
	}
	return "no"
}

func rollback(m *wire.Method) string {
	switch {
	case m.ReadOnly:
		return ""
	case m.Reverts:
		return "yes"
	}
	return "no"
}

// afterCrash is what becomes of a call whose answer was lost.
func afterCrash(m *wire.Method) string {
	switch {
	case m.ReadOnly:
		return ""
	case m.Idempotent:
		return "run again"
	case m.Reconciles:
		return "found out"
	}
	return "a person decides"
}

// unrevertible lists the writes that stay.
func unrevertible(methods []*wire.Method) string {
	var names []string
	for _, m := range methods {
		if !m.ReadOnly && !m.Reverts {
			names = append(names, "`"+m.Name+"`")
		}
	}
	return strings.Join(names, ", ")
}
