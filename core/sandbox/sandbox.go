// Package sandbox runs one program as a coroutine: it issues calls, waits, is
// handed their completions one at a time, and goes on. It knows nothing of
// journals, policy or connectors. The state of a session is a function of its
// [Spec] and of the completions it was handed, so a session can be dropped
// between two turns and rebuilt by replaying them.
//
// [New] runs programs in this process, and a program there shares its fate with
// the process: a few native operations of the engine ignore every limit and some
// end the process itself. It serves tests and embedders who trust their programs.
//
// # Values
//
// What a program hands out is serialized once, and those bytes are what everybody
// else sees. The rules are those of JSON.stringify (key order, toJSON, undefined
// properties dropped, undefined items null) with these additions:
//
//   - a bigint is {"$bigint": "<digits>"}; a typed array, a DataView or an
//     ArrayBuffer is {"$bytes": "<base64>"} of the bytes it shows; an object whose
//     only key looks like such a tag gains one $;
//   - a Date is its ISO string, a Set an array, a Map with string or number keys an
//     object, an Error an object of name, message, cause and its own properties;
//   - a function, a symbol, a promise, a regular expression, an iterator, a weak
//     collection, a cycle, and anything nested deeper than 1,000 levels is refused,
//     and the error names the path to it;
//   - NaN, the infinities and invalid dates are refused in arguments and in step
//     values, where a silent null would be computed with, and are null in a result,
//     which is only read.
//
// What a program is handed is decoded by the same rules: tagged bytes are a
// Uint8Array, tagged bigints a bigint, every other object a plain one with its
// keys in order, __proto__ included.
//
// # Globals
//
// A program sees one global for each connector, codemode with its four methods, the
// standard library of the language, and what else nearly every program expects:
// console, the timers (setInterval is a chain of timer calls), queueMicrotask,
// structuredClone, performance.now, crypto.randomUUID and getRandomValues, atob and
// btoa, TextEncoder and TextDecoder for utf-8, URL and URLSearchParams, AbortController
// and EventTarget, and Intl for a few locales. docs/language.md lists all that works and
// all that is refused. A connector's global has its methods and nothing else and cannot
// be changed; any other name on it is a function that throws an error with the nearest
// names. A method named then is withheld, for every await of the namespace would call
// it. No code is made from text, unless [Spec].DynamicCode allows it. Dates are in UTC, and their locale is en-US unless the
// program names another, whatever the process's are.
//
// # Chance
//
// Math.random and crypto draw from ChaCha8, seeded with the SHA-256 of the seed and
// of the frame's seq, one generator for the program and one for each step.
package sandbox

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/codemode-go/codemode/core/program"
)

// Sandbox compiles and starts programs.
type Sandbox interface {
	// Compile turns a model's text into the form that replays. A fault of the text is a *program.Error.
	Compile(ctx context.Context, src program.Source) (*program.Program, error)
	// Start prepares a session; nothing of the program runs before the first Resume.
	Start(ctx context.Context, spec Spec) (Session, error)
}

// Session is one pass of a program. It is used by one goroutine at a time.
type Session interface {
	// Resume hands the program the completions, in order, with all microtasks run in between, and runs it
	// until it has nothing left to do. The first Resume starts the program before it delivers anything.
	// An error means that the session itself is lost (a cancelled context, a dead child); what the program
	// does wrong is reported in the Turn.
	Resume(ctx context.Context, completions []Completion) (Turn, error)
	// Close ends the session. The program does not notice: no catch and no finally of it runs.
	Close() error
}

// Spec is all that a session depends on, apart from the completions.
type Spec struct {
	Program *program.Program
	Input   []byte // JSON; nil is undefined
	Seed    []byte // for Math.random and its kind
	Start   time.Time
	// Namespaces are the globals that stand for connectors, in the order of their labels.
	Namespaces []Namespace
	// Steps are the seqs of the steps with a recorded outcome: their functions are not run again.
	Steps  []string
	Limits Limits
	// DynamicCode lets the program make code from text, with eval and Function. What the compiler does for a program's own
	// text it does not do for such code: the engine takes it as it is.
	DynamicCode bool
	// Spent is the CPU time that earlier passes cost; it is charged against Limits.CPU.
	Spent time.Duration
	// Replayed is the number of completions that replay what is recorded. While they are delivered, CPU time
	// is bounded by Limits.ReplayCPU instead of Limits.CPU.
	Replayed int
}

// Namespace is one connector as a program sees it.
type Namespace struct {
	Name    string   `json:"name"`
	Methods []string `json:"methods"`
	// Raw are further names that a program can call and that are not listed: connectors' own, where they are no identifiers.
	Raw []string `json:"raw,omitempty"`
	// Open lets a call of any other name through to the host, which knows why the connector cannot say what it has.
	Open bool `json:"open,omitempty"`
}

// Limits bound a session. A zero field means no bound.
type Limits struct {
	CPU       time.Duration // of the program's own work, over all passes, replays not counted
	ReplayCPU time.Duration // of the replayed part of one pass
	Memory    int64         // bytes of live heap, best effort in process
	Calls     int           // over the execution, steps and timers included
	Console   int           // bytes of console text over the execution; beyond it the oldest lines go
	Stack     int           // frames
	Timers    int           // over the execution
	Sleep     time.Duration // longest sum of one chain is not tracked: this bounds each timer's delay
	Value     int           // characters of one serialized value
}

