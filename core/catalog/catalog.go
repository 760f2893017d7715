// Package catalog knows what methods exist and under which names: it gives raw
// names their place in JavaScript, resolves them, searches and describes them.
package catalog

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
)

// Connector is one namespace with its methods.
type Connector struct {
	Label        string
	Instructions string
	// Hint is one line for the tool's description, in place of the instructions; empty: those.
	Hint string
	// Plugin and Version are the plugin's own name and version.
	Plugin, Version string
	// Unavailable says why the connector cannot be used now; empty: it can.
	Unavailable string
	Methods     []*Method
}

// Method is one method under its listed name.
type Method struct {
	Connector   string // its label
	Name        string // the listed name, a JavaScript identifier
	Raw         string // the connector's own name
	Description string
	Tags        []string

	InputSchema  json.RawMessage // nil: any object
	OutputSchema json.RawMessage // nil: unknown

	ReadOnly, Idempotent, Destructive       bool
	RequiresApproval                        bool // as the connector declares it
	Reexecute                               bool
	Prepares, Reverts, Reconciles, Previews bool
	StandsIn                                bool // each call is judged as the call of another method that it stands for

	// Asks says that, after policy, a call of this method waits for a person, or may wait (rules can look at arguments).
	Asks bool
	// Denied says that a rule refuses every call of this method.
	Denied bool
}

// Namespace is one connector as a program sees it: a global and its methods.
type Namespace struct {
	Name    string   `json:"name"`
	Methods []string `json:"methods"`
}

// Catalog is a snapshot of what can be called. It never changes, and is safe
// for concurrent use.
type Catalog struct {
	connectors []Connector // in the order of their labels
	byLabel    map[string]*entry
	collisions []Collision
	modules    []Module
	helpers    func() *index // of the modules
}

// entry is one connector, ready to be asked.
type entry struct {
	*Connector
	listed map[string]*Method
	raw    map[string]*Method
	types  func() map[string][]*Method // by the names of the types that their schemas know
	index  func() *index
}

// New returns the catalog of some connectors, whose labels must be distinct, and of modules. It
// copies the methods, sets their Connector, and gives those without a Name
// their listed name.
func New(connectors []Connector, modules ...Module) *Catalog {
	connectors = slices.Clone(connectors)
	slices.SortStableFunc(connectors, func(a, b Connector) int { return cmp.Compare(a.Label, b.Label) })
	var all []Collision
	for i := range connectors {
		conn := &connectors[i]
		var collisions []Collision
		conn.Methods, collisions = named(conn.Label, conn.Methods)
		all = append(all, collisions...)
	}
	return snapshot(connectors, all, modules)
}

// Judged returns the catalog with the methods' Asks and Denied as judge says: a
// policy knows methods by their listed names, which they have only here.
func (c *Catalog) Judged(judge func(m *Method) (asks, denied bool)) *Catalog {
	connectors := slices.Clone(c.connectors)
	for i := range connectors {
		methods := make([]*Method, len(connectors[i].Methods))
		for j, m := range connectors[i].Methods {
			own := *m
			own.Asks, own.Denied = judge(m)
			methods[j] = &own
		}
		connectors[i].Methods = methods
	}
	return snapshot(connectors, c.collisions, c.modules)
}

// snapshot returns the catalog of connectors that are its own, in order, with named methods.
func snapshot(connectors []Connector, collisions []Collision, modules []Module) *Catalog {
	c := &Catalog{connectors: connectors, collisions: collisions, modules: modules, byLabel: make(map[string]*entry, len(connectors))}
	for i := range connectors {
		c.byLabel[connectors[i].Label] = newEntry(&connectors[i])
	}
	c.helpers = sync.OnceValue(func() *index { return newIndex(c.moduleDocuments()) })
	return c
}

func newEntry(conn *Connector) *entry {
	e := &entry{
		Connector: conn,
		listed:    make(map[string]*Method, len(conn.Methods)),
		raw:       make(map[string]*Method, len(conn.Methods)),
	}
	for _, m := range conn.Methods {
		e.listed[m.Name] = m
		e.raw[m.Raw] = m
	}
	e.index = sync.OnceValue(func() *index { return newIndex(methodDocuments(conn.Methods)) })
	e.types = sync.OnceValue(func() map[string][]*Method { return typesOf(conn.Methods) })
	return e
}

// Connectors returns the connectors with their methods, in the order of their
// labels. The methods belong to the catalog and must not be changed.
func (c *Catalog) Connectors() []Connector { return slices.Clone(c.connectors) }

// Namespaces returns what a program sees: every connector, also one that is
// unavailable now, with the listed names of its methods in their order.
func (c *Catalog) Namespaces() []Namespace {
	list := make([]Namespace, len(c.connectors))
	for i, conn := range c.connectors {
		list[i] = Namespace{Name: conn.Label, Methods: make([]string, len(conn.Methods))}
		for j, m := range conn.Methods {
			list[i].Methods[j] = m.Name
		}
	}
	return list
}

// Collisions returns the methods that could not have the name that their raw
// name alone would give them, for the operator's log.
func (c *Catalog) Collisions() []Collision { return slices.Clone(c.collisions) }
