package main

import "github.com/codemode-go/codemode/core"

// How a person was asked.
const (
	viaTerminal = "terminal" // they typed an answer
	viaCommand  = "command"  // the command line alone
	viaSecret   = "secret"   // the command line, with the secret of the configuration
)

// decider is the operating system's user.
func (a *app) decider(via, note string) core.Decider {
	return core.Decider{By: a.user, Via: via, Note: note}
}
