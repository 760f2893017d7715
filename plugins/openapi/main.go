// Command openapi is the connector to any HTTP API that has an OpenAPI or
// Swagger document. Each operation of the document is a method.
//
//	connector "github" {
//	  plugin = "openapi"
//	  config {
//	    spec        = "api.github.com.json"
//	    credentials = { token = { type = "bearer", token = env("GITHUB_TOKEN") } }
//	  }
//	}
//
// # The guard
//
// GET, HEAD, OPTIONS, TRACE and QUERY are reads; every other operation needs
// approval unless a rule says otherwise. PUT and DELETE are idempotent, DELETE
// is destructive. The document is believed in what it says of addresses and
// forms, which is why checksum can pin it.
//
// # The packages
//
// internal/document reads the document, internal/schema translates its
// schemas, internal/operation makes methods of operations, internal/request
// makes requests of arguments, internal/auth adds credentials, internal/client
// sends, internal/response makes values and errors of answers, internal/paging
// asks for further pages.
package main

import "github.com/codemode-go/codemode/plugin/sdk"

const version = "0.1.0"

func main() { sdk.Serve(New()) }

// New returns the connector.
func New() *sdk.Connector {
	c := &connector{}
	return &sdk.Connector{
		Name:                "openapi",
		Version:             version,
		Instructions:        instructions,
		Configure:           sdk.Config(c.configure),
		DynamicMethods:      c.methods,
		DynamicInstructions: c.instructions,
		Skipped:             c.skippedOperations,
		Close:               c.close,
	}
}

const instructions = `Each method takes one object of all parameters, and the request's body as "body". With $full: true it returns {status, headers, body} instead of the body alone. ` +
	`Lists that say so return all pages with $all: true, or at most so many items with $all: 500. ` +
	`A file to upload is a Uint8Array, or {data, filename, type}; binary answers are Uint8Arrays. Errors have a code, and details {status, body}.`
