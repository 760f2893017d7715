package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/core/catalog"
)

// TestManyOperationsOfOneSchema: a schema of 200 fields that 2,000 operations share is no obstacle to a search.
func TestManyOperationsOfOneSchema(t *testing.T) {
	t.Parallel()
	var spec strings.Builder
	spec.WriteString(`{"openapi":"3.0.3","info":{"title":"Many","version":"1"},"paths":{`)
	for i := range 2000 {
		fmt.Fprintf(&spec, `"/things%d":{"get":{"operationId":"list_things_%d","summary":"List the things of shelf %d","responses":{"200":{"description":"ok",`+
			`"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}}}}},`, i, i, i)
	}
	spec.WriteString(`"/boats":{"get":{"operationId":"list_boats","summary":"List the boats","responses":{"200":{"description":"ok"}}}}},` +
		`"components":{"schemas":{"Thing":{"type":"object","properties":{"f0":{"type":"string"}`)
	for i := range 199 {
		fmt.Fprintf(&spec, `,"f%d":{"type":"string"}`, i+1)
	}
	spec.WriteString(`}}}}}`)
	config := map[string]any{"spec": writeSpec(t, spec.String()), "base_url": "https://api.example.com"}
	c, err := mount(t, config, &strings.Builder{})
	if err != nil {
		t.Fatal(err)
	}
	offer, err := c.Methods(t.Context())
	if err != nil || len(offer.Methods) != 2001 {
		t.Fatalf("%d methods, %v", len(offer.Methods), err)
	}
	list := catalog.Connector{Label: "many"}
	for _, m := range offer.Methods {
		list.Methods = append(list.Methods, &catalog.Method{Raw: m.Name, Description: m.Description, InputSchema: m.InputSchema, OutputSchema: m.OutputSchema})
	}
	found := catalog.New([]catalog.Connector{list}).Search(catalog.Query{Text: "boats"})
	if len(found.Results) == 0 || found.Results[0].Path != "many.list_boats" {
		t.Errorf("found %+v", found.Results)
	}
	page := catalog.New([]catalog.Connector{list}).Describe("many.list_things_7")
	if page.Kind != catalog.KindMethod || !strings.Contains(page.Types, "f199") {
		t.Errorf("described as %s: %.300s", page.Kind, page.Types)
	}
}
