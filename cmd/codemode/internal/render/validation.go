package render

import "strings"

// Validation is the account of a check of a configuration.
type Validation struct {
	Config     string           `json:"config"`
	Valid      bool             `json:"valid"`
	Connectors []ValidConnector `json:"connectors"`
}

// ValidConnector is what was found of one connector.
type ValidConnector struct {
	Label    string   `json:"label"`
	Plugin   string   `json:"plugin,omitempty"`
	Version  string   `json:"version,omitempty"`
	Methods  int      `json:"methods"`
	Error    string   `json:"error,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Validation tells what a check of a configuration has found.
func (p Page) Validation(v Validation) string {
	w := &writer{Page: p}
	verdict := w.paint(green, "valid")
	if !v.Valid {
		verdict = w.paint(red, "not valid")
	}
	w.block(0, v.Config)
	for _, c := range v.Connectors {
		w.gap()
		w.connector(c)
	}
	w.gap()
	w.line("The configuration is " + verdict + ".")
	return w.String()
}

func (w *writer) connector(c ValidConnector) {
	head := w.paint(bold, inline(c.Label))
	if c.Plugin != "" {
		head += "  " + inline(strings.TrimSpace(c.Plugin+" "+c.Version))
	}
	if c.Error != "" {
		w.line(head + "  " + w.paint(red, "cannot be used"))
		w.block(2, c.Error)
	} else {
		w.line(head + "  " + plural(c.Methods, "method"))
	}
	for _, text := range c.Warnings {
		w.block(2, "warning: "+text)
	}
}

// Paths lists files, a line each.
func (p Page) Paths(list []string) string {
	w := &writer{Page: p}
	for _, path := range list {
		w.line(inline(path))
	}
	return w.String()
}
