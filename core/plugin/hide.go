package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/codemode-go/codemode/plugin/wire"
)

// shortestSecret is the least length of a secret that is looked for: hiding
// every "1" or "on" would leave nothing to read.
const shortestSecret = 4

// hider takes a connector's secrets out of what the connector says.
type hider struct {
	secrets *strings.Replacer
}

// newHider looks for secrets as they are and as JSON and Go escape them, the
// longest first so that none shows its end behind another that it begins with.
func newHider(secrets []string) hider {
	var forms []string
	for _, s := range secrets {
		if len(s) >= shortestSecret {
			forms = append(forms, s, inside(strconv.Quote(s)), inside(strconv.QuoteToASCII(s)), inside(encoded(s)))
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range forms {
		pairs = append(pairs, form, "[hidden]")
	}
	return hider{strings.NewReplacer(pairs...)}
}

// inside is a quoted text without its quotes.
func inside(quoted string) string { return quoted[1 : len(quoted)-1] }

// encoded is a text as a JSON string, with what HTML minds escaped.
func encoded(text string) string {
	out, _ := json.Marshal(text) // no string fails
	return string(out)
}

func (h hider) text(text string) string { return h.secrets.Replace(text) }

// error keeps a connector's own error what it is. Of any other that has a
// secret in its text, errors.Is still finds what it wraps; errors.As does not,
// since what it found would show the secret.
func (h hider) error(err error) error {
	if said, ok := errors.AsType[*wire.Error](err); ok {
		return h.said(said)
	}
	text := err.Error()
	if hidden := h.text(text); hidden != text {
		return &hiddenError{text: hidden, err: err}
	}
	return err
}

// said hides secrets in all of a connector's error but the paths of its
// diagnostics: they name places in the operator's configuration, which has to
// find them.
func (h hider) said(e *wire.Error) *wire.Error {
	out := *e
	out.Message, out.Details = h.text(e.Message), h.details(e.Details)
	out.Diagnostics = slices.Clone(e.Diagnostics)
	for i, d := range out.Diagnostics {
		out.Diagnostics[i].Summary, out.Diagnostics[i].Detail = h.text(d.Summary), h.text(d.Detail)
	}
	return &out
}

// jsonString matches the strings of a valid JSON text, which has quotes nowhere else.
var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// details hides secrets within the strings of a JSON text, so that it stays
// one. Where a secret is no string or cannot be told, nothing is left of it.
func (h hider) details(details json.RawMessage) json.RawMessage {
	if !json.Valid(details) {
		return nil
	}
	out := jsonString.ReplaceAllFunc(details, h.literal)
	if !bytes.Equal(out, []byte(h.text(string(out)))) {
		return nil
	}
	return out
}

// literal hides secrets in one JSON string, however that is escaped.
func (h hider) literal(literal []byte) []byte {
	var text string
	if err := json.Unmarshal(literal, &text); err != nil {
		return []byte(`""`) // no string of a valid text
	}
	hidden := h.text(text)
	if hidden == text {
		return literal
	}
	return []byte(encoded(hidden))
}

// description hides secrets in what is shown of a connector.
func (h hider) description(d *wire.Description) *wire.Description {
	out := *d
	out.Name, out.Version, out.Instructions = h.text(d.Name), h.text(d.Version), h.text(d.Instructions)
	return &out
}

// offer hides secrets in what is told of methods, but in no name or schema:
// these are what programs are written and checked against.
func (h hider) offer(o *wire.Offer) *wire.Offer {
	out := &wire.Offer{Instructions: h.text(o.Instructions)}
	for _, m := range o.Methods {
		method := *m
		method.Description = h.text(m.Description)
		out.Methods = append(out.Methods, &method)
	}
	for _, s := range o.Skipped {
		out.Skipped = append(out.Skipped, wire.Skipped{Name: h.text(s.Name), Reason: h.text(s.Reason)})
	}
	return out
}

// progress hides secrets in what is reported; report may be nil.
func (h hider) progress(report func(wire.Progress)) func(wire.Progress) {
	if report == nil {
		return nil
	}
	return func(p wire.Progress) {
		p.Message = h.text(p.Message)
		report(p)
	}
}

// hiddenError is an error whose own text has a secret in it.
type hiddenError struct {
	text string
	err  error
}

func (e *hiddenError) Error() string { return e.text }

// Is reports whether the error that is hidden is or wraps target.
func (e *hiddenError) Is(target error) bool { return errors.Is(e.err, target) }
