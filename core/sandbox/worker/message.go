package worker

import (
	"time"

	"github.com/codemode-go/codemode/core/program"
	"github.com/codemode-go/codemode/core/sandbox"
	"github.com/codemode-go/codemode/core/sandbox/worker/walls"
)

// request is what the host asks of a child. One field is set, and each request has one response.
type request struct {
	Setup   *setup          `json:"setup,omitempty"`   // the first request
	Compile *program.Source `json:"compile,omitempty"` // between sessions
	Resume  *resume         `json:"resume,omitempty"`
	Close   bool            `json:"close,omitempty"` // ends the session
}

// setup says what a child may use for as long as it lives.
type setup struct {
	Memory int64         `json:"memory"` // bytes, hard
	CPU    time.Duration `json:"cpu"`    // hard
}

// resume hands over completions.
type resume struct {
	Start       *sandbox.Spec        `json:"start,omitempty"` // set: in a new session
	Completions []sandbox.Completion `json:"completions,omitempty"`
}

type response struct {
	Ready    *ready        `json:"ready,omitempty"`
	Compiled *compiled     `json:"compiled,omitempty"`
	Turn     *sandbox.Turn `json:"turn,omitempty"`
	Closed   *closed       `json:"closed,omitempty"`
	Failed   string        `json:"failed,omitempty"` // set: the request failed, and with it the session
}

// ready answers setup: the child is warm and its walls are up.
type ready struct {
	Program string        `json:"program"` // versions
	Sandbox string        `json:"sandbox"`
	Walls   []walls.Layer `json:"walls"` // those that the child has raised itself
}

type compiled struct {
	Program *program.Program `json:"program,omitempty"`
	Fault   *program.Error   `json:"fault,omitempty"`
}

// closed answers close.
type closed struct {
	Heap uint64        `json:"heap"` // bytes, live
	CPU  time.Duration `json:"cpu"`  // used since the child started
}
