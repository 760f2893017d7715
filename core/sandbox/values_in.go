package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

const (
	bytesTag    = "$bytes"
	bigintTag   = "$bigint"
	bigintLimit = 100_000 // digits; parsing them takes quadratic time
)

var errNotJSON = errors.New("it is not JSON, or nested deeper than 10,000 levels")

// decode builds a program's value from JSON. Nil is undefined.
//
// It builds natively: JSON.parse of the engine is some three times slower, and a
// Go map handed to the program would enumerate its keys in a random order.
func (r *realm) decode(vm *goja.Runtime, text []byte) (goja.Value, error) {
	if text == nil {
		return goja.Undefined(), nil
	}
	if !json.Valid(text) {
		return nil, errNotJSON
	}
	d := decoder{realm: r, vm: vm, text: text}
	return d.value()
}

// decoder reads text that json.Valid, which also bounds the nesting, has accepted.
type decoder struct {
	realm *realm
	vm    *goja.Runtime
	text  []byte
	pos   int
	plain bool // an object that looks like a tag is one
}

func (d *decoder) value() (goja.Value, error) {
	switch d.peek() {
	case '{':
		return d.object()
	case '[':
		return d.array()
	case '"':
		return d.string(), nil
	case 't':
		d.pos += len("true")
		return d.vm.ToValue(true), nil
	case 'f':
		d.pos += len("false")
		return d.vm.ToValue(false), nil
	case 'n':
		d.pos += len("null")
		return goja.Null(), nil
	}
	return d.number(), nil
}

// peek returns the next byte that is not white space.
func (d *decoder) peek() byte {
	for {
		switch c := d.text[d.pos]; c {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return c
		}
	}
}

func (d *decoder) array() (goja.Value, error) {
	var items []any
	d.pos++
	for d.peek() != ']' {
		if d.text[d.pos] == ',' {
			d.pos++
		}
		item, err := d.value()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	d.pos++
	return d.vm.NewArray(items...), nil
}

func (d *decoder) object() (goja.Value, error) {
	obj := d.vm.NewObject()
	var key string
	var value goja.Value
	n := 0
	d.pos++
	for ; d.peek() != '}'; n++ {
		if d.text[d.pos] == ',' {
			d.pos++
			d.peek()
		}
		key = d.string().String()
		d.peek()
		d.pos++ // the colon
		var err error
		if value, err = d.value(); err != nil {
			return nil, err
		}
		if err := define(obj, key, value); err != nil {
			return nil, err
		}
	}
	d.pos++
	if n == 1 && !d.plain && isTag(key) {
		return d.untag(obj, key, value)
	}
	return obj, nil
}

// define creates an own property, whatever stands in the prototypes by now.
func define(obj *goja.Object, key string, value goja.Value) error {
	return obj.DefineDataProperty(key, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// isTag reports whether key is a tag's, or a tag's behind further $.
func isTag(key string) bool {
	if key == "" || key[0] != '$' {
		return false
	}
	for key[0] == '$' {
		if key = key[1:]; key == "" {
			return false
		}
	}
	return key == bytesTag[1:] || key == bigintTag[1:]
}

// untag returns what the object with the one property stands for. An object that
// only looks like a tag is data and stays.
func (d *decoder) untag(obj *goja.Object, key string, value goja.Value) (goja.Value, error) {
	if key[1] == '$' {
		plain := d.vm.NewObject()
		return plain, define(plain, key[1:], value)
	}
	if !goja.IsString(value) {
		return obj, nil
	}
	text := value.String()
	if key == bytesTag {
		if data, err := base64.StdEncoding.Strict().DecodeString(text); err == nil {
			return d.realm.newBytes(d.vm, data)
		}
		return obj, nil
	}
	if n, ok := parseBigint(text); ok {
		return d.vm.ToValue(n), nil
	}
	return obj, nil
}

func parseBigint(text string) (*big.Int, bool) {
	digits := text
	if digits != "" && digits[0] == '-' {
		digits = digits[1:]
	}
	if digits == "" || len(digits) > bigintLimit {
		return nil, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return nil, false
		}
	}
	return new(big.Int).SetString(text, 10)
}

func (d *decoder) number() goja.Value {
	start := d.pos
	integer := true
scan:
	for ; d.pos < len(d.text); d.pos++ {
		switch c := d.text[d.pos]; {
		case c == '.' || c == 'e' || c == 'E':
			integer = false
		case c >= '0' && c <= '9' || c == '-' || c == '+':
		default:
			break scan
		}
	}
	text := string(d.text[start:d.pos])
	if integer && len(text) <= 15 {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && (n != 0 || text[0] != '-') {
			return d.vm.ToValue(n)
		}
	}
	// A number out of range is infinite, as in JavaScript.
	f, _ := strconv.ParseFloat(text, 64)
	if f == 0 && text[0] == '-' {
		f = math.Copysign(0, -1)
	}
	return d.vm.ToValue(f)
}

func (d *decoder) string() goja.Value {
	d.pos++
	start := d.pos
	for i := start; ; i++ {
		switch d.text[i] {
		case '"':
			d.pos = i + 1
			return d.vm.ToValue(string(d.text[start:i]))
		case '\\':
			return d.escaped(start, i)
		}
	}
}

// escaped reads a string whose first escape is at i. It goes through UTF-16,
// which alone can hold a surrogate without its other half.
func (d *decoder) escaped(start, i int) goja.Value {
	units := appendUTF16(make([]uint16, 0, len(d.text[start:i])+16), d.text[start:i])
	for {
		c := d.text[i]
		if c == '"' {
			d.pos = i + 1
			return goja.StringFromUTF16(units)
		}
		if c != '\\' {
			end := i
			for d.text[end] != '"' && d.text[end] != '\\' {
				end++
			}
			units = appendUTF16(units, d.text[i:end])
			i = end
			continue
		}
		unit, size := d.escape(i + 1)
		units = append(units, unit)
		i += 1 + size
	}
}

// escape reads the escape behind the backslash and returns its length.
func (d *decoder) escape(i int) (unit uint16, size int) {
	switch c := d.text[i]; c {
	case 'b':
		return '\b', 1
	case 'f':
		return '\f', 1
	case 'n':
		return '\n', 1
	case 'r':
		return '\r', 1
	case 't':
		return '\t', 1
	case 'u':
		n, _ := strconv.ParseUint(string(d.text[i+1:i+5]), 16, 16)
		return uint16(n), 5
	default:
		return uint16(c), 1
	}
}

func appendUTF16(units []uint16, text []byte) []uint16 {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		units = utf16.AppendRune(units, r)
		text = text[size:]
	}
	return units
}
