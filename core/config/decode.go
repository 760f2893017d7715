package config

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// attribute is one attribute of a block and the place its value goes to. One
// that is not given, or null, leaves the place as it is. Without take, the
// caller evaluates it.
type attribute struct {
	name     string
	required bool
	kind     cty.Type
	take     func(cty.Value) error // of a known, unmarked value of kind
}

// decode takes over the attributes of a block and returns all of its content. A
// value that must not be shown is refused: what these attributes hold appears in
// messages, listings and the process table.
func (l *loader) decode(block *hcl.Block, attrs []attribute, nested ...hcl.BlockHeaderSchema) *hcl.BodyContent {
	schema := &hcl.BodySchema{Blocks: nested}
	for _, a := range attrs {
		schema.Attributes = append(schema.Attributes, hcl.AttributeSchema{Name: a.name, Required: a.required})
	}
	content, diags := block.Body.Content(schema)
	l.add(diags)
	for _, a := range attrs {
		if attr := content.Attributes[a.name]; attr != nil && a.take != nil {
			l.take(a, attr)
		}
	}
	return content
}

func (l *loader) take(a attribute, attr *hcl.Attribute) {
	v, ok := l.eval(attr.Expr)
	if !ok {
		return
	}
	at := attr.Expr.Range()
	if v.ContainsMarked() {
		l.fail(at, "Sensitive value not allowed here",
			fmt.Sprintf("The value of %q is shown in messages. Values of env(), file() and sensitive() can stand in config and env; use a variable for what differs from machine to machine.", a.name))
		return
	}
	if !v.IsWhollyKnown() { // its fault is reported where it lies
		return
	}
	v, err := convert.Convert(v, a.kind)
	if err == nil && !v.IsNull() {
		err = a.take(v)
	}
	if err != nil {
		l.fail(at, fmt.Sprintf("Invalid value for %q", a.name), sentence(err))
	}
}

// sentence writes an error as one.
func sentence(err error) string {
	text := []rune(err.Error())
	if len(text) > 0 && text[0] >= 'a' && text[0] <= 'z' {
		text[0] -= 'a' - 'A'
	}
	if strings.HasSuffix(err.Error(), "?") || strings.HasSuffix(err.Error(), ".") {
		return string(text)
	}
	return string(text) + "."
}

func text(name string, to *string) attribute {
	return attribute{name: name, kind: cty.String, take: func(v cty.Value) error {
		if v.AsString() == "" {
			return errors.New("it must not be empty")
		}
		*to = v.AsString()
		return nil
	}}
}

// longestLine bounds what stands on one line for models, in characters.
const longestLine = 200

// line reads a text of one line.
func line(name string, to *string) attribute {
	a := text(name, to)
	take := a.take
	a.take = func(v cty.Value) error {
		if strings.ContainsFunc(v.AsString(), unicode.IsControl) || utf8.RuneCountInString(v.AsString()) > longestLine {
			return fmt.Errorf("it must be one line of at most %d characters", longestLine)
		}
		return take(v)
	}
	return a
}

// texts reads a list of strings.
func texts(name string, to *[]string) attribute {
	return attribute{name: name, kind: cty.List(cty.String), take: func(v cty.Value) error {
		*to = nil
		for it := v.ElementIterator(); it.Next(); {
			_, element := it.Element()
			if element.IsNull() {
				return errors.New("null is not allowed in the list")
			}
			*to = append(*to, element.AsString())
		}
		return nil
	}}
}

func flag(name string, to *bool) attribute {
	return attribute{name: name, kind: cty.Bool, take: func(v cty.Value) error {
		*to = v.True()
		return nil
	}}
}

// override reads a flag that can be left out.
func override(name string, to **bool) attribute {
	return attribute{name: name, kind: cty.Bool, take: func(v cty.Value) error {
		given := v.True()
		*to = &given
		return nil
	}}
}

// count reads a whole number above zero.
func count(name string, to *int) attribute { return whole(name, 1, "above 0", to) }

// countOrNone reads a whole number that can be zero.
func countOrNone(name string, to *int) attribute { return whole(name, 0, "from 0 on", to) }

// whole reads a whole number from least on, which bound says in words.
func whole(name string, least int64, bound string, to *int) attribute {
	return attribute{name: name, kind: cty.Number, take: func(v cty.Value) error {
		n, accuracy := v.AsBigFloat().Int64()
		if accuracy != 0 || n < least || n > math.MaxInt32 {
			return fmt.Errorf("it must be a whole number %s", bound)
		}
		*to = int(n)
		return nil
	}}
}

// duration reads a time span above zero, like "30s".
func duration(name string, to *time.Duration) attribute {
	return attribute{name: name, kind: cty.String, take: func(v cty.Value) error {
		d, err := time.ParseDuration(v.AsString())
		if err != nil {
			return errors.New(`a duration is a number and a unit (ms, s, m or h), like "30s" or "720h"`)
		}
		if d <= 0 {
			return errors.New("it must be above 0")
		}
		*to = d
		return nil
	}}
}

// size reads a number of bytes from 1 to most, like "256MiB".
func size(name string, most int64, to *int64) attribute {
	return attribute{name: name, kind: cty.String, take: func(v cty.Value) error {
		n, err := ParseSize(v.AsString())
		if err != nil {
			return err
		}
		if n < 1 || n > most {
			return fmt.Errorf("it must be from 1 to %d bytes", most)
		}
		*to = n
		return nil
	}}
}
