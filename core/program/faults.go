package program

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"
)

// syntaxError words an error of esbuild's for the model, or says what the text is if it is no program at all.
func (c *code) syntaxError(f *fault) error {
	first := firstLine(c.text)
	switch {
	case strings.HasPrefix(f.text, "panic:"):
		return c.fault(c.start(), "the program cannot be read; write it in simpler JavaScript")
	case shellLine.MatchString(first):
		return c.fault(c.start(), shellAdvice)
	case python.MatchString(first), python.MatchString(f.line):
		return c.fault(f.at, "this looks like Python; a program is JavaScript or TypeScript")
	case sql.MatchString(first):
		return c.fault(c.start(), "this looks like SQL; a program is JavaScript that calls the connectors' methods")
	case markup.MatchString(first):
		return c.fault(c.start(), "the text begins with markup; send the program's text alone, or in one ```js block")
	case c.isJSX():
		return c.fault(f.at, "JSX is not available; build strings or plain objects instead")
	case isProse(first):
		return c.fault(c.start(), "this is text, not a program; send JavaScript or TypeScript alone, or in one ```js block")
	case isProse(f.line):
		return c.fault(f.at, "this line is text and no code; make it a comment, or put the code alone into one ```js block")
	case namespace.MatchString(f.line):
		return c.fault(f.at, "a TypeScript namespace cannot stand in a program that returns at its top level; declare an object instead")
	}
	if advice := c.strange(f.at); advice != "" {
		return c.fault(f.at, advice)
	}
	return c.fault(f.at, "syntax error: "+f.words())
}

// strange says what to do about characters that other programs put in place of those of the language. They are legal in
// strings and comments, and so they are looked at only where the text cannot be read.
func (c *code) strange(at position) string {
	if at.line < 1 {
		return ""
	}
	line := c.model[at.line-1]
	begin := byteColumn(line, at.column-1)
	here, _ := utf8.DecodeRuneInString(line[begin:])
	switch {
	case strings.ContainsRune("\u200B\u200C\u200D\u2060\u200E\u200F\u00AD\uFEFF", here):
		return fmt.Sprintf("an invisible character (U+%04X) stands here; remove it", here)
	case strings.ContainsRune("“”„‟‘’‚‛«»", here):
		return fmt.Sprintf("%c is no quote of the language; write straight quotes: \", ' or `", here)
	case strings.ContainsRune("–—−", here):
		return fmt.Sprintf("%c is no minus sign of the language; write -", here)
	case here == '…':
		return "… is no spread; write three dots: ..."
	case strings.HasPrefix(line[max(begin-1, 0):], `\n`):
		return `the program's line ends are written as \n; send the text itself, with real line ends`
	}
	if entity := entities.FindString(line); entity != "" {
		return fmt.Sprintf("%s is an HTML entity; write the character itself: %s", entity, html.UnescapeString(entity))
	}
	return ""
}

// entities matches what HTML writes in place of operators and quotes.
var entities = regexp.MustCompile(`&(?:lt|gt|amp|quot|apos|#0?39|#x27|#34);`)

// withoutModules strips the reason for being strict: the model's text is no module to its author.
var withoutModules = strings.NewReplacer(" in an ECMAScript module", "", " in ECMAScript modules", "", " in strict mode", "")

// words strips what only makes sense to users of esbuild.
func (f *fault) words() string {
	text := withoutModules.Replace(strings.TrimSuffix(f.text, ":"))
	switch {
	case strings.HasPrefix(text, "Unterminated "):
		return text + "; if the program was cut off, send it whole"
	case strings.HasPrefix(text, "Unexpected end of file"), strings.HasSuffix(text, "but found end of file"):
		return "the program ends too early; something in it is not closed or not finished"
	case strings.HasPrefix(text, "Unexpected") && headImport.MatchString(f.line):
		return "imports must stand before everything else in a program that returns at its top level"
	case text == `Unexpected "export"`:
		return "a program that exports cannot also return at its top level; return from the exported function"
	case strings.HasPrefix(text, "The symbol "):
		text = strings.TrimPrefix(text, "The symbol ")
	}
	switch {
	case strings.Contains(f.note, "originally declared"):
		text += fmt.Sprintf(" (first in line %d)", f.on)
	case strings.HasPrefix(f.note, "Consider adding"):
		text += fmt.Sprintf("; add the async keyword in line %d", f.on)
	}
	return text
}

// isJSX reports whether the code would be right if JSX were available.
func (c *code) isJSX() bool {
	if !strings.Contains(c.text, "</") && !strings.Contains(c.text, "/>") {
		return false
	}
	w := bodyOf(c)
	return len(api.Transform(w.text[:w.at]+w.before+w.text[w.at:]+w.after, options(api.LoaderTSX)).Errors) == 0
}

const shellAdvice = "this looks like a shell command; there is no shell: a program is JavaScript that calls the connectors' methods"

var (
	headImport = regexp.MustCompile(`^\s*import\b[^();=]*["']`)
	commands   = `ls|cd|cat|pwd|grep|rg|find|sed|awk|head|tail|wc|echo|mkdir|rmdir|rm|cp|mv|touch|chmod|chown|sudo|git|gh|npm|npx|pnpm|yarn|node|deno|bun|python3?|pip3?|go|cargo|make|docker|kubectl|curl|wget|ssh|tar|ps|kill|bash|sh|apt|apt-get|brew`
	// shellLine matches a line that no JavaScript program begins with.
	shellLine = regexp.MustCompile(`^\s*(?:export [A-Z_]+=\S*$|(?:\$\s+)?(?:` + commands + `)(?:\s+[-.~/\w"'$*][^=();]*)?\s*$)`)
	// shellOnly matches commands that are JavaScript as well: ls -la is a subtraction.
	shellOnly = regexp.MustCompile(`^\s*(?:ls|ps|cat|rm|df|du|pwd|git|npm|tail|head|wc|grep|find)(?:\s+--?[A-Za-z]+)*\s*$`)
	python    = regexp.MustCompile(`^\s*(?:(?:async )?def \w+\(.*\).*:|#(?: |$)|[\w.]+ = f["']|[\w.]+ = \[.* for \w+ in |from [\w.]+ import |import \w+(?:\.\w+)*(?: as \w+)?$|(?:if|for|while|elif|with) .*:$|print [^=(])`)
	sql       = regexp.MustCompile(`^(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|WITH) `)
	markup    = regexp.MustCompile(`^\s*</?[A-Za-z!?][\w:-]*(?: [^<>]*)?>`)
	namespace = regexp.MustCompile(`^\s*(?:export\s+|declare\s+)*(?:namespace|module|global)\s+[\w"'{]`)
	// prose matches four plain words in a row, and finds the first.
	prose    = regexp.MustCompile(`^\s*(?:[#>*-]+ )?([A-Za-z][\w'’-]*),?(?: [A-Za-z][\w'’-]*[,.:!?]?){3,}`)
	keywords = set(`abstract async await case class const declare default do else enum export for function if import
		interface let namespace new return static switch throw try type typeof var void while yield`)
)

func isProse(line string) bool {
	m := prose.FindStringSubmatch(line)
	return m != nil && !keywords[m[1]]
}

// checkShell refuses a shell command that would be run as JavaScript, to an error nobody understands.
func (c *code) checkShell() error {
	if shellOnly.MatchString(strings.TrimSpace(c.text)) {
		return c.fault(c.start(), shellAdvice)
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \t\n"), "\n")
	return line
}
