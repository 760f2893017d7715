// Package clients knows how well-known MCP clients are told of a server: where
// their configuration lies, and how an entry of it looks.
package clients

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// Server is how a client starts a server.
type Server struct {
	Name    string // what the client calls it
	Command string
	Args    []string
}

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// ValidName reports whether every client can call a server so.
func ValidName(name string) bool { return validName.MatchString(name) }

// Surroundings are where configurations are looked for.
type Surroundings struct {
	Getenv    func(string) string
	Home      func() (string, error)
	ConfigDir func() (string, error) // of the user's programs
	WorkDir   func() (string, error)
}

// client is how one client is told.
type client struct {
	name string
	// path is where its configuration lies.
	path func(Surroundings) (string, error)
	// section is the key of its servers.
	section string
	// entry is one of them; nil: {"command": ..., "args": [...]}.
	entry func(Server) any
	// toml says that the file is TOML and not JSON.
	toml bool
}

// plain is the entry that most clients have.
type plain struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

var all = []client{
	{name: "claude-code", section: "mcpServers", path: here(".mcp.json")},
	{name: "claude-desktop", section: "mcpServers", path: programs("Claude", "claude_desktop_config.json")},
	{name: "codex", section: "mcp_servers", toml: true, path: codex},
	{name: "cursor", section: "mcpServers", path: home(".cursor", "mcp.json")},
	{name: "gemini", section: "mcpServers", path: home(".gemini", "settings.json")},
	{name: "opencode", section: "mcp", path: dotConfig("opencode", "opencode.json"), entry: func(s Server) any {
		return struct {
			Type    string   `json:"type"`
			Command []string `json:"command"`
			Enabled bool     `json:"enabled"`
		}{"local", append([]string{s.Command}, s.Args...), true}
	}},
	{name: "vscode", section: "servers", path: here(".vscode", "mcp.json"), entry: func(s Server) any {
		return struct {
			Type string `json:"type"`
			plain
		}{"stdio", plain{s.Command, s.Args}}
	}},
	{name: "windsurf", section: "mcpServers", path: home(".codeium", "windsurf", "mcp_config.json")},
	{name: "zed", section: "context_servers", path: zed, entry: func(s Server) any {
		return struct {
			Source string `json:"source"`
			plain
		}{"custom", plain{s.Command, s.Args}}
	}},
}

// Names lists the clients, in order.
func Names() []string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.name
	}
	return names
}

// find finds a client by its name, one of Names.
func find(name string) client {
	return all[slices.IndexFunc(all, func(c client) bool { return c.name == name })]
}

// Path is where a client's configuration lies.
func Path(name string, s Surroundings) (string, error) {
	path, err := find(name).path(s)
	if err != nil {
		return "", fmt.Errorf("find the configuration of %s: %w", name, err)
	}
	return path, nil
}

// under is a path below a folder.
func under(folder func(Surroundings) (string, error), parts ...string) func(Surroundings) (string, error) {
	return func(s Surroundings) (string, error) {
		base, err := folder(s)
		return filepath.Join(append([]string{base}, parts...)...), err
	}
}

func here(parts ...string) func(Surroundings) (string, error) {
	return under(func(s Surroundings) (string, error) { return s.WorkDir() }, parts...)
}

func home(parts ...string) func(Surroundings) (string, error) {
	return under(func(s Surroundings) (string, error) { return s.Home() }, parts...)
}

func programs(parts ...string) func(Surroundings) (string, error) {
	return under(func(s Surroundings) (string, error) { return s.ConfigDir() }, parts...)
}

// dotConfig is a path below ~/.config, which some programs use on macOS too.
func dotConfig(parts ...string) func(Surroundings) (string, error) {
	return under(func(s Surroundings) (string, error) {
		if dir := s.Getenv("XDG_CONFIG_HOME"); dir != "" {
			return dir, nil
		}
		return home(".config")(s)
	}, parts...)
}

func codex(s Surroundings) (string, error) {
	if dir := s.Getenv("CODEX_HOME"); dir != "" {
		return filepath.Join(dir, "config.toml"), nil
	}
	return home(".codex", "config.toml")(s)
}

func zed(s Surroundings) (string, error) {
	if runtime.GOOS == "windows" {
		return programs("Zed", "settings.json")(s)
	}
	return dotConfig("zed", "settings.json")(s)
}

// Text is what a client's configuration has to contain, as a file of its own.
func Text(name string, s Server) string {
	c := find(name)
	if c.toml {
		return c.table(s)
	}
	text, _ := c.merged(nil, s) // an empty file takes any entry
	return string(text)
}

// value is the entry of a server.
func (c client) value(s Server) any {
	if c.entry != nil {
		return c.entry(s)
	}
	return plain{s.Command, s.Args}
}

// header is the line with which a server's table begins in TOML.
func (c client) header(s Server) string { return "[" + c.section + "." + s.Name + "]" }

// table is a server's entry as TOML.
func (c client) table(s Server) string {
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = tomlString(a)
	}
	return fmt.Sprintf("%s\ncommand = %s\nargs = [%s]\n", c.header(s), tomlString(s.Command), strings.Join(args, ", "))
}

// tomlString writes a basic string.
func tomlString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
