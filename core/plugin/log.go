package plugin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/go-hclog"
)

// Bounds of the fields of a log line of a connector: their number, and the
// bytes of a name.
const (
	logFields     = 32
	logFieldBytes = 64
)

// logScreen turns the lines of a connector's stderr into log lines of the host.
//
// go-plugin's own parser is not used: one line such as {"@message": 5} makes it
// panic and takes the host with it, and an "@module" field lets a connector
// write under any logger's name.
type logScreen struct {
	log      hclog.Logger
	hider    hider
	tail     *tail
	panicked bool // the process is printing a Go panic
}

// line takes one line without its end.
func (s *logScreen) line(raw []byte) {
	text := s.tidy(string(raw))
	if strings.TrimSpace(text) == "" {
		return
	}
	entry, ok := parseEntry(raw)
	if !ok {
		s.tail.add(text)
		s.log.Log(s.plainLevel(text), text)
		return
	}
	message := s.tidy(entry.message)
	fields := s.fields(entry)
	s.tail.add(strings.TrimSpace(message + " " + quoted(fields)))
	s.log.Log(entry.level, message, fields...)
}

// tidy makes a text of the connector's fit to be shown.
func (s *logScreen) tidy(text string) string { return clean(s.hider.text(text)) }

// plainLevel guesses the level of a line that is no structured entry.
func (s *logScreen) plainLevel(text string) hclog.Level {
	if strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ") {
		s.panicked = true
	}
	if s.panicked {
		return hclog.Error
	}
	name, _, ok := strings.Cut(strings.TrimPrefix(text, "["), "]")
	if level := hclog.LevelFromString(name); ok && strings.HasPrefix(text, "[") && level != hclog.NoLevel && level != hclog.Off {
		return level
	}
	return hclog.Debug
}

// fields returns an entry's fields in the form that hclog takes, in a fixed
// order. Names that the host's own log lines use are not a connector's to set.
func (s *logScreen) fields(e entry) []any {
	var args []any
	for _, name := range slices.Sorted(maps.Keys(e.fields)) {
		key := s.tidy(name)
		if key == "" || strings.HasPrefix(key, "@") || key == "connector" || len(key) > logFieldBytes {
			continue
		}
		if len(args) == 2*logFields {
			break
		}
		args = append(args, key, s.value(e.fields[name]))
	}
	return args
}

// value keeps strings and booleans as they are and leaves the rest in its JSON text.
func (s *logScreen) value(raw json.RawMessage) any {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return s.tidy(string(raw))
	}
	switch v := v.(type) {
	case string:
		return s.tidy(v)
	case bool, nil:
		return v
	}
	return s.tidy(string(raw))
}

// quoted renders fields for the tail.
func quoted(fields []any) string {
	var parts []string
	for i := 0; i+1 < len(fields); i += 2 {
		parts = append(parts, fmt.Sprintf("%v=%v", fields[i], fields[i+1]))
	}
	return strings.Join(parts, " ")
}

// entry is one structured log entry.
type entry struct {
	level   hclog.Level
	message string
	fields  map[string]json.RawMessage
}

// parseEntry reads hclog's JSON. It says no to whatever is not an object with a
// text as its message and a level that exists; such a line is logged as it stands.
func parseEntry(line []byte) (entry, bool) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return entry{}, false
	}
	message, ok := stringField(fields, "@message")
	if !ok {
		return entry{}, false
	}
	level, _ := stringField(fields, "@level")
	e := entry{level: hclog.LevelFromString(level), message: message, fields: fields}
	if e.level == hclog.NoLevel || e.level == hclog.Off {
		return entry{}, false
	}
	if module, ok := fields["@module"]; ok && fields["module"] == nil {
		fields["module"] = module
	}
	return e, true
}

func stringField(fields map[string]json.RawMessage, name string) (string, bool) {
	var s *string
	if err := json.Unmarshal(fields[name], &s); err != nil || s == nil {
		return "", false
	}
	return *s, true
}
