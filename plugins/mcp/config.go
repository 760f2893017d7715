package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// Config is the connector's config block.
type Config struct {
	Command string            `json:"command,omitempty" jsonschema:"minLength=1" jsonschema_description:"The server's binary: a path, or a name that is looked for in the PATH of env. Either this or url."`
	Args    []string          `json:"args,omitempty" jsonschema_description:"Its arguments."`
	Env     map[string]string `json:"env,omitempty" jsonschema_description:"Its environment, apart from secrets; nothing is inherited, not even PATH."`
	Secrets map[string]string `json:"secrets,omitempty" jsonschema_extras:"writeOnly=true" jsonschema_description:"Credentials: more variables of its environment, or with url more headers, of other names than those in env or headers. Logs and errors do not show their values, and a new value voids no approval."`
	Dir     string            `json:"dir,omitempty" jsonschema_description:"Its working directory; without it the connector's."`

	URL       string            `json:"url,omitempty" jsonschema:"minLength=1" jsonschema_description:"The address of a server that runs elsewhere, http or https. Either this or command."`
	Transport string            `json:"transport,omitempty" jsonschema:"enum=streamable,enum=sse,default=streamable" jsonschema_description:"How a server with a url is spoken to: over streamable HTTP, or over the older HTTP with server-sent events."`
	Headers   map[string]string `json:"headers,omitempty" jsonschema_description:"Headers of every request to url, apart from secrets."`
	OAuth     *OAuthConfig      `json:"oauth,omitempty" jsonschema_description:"A client that gets tokens for url by its own credentials."`

	IdleTimeout string `json:"idle_timeout,omitempty" jsonschema_description:"How long a call may go on while the server reports no progress of it, such as \"30s\"; each report begins it anew. The call is cancelled then. Without it only the connector's timeout bounds a call, with it that does, too."`

	Answers map[string]any `json:"answers,omitempty" jsonschema_description:"Answers to what the server asks during a call (elicitation), by the names of its fields. A question with a required field that is not among them is declined. Without it the server learns that nobody can be asked."`

	Trusted bool `json:"trusted,omitempty" jsonschema:"default=false" jsonschema_description:"Believe the server's hints: a tool that it calls read-only needs no approval."`
	// ParseText nil is true.
	ParseText *bool  `json:"parse_text,omitempty" jsonschema:"default=true" jsonschema_description:"Hand a text that is a whole JSON object or array to programs as the object or array."`
	Result    string `json:"result,omitempty" jsonschema:"enum=value,enum=raw,default=value" jsonschema_description:"What programs get of a tool: its value, or with raw all that it answered, {content, structuredContent}, no text parsed."`

	idle time.Duration // of IdleTimeout; zero: none
}

// parsesText is ParseText with its default.
func (c *Config) parsesText() bool { return c.ParseText == nil || *c.ParseText }

// givesEverything reports whether programs get all that a tool answered.
func (c *Config) givesEverything() bool { return c.Result == "raw" }

// transportSSE is the older transport over HTTP.
const transportSSE = "sse"

// resolve makes the paths absolute and reports, all at once, what is wrong.
func (c *Config) resolve() error {
	var wrong []sdk.Diagnostic
	refuse := func(err error, path ...string) {
		if err != nil {
			wrong = append(wrong, sdk.Diagnostic{Path: path, Summary: err.Error()})
		}
	}
	switch {
	case c.URL != "" && c.Command != "":
		refuse(errors.New("command is set, too: a connector has one server"), "url")
	case c.URL != "":
		c.resolveURL(refuse)
	case c.Command != "":
		c.resolveCommand(refuse)
	default:
		refuse(errors.New("is missing: set it, or url for a server that runs elsewhere"), "command")
	}
	var err error
	c.idle, err = idleTime(c.IdleTimeout)
	refuse(err, "idle_timeout")
	if len(wrong) == 0 {
		return nil
	}
	refused := sdk.Errorf(sdk.InvalidArgument, "the MCP server cannot be started as it is configured")
	refused.Diagnostics = wrong
	return refused
}

// idleTime reads a positive duration; empty is zero.
func idleTime(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is no time, such as \"30s\" or \"5m\"", text)
	}
	return d, nil
}

func (c *Config) resolveCommand(refuse func(err error, path ...string)) {
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		refuse(checkVariable(name, c.Env[name]), "env", name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Secrets)) {
		refuse(c.checkSecret(name), "secrets", name)
	}
	var err error
	c.Command, err = findCommand(c.Command, c.Env["PATH"])
	refuse(err, "command")
	c.Dir, err = findDir(c.Dir)
	refuse(err, "dir")
	needURL := errors.New("this is for a server with a url")
	if c.Transport != "" {
		refuse(needURL, "transport")
	}
	if len(c.Headers) > 0 {
		refuse(needURL, "headers")
	}
	if c.OAuth != nil {
		refuse(needURL, "oauth")
	}
}

// environ returns Env and Secrets as NAME=VALUE, in a fixed order.
func (c *Config) environ() []string {
	env := make([]string, 0, len(c.Env)+len(c.Secrets))
	for _, variables := range []map[string]string{c.Env, c.Secrets} {
		for name, value := range variables {
			env = append(env, name+"="+value)
		}
	}
	slices.Sort(env)
	return env
}

// checkSecret refuses a variable that the server could not have, or would have twice.
func (c *Config) checkSecret(name string) error {
	if _, twice := c.Env[name]; twice {
		return errors.New("it stands in env, too: one of them has to go")
	}
	return checkVariable(name, c.Secrets[name])
}

// checkVariable refuses what no process can have.
func checkVariable(name, value string) error {
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00"):
		return errors.New("this is no name of an environment variable")
	case strings.Contains(value, "\x00"):
		return errors.New("the value holds a NUL byte")
	}
	return nil
}

// findCommand returns the absolute path of a command, looking for a bare name
// in the folders of path.
func findCommand(command, path string) (string, error) {
	if strings.ContainsRune(command, filepath.Separator) {
		found, err := filepath.Abs(command)
		if err == nil {
			err = checkExecutable(found)
		}
		return found, err
	}
	if path == "" {
		return "", fmt.Errorf("%q is named without a folder, and env has no PATH to look for it in: the server inherits nothing; write env = { PATH = env(\"PATH\") }, or the command's whole path", command)
	}
	for _, dir := range filepath.SplitList(path) {
		found := filepath.Join(dir, command)
		if filepath.IsAbs(found) && checkExecutable(found) == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("%q is in no folder of env's PATH", command)
}

func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file %s", path)
	case err != nil:
		return fmt.Errorf("look at the command: %w", err)
	case info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not executable", path)
	}
	return nil
}

// findDir returns the absolute path of a working directory; empty stays empty.
func findDir(dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	found, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(found)
	if err != nil || !info.IsDir() {
		return "", fmt.Errorf("there is no folder %s", found)
	}
	return found, nil
}
