package journal

import (
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The bodies that the scripts below are made of.
var (
	begun     = &Begun{Source: "await tracker.list()", Owner: "one"}
	pass1     = &PassBegun{Pass: 1}
	paused    = &PassEnded{Status: "paused"}
	completed = &Ended{Status: StatusCompleted}
	allowed   = &Issued{Seq: "0", Connector: "tracker", Method: "close", Args: []byte("{}"), Verdict: Verdict{Effect: "allow"}}
	asked     = &Issued{Seq: "0", Connector: "tracker", Method: "close", Args: []byte("{}"), Verdict: Verdict{Effect: "approve"}}
	denied    = &Issued{Seq: "0", Connector: "tracker", Method: "drop", Verdict: Verdict{Effect: "deny"}}
	read      = &Issued{Seq: "0", Connector: "tracker", Method: "list", ReadOnly: true, Verdict: Verdict{Effect: "allow"}}
	sure      = &Issued{Seq: "0", Connector: "tracker", Method: "put", Idempotent: true, Verdict: Verdict{Effect: "allow"}}
	timer     = &Issued{Seq: "0", Connector: "codemode", Method: "timer", Verdict: Verdict{Effect: "allow"}}
	reissued  = &Reissued{Seq: "0", Verdict: Verdict{Effect: "approve", Rule: "new"}, Approval: []byte{9}, Preview: "closes", Why: "the rule changed"}
	attempt1  = &Started{Seq: "0", Attempt: 1}
	attempt2  = &Started{Seq: "0", Attempt: 2}
	applied   = &Outcome{Seq: "0", State: CallApplied, Value: []byte("1"), Has: true}
	failed    = &Outcome{Seq: "0", State: CallFailed, Failure: &Failure{Message: "no"}}
	unclear   = &Outcome{Seq: "0", State: CallFailed, Failure: &Failure{Message: "broken", EffectUnknown: true}}
	doubted   = &Doubted{Seq: "0", Cause: "the host stopped"}
	withdrawn = &Withdrawn{Seq: "0", Cause: "the execution ended"}
	rollback  = &RollbackBegun{By: "ann"}
	revert1   = &RevertStarted{Seq: "0", Attempt: 1}
	revert2   = &RevertStarted{Seq: "0", Attempt: 2}
	reverted  = &RevertEnded{Seq: "0", Done: true}
	unsure    = &RevertEnded{Seq: "0", Doubt: true}
	notYet    = &RevertEnded{Seq: "0", Failure: &Failure{Message: "later"}}
)

func decided(decision string) *Decided { return &Decided{Seq: "0", Decision: decision, By: "ann"} }

func ofRevert(decision string) *Decided { return &Decided{Seq: "0", Decision: decision, Revert: true} }

func rolledBack(s Status) *RollbackEnded { return &RollbackEnded{Status: s} }

func script(parts ...any) (bodies []Body) {
	for _, p := range parts {
		switch p := p.(type) {
		case Body:
			bodies = append(bodies, p)
		case []Body:
			bodies = append(bodies, p...)
		}
	}
	return bodies
}

// eventsOf numbers bodies and dates them, one second apart.
func eventsOf(bodies []Body) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		epoch := uint64(1)
		for i, b := range bodies {
			if _, ok := b.(*Claimed); ok {
				epoch++
			}
			if !yield(Event{Index: int64(i), Epoch: epoch, At: at(i), Body: b}, nil) {
				return
			}
		}
	}
}

func at(second int) time.Time { return time.Unix(1_000_000_000+int64(second), 0).UTC() }

