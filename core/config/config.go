// Package config reads a host's configuration from HCL: one file, or a
// directory of *.hcl files taken together. Everything that can be checked
// without starting a connector is checked when the configuration is loaded, and
// faults come with file, line and source. Values from env() and file(), and
// what is marked sensitive, appear in no message.
package config

import (
	"encoding/json"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/codemode-go/codemode/core/declared"
	"github.com/codemode-go/codemode/core/policy"
)

// Config is a valid configuration. It is not changed after Load and safe for concurrent use.
type Config struct {
	// Path is the absolute path of the file or directory that was loaded.
	Path string
	// Dir is the folder that holds Path. Relative paths of the configuration start here.
	Dir string

	Runtime   Runtime
	Sandbox   Sandbox
	Approvals Approvals
	// Connectors are in the order of the files' names and of the blocks in them.
	Connectors []*Connector
	// Modules are what programs can import, in the same order.
	Modules []*Module

	fingerprint string
}

// Runtime says who the host is and where it keeps its data.
type Runtime struct {
	Name string // of the runtime, part of the identity of what it records; default "default"
	// Data is the absolute path of the data folder: .codemode beside the configuration, or the user's
	// state folder where the configuration lies in the user's configuration folder.
	Data          string
	MinFree       int64         // bytes that the disk must have left for an execution to begin; default 256 MiB
	MaxExecutions int           // terminal executions that are kept; default 50
	MaxAge        time.Duration // since its last event, for which a terminal execution is kept; 0: for ever
	PausedTTL     time.Duration // since its last event, after which a paused execution expires by itself; 0: never
	PluginDirs    []string      // absolute; searched for plugins that are named without a path
}

// Sandbox limits programs. Every limit has an error of its own.
type Sandbox struct {
	Timeout      time.Duration // wall time of a pass without its waiting; default 60s
	CPU          time.Duration // CPU time of an execution; default 10s
	Memory       int64         // bytes; soft, the hard wall stands above it; default 256 MiB
	Source       int64         // bytes of a program; default 256 KiB, at most 1,000,000
	Value        int           // characters of one recorded value; default and most 1,000,000
	Calls        int           // of an execution; default 10,000
	InFlight     int           // calls at once, others queue; default 16
	Console      int64         // bytes of console text, the oldest lines go; default 256 KiB
	Stack        int           // frames; default 5,000
	Timers       int           // of an execution; default 1,000
	Sleep        time.Duration // of an execution's timers; default 10m
	CallTimeout  time.Duration // of a call whose connector and method set none; default 60s
	Sandboxes    int           // programs that run at once; default 32
	Queue        int           // new programs that may wait; default 256
	QueueTimeout time.Duration // and how long; default 30s
	Reuse        int           // programs that one child process runs; default 1,000
	RequireWalls bool          // no program runs where a wall around the child processes is missing
	DynamicCode  bool          // programs may make code from text
}

// Approvals says who may decide, and how.
type Approvals struct {
	// Unattended lets the command line decide without a terminal.
	Unattended bool
	// SecretFile is the absolute path of the file with the secret that every decision must come with; empty: none
	// is needed. Whoever demands the secret reads the file: a process that only asks may have no right to.
	SecretFile string
	// Elicitation lets an MCP client that can ask a person decide. The default is true, or false where SecretFile is set.
	Elicitation bool
}

// Connector is one connector block.
type Connector struct {
	Label    string
	Plugin   string        // a name to look up, or an absolute path
	Args     []string      // command line of the process
	Checksum string        // "sha256:" and 64 lower-case hex digits; empty: not pinned
	Timeout  time.Duration // per call; 0: Sandbox.CallTimeout
	MTLS     bool          // default true
	Hint     string        // one line on what the connector is for, shown to models; empty: its own words
	// Concurrency bounds the calls of the connector that run at once, over all executions; 0: only Sandbox.InFlight.
	Concurrency int
	Retries     Retries
	RateLimit   RateLimit
	// Env is the whole environment of the process; its values can be secrets. It is nil for a guest.
	Env map[string]string
	// ConfigJSON is the evaluated config block, one JSON object; it can hold secrets. It is nil for a guest.
	ConfigJSON json.RawMessage
	// SensitivePaths lead to the values in ConfigJSON that must never be shown: property names and list indices.
	SensitivePaths [][]string
	Rules          []policy.Rule
	Methods        []Method
	// Declared is what the blocks prepare, revert, reconcile and preview add to its methods.
	Declared declared.Blocks

	source  *source
	header  hcl.Range // of the connector block
	config  *hcl.Block
	attrs   hcl.Attributes // of the config block
	secrets []string

	declarations []*declaration // as Declared, with their places
}

// Retries say how often a call that failed is tried again, where that is safe:
// reads, and errors that can be retried and certainly had no effect.
type Retries struct {
	Max        int           // tries after the first; 0: none; default 2
	Backoff    time.Duration // the wait before the first of them, twice as long before each further one; default 200ms, at most MaxBackoff
	MaxBackoff time.Duration // the longest of these waits; default 5s, at least Backoff
}

// RateLimit bounds how fast the calls of a connector start, over all executions.
// The zero value is no limit.
type RateLimit struct {
	PerSecond float64 // calls a second, in the long run; 0: no limit
	Burst     int     // calls that can start at once after a quiet time; default PerSecond, rounded up
}

// Method overrides what a connector declares of its methods. A nil or zero field overrides nothing.
type Method struct {
	Pattern          string // a glob over listed and raw names
	ReadOnly         *bool
	Idempotent       *bool
	Destructive      *bool
	RequiresApproval *bool
	Timeout          time.Duration // per call
}

// Fingerprint identifies the configuration as written: the names and contents
// of its files and the values of its variables. Values of env(), of file() and
// of sensitive variables do not enter, so that another process can tell whether
// it was given the same configuration without knowing any secret.
func (c *Config) Fingerprint() string { return c.fingerprint }

// Policy returns the rules of every connector by its label.
func (c *Config) Policy() map[string][]policy.Rule {
	rules := make(map[string][]policy.Rule, len(c.Connectors))
	for _, connector := range c.Connectors {
		rules[connector.Label] = connector.Rules
	}
	return rules
}

// Connector returns the connector with this label, or nil.
func (c *Config) Connector(label string) *Connector {
	for _, connector := range c.Connectors {
		if connector.Label == label {
			return connector
		}
	}
	return nil
}
