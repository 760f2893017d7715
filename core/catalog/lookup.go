package catalog

import (
	"fmt"
	"strings"
)

// NotFoundError says that there is no such method, or no such connector. Its
// text is written for a model.
type NotFoundError struct {
	Connector string
	Method    string
	// Nearest are the listed names that may have been meant: methods, or
	// connectors where the connector is unknown.
	Nearest []string
	// NoConnector says that the connector itself is unknown.
	NoConnector bool
	// Unavailable says why the connector, which may well have the method, cannot be used now.
	Unavailable string
}

func (e *NotFoundError) Error() string {
	switch {
	case e.NoConnector && len(e.Nearest) == 0:
		return fmt.Sprintf("there is no connector %q", e.Connector)
	case e.NoConnector:
		return fmt.Sprintf("there is no connector %q; there is %s", e.Connector, enumerate(e.Nearest, "and"))
	case e.Unavailable != "":
		return fmt.Sprintf("connector %s is not available: %s", e.Connector, e.Unavailable)
	case len(e.Nearest) == 0:
		return fmt.Sprintf("%s has no method %q; codemode.search finds methods", e.Connector, e.Method)
	}
	return fmt.Sprintf("%s has no method %q; did you mean %s?", e.Connector, e.Method, enumerate(e.Nearest, "or"))
}

// Lookup returns a method by its connector's label and its listed name or its
// raw name. The error is a *[NotFoundError]. A connector that is unavailable now
// still answers for the methods that it is known to have.
func (c *Catalog) Lookup(label, name string) (*Method, error) {
	e := c.byLabel[label]
	if e == nil {
		return nil, &NotFoundError{Connector: label, Method: name, NoConnector: true, Nearest: c.nearestLabels(label)}
	}
	if m := e.method(name); m != nil {
		return m, nil
	}
	return nil, &NotFoundError{Connector: label, Method: name, Nearest: e.nearest(name), Unavailable: e.Unavailable}
}

// method returns a method by its listed or its raw name; nil if there is none.
// The two cannot contradict: a raw name that could be listed is listed.
func (e *entry) method(name string) *Method {
	if m := e.listed[name]; m != nil {
		return m
	}
	return e.raw[name]
}

// enumerate returns "a, b or c".
func enumerate(names []string, last string) string {
	if len(names) == 1 {
		return names[0]
	}
	end := len(names) - 1
	return strings.Join(names[:end], ", ") + " " + last + " " + names[end]
}
