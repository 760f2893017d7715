package core

import (
	"context"

	"github.com/codemode-go/codemode/core/catalog"
)

// Types are declarations of what programs can call, in TypeScript and for people.
type Types struct {
	Text string `json:"text"`
	// Unavailable are the connectors that are declared without their methods, which nobody knows now.
	Unavailable []catalog.Unavailable `json:"unavailable,omitempty"`
}

// Types declares the namespaces with these labels, all if there are none, and what every program has beside them. What
// it says follows from what the connectors offer alone. The error names a label that is unknown.
func (h *Host) Types(ctx context.Context, namespaces []string) (*Types, error) {
	h.registry.load(ctx)
	now := h.registry.catalog()
	text, err := now.Declarations(namespaces)
	if err != nil {
		return nil, err
	}
	return &Types{Text: text, Unavailable: now.Unavailable(namespaces...)}, nil
}
