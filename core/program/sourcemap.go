package program

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// mapping says where in its author's text a piece of generated text comes from.
type mapping struct {
	offset int // in bytes
	from   position
	source int // an index into the map's sources; 0: the program
}

// mappings are in the order of their offsets.
type mappings []mapping

// find returns the place that an offset comes from; ok is false before the first mapping.
func (m mappings) find(offset int) (position, bool) {
	i := sort.Search(len(m), func(i int) bool { return m[i].offset > offset }) - 1
	if i < 0 {
		return position{}, false
	}
	return m[i].from, true
}

// decodeMap reads esbuild's source map of a text. Each place is handed to origin, which may refuse it.
func decodeMap(sourceMap []byte, text string, origin func(position) (position, bool)) (mappings, error) {
	var m struct{ Mappings string }
	if err := json.Unmarshal(sourceMap, &m); err != nil {
		return nil, fmt.Errorf("read source map: %w", err)
	}
	var found mappings
	from := position{1, 1}
	lineStart := 0
	for group := range strings.SplitSeq(m.Mappings, ";") {
		line, _, _ := strings.Cut(text[min(lineStart, len(text)):], "\n")
		offset := 0 // esbuild counts columns in UTF-16 units, and from the one before
		for segment := range strings.SplitSeq(group, ",") {
			if segment == "" {
				continue
			}
			deltas, err := decodeVLQ(segment)
			if err != nil {
				return nil, err
			}
			offset += byteColumn(line[offset:], deltas[0])
			if len(deltas) < 4 {
				continue
			}
			from.line += deltas[2]
			from.column += deltas[3]
			if at, ok := origin(from); ok {
				found = append(found, mapping{offset: lineStart + offset, from: at})
			}
		}
		lineStart += len(line) + 1
	}
	return found, nil
}

// encode writes the source map of a text as goja reads it, in one line. goja counts generated columns in bytes and
// from 1, and takes columns of the source as they are: so both stand here from 1, where the format has them from 0.
// What stands before the first mapping is ours or esbuild's; it has a source of its own, so that nobody takes its
// places for places in the program.
func (m mappings) encode(text string, modules ...string) string {
	var b strings.Builder
	lineStart, column := 0, 1
	last, source := nowhere, ours
	encodeVLQ(&b, column, ours, 0, last.column)
	separator := ","
	for _, mp := range m {
		for {
			end := strings.IndexByte(text[lineStart:], '\n')
			if end < 0 || lineStart+end >= mp.offset {
				break
			}
			lineStart += end + 1
			column, separator = 0, ""
			b.WriteByte(';')
		}
		b.WriteString(separator)
		separator = ","
		at := mp.offset - lineStart + 1
		encodeVLQ(&b, at-column, mp.source-source, mp.from.line-last.line, mp.from.column-last.column)
		column, last, source = at, mp.from, mp.source
	}
	sources := `"program","codemode"`
	for _, name := range modules {
		sources += `,"` + ModuleSource + name + `"`
	}
	doc := `{"version":3,"sources":[` + sources + `],"names":[],"mappings":"` + b.String() + `"}`
	return "//# sourceMappingURL=data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(doc))
}

// The first sources of a map: the model's text, and what was put around it. Those behind them are modules.
const models, ours, firstModule = 0, 1, 2

// ModuleSource stands before a module's name where that is the file name of a place.
const ModuleSource = "module/"

// nowhere is the place of what was put around the model's text. goja's reader of maps drops places in column 0.
var nowhere = position{1, 1}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func encodeVLQ(b *strings.Builder, values ...int) {
	for _, v := range values {
		u := v << 1
		if v < 0 {
			u = -v<<1 | 1
		}
		for ; u >= 32; u >>= 5 {
			b.WriteByte(digits[u&31|32])
		}
		b.WriteByte(digits[u])
	}
}

func decodeVLQ(segment string) ([]int, error) {
	values := make([]int, 0, 5)
	value, shift := 0, 0
	for i := range len(segment) {
		digit := strings.IndexByte(digits, segment[i])
		if digit < 0 || shift > 30 {
			return nil, fmt.Errorf("read source map: bad segment %q", segment)
		}
		value |= digit & 31 << shift
		if digit&32 != 0 {
			shift += 5
			continue
		}
		if value&1 != 0 {
			values = append(values, -(value >> 1))
		} else {
			values = append(values, value>>1)
		}
		value, shift = 0, 0
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("read source map: bad segment %q", segment)
	}
	return values, nil
}

// splice replaces a few bytes of a generated text. It never adds or removes a line.
type splice struct {
	offset, remove int
	insert         string
}

// apply carries out splices, which do not overlap, on a text and its mappings.
func apply(text string, m mappings, splices []splice) (string, mappings) {
	slices.SortStableFunc(splices, func(a, b splice) int { return a.offset - b.offset })
	var b strings.Builder
	moved := slices.Clone(m)
	done, next, shift := 0, 0, 0
	for _, s := range splices {
		b.WriteString(text[done:s.offset])
		b.WriteString(s.insert)
		for ; next < len(moved) && moved[next].offset < s.offset; next++ {
			moved[next].offset += shift
		}
		done = s.offset + s.remove
		for ; next < len(moved) && moved[next].offset < done; next++ {
			moved[next].offset = b.Len()
		}
		shift += len(s.insert) - s.remove
	}
	for ; next < len(moved); next++ {
		moved[next].offset += shift
	}
	b.WriteString(text[done:])
	return b.String(), moved
}
