package codetool

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core/catalog"
	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// mount makes the namespace a connector in this process, and lists the functions that
// programs can call.
func (n Namespace) mount(logger hclog.Logger) (wire.Connector, []*catalog.Method, error) {
	if err := catalog.ValidLabel(n.Name); err != nil {
		return nil, nil, err
	}
	connector := sdk.Connector{Name: n.Name, Methods: n.Functions, Logger: logger}
	carrier, err := connector.InProcess()
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background() // nothing here waits: all is known
	if err := carrier.Configure(ctx, &wire.ConfigureRequest{Label: n.Name, Config: json.RawMessage("{}")}); err != nil {
		return nil, nil, err
	}
	offer, err := carrier.Methods(ctx)
	if err != nil {
		return nil, nil, err
	}
	return carrier, callable(offer.Methods), nil
}

// callable leaves out the functions that need approval.
func callable(declared []*wire.Method) []*catalog.Method {
	var methods []*catalog.Method
	for _, m := range declared {
		if m.RequiresApproval {
			continue
		}
		methods = append(methods, &catalog.Method{
			Raw: m.Name, Description: m.Description, Tags: m.Tags,
			InputSchema: m.InputSchema, OutputSchema: m.OutputSchema,
			ReadOnly: m.ReadOnly, Idempotent: m.Idempotent, Destructive: m.Destructive,
		})
	}
	return methods
}
