package program

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// script is the generated JavaScript: the statements of a function's body.
type script struct {
	text     string
	mappings mappings
	exported string // the variable that holds the default export; "": there is none
	exports  []binding
}

// wrapping is what esbuild reads: a text, most often the code's, and what stands around it.
type wrapping struct {
	text          string
	at            int // the offset in the text at which before stands
	before, after string
	function      string // what opens the function that holds the statements; "": there is none
}

// transpile strips types and lowers what goja lacks. It reads the code as a module, which is the strictest form and
// gives the truest errors; code that returns at its top level is read as the body of a function, and code that is an
// object or a nameless function as an expression.
func transpile(c *code) (*script, error) {
	if strings.HasPrefix(strings.TrimSpace(c.text), "{") {
		if out, _ := build(c, expressionOf(c)); out != nil {
			return out, nil
		}
	}
	if returns.MatchString(c.text) { // most programs do: for them one run of esbuild is enough, which is most of a compilation
		body := bodyOf(c)
		if out, _ := build(c, body); out != nil {
			return keepConstant(c, body, out), nil
		}
	}
	out, f := build(c, moduleOf(c))
	if out != nil {
		return keepConstant(c, moduleOf(c), out), nil
	}
	if nameless.MatchString(c.text) {
		if out, _ := build(c, expressionOf(c)); out != nil {
			return out, nil
		}
	}
	if !f.isReturn() {
		return nil, c.syntaxError(f)
	}
	if out, f = build(c, bodyOf(c)); out == nil {
		return nil, c.syntaxError(f)
	}
	return keepConstant(c, bodyOf(c), out), nil
}

// keepConstant brings back a trailing constant: esbuild computes expressions such as -1 or 'a' + 'b', and drops those
// statements that come out as a constant, although the last one is the program's result.
func keepConstant(c *code, w wrapping, out *script) *script {
	end := strings.TrimRight(w.text, "; \t\n")
	for _, begin := range []int{strings.LastIndexAny(end, ";\n") + 1, strings.LastIndexByte(end, '\n') + 1} {
		if begin < w.at || !constant.MatchString(end[begin:]) {
			continue
		}
		without, with := w, w
		without.text = w.text[:begin]
		with.text = w.text[:begin] + "0," + w.text[begin:] // a sequence is no constant
		if rest, _ := build(c, without); rest == nil || rest.text != out.text {
			continue
		}
		if kept, _ := build(c, with); kept != nil {
			return kept
		}
	}
	return out
}

var (
	constant = regexp.MustCompile("^[-+!~(\\s]*(?:[\\d\"'`]|(?:true|false|undefined|NaN|Infinity|typeof|void|this)\\b)")
	// returns matches a return that seems to be at the top level.
	returns  = regexp.MustCompile(`(?m)^return\b`)
	nameless = regexp.MustCompile(`^\s*(?:async\s+)?function\s*\*?\s*\(`)
	// headImports matches the imports at the head of the code, with what stands between them.
	headImports = regexp.MustCompile(`^(?:\s+|//[^\n]*\n|/\*(?s:.*?)\*/|import\b[^'"();]*["'][^"'\n]*["'][ \t]*;?)*`)
	exports     = regexp.MustCompile(`export\{([^{}]*)\};?\n?$`)
)

// moduleOf makes the code a module, whatever it says itself.
func moduleOf(c *code) wrapping {
	return wrapping{text: c.text, before: "export{};"}
}

// bodyOf makes the code a function's body; imports at its head stay outside.
func bodyOf(c *code) wrapping {
	w := wrapping{text: c.text, function: "async function " + freeName("program", c.text) + "(){", after: "\n}"}
	w.before = asModule(c.text) + w.function
	if head := headImports.FindString(c.text); strings.Contains(head, "import") {
		w.at = len(head)
	}
	return w
}

// expressionOf makes the code what a function returns.
func expressionOf(c *code) wrapping {
	w := wrapping{text: strings.TrimRight(c.text, "; \t\n"), function: "async function " + freeName("program", c.text) + "(){", after: "\n)}"}
	w.before = asModule(c.text) + w.function + "return("
	return w
}

// asModule is what keeps esbuild from taking a text that speaks of CommonJS for such a module, which it would wrap. Other
// texts stay scripts, in which a function that is declared in a block can be called behind it.
func asModule(text string) string {
	if commonJS.MatchString(text) {
		return "export{};"
	}
	return ""
}

var commonJS = regexp.MustCompile(`\b(module|exports|require)\b`)

// freeName returns a name that occurs in none of the texts.
func freeName(name string, texts ...string) string {
	for slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, name) }) {
		name += "_"
	}
	return name
}

// fault is an error of esbuild's, placed in the model's text.
type fault struct {
	text string
	at   position
	line string // of the text, at that place
	note string
	on   int // the line that the note speaks of; 0: none
}

