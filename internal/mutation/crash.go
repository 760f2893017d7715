package main

// crashMutations break what a crash must not break. Random lives have to notice them, without being told where to look.
var crashMutations = []Mutation{
	{
		Name: "crash/sent-before-synced", File: "core/engine/dispatch.go",
		Old:    "if l.writes {\n",
		New:    "if l.writes && p.ctx.Err() != nil {\n",
		Breaks: "A write is sent before it is durable that it has started.",
		Test:   "core/crash_test.go: TestCrashAtEveryRecord",
	},
	{
		Name: "crash/end-told-before-synced", File: "core/engine/finish.go",
		Old:    "err = p.rec.flush(p.ctx)\n\t}\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"record the end: %w\", err)",
		New:    "err = p.ctx.Err()\n\t}\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"record the end: %w\", err)",
		Breaks: "A result is told that a crash may take back.",
		Test:   "core/crash_test.go: TestCrashAtEveryRecord",
	},
	{
		Name: "crash/settled-in-vain", File: "core/engine/decide.go",
		Old:    "if s.Status.Terminal() || s.RollingBack {\n\t\treturn false, x.rec.flush(ctx)",
		New:    "if s.Status.Terminal() || s.RollingBack {\n\t\treturn false, ctx.Err()",
		Breaks: "What a person says of a call after the end is answered and not kept.",
		Test:   "core/crash_test.go: TestCrashAtEveryRecord",
	},
	{
		Name: "crash/calls-lost-before-the-end", File: "core/engine/finish.go",
		Old:    "withdrawn = append(withdrawn, c.seq)\n\t\t\tp.forget(c)",
		New:    "if err := p.withdraw(c.seq, cause); err != nil {\n\t\t\t\treturn err\n\t\t\t}",
		Breaks: "A host that dies while it ends an execution leaves one that cannot be continued.",
		Test:   "core/parity_crash_test.go: TestHostDiesWhileAnExecutionEnds",
	},
	{
		Name: "crash/refused-and-sent", File: "core/engine/call.go",
		Old:    `known.State != journal.CallExecuting || refused(known):`,
		New:    `known.State != journal.CallExecuting:`,
		Breaks: "A call that a person refused is started by the next host.",
		Test:   "core/crash_test.go: TestCrashAtEveryRecord",
	},
	{
		Name: "crash/yes-is-no", File: "core/engine/doubt.go",
		Old:    `if told.Happened == wire.HappenedYes {`,
		New:    `if told.Happened == wire.HappenedNo {`,
		Breaks: "What its connector says has happened is run again.",
		Test:   "core/crash_test.go: TestCrashAtEveryRecord",
	},
	{
		Name: "crash/second-attempt", File: "core/engine/dispatch.go",
		Old:    `case attempt > 1, told.Effect == wire.EffectUnknown:`,
		New:    `case told.Effect == wire.EffectUnknown:`,
		Breaks: "A write counts as not done because its second attempt did nothing.",
		Test:   "core/crash_test.go: TestCrashAtEveryRecord",
	},
	{
		Name: "crash/revert-before-synced", File: "core/engine/rollback.go",
		Old:    `if err := r.journal(&journal.RevertStarted{`,
		New:    `if _, err := r.rec.add(&journal.RevertStarted{`,
		Breaks: "A revert is sent before it is durable that it has started.",
		Test:   "core/crash_test.go: TestCrashAtEveryRecord",
	},
	{
		Name: "crash/edited-arguments", File: "core/engine/dispatch.go",
		Old:    "w := p.wireCall(c.method, c.seq, known.Args())\n\tw.Before = c.before",
		New:    "w := p.wireCall(c.method, c.seq, known.Issued.Args)\n\tw.Before = c.before",
		Breaks: "An approver's arguments are recorded, and the program's carried out.",
		Test:   "core/crash_test.go: TestCrashAtEveryRecord",
	},
	{
		Name: "crash/nobody-is-told", File: "core/hooks.go",
		Old:    "\th.registry.load(context.WithoutCancel(ctx))\n",
		New:    "",
		Breaks: "A host that has only decided records hooks that no connector got.",
		Test:   "core/crash_test.go: TestCrashAtEveryRecord",
	},
}
