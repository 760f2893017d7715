// Command github is the connector to GitHub: the operations on repositories,
// issues, pull requests, releases and workflows that programs use most.
//
//	connector "github" {
//	  plugin = "github"
//	  config {
//	    token = env("GITHUB_TOKEN")
//	  }
//	}
//
// Reads need no approval, writes do. What GitHub can undo, a rollback undoes,
// from what was read before the write; what it cannot is said in the method's
// description. docs/connectors/github.md has the whole list.
package main

import "github.com/codemode-go/codemode/plugin/sdk"

const version = "0.1.0"

func main() { sdk.Serve(New()) }