func fold(t *testing.T, bodies []Body) *State {
	t.Helper()
	s, err := Fold("x", eventsOf(bodies))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCallStates(t *testing.T) {
	t.Parallel()
	start := script(begun, pass1)
	inDoubt := script(start, allowed, attempt1, doubted)
	tests := map[string]struct {
		events  []Body
		want    CallState
		waiting int
	}{
		"allowed":                          {script(start, allowed), CallQueued, 0},
		"to be approved":                   {script(start, asked), CallPending, 1},
		"to be denied":                     {script(start, denied), CallQueued, 0},
		"denied":                           {script(start, denied, &Outcome{Seq: "0", State: CallDenied}), CallDenied, 0},
		"started":                          {script(start, allowed, attempt1), CallExecuting, 0},
		"applied":                          {script(start, allowed, attempt1, applied), CallApplied, 0},
		"failed":                           {script(start, allowed, attempt1, failed), CallFailed, 0},
		"failed before its start":          {script(start, allowed, failed), CallFailed, 0},
		"a timer that fired":               {script(start, timer, applied), CallApplied, 0},
		"a timer that was cleared":         {script(start, timer, withdrawn), CallWithdrawn, 0},
		"approved":                         {script(start, asked, paused, decided(DecisionApprove)), CallQueued, 0},
		"rejected":                         {script(start, asked, paused, decided(DecisionReject)), CallRejected, 0},
		"refused":                          {script(start, asked, paused, decided(DecisionRefuse)), CallQueued, 0},
		"refused and told":                 {script(start, asked, decided(DecisionRefuse), &Outcome{Seq: "0", State: CallRejected}), CallRejected, 0},
		"expired":                          {script(start, asked, paused, decided(DecisionExpire)), CallExpired, 0},
		"denied while it waited":           {script(start, asked, &Outcome{Seq: "0", State: CallDenied}), CallDenied, 0},
		"reissued after approval":          {script(start, asked, decided(DecisionApprove), reissued), CallPending, 1},
		"reissued while it waited":         {script(start, asked, reissued), CallPending, 1},
		"reissued after allow":             {script(start, allowed, reissued), CallPending, 1},
		"withdrawn":                        {script(start, asked, withdrawn), CallWithdrawn, 0},
		"a read that was cancelled":        {script(start, read, attempt1, withdrawn), CallWithdrawn, 0},
		"a read that runs again":           {script(start, read, attempt1, attempt2), CallExecuting, 0},
		"an idempotent call runs again":    {script(start, sure, attempt1, doubted, attempt2), CallExecuting, 0},
		"in doubt":                         {inDoubt, CallInDoubt, 1},
		"in doubt twice":                   {script(inDoubt, doubted), CallInDoubt, 1},
		"reconciled":                       {script(inDoubt, applied), CallApplied, 0},
		"settled: again":                   {script(inDoubt, decided(DecisionAgain)), CallQueued, 0},
		"settled: again, started":          {script(inDoubt, decided(DecisionAgain), attempt2), CallExecuting, 0},
		"settled: done":                    {script(inDoubt, decided(DecisionDone)), CallApplied, 0},
		"settled: done, told":              {script(inDoubt, decided(DecisionDone), applied), CallApplied, 0},
		"settled: not done":                {script(inDoubt, decided(DecisionNotDone)), CallFailed, 0},
		"settled: not done, told":          {script(inDoubt, decided(DecisionNotDone), failed), CallFailed, 0},
		"settled: end":                     {script(inDoubt, decided(DecisionEnd), &Ended{Status: StatusError}), CallInDoubt, 1},
		"in doubt when time runs out":      {script(inDoubt, decided(DecisionExpire)), CallInDoubt, 1},
		"in doubt and withdrawn":           {script(inDoubt, withdrawn), CallInDoubt, 1},
		"a started write, withdrawn":       {script(start, allowed, attempt1, withdrawn), CallInDoubt, 1},
		"again, then withdrawn":            {script(inDoubt, decided(DecisionAgain), withdrawn), CallInDoubt, 1},
		"again, reissued, rejected":        {script(inDoubt, decided(DecisionAgain), reissued, decided(DecisionReject)), CallInDoubt, 1},
		"open at the end":                  {script(start, allowed, &Ended{Status: StatusError}), CallWithdrawn, 0},
		"waiting at the end":               {script(start, asked, &Ended{Status: StatusError}), CallWithdrawn, 0},
		"a read executing at the end":      {script(start, read, attempt1, &Ended{Status: StatusError}), CallWithdrawn, 0},
		"a write executing at the end":     {script(start, allowed, attempt1, &Ended{Status: StatusError}), CallInDoubt, 1},
		"settled after the end: done":      {script(inDoubt, &Ended{Status: StatusError}, decided(DecisionDone)), CallApplied, 0},
		"settled after the end: not done":  {script(inDoubt, &Ended{Status: StatusError}, decided(DecisionNotDone)), CallFailed, 0},
		"failed with its effect unknown":   {script(start, allowed, attempt1, unclear), CallFailed, 0},
		"found to have happened":           {script(start, allowed, attempt1, unclear, decided(DecisionDone)), CallApplied, 0},
		"found not to have happened":       {script(start, allowed, attempt1, unclear, decided(DecisionNotDone)), CallFailed, 0},
		"the call of an earlier owner":     {script(start, allowed, attempt1, &Claimed{Owner: "two"}, doubted), CallInDoubt, 1},
		"the next pass after a lost one":   {script(start, allowed, &Claimed{}, &PassBegun{Pass: 2}, attempt1), CallExecuting, 0},
		"the call that a rollback reverts": {script(start, allowed, attempt1, applied, completed, rollback, revert1, reverted), CallReverted, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fold(t, test.events)
			if got := s.Calls["0"].State; got != test.want {
				t.Errorf("the call is %s, want %s", got, test.want)
			}
			if s.Waiting != test.waiting || len(s.WaitingCalls()) != test.waiting {
				t.Errorf("%d waiting (%d listed), want %d", s.Waiting, len(s.WaitingCalls()), test.waiting)
			}
			if doubt := s.Calls["0"].Doubt; (doubt != "") != (test.want == CallInDoubt) {
				t.Errorf("the cause of the doubt is %q", doubt)
			}
		})
	}
}

