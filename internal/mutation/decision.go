package main

// decisionMutations break what a person's word does to an execution.
var decisionMutations = []Mutation{
	{
		Name: "decision/stale-digest", File: "core/engine/decide.go",
		Old:    `if d.Digest != "" && d.Digest != digestText(c.Issued.Approval) {`,
		New:    `if d.Digest == "none" {`,
		Breaks: "A decision is taken on another call than the one that was shown.", Row: "W-13",
	},
	{
		Name: "decision/digest-schema", File: "core/engine/decide.go",
		Old:    `[]byte(m.Raw), m.InputSchema, x.e`,
		New:    `[]byte(m.Raw), x.e`,
		Breaks: "An approval holds although the method's input schema has changed.", Row: "W-13",
	},
	{
		Name: "decision/digest-identity", File: "core/engine/decide.go",
		Old:    `m.InputSchema, x.e.Connectors.Identity(m.Connector)} {`,
		New:    `m.InputSchema} {`,
		Breaks: "An approval holds although the connector or its configuration has changed.", Row: "W-13",
	},
	{
		Name: "decision/edit-denied", File: "core/engine/decide.go",
		Old:    `if v := x.verdict(m, d.Args); v.Effect == policy.Deny {`,
		New:    `if v := x.verdict(m, i.Args); v.Effect == policy.Deny {`,
		Breaks: "An approver's edit gets past a rule that denies it.",
	},
	{
		Name: "decision/edit-digest", File: "core/engine/decide.go",
		Old:    "return x.approvalDigest(m, d.Args), nil",
		New:    "return x.approvalDigest(m, i.Args), nil",
		Breaks: "An approval of edited arguments is bound to the program's own.",
	},
	{
		Name: "decision/named-twice", File: "core/engine/decide.go",
		Old:    `named[d.Seq] = true`,
		New:    `named[d.Seq] = false`,
		Breaks: "One request may decide one call in two ways.",
	},
	{
		Name: "decision/all-or-none", File: "core/engine/decide.go",
		Old:    "if err := decidable(s, d); err != nil {\n\t\t\treturn false, err\n\t\t}",
		New:    "if err := decidable(s, d); err != nil && d.Seq == list[0].Seq {\n\t\t\treturn false, err\n\t\t}",
		Breaks: "Of several decisions the good ones are taken although one is refused.",
	},
	{
		Name: "decision/reject-while-running", File: "core/engine/decide.go",
		Old:    "if end := rejection(known); end != nil {\n\t\t\treturn end, nil",
		New:    "if end := rejection(known); end != nil && end.stopped {\n\t\t\treturn end, nil",
		Breaks: "A rejection does not end a pass that runs.", Row: "219",
	},
	{
		Name: "decision/reject-while-paused", File: "core/engine/decide.go",
		Old:    "if end := rejectionOf(s); end != nil {\n",
		New:    "if end := rejectionOf(s); end != nil && end.stopped {\n",
		Breaks: "A rejected execution stays paused.", Row: "219",
	},
	{
		Name: "decision/refusal-is-told", File: "core/engine/decide.go",
		Old:    `Name: nameRejectedError, Code: "rejected", Message: text + `,
		New:    `Name: nameCallError, Code: "rejected", Message: "The call failed" + `,
		Breaks: "A program is not told that, and why, a person refused a call.",
	},
	{
		Name: "decision/not-done", File: "core/engine/decide.go",
		Old:    "case journal.DecisionDone:\n\t\treturn p.outcome",
		New:    "case journal.DecisionDone, \"none\":\n\t\td.Result, d.HasValue = nil, false\n\t\treturn p.outcome",
		Breaks: "The result that a person gave for a call in doubt is dropped.",
	},
	{
		Name: "decision/expired-is-not-rejected", File: "core/engine/decide.go",
		Old:    `Decision: journal.DecisionExpire}`,
		New:    `Decision: journal.DecisionReject}`,
		Breaks: "A call that nobody decided on is recorded as rejected.", Row: "W-19",
	},
	{
		Name: "decision/expired-while-running", File: "core/engine/decide.go",
		Old:    `if s.Status == journal.StatusRunning {`,
		New:    `if s.Status == "none" {`,
		Breaks: "What a dead host left running expires as if it had waited for a person.", Row: "228",
	},
	{
		Name: "decision/during-rollback", File: "core/engine/decide.go",
		Old:    "case s.RollingBack:\n\t\treturn false, &Undecid",
		New:    "case s.RollingBack && x.running:\n\t\treturn false, &Undecid",
		Breaks: "A decision is taken in an execution that a rollback holds.", Row: "W-21",
	},
	{
		Name: "decision/after-the-end", File: "core/engine/decide.go",
		Old:    `case s.Status.Terminal() && !slices.ContainsFunc(list, onlyInforms):`,
		New:    `case s.Status.Terminal() && x.running:`,
		Breaks: "An approval of what has ended is refused for a reason that is not the end.", Row: "222",
	},
}