// Completion is the outcome of one call, about to be delivered.
type Completion struct {
	Seq string `json:"seq"`
	// Connector, Method and Digest name the call that the outcome was recorded for. A replayed completion whose
	// call is not open, or is another one, is a divergence. Digest is nil where it need not be compared.
	Connector string `json:"connector"`
	Method    string `json:"method"`
	Digest    []byte `json:"digest,omitempty"`
	// At is the program's time from this delivery on. Times never decrease.
	At    time.Time `json:"at"`
	Value []byte    `json:"value,omitempty"` // JSON; nil is undefined
	Error *Error    `json:"error,omitempty"` // set: the call failed
}

// Turn is what a program did since the last one.
type Turn struct {
	Calls   []Call       `json:"calls,omitempty"`   // issued, in program order
	Steps   []StepResult `json:"steps,omitempty"`   // step functions that have settled
	Cleared []string     `json:"cleared,omitempty"` // timers that the program cleared, or that went with their step
	Console []Line       `json:"console,omitempty"`
	Usage   Usage        `json:"usage"`
	// Result is set in the turn in which the main promise settles; the session can be resumed after it.
	Result *Result `json:"result,omitempty"`
	// Unhandled are rejections that nothing has handled, as far as known at the end of this turn.
	Unhandled []*Error `json:"unhandled,omitempty"`
	// Diverged and Exceeded end the session. A divergence outranks everything else in the turn.
	Diverged *Divergence `json:"diverged,omitempty"`
	Exceeded *Exceeded   `json:"exceeded,omitempty"`
}

// Connector and methods of the calls that are the host's own.
const (
	Platform       = "codemode"
	MethodStep     = "step"
	MethodTimer    = "timer"
	MethodSearch   = "search"
	MethodDescribe = "describe"
	MethodRun      = "run"
)

// Call is one crossing from the program to the host.
type Call struct {
	Seq       string `json:"seq"`
	Connector string `json:"connector"`
	Method    string `json:"method"`
	// Args is one JSON object, exactly as JSON.stringify issued it in the sandbox. It is nil where the call's
	// recorded completion was delivered in the same turn: then the session has compared the digest itself.
	// A step has {"name": ...}, a timer {"delay": milliseconds}, search and describe what they were given
	// as {"query": ...} and {"target": ...}, run {"name": ..., "input": ...}. The completion of a run is what the
	// program gets, or a Snippet, whose body then runs in a frame of its own: its calls are numbered under the run's seq.
	Args   []byte `json:"args,omitempty"`
	Digest []byte `json:"digest"` // SHA-256 of Args
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// Snippet is the value that completes a run call with a program to run.
type Snippet struct {
	Name    string `json:"snippet"`
	Version int    `json:"version"`
	JS      string `json:"js"` // as in program.Program
}

// MaxDepth is how deep snippets can run each other.
const MaxDepth = 8

// Digest returns the SHA-256 of a call's arguments.
func Digest(args []byte) []byte {
	sum := sha256.Sum256(args)
	return sum[:]
}

// StepResult reports that a step's function has settled and no call under it is open.
// The program sees it only when it is delivered.
type StepResult struct {
	Seq   string `json:"seq"`
	Value []byte `json:"value,omitempty"` // JSON; nil is undefined
	Error *Error `json:"error,omitempty"`
}

// Line is one console line.
type Line struct {
	Level string `json:"level"` // log, info, debug, warn, error
	Text  string `json:"text"`
	// After is the number of completions delivered in this session before the line was written.
	After int `json:"after"`
}

// Usage counts what the session has used so far, replayed part excluded from CPU.
type Usage struct {
	CPU     time.Duration `json:"cpu"`
	Replay  time.Duration `json:"replay"`
	Calls   int           `json:"calls"`
	Console int           `json:"console"`
}

// Result is how the main promise settled.
type Result struct {
	Value []byte `json:"value,omitempty"` // JSON; nil is undefined
	Error *Error `json:"error,omitempty"`
}

// Divergence says that a replay does not follow its record.
type Divergence struct {
	Seq      string `json:"seq"`
	Recorded string `json:"recorded"` // what is recorded, in words
	Came     string `json:"came"`     // what the program did instead, in words
	// Step is the last skipped step before the divergence, the likely cause; empty: none.
	Step string `json:"step,omitempty"`
}

// Exceeded says which limit a program broke.
type Exceeded struct {
	// Limit is cpu, memory, calls, stack, timers, sleep or value; engine: the engine failed in an operation of the program;
	// process: the process that ran it ended twice, for no reason that is known.
	Limit   string `json:"limit"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

// Error is an error on its way into or out of a program.
type Error struct {
	Name      string `json:"name,omitempty"` // "Error" if empty
	Message   string `json:"message"`
	Code      string `json:"code,omitempty"`
	Retryable bool   `json:"retryable,omitempty"`
	Line      int    `json:"line,omitempty"` // in the model's own text, from 1; 0: not known
	Column    int    `json:"column,omitempty"`
	Cause     *Error `json:"cause,omitempty"`
	// Details is the structured form of a connector's error, JSON; nil: none.
	Details []byte `json:"details,omitempty"`
}

func (e *Error) Error() string { return e.Message }
