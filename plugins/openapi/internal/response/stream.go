package response

import (
	"bytes"
	"encoding/json"
	"strings"
)

// lines returns a list of the JSON values that stand one a line. A line that is
// no JSON is a string; the last of a stream that was cut is left out.
func lines(body []byte, cut bool) json.RawMessage {
	if cut {
		body = body[:bytes.LastIndexByte(body, '\n')+1]
	}
	list := &list{}
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		line = bytes.Trim(line, "\x1e \t\r") // json-seq begins each with a record separator
		if len(line) > 0 {
			list.add(item(line))
		}
	}
	return list.json()
}

// events returns a list of server-sent events. One that has only data is its
// data; others are {event?, id?, data}. An event that was cut is left out.
func events(body []byte, cut bool) json.RawMessage {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(body))
	blocks := strings.Split(text, "\n\n")
	if cut {
		blocks = blocks[:len(blocks)-1]
	}
	list := &list{}
	for _, block := range blocks {
		if e, ok := event(block); ok {
			list.add(e)
		}
	}
	return list.json()
}

func event(block string) (json.RawMessage, bool) {
	var data []string
	fields := map[string]string{}
	for line := range strings.SplitSeq(block, "\n") {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			data = append(data, value)
		case "event", "id":
			fields[name] = value
		}
	}
	joined := strings.Join(data, "\n")
	if len(data) == 0 || joined == "[DONE]" {
		return nil, false
	}
	decoded := item([]byte(joined))
	if len(fields) == 0 {
		return decoded, true
	}
	out := []byte{'{'}
	for _, name := range []string{"event", "id"} {
		if value, ok := fields[name]; ok {
			out = append(append(append(out, `"`+name+`":`...), quote(value)...), ',')
		}
	}
	return append(append(append(out, `"data":`...), decoded...), '}'), true
}

// item is JSON where it is an object or a list, or else a text.
func item(text []byte) json.RawMessage {
	if v, ok := value(text); ok && (v[0] == '{' || v[0] == '[') {
		return v
	}
	return quote(string(bytes.ToValidUTF8(text, []byte("\uFFFD"))))
}

type list struct{ out bytes.Buffer }

func (l *list) add(item json.RawMessage) {
	if l.out.Len() > 0 {
		l.out.WriteByte(',')
	}
	l.out.Write(item)
}

func (l *list) json() json.RawMessage { return json.RawMessage("[" + l.out.String() + "]") }
