package main

// replayMutations break how a pass matches its record, delivers, and ends.
var replayMutations = []Mutation{
	{
		Name: "replay/digest", File: "core/engine/call.go",
		Old:    `bytes.Equal(sandbox.Digest(i.Args), c.Digest)`,
		New:    `bytes.Equal(c.Digest, c.Digest)`,
		Breaks: "A call that waited takes a decision although it comes with other arguments.", Row: "199",
	},
	{
		Name: "replay/method", File: "core/engine/call.go",
		Old:    `recorded, came := i.Connector+"."+i.Method, c.Connector+"."+c.Method`,
		New:    `recorded, came := i.Connector, c.Connector`,
		Breaks: "A call that waited takes a decision although it is of another method.", Row: "198",
	},
	{
		Name: "replay/missing", File: "core/engine/replay.go",
		Old:    `turn.Exceeded == nil && missing != ""`,
		New:    `turn.Exceeded == nil && missing == "none"`,
		Breaks: "Recorded calls that the program does not issue any more go unnoticed.", Row: "W-11",
	},
	{
		Name: "replay/under-steps", File: "core/engine/replay.go",
		Old:    "if !underAny(seq, ended) {\n\t\t\tp.replay.expected[seq] = true",
		New:    "if seq != \"\" {\n\t\t\tp.replay.expected[seq] = true",
		Breaks: "The calls under a step that is not run again are missed.", Row: "W-15",
	},
	{
		Name: "replay/time", File: "core/engine/replay.go",
		Old:    `completionOf(c, c.Outcome, c.OutcomeAt, true)`,
		New:    `completionOf(c, c.Outcome, p.e.Now(), true)`,
		Breaks: "A replayed call is delivered at the time of the replay.", Row: "W-68",
	},
	{
		Name: "replay/failure", File: "core/engine/call.go",
		Old:    `Error: sandboxError(o.Failure)}`,
		New:    `Error: nil}`,
		Breaks: "A failed call is delivered as if it had succeeded.", Row: "51",
	},
	{
		Name: "replay/reexecute", File: "core/engine/replay.go",
		Old:    `return c.Issued.Reexecute && c.State == journal.CallApplied`,
		New:    `return c.Issued.Reexecute && c.State == journal.CallDenied`,
		Breaks: "A method that runs in every pass is replayed without its result.", Row: "163",
	},
	{
		Name: "replay/reexecuted-result", File: "core/engine/call.go",
		Old:    `kept.Value, kept.Has, kept.Omitted = nil, false, true`,
		New:    `kept.Omitted = true`,
		Breaks: "The result of a method that runs in every pass is recorded.", Row: "207",
	},
	{
		Name: "replay/reexecuted-order", File: "core/engine/replay.go",
		Old:    `if p.reexecutes(seq) || size > windowBytes {`,
		New:    `if size > windowBytes {`,
		Breaks: "What is executed in every pass is not delivered at its recorded place.", Row: "163",
	},
	{
		Name: "replay/windows", File: "core/engine/replay.go",
		Old:    `if p.reexecutes(seq) || size > windowBytes {`,
		New:    `if p.reexecutes(seq) {`,
		Breaks: "A program that read page by page meets all pages at once in the replay.",
	},
	{
		Name: "replay/charged-twice", File: "core/engine/replay.go",
		Old:    `p.usage.CPU, p.usage.Wall, p.cpuBefore = 0, 0, 0`,
		New:    `p.cpuBefore = 0`,
		Breaks: "What a program used before its first delivery is charged in every pass.",
	},
	{
		Name: "replay/ready-order", File: "core/engine/pass.go",
		Old:    "c := p.ready[0]\n\t\t\tp.ready = p.ready[1:]",
		New:    "c := p.ready[len(p.ready)-1]\n\t\t\tp.ready = p.ready[:len(p.ready)-1]",
		Breaks: "Outcomes are delivered in another order than they are journaled in.", Row: "W-16",
	},
	{
		Name: "replay/console", File: "core/engine/console.go",
		Old:    `l.After <= p.linesBefore`,
		New:    `l.After < p.linesBefore`,
		Breaks: "Console lines that a former pass has reported are reported again.", Row: "W-32",
	},
	{
		Name: "pass/pause-in-flight", File: "core/engine/pass.go",
		Old:    `case p.open.count(stageQueued, stagePreparing, stageExecuting) > 0:`,
		New:    `case p.open.count(stageQueued, stagePreparing) > 0 && !p.waiting():`,
		Breaks: "A pass pauses while a call is in flight.", Row: "W-8",
	},
	{
		Name: "pass/completes-while-waiting", File: "core/engine/pass.go",
		Old:    `case p.waiting():`,
		New:    `case p.waiting() && p.main == nil:`,
		Breaks: "A program that returned completes although a call of it waits for a person.", Row: "216",
	},
	{
		Name: "pass/stopped", File: "core/engine/pass.go",
		Old:    `return &ending{stopped: true}`,
		New:    `return fail(ErrorCancelled, &journal.Failure{Message: "The host stops."})`,
		Breaks: "A host that stops ends what it runs, and no later host continues it.", Row: "W-7",
	},
	{
		Name: "pass/wall", File: "core/engine/pass.go",
		Old:    `p.usage.Wall += took`,
		New:    `p.usage.Wall += 0 * took`,
		Breaks: "The time limit counts nothing from turn to turn.", Row: "57",
	},
	{
		Name: "pass/timers-wait-for-people", File: "core/engine/pass.go",
		Old:    "if !waiting {\n",
		New:    "if took >= 0 {\n",
		Breaks: "A timer goes on while a call waits for a person: a time-out races the person.",
	},
	{
		Name: "pass/timer-ties", File: "core/engine/open.go",
		Old:    `return bySeq(a, b)`,
		New:    `return bySeq(b, a)`,
		Breaks: "Timers that are due at the same time fire last first.",
	},
	{
		Name: "pass/oversized", File: "core/engine/pass.go",
		Old:    `if end := p.oversized(); end != nil {`,
		New:    `if end := p.oversized(); end != nil && end.stopped {`,
		Breaks: "A program whose write had a too large result goes on after a crash as if it had none.", Row: "W-37",
	},
	{
		Name: "pass/abandoned-writes", File: "core/engine/pass.go",
		Old:    "\tp.abandon()\n",
		New:    "",
		Breaks: "When the journal fails, a later pass may begin while a write of this one still acts.",
	},
	{
		Name: "pass/writes-outstanding", File: "core/engine/finish.go",
		Old:    `case c.stage == stageExecuting && !known.Issued.ReadOnly:`,
		New:    `case c.stage == stageExecuting && known.Issued.ReadOnly:`,
		Breaks: "A program that fails leaves its started writes unawaited.", Row: "W-28",
	},
	{
		Name: "pass/clock-goes-back", File: "core/engine/recorder.go",
		Old:    `if at.Before(r.state.Updated) {`,
		New:    `if at.IsZero() {`,
		Breaks: "A clock that is set back ends what runs, for events may not grow older.",
	},
}
