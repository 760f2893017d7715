package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/codemode-go/codemode/plugin/wire"
	"github.com/hashicorp/go-hclog"
)

// The defaults of a Spec.
const (
	DefaultStartTimeout     = 10 * time.Second
	DefaultConfigureTimeout = time.Minute
	DefaultGrace            = 3 * time.Second
)

// Spec says which connector to run and how. Label and Plugin are needed; every
// other field has a zero value that works.
type Spec struct {
	// Label is the connector's name in the host's configuration.
	Label string
	// Plugin is a path (it has a slash in it) or a name that [Find] looks up.
	Plugin string
	// Dirs are searched for a name, in order, after the folder of the host's own binary.
	Dirs []string
	// Args follow the path on the process's command line.
	Args []string
	// Env is the process's whole environment but for the variables of the
	// handshake; not even PATH is inherited.
	Env map[string]string
	// Dir is the folder in which the process runs, so that paths in its configuration mean the same wherever the host was
	// started; empty: the host's own.
	Dir string
	// Notes is a folder in which launches are noted until nothing is left of them, so that a later host can end what a
	// crash has left, with [EndFormer]; empty: nowhere.
	Notes string
	// Checksum is "sha256:HEX" of the binary, compared before each launch; empty: not compared.
	Checksum string
	// NoMTLS turns mutual TLS off, for connectors that cannot speak it. The
	// socket lies in a folder that only the host's user can enter either way.
	NoMTLS bool

	// StartTimeout bounds a launch up to the connector's description of itself; 0: DefaultStartTimeout.
	StartTimeout time.Duration
	// ConfigureTimeout bounds the connector's Configure at each start; 0: DefaultConfigureTimeout.
	ConfigureTimeout time.Duration
	// Grace is what a process gets to exit by itself before it is killed; 0: DefaultGrace.
	Grace time.Duration

	// Config is the JSON object that each process is configured with; nil: an
	// empty one. [Supervisor.Configure] replaces it.
	Config json.RawMessage
	// Host offers the host's services to the connector; nil: none.
	Host wire.HostServices

	// Logger receives the connector's log lines and the supervisor's own; nil: nobody does.
	Logger hclog.Logger
	// Secrets are hidden in all that the connector says but its results, and the
	// names and schemas of its methods: in log lines, errors, health, progress,
	// previews, instructions and descriptions. They are also found as JSON and Go
	// escape them. Those shorter than four bytes are not looked for.
	Secrets []string
}

// prepared returns a copy of s with its defaults filled in, or an error for an operator.
func (s Spec) prepared() (Spec, error) {
	if err := s.check(); err != nil {
		return Spec{}, fmt.Errorf("connector %q: %w", s.Label, err)
	}
	s.Dirs, s.Args, s.Env, s.Secrets = slices.Clone(s.Dirs), slices.Clone(s.Args), maps.Clone(s.Env), slices.Clone(s.Secrets)
	s.StartTimeout = orDefault(s.StartTimeout, DefaultStartTimeout)
	s.ConfigureTimeout = orDefault(s.ConfigureTimeout, DefaultConfigureTimeout)
	s.Grace = orDefault(s.Grace, DefaultGrace)
	if s.Config == nil {
		s.Config = json.RawMessage(`{}`)
	}
	if s.Logger == nil {
		s.Logger = hclog.NewNullLogger()
	}
	s.Logger = s.Logger.With("connector", s.Label)
	return s, nil
}

func (s Spec) check() error {
	if s.Label == "" {
		return errors.New("it has no label")
	}
	if s.Plugin == "" {
		return errors.New("no plugin is named")
	}
	if s.Checksum != "" {
		if _, err := parseChecksum(s.Checksum); err != nil {
			return err
		}
	}
	if s.StartTimeout < 0 || s.ConfigureTimeout < 0 || s.Grace < 0 {
		return errors.New("a timeout is negative")
	}
	return checkEnv(s.Env)
}

// checkEnv refuses names that no process can have and those of the handshake,
// which a connector must be able to trust.
func checkEnv(env map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			return fmt.Errorf("%q is no name of an environment variable", name)
		case strings.Contains(env[name], "\x00"):
			return fmt.Errorf("environment variable %s holds a NUL byte", name)
		case strings.HasPrefix(name, "PLUGIN_") || name == wire.Handshake.MagicCookieKey:
			return fmt.Errorf("environment variable %s belongs to the handshake and cannot be set", name)
		}
	}
	return nil
}

// environ is the environment that the configuration names, in a fixed order.
func (s Spec) environ() []string {
	env := make([]string, 0, len(s.Env))
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		env = append(env, name+"="+s.Env[name])
	}
	return env
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d == 0 {
		return fallback
	}
	return d
}
