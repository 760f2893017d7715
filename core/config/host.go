package config

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// maxValue is how many characters one recorded value may have; a program is one.
const maxValue = 1_000_000

// runtime reads the runtime block; nil is an absent one.
func (l *loader) runtime(block *hcl.Block) Runtime {
	r := Runtime{Name: "default", MinFree: 256 << 20, MaxExecutions: 50}
	if block != nil {
		l.decode(block, []attribute{
			text("name", &r.Name), text("data", &r.Data), texts("plugin_dirs", &r.PluginDirs),
			size("min_free", math.MaxInt64/4, &r.MinFree),
			count("max_executions", &r.MaxExecutions), duration("max_age", &r.MaxAge), duration("paused_ttl", &r.PausedTTL),
		})
	}
	if r.Data == "" {
		r.Data = l.defaultData()
	}
	r.Data = l.resolve(r.Data)
	for i, dir := range r.PluginDirs {
		r.PluginDirs[i] = l.resolve(dir)
	}
	return r
}

// defaultData is .codemode beside the configuration. A user's configuration
// folder is no place for data: there it is the user's state folder.
func (l *loader) defaultData() string {
	user := l.options.UserConfigDir
	if user == "" || l.source.dir != userFolder(filepath.Clean(user)) {
		return ".codemode"
	}
	if state, _ := l.options.Env("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "codemode")
	}
	home, _ := l.options.Env("HOME")
	if home == "" || runtime.GOOS == "darwin" || runtime.GOOS == "windows" { // whose folder serves both
		return filepath.Join(userFolder(user), "state")
	}
	return filepath.Join(home, ".local", "state", "codemode")
}

// sandbox reads the sandbox block; nil is an absent one.
func (l *loader) sandbox(block *hcl.Block) Sandbox {
	s := Sandbox{
		Timeout: time.Minute, CPU: 10 * time.Second, Memory: 256 << 20,
		Source: 256 << 10, Value: maxValue, Calls: 10_000, InFlight: 16, Console: 256 << 10, Stack: 5_000,
		Timers: 1_000, Sleep: 10 * time.Minute, CallTimeout: time.Minute, Sandboxes: 32,
		Queue: 256, QueueTimeout: 30 * time.Second, Reuse: 1000,
	}
	if block == nil {
		return s
	}
	l.decode(block, []attribute{
		duration("timeout", &s.Timeout), duration("cpu", &s.CPU), size("memory", math.MaxInt64/4, &s.Memory),
		size("source", maxValue, &s.Source), valueLimit(&s.Value), count("calls", &s.Calls), count("in_flight", &s.InFlight),
		size("console", math.MaxInt32, &s.Console), count("stack", &s.Stack), count("timers", &s.Timers),
		duration("sleep", &s.Sleep), duration("call_timeout", &s.CallTimeout), count("sandboxes", &s.Sandboxes),
		count("queue", &s.Queue), duration("queue_timeout", &s.QueueTimeout), count("reuse", &s.Reuse),
		required(&s.RequireWalls), flag("dynamic_code", &s.DynamicCode),
	})
	return s
}

// valueLimit reads how large a recorded value may be.
func valueLimit(to *int) attribute {
	a := count("value", to)
	take := a.take
	a.take = func(v cty.Value) error {
		if err := take(v); err != nil {
			return err
		}
		if *to > maxValue {
			return fmt.Errorf("it must be %d at most", maxValue)
		}
		return nil
	}
	return a
}

// required reads which walls around a program's process must hold.
func required(full *bool) attribute {
	return attribute{name: "require", kind: cty.String, take: func(v cty.Value) error {
		switch v.AsString() {
		case "full", "available":
			*full = v.AsString() == "full"
			return nil
		}
		return errors.New(`it must be "full" or "available"`)
	}}
}

// approvals reads the approvals block; nil is an absent one.
func (l *loader) approvals(block *hcl.Block) Approvals {
	a := Approvals{}
	var elicitation *bool
	if block != nil {
		l.decode(block, []attribute{
			flag("unattended", &a.Unattended), text("secret_file", &a.SecretFile), override("elicitation", &elicitation),
		})
	}
	a.Elicitation = a.SecretFile == ""
	if elicitation != nil {
		a.Elicitation = *elicitation
	}
	if a.SecretFile != "" {
		a.SecretFile = l.resolve(a.SecretFile)
	}
	return a
}
