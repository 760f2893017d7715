package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// hidden stands where a value was.
const hidden = "[hidden]"

// shortest is the length from which on a value is looked for that nobody has
// called a secret: hiding every "1" would leave nothing to read.
const shortest = 4

// hider takes values out of what a server says.
type hider struct{ values *strings.Replacer }

// secretsHider hides the secrets, for whoever reads an error.
func (c *Config) secretsHider() hider {
	values := slices.Collect(maps.Values(c.Secrets))
	if c.OAuth != nil {
		values = append(values, c.OAuth.ClientSecret)
	}
	if c.URL != "" {
		for _, value := range c.Secrets {
			// A server may say the token of "Bearer token" alone.
			if _, credential, ok := strings.Cut(value, " "); ok {
				values = append(values, credential)
			}
		}
	}
	return newHider(values)
}

// printHider hides what may be a secret in what the server prints: the values
// of env, too, except for the PATH, which is none.
func (c *Config) printHider() hider {
	values := slices.Collect(maps.Values(c.Secrets))
	for name, value := range c.Env {
		if name != "PATH" && len(value) >= shortest {
			values = append(values, value)
		}
	}
	return newHider(values)
}

func newHider(values []string) hider {
	var all []string
	for _, value := range values {
		all = append(all, spellings(value)...)
	}
	// The longest first: a value may be the beginning of another.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, spelling := range all {
		pairs = append(pairs, spelling, hidden)
	}
	return hider{strings.NewReplacer(pairs...)}
}

// spellings lists how a server may print a value: as it is, within JSON, and
// line by line.
func spellings(value string) []string {
	value = strings.TrimSpace(value) // one from a file ends with a newline that no server prints
	if value == "" {
		return nil
	}
	list := []string{value}
	for _, escapeHTML := range []bool{false, true} {
		quoted := spellJSON(value, escapeHTML)
		list = append(list, quoted[1:len(quoted)-1])
	}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= shortest {
			list = append(list, line)
		}
	}
	return list
}

// text returns s without the values.
func (h hider) text(s string) string { return h.values.Replace(s) }

// err returns err without the values. Only an *sdk.Error has a server's words.
// Details that hold a value are left out: without it they may be no JSON any more.
func (h hider) err(err error) error {
	said, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return err
	}
	clean := *said
	clean.Message = h.text(said.Message)
	if h.within(said.Details) {
		clean.Details = nil
	}
	return &clean
}

// within reports whether raw holds a value, however raw spells it.
func (h hider) within(raw json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return false // there are none
	}
	spelled := spellJSON(v, false)
	return h.text(spelled) != spelled
}

// spellJSON returns a string, or what was decoded from JSON, in one spelling.
func spellJSON(v any, escapeHTML bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	_ = e.Encode(v) // neither can fail
	return strings.TrimSuffix(b.String(), "\n")
}
