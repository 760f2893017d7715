// Package policy judges calls: which run, which wait for a person, which are
// refused. The first matching rule wins; without one, the method's own
// declaration holds.
package policy

import "github.com/codemode-go/codemode/core/catalog"

// Effect is what a rule, or a declaration, makes of a call.
type Effect string

// The effects.
const (
	Allow   Effect = "allow"
	Deny    Effect = "deny"
	Approve Effect = "approve" // a person decides
)

// Call is a call about to be judged: the method and the arguments that will really be executed.
type Call struct {
	Connector string
	Method    *catalog.Method
	Args      []byte // one JSON object
	Caller    string
	Labels    map[string]string
	AskWrites bool // every write of this execution waits for a person
}

// Verdict is what policy says of a call.
type Verdict struct {
	Effect Effect
	// Rule names the rule and its place ("connector github, rule 2 at codemode.hcl:31"), or says that the method declares it.
	Rule string
	// Reason is the rule's own reason, for the model and the approver; empty: none is given.
	Reason string
}

// Condition is a rule's when.
type Condition interface {
	// Holds evaluates the condition. An error means that it cannot be evaluated or is no
	// boolean. It is logged and must quote no value of the call.
	Holds(c Call) (bool, error)
}

// Rule is one rule of one connector.
type Rule struct {
	Methods []string  // glob patterns over listed and raw names; empty: every method
	When    Condition // nil: always
	Effect  Effect
	Reason  string
	Place   string // file and line, for people
}
