package catalog

import "github.com/codemode-go/codemode/internal/nearest"

// maxNearest is the number of names that a suggestion has.
const maxNearest = 5

// nearestLabels returns the labels that may have been meant: the similar ones, or all if there are few.
func (c *Catalog) nearestLabels(label string) []string {
	labels := make([]string, len(c.connectors))
	for i, conn := range c.connectors {
		labels[i] = conn.Label
	}
	if near := nearest.Names(label, labels, maxNearest); len(near) > 0 || len(labels) > 2*maxNearest {
		return near
	}
	return labels
}

// nearest returns the listed names of the methods that may have been meant.
func (e *entry) nearest(name string) []string {
	names := make([]string, len(e.Methods))
	for i, m := range e.Methods {
		names[i] = m.Name
	}
	return nearest.Names(name, names, maxNearest)
}
