package main

// rollbackMutations break how an execution is undone.
var rollbackMutations = []Mutation{
	{
		Name: "rollback/order", File: "core/engine/rollback.go",
		Old:    "range slices.Backward(slices.Clone(s.StartedOrder)) {\n\t\terr := context.Cause(ctx)",
		New:    "range slices.All(slices.Clone(s.StartedOrder)) {\n\t\terr := context.Cause(ctx)",
		Breaks: "The first call is reverted first.", Row: "231",
	},
	{
		Name: "rollback/sync-before-revert", File: "core/engine/rollback.go",
		Old:    `if err := r.journal(&journal.RevertStarted{`,
		New:    `if _, err := r.rec.add(&journal.RevertStarted{`,
		Breaks: "A revert is sent before it is durable that it has started.", Row: "W-21",
	},
	{
		Name: "rollback/never-twice", File: "core/engine/rollback.go",
		Old:    "if !c.RevertInDoubt() {\n\t\t\tcontinue",
		New:    "if c.Revert != nil || !c.RevertInDoubt() {\n\t\t\tcontinue",
		Breaks: "After a crash a rollback goes on although a revert may have happened.", Row: "W-21",
	},
	{
		Name: "rollback/result", File: "core/engine/rollback.go",
		Old:    `req.Result = json.RawMessage(v)`,
		New:    `req.Result = json.RawMessage(v[:0])`,
		Breaks: "A revert does not get the result of its call.", Row: "161",
		Test: "core/rollback_test.go: TestRevertOfAnEditedCall",
	},
	{
		Name: "rollback/arguments", File: "core/engine/rollback.go",
		Old:    `Args: c.Args(), Before: c.Started.Before,`,
		New:    `Args: c.Issued.Args, Before: c.Started.Before,`,
		Breaks: "A revert gets the program's arguments, not the approver's that were executed.",
		Test:   "core/rollback_test.go: TestRevertOfAnEditedCall",
	},
	{
		Name: "rollback/before", File: "core/engine/rollback.go",
		Old:    `Args: c.Args(), Before: c.Started.Before,`,
		New:    `Args: c.Args(),`,
		Breaks: "A revert does not get what its connector read before the call.", Row: "161",
		Test: "core/parity_rollback_test.go: TestRollbackByAnotherHost",
	},
	{
		Name: "rollback/goes-on", File: "core/engine/rollback.go",
		Old:    `r.account.Failed = append(r.account.Failed, rec)`,
		New:    `return err`,
		Breaks: "A failed revert stops the others.", Row: "233",
		Test: "core/host_test.go: TestRollbackGoesOnAfterAFailedRevert",
	},
	{
		Name: "rollback/call-in-doubt", File: "core/engine/rollback.go",
		Old:    `case c.Doubtful():`,
		New:    `case c.Doubtful() && c.Started == nil:`,
		Breaks: "The account does not say that a call may have taken effect.", Row: "W-22",
		Test: "core/rollback_test.go: TestRollbackOfEveryState",
	},
	{
		Name: "rollback/revert-in-doubt", File: "core/engine/rollback.go",
		Old:    `lost && sent || timedOut(err) {`,
		New:    `lost && !sent {`,
		Breaks: "A revert whose connection broke counts as failed, and runs again.", Row: "W-21",
		Test: "core/rollback_test.go: TestRevertThatNeverAnswers",
	},
	{
		Name: "rollback/no-revert", File: "core/engine/rollback.go",
		Old:    `a.NoRevert = append(a.NoRevert, rec)`,
		New:    `_ = a.NoRevert`,
		Breaks: "The account does not say which writes cannot be reverted.", Row: "W-22",
		Test: "core/parity_rollback_test.go: TestOnlyRevertedCallsAreMarked",
	},
	{
		Name: "rollback/status", File: "core/engine/rollback.go",
		Old:    `status = journal.StatusRolledBack`,
		New:    `_ = journal.StatusRolledBack`,
		Breaks: "An execution that was undone is not marked as rolled back.", Row: "231",
		Test: "core/parity_rollback_test.go: TestRollbackByAnotherHost",
	},
	{
		Name: "rollback/dry-run", File: "core/engine/rollback.go",
		Old:    "if r.dry {\n",
		New:    "if r.dry && a.Changed {\n",
		Breaks: "A dry run reverts.",
		Test:   "core/host_test.go: TestEditedArguments",
	},
	{
		Name: "rollback/reads", File: "core/engine/rollback.go",
		Old:    "case c.Issued.ReadOnly:\n\t\treturn nil",
		New:    "case c.Issued.ReadOnly && c.Started == nil:\n\t\treturn nil",
		Breaks: "Reads stand in the account as writes without a revert.", Row: "232",
		Test: "core/host_test.go: TestRollback",
	},
}