func TestRefusedEvents(t *testing.T) {
	t.Parallel()
	start := script(begun, pass1)
	ended := script(start, allowed, attempt1, applied, &PassEnded{Status: "completed"}, completed)
	inDoubt := script(start, allowed, attempt1, doubted)
	tests := map[string]struct {
		events []Body // the last one is refused
		cause  string
	}{
		"no begin":                         {script(pass1), "begins once"},
		"a second begin":                   {script(begun, begun), "begins once"},
		"no body":                          {append(script(begun), nil), "newer version"},
		"a pass is left out":               {script(begun, &PassBegun{Pass: 2}), "pass 2 follows pass 0"},
		"a pass after the end":             {script(ended, &PassBegun{Pass: 2}), "already ended"},
		"a pass ends twice":                {script(start, paused, paused), "no pass was open"},
		"a pass ends strangely":            {script(start, &PassEnded{Status: "lost"}), `"lost"`},
		"an end after the end":             {script(ended, completed), "already ended"},
		"a strange end":                    {script(start, &Ended{Status: StatusPaused}), `"paused"`},
		"a call outside a pass":            {script(begun, allowed), "no pass was open"},
		"a call twice":                     {script(start, allowed, allowed), "issued before"},
		"a call with a strange seq":        {script(start, &Issued{Seq: "1.x", Verdict: allowed.Verdict}), "not a seq"},
		"a call with an unknown parent":    {script(start, &Issued{Seq: "1.0", Verdict: allowed.Verdict}), "under call 1"},
		"a call with an unknown verdict":   {script(start, &Issued{Seq: "0", Verdict: Verdict{Effect: "maybe"}}), `"maybe"`},
		"an event of no call":              {script(start, applied), "never issued"},
		"a start outside a pass":           {script(start, allowed, paused, attempt1), "no pass was open"},
		"a start of what waits":            {script(start, asked, attempt1), "it was pending"},
		"a start of what was denied":       {script(start, denied, attempt1), "denied"},
		"a start of what was refused":      {script(start, asked, decided(DecisionRefuse), attempt1), "cannot start"},
		"a start of what was rejected":     {script(start, asked, decided(DecisionReject), attempt1), "it was rejected"},
		"a write started twice":            {script(start, allowed, attempt1, attempt2), "it was executing"},
		"a write in doubt started":         {script(inDoubt, attempt2), "it was in_doubt"},
		"an attempt is left out":           {script(start, allowed, attempt2), "attempt 2 follows attempt 0"},
		"again counts on":                  {script(inDoubt, decided(DecisionAgain), attempt1), "attempt 1 follows attempt 1"},
		"success without a start":          {script(start, allowed, applied), "without having been started"},
		"success before the approval":      {script(start, asked, applied), "without having been started"},
		"success against policy":           {script(start, &Issued{Seq: "0", Connector: "codemode", Verdict: denied.Verdict}, applied), "without having been started"},
		"two outcomes":                     {script(start, allowed, attempt1, applied, failed), "had an outcome"},
		"an outcome of what was withdrawn": {script(start, allowed, withdrawn, failed), "already withdrawn"},
		"an outcome that is none":          {script(start, allowed, &Outcome{Seq: "0", State: CallQueued}), `"queued"`},
		"an outcome after the end":         {script(inDoubt, &Ended{Status: StatusError}, applied), "already ended"},
		"doubt without a start":            {script(start, allowed, doubted), "never started"},
		"doubt of what is known":           {script(start, allowed, attempt1, applied, doubted), "already applied"},
		"doubt after the end":              {script(ended, doubted), "already ended"},
		"withdrawn after the end":          {script(ended, withdrawn), "already ended"},
		"withdrawn what was applied":       {script(start, allowed, attempt1, applied, withdrawn), "already applied"},
		"reissued while it runs":           {script(start, allowed, attempt1, reissued), "already executing"},
		"reissued to be allowed":           {script(start, asked, &Reissued{Seq: "0", Verdict: allowed.Verdict}), `"allow"`},
		"reissued after the end":           {script(ended, reissued), "already ended"},
		"an unknown decision":              {script(start, asked, decided("perhaps")), `"perhaps"`},
		"approved without being asked":     {script(start, allowed, decided(DecisionApprove)), "already queued"},
		"approved twice":                   {script(start, asked, decided(DecisionApprove), decided(DecisionApprove)), "already queued"},
		"approved after the end":           {script(start, asked, &Ended{Status: StatusError}, decided(DecisionApprove)), "already ended"},
		"expired after the end":            {script(ended, decided(DecisionExpire)), "already ended"},
		"expired while it runs":            {script(start, allowed, attempt1, decided(DecisionExpire)), "already executing"},
		"settled without doubt":            {script(start, asked, decided(DecisionAgain)), "already pending"},
		"settled again after the end":      {script(inDoubt, &Ended{Status: StatusError}, decided(DecisionAgain)), "already ended"},
		"done, though it is known":         {script(start, allowed, attempt1, applied, decided(DecisionDone)), "its effect is known"},
		"done, then not done":              {script(inDoubt, decided(DecisionDone), decided(DecisionNotDone)), "its effect is known"},
		"a rollback while it runs":         {script(start, rollback), "was running"},
		"a decision during a rollback":     {script(start, asked, paused, rollback, decided(DecisionApprove)), "a rollback holds"},
		"a pass during a rollback":         {script(start, paused, rollback, &PassBegun{Pass: 2}), "a rollback holds"},
		"a revert without a rollback":      {script(ended, revert1), "no rollback"},
		"a revert of what did not happen":  {script(start, asked, paused, rollback, revert1), "already pending"},
		"a revert after a revert":          {script(ended, rollback, revert1, reverted, revert2), "already reverted"},
		"a revert of unknown fate again":   {script(ended, rollback, revert1, rollback, revert2), "may have happened"},
		"a revert in doubt again":          {script(ended, rollback, revert1, unsure, revert2), "may have happened"},
		"a revert attempt is left out":     {script(ended, rollback, revert2), "attempt 2 follows attempt 0"},
		"the end of no revert":             {script(ended, rollback, reverted), "no revert of it"},
		"the end of no rollback":           {script(ended, rolledBack(StatusCompleted)), "no rollback"},
		"a revert ends after the rollback": {script(ended, reverted), "no rollback"},
		"a rollback leaves a revert open":  {script(ended, rollback, revert1, rolledBack(StatusCompleted)), "has no end"},
		"rolled back without a revert":     {script(ended, rollback, rolledBack(StatusRolledBack)), "reverted nothing"},
		"another status by a rollback":     {script(ended, rollback, rolledBack(StatusError)), "reverted nothing"},
		"a revert settled without doubt":   {script(ended, ofRevert(DecisionDone)), "no revert of it is in doubt"},
		"a revert settled by approval":     {script(ended, rollback, revert1, ofRevert(DecisionApprove)), `"approve"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Fold("x", eventsOf(test.events))
			d, ok := errors.AsType[*DamagedError](err)
			if !ok {
				t.Fatalf("the error is %v, not a *DamagedError", err)
			}
			last := int64(len(test.events) - 1)
			if d.ID != "x" || d.After != last-1 || !strings.Contains(d.Cause, test.cause) {
				t.Errorf("got %+v, want %q after event %d", d, test.cause, last-1)
			}
			if before, _ := Fold("x", eventsOf(test.events[:last])); !cmp.Equal(s, before) {
				t.Errorf("the refused event changed the state:\n%s", cmp.Diff(before, s))
			}
		})
	}
}

func TestRefusedOrder(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		event Event
		cause string
	}{
		"a gap":              {Event{Index: 2, Epoch: 1, At: at(9), Body: pass1}, "event 1 was expected"},
		"an event again":     {Event{Index: 0, Epoch: 1, At: at(9), Body: pass1}, "event 1 was expected"},
		"another epoch":      {Event{Index: 1, Epoch: 2, At: at(9), Body: pass1}, "epoch 2 where 1"},
		"a claim of its own": {Event{Index: 1, Epoch: 1, At: at(9), Body: &Claimed{}}, "epoch 1 where 2"},
		"time goes back":     {Event{Index: 1, Epoch: 1, At: at(0).Add(-1), Body: pass1}, "older"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fold(t, script(begun))
			err := s.Apply(test.event)
			if d, ok := errors.AsType[*DamagedError](err); !ok || d.After != 0 || !strings.Contains(d.Cause, test.cause) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestFoldEndsWithItsEvents(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	s, err := Fold("x", func(yield func(Event, error) bool) {
		_ = yield(Event{Epoch: 1, At: at(0), Body: begun}, nil) && yield(Event{}, lost)
	})
	if err != lost || s.Next != 1 {
		t.Errorf("next %d, error %v", s.Next, err)
	}
	if _, err := Fold("x", eventsOf(nil)); !errors.Is(err, ErrNotFound) {
		t.Errorf("an execution without events: %v", err)
	}
}

func TestExecution(t *testing.T) {
	t.Parallel()
	second := &Issued{Seq: "1", Connector: "tracker", Method: "list", ReadOnly: true, Verdict: allowed.Verdict}
	s := fold(t, script(
		begun, pass1,
		asked, second,
		&Started{Seq: "1", Attempt: 1},
		&Outcome{Seq: "1", State: CallApplied, Usage: Usage{CPU: 1, Clock: 7}},
		&Issued{Seq: "2", Connector: "codemode", Method: "step", Verdict: allowed.Verdict},
		&Issued{Seq: "2.0", Connector: "tracker", Method: "list", ReadOnly: true, Verdict: allowed.Verdict},
		&PassEnded{Status: "paused", Logs: []string{"one"}, Usage: Usage{CPU: 2, Clock: 8}, Returned: true},
		&HookRound{Hook: HookPassEnd, Status: "paused", Pass: 1},
		&Claimed{Owner: "two"},
		decided(DecisionApprove),
		&PassBegun{Pass: 2},
		attempt1, applied,
	))
	if s.Owner != "two" || s.Epoch != 2 || s.Passes != 2 || !s.PassOpen || s.Status != StatusRunning {
		t.Errorf("owner %q, epoch %d, pass %d, open %v, status %s", s.Owner, s.Epoch, s.Passes, s.PassOpen, s.Status)
	}
	if s.PassStatus != "paused" || !s.Returned || s.LogsAfter != 1 {
		t.Errorf("the last pass: %q, returned %v, logs after %d", s.PassStatus, s.Returned, s.LogsAfter)
	}
	if s.Created != at(0) || s.Updated != at(14) || s.Next != 15 {
		t.Errorf("created %v, updated %v, next %d", s.Created, s.Updated, s.Next)
	}
	for name, diff := range map[string]string{
		"order":      cmp.Diff([]string{"0", "1", "2", "2.0"}, s.Order),
		"deliveries": cmp.Diff([]string{"1", "0"}, s.Deliveries),
		"started":    cmp.Diff([]string{"1", "0"}, s.StartedOrder),
		"logs":       cmp.Diff([]string{"one"}, s.Logs),
		"hooks":      cmp.Diff([]HookRound{{Hook: HookPassEnd, Status: "paused", Pass: 1}}, s.Hooks),
		"usage":      cmp.Diff(Usage{}, s.Usage), // that of the last delivery, which had none
	} {
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := s.Calls["2"].IssueClock; got != 7 {
		t.Errorf("call 2 was issued when the timers' clock stood at %d", got)
	}
	c := s.Calls["0"]
	if c.IssuedAt != at(2) || c.DecidedAt != at(11) || c.StartedAt != at(13) || c.OutcomeAt != at(14) {
		t.Errorf("issued %v, decided %v, started %v, told %v", c.IssuedAt, c.DecidedAt, c.StartedAt, c.OutcomeAt)
	}
}

func TestStartedOrderFollowsTheLastStart(t *testing.T) {
	t.Parallel()
	other := &Issued{Seq: "1", Connector: "tracker", Method: "close", Verdict: allowed.Verdict}
	step := &Issued{Seq: "2", Connector: "codemode", Method: "run", Verdict: allowed.Verdict}
	s := fold(t, script(
		begun, pass1, sure, other, step,
		attempt1, &Started{Seq: "1", Attempt: 1}, &Started{Seq: "2", Attempt: 1}, attempt2,
	))
	if diff := cmp.Diff([]string{"1", "0"}, s.StartedOrder); diff != "" {
		t.Error(diff)
	}
}

func TestReissueReplacesWhatIsShown(t *testing.T) {
	t.Parallel()
	edited := &Decided{Seq: "0", Decision: DecisionApprove, Args: []byte(`{"edited":1}`)}
	s := fold(t, script(begun, pass1, asked, edited, reissued))
	c := s.Calls["0"]
	if c.Decision != nil || !c.DecidedAt.IsZero() || c.Voided != reissued.Why {
		t.Errorf("decision %v, voided %q", c.Decision, c.Voided)
	}
	if string(c.Issued.Approval) != "\x09" || c.Issued.Preview != "closes" || c.Issued.Verdict.Rule != "new" {
		t.Errorf("it shows %+v", c.Issued)
	}
	if string(c.Args()) != `{"edited":1}` { // what the new digest is of, and perhaps what has been sent
		t.Errorf("it waits with the arguments %s", c.Args())
	}
	if asked.Approval != nil || asked.Preview != "" {
		t.Error("the event that issued the call has changed")
	}
}

func TestEditedArgumentsOutliveASettlement(t *testing.T) {
	t.Parallel()
	edited := &Decided{Seq: "0", Decision: DecisionApprove, Args: []byte(`{"edited":1}`)}
	for _, decision := range []string{DecisionAgain, DecisionDone, DecisionNotDone, DecisionEnd} {
		s := fold(t, script(begun, pass1, asked, edited, attempt1, doubted, decided(decision)))
		if got := string(s.Calls["0"].Args()); got != `{"edited":1}` {
			t.Errorf("%s: the arguments are %s", decision, got)
		}
	}
}

func TestSettlementIsTheResult(t *testing.T) {
	t.Parallel()
	done := &Decided{Seq: "0", Decision: DecisionDone, Result: []byte("7"), HasValue: true}
	inDoubt := script(begun, pass1, allowed, attempt1, doubted)
	end := &Ended{Status: StatusError}
	tests := map[string]struct {
		events    []Body
		want      string
		outcome   bool
		delivered int
	}{
		"nothing yet":                {inDoubt, "", false, 0},
		"recorded":                   {script(begun, pass1, allowed, attempt1, applied), "1", true, 1},
		"settled, not yet told":      {script(inDoubt, done), "7", false, 0},
		"settled after the end":      {script(inDoubt, end, done), "7", true, 0},
		"not done, after the end":    {script(inDoubt, end, decided(DecisionNotDone)), "", true, 0},
		"found after a told failure": {script(begun, pass1, allowed, attempt1, unclear, done), "7", true, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fold(t, test.events)
			c := s.Calls["0"]
			value, has := c.Result()
			if string(value) != test.want || has != (test.want != "") {
				t.Errorf("the result is %q, %v", value, has)
			}
			if (c.Outcome != nil) != test.outcome || len(s.Deliveries) != test.delivered {
				t.Errorf("outcome %+v, %d deliveries", c.Outcome, len(s.Deliveries))
			}
		})
	}
	s := fold(t, tests["found after a told failure"].events)
	if o := s.Calls["0"].Outcome; o != unclear {
		t.Errorf("what the program was told has become %+v", o)
	}
	s = fold(t, tests["not done, after the end"].events)
	if f := s.Calls["0"].Outcome.Failure; f == nil || f.EffectUnknown || s.Calls["0"].Doubtful() {
		t.Errorf("a call that did not happen has the failure %+v", f)
	}
}

func TestRollback(t *testing.T) {
	t.Parallel()
	ended := script(begun, pass1, allowed, attempt1, applied, completed)
	held := script(ended, rollback)
	tests := map[string]struct {
		events []Body
		call   CallState
		status Status
		held   bool
		tries  bool // whether a further revert may start
	}{
		"held":                      {held, CallApplied, StatusCompleted, true, true},
		"reverted":                  {script(held, revert1, reverted, rolledBack(StatusRolledBack)), CallReverted, StatusRolledBack, false, false},
		"nothing to revert":         {script(held, rolledBack(StatusCompleted)), CallApplied, StatusCompleted, false, false},
		"failed":                    {script(held, revert1, notYet), CallApplied, StatusCompleted, true, true},
		"failed, then reverted":     {script(held, revert1, notYet, revert2, reverted), CallReverted, StatusCompleted, true, false},
		"in doubt":                  {script(held, revert1, unsure, rolledBack(StatusCompleted)), CallApplied, StatusCompleted, false, false},
		"carried on":                {script(held, revert1, &Claimed{}, rollback, unsure), CallApplied, StatusCompleted, true, false},
		"in doubt, reconciled":      {script(held, revert1, unsure, reverted), CallReverted, StatusCompleted, true, false},
		"settled: done":             {script(held, revert1, unsure, ofRevert(DecisionDone)), CallReverted, StatusCompleted, true, false},
		"settled: not done":         {script(held, revert1, unsure, ofRevert(DecisionNotDone)), CallApplied, StatusCompleted, true, true},
		"settled: again":            {script(held, revert1, unsure, ofRevert(DecisionAgain)), CallApplied, StatusCompleted, true, true},
		"settled: end":              {script(held, revert1, unsure, ofRevert(DecisionEnd)), CallApplied, StatusCompleted, true, false},
		"settled without an end":    {script(held, revert1, ofRevert(DecisionAgain)), CallApplied, StatusCompleted, true, true},
		"settled between rollbacks": {script(held, revert1, unsure, rolledBack(StatusCompleted), ofRevert(DecisionNotDone), rollback), CallApplied, StatusCompleted, true, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fold(t, test.events)
			c := s.Calls["0"]
			if c.State != test.call || s.Status != test.status || s.RollingBack != test.held {
				t.Errorf("the call is %s, the execution %s, held %v", c.State, s.Status, s.RollingBack)
			}
			attempt := 1
			if c.Revert != nil {
				attempt = c.Revert.Attempt + 1
			}
			next := Event{Index: s.Next, Epoch: s.Epoch, At: s.Updated, Body: &RevertStarted{Seq: "0", Attempt: attempt}}
			if err := s.Apply(next); (err == nil) != test.tries {
				t.Errorf("a further revert: %v", err)
			}
			if c.Decision != nil {
				t.Error("a decision about the revert stands for the call")
			}
		})
	}
}

func TestRollbackOfAPausedExecution(t *testing.T) {
	t.Parallel()
	other := &Issued{Seq: "1", Connector: "tracker", Method: "close", Verdict: asked.Verdict}
	held := script(begun, pass1, allowed, attempt1, applied, other, paused, rollback)

	s := fold(t, script(held, rolledBack(StatusPaused), &Decided{Seq: "1", Decision: DecisionApprove}))
	if s.Status != StatusPaused || s.Calls["1"].State != CallQueued {
		t.Errorf("after a rollback of nothing it is %s, its call %s", s.Status, s.Calls["1"].State)
	}
	s = fold(t, script(held, revert1, reverted, rolledBack(StatusRolledBack)))
	if s.Status != StatusRolledBack || s.Calls["1"].State != CallWithdrawn || s.Waiting != 0 {
		t.Errorf("rolled back it is %s, its call %s", s.Status, s.Calls["1"].State)
	}
}

func TestWaitingCallsAreInSeqOrder(t *testing.T) {
	t.Parallel()
	events := script(begun, pass1)
	for _, seq := range []string{"10", "4", "4.1", "4.0", "2"} {
		events = append(events, &Issued{Seq: seq, Connector: "tracker", Method: "close", Verdict: asked.Verdict})
	}
	var got []string
	for _, c := range fold(t, events).WaitingCalls() {
		got = append(got, c.Issued.Seq)
	}
	if diff := cmp.Diff([]string{"2", "4", "4.0", "4.1", "10"}, got); diff != "" {
		t.Error(diff)
	}
}