const topLevelReturn = "Top-level return cannot be used"

// isReturn reports that nothing is wrong but a return at the top level of a module.
func (f *fault) isReturn() bool { return strings.HasPrefix(f.text, topLevelReturn) }

// build runs esbuild. It returns a fault if there is no script.
func build(c *code, w wrapping) (*script, *fault) {
	wrapped := w.text[:w.at] + w.before + w.text[w.at:] + w.after
	result := api.Transform(wrapped, options(api.LoaderTS))
	if len(result.Errors) > 0 {
		return nil, w.fault(c, wrapped, result.Errors)
	}
	out := string(result.Code)
	m, err := decodeMap(result.Map, out, w.origins())
	if err != nil {
		return nil, &fault{text: err.Error()}
	}
	return w.unwrap(out, m), nil
}

func options(loader api.Loader) api.TransformOptions {
	return api.TransformOptions{
		Loader:         loader,
		Format:         api.FormatESModule, // all exports end up in one clause at the end
		Target:         api.ESNext,
		Supported:      unsupported,
		Charset:        api.CharsetUTF8,
		TreeShaking:    api.TreeShakingFalse,
		LegalComments:  api.LegalCommentsNone,
		Sourcefile:     "program",
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		LogLevel:       api.LogLevelSilent,
		// Indented output grows with the square of the nesting: 20 KB of braces made 200 MB.
		MinifyWhitespace: true,
	}
}

// unsupported is what esbuild lowers. Regular expressions with the flags v or d become calls of RegExp, which
// [unit.regexps] finds.
var unsupported = map[string]bool{
	"async-generator":      false,
	"for-await":            false,
	"using":                false,
	"decorators":           false,
	"regexp-set-notation":  false,
	"regexp-match-indices": false,
}

// origins returns a function that turns a place in the wrapped text into one in the model's; it returns false for
// places inside the wrapping.
func (w wrapping) origins() func(position) (position, bool) {
	at := (&code{text: w.text}).at(w.at)
	lines := strings.Count(w.text, "\n") + 1
	return func(p position) (position, bool) {
		if p.line == at.line && p.column >= at.column {
			p.column -= len(w.before)
			return p, p.column >= at.column
		}
		return p, p.line <= lines
	}
}

// unwrap takes the wrapping and the export clause off the output.
func (w wrapping) unwrap(out string, m mappings) *script {
	s := &script{text: strings.TrimRight(out, "\n"), mappings: m}
	if clause := exports.FindStringSubmatchIndex(out); clause != nil {
		s.text = out[:clause[0]]
		s.exports = bindings(out[clause[2]:clause[3]])
		for _, b := range s.exports {
			if b.as == "default" {
				s.exported = b.name
			}
		}
	}
	if w.function != "" {
		begin := strings.Index(s.text, w.function)
		end := strings.LastIndexByte(s.text, '}')
		s.text, s.mappings = apply(s.text, s.mappings, []splice{
			{offset: begin, remove: len(w.function)}, {offset: end, remove: len(s.text) - end},
		})
	}
	return s
}

// fault places the first error that is no return at the top level, if there is one. Only one is placed: a text with
// an error in each of its statements would take minutes.
func (w wrapping) fault(c *code, wrapped string, messages []api.Message) *fault {
	first := slices.MinFunc(messages, func(a, b api.Message) int {
		return cmp.Or(returnsLast(a, b), locate(a).Line-locate(b).Line, locate(a).Column-locate(b).Column)
	})
	lines, origin := strings.Split(wrapped, "\n"), w.origins()
	place := func(l *api.Location) position {
		if l.Line < 1 || l.Line > len(lines) {
			return position{}
		}
		line := lines[l.Line-1]
		at, _ := origin(position{l.Line, units(line[:min(l.Column, len(line))]) + 1})
		return c.clamp(at)
	}
	f := &fault{text: first.Text, at: place(locate(first))}
	if f.at.line > 0 {
		f.line = c.model[f.at.line-1]
	}
	if len(first.Notes) > 0 && first.Notes[0].Location != nil {
		f.note, f.on = first.Notes[0].Text, place(first.Notes[0].Location).line
	}
	return f
}

func locate(m api.Message) *api.Location {
	if m.Location == nil {
		return &api.Location{}
	}
	return m.Location
}

func returnsLast(a, b api.Message) int {
	isReturn := func(m api.Message) int {
		if strings.HasPrefix(m.Text, topLevelReturn) {
			return 1
		}
		return 0
	}
	return isReturn(a) - isReturn(b)
}

// clamp moves a place behind the code to the code's end.
func (c *code) clamp(p position) position {
	end := c.at(len(strings.TrimRight(c.text, " \t\n")))
	if p.line > end.line || p.line == end.line && p.column > end.column {
		return end
	}
	p.column = max(p.column, 1)
	return p
}
