package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Numbers beyond these bounds are refused: comparing them costs a program
// nothing to ask for and the host seconds to answer.
const (
	maxDigits   = 4096
	maxExponent = 1024
)

var (
	tag    = regexp.MustCompile(`^\$+(bytes|bigint)$`)
	bigint = regexp.MustCompile(`^-?[0-9]+$`)
)

// read decodes one JSON value and reads its tags. Its errors are *[Error].
func read(value []byte) (any, error) {
	v, err := decode(value)
	if err != nil {
		return nil, &Error{Problems: []Problem{{Message: err.Error()}}}
	}
	v = untag(v)
	if path, found := oversized(v, nil); found {
		return nil, &Error{Problems: []Problem{{Path: path, Message: "the number is too large"}}}
	}
	return v, nil
}

// decode parses one JSON value with its numbers as they are written.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, unreadable(err, len(raw))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("not one JSON value: more follows at byte %d", d.InputOffset())
	}
	return v, nil
}

// unreadable says where JSON goes wrong. The decoder's own text quotes the value.
func unreadable(err error, size int) error {
	at := int64(size)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = syntax.Offset
	}
	return fmt.Errorf("not valid JSON near byte %d", at)
}

// untag replaces tagged values by what they stand for and takes one $ from
// escaped tags. It works in place.
func untag(v any) any {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			v[i] = untag(item)
		}
	case map[string]any:
		for name, item := range v {
			v[name] = untag(item)
		}
		if len(v) == 1 {
			return single(v)
		}
	}
	return v
}

// single reads an object with one property, which may be a tag.
func single(object map[string]any) any {
	for name, item := range object {
		if !tag.MatchString(name) {
			break
		}
		if strings.HasPrefix(name, "$$") {
			return map[string]any{name[1:]: item}
		}
		text, ok := item.(string)
		if name == "$bytes" && ok {
			return text
		}
		if name == "$bigint" && ok && bigint.MatchString(text) {
			return json.Number(text)
		}
	}
	return object
}

// oversized finds a number that is too large to compute with.
func oversized(v any, path []string) ([]string, bool) {
	switch v := v.(type) {
	case json.Number:
		return path, tooLarge(string(v))
	case []any:
		for i, item := range v {
			if p, found := oversized(item, append(path, strconv.Itoa(i))); found {
				return p, true
			}
		}
	case map[string]any:
		for name, item := range v {
			if p, found := oversized(item, append(path, name)); found {
				return p, true
			}
		}
	}
	return nil, false
}

func tooLarge(number string) bool {
	if len(number) > maxDigits {
		return true
	}
	_, exponent, found := strings.Cut(strings.ToLower(number), "e")
	if !found {
		return false
	}
	n, err := strconv.Atoi(exponent)
	return err != nil || n > maxExponent || n < -maxExponent
}

// number writes a bound of a schema as a person would.
func number(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
