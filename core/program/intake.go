package program

import (
	"regexp"
	"slices"
	"strings"
)

// intake finds the code in a text. What is not code becomes blank, so that every line keeps its number.
func intake(text string) (*code, error) {
	c := newCode(text)
	text, lines := c.text, c.model
	if m := onOneLine.FindStringSubmatchIndex(text); m != nil {
		c.text = strings.Repeat("\n", strings.Count(text[:m[2]], "\n")) + text[m[2]:m[3]]
		return c, nil
	}
	blocks := fencedBlocks(lines)
	if len(blocks) > 0 {
		b, err := c.choose(blocks)
		if err != nil {
			return nil, err
		}
		c.text = strings.Repeat("\n", b.open+1) + strings.Join(unquotedLines(lines[b.open], lines[b.open+1:b.close]), "\n")
	}
	c.text = withoutHashbang(c.text)
	return c, nil
}

// newCode takes a text as it is.
func newCode(text string) *code {
	text = strings.ToValidUTF8(strings.TrimPrefix(text, "\uFEFF"), "\uFFFD")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return &code{text: text, model: strings.Split(text, "\n")}
}

// fence matches a line that opens or closes a fenced block: the indent, the fence, its tag. No line of JavaScript
// reads like this, for a template literal cannot hold three backticks; a comment can, hence fencedBlocks' care.
var fence = regexp.MustCompile("^[ \t>]*(```+|~~~+)[ \t]*([A-Za-z0-9_+.#-]*)[^`]*$")

// onOneLine matches a text that is one block on one line: ```js 1 + 1 ```.
var onOneLine = regexp.MustCompile("^\\s*```(?:(?:js|javascript|ts|typescript)[ \t]+)?([^`\n]+)```\\s*$")

// quoteMark matches what e-mail and Markdown put before the lines of a quotation.
var quoteMark = regexp.MustCompile(`^[ \t]*>`)

// unquotedLines blanks the quotation marks of a block's lines, if its fence has one.
func unquotedLines(fence string, lines []string) []string {
	if !quoteMark.MatchString(fence) {
		return lines
	}
	plain := make([]string, len(lines))
	for i, line := range lines {
		plain[i] = quoteMark.ReplaceAllStringFunc(line, func(mark string) string { return strings.Repeat(" ", len(mark)) })
	}
	return plain
}

// block is a fenced block: the lines of its fences, from 0. An unclosed one has close -1.
type block struct {
	open, close int
	tag         string
}

func fencedBlocks(lines []string) []block {
	var blocks []block
	opened := "" // the fence that is open
	comment := false
	for i, line := range lines {
		m := fence.FindStringSubmatch(line)
		if m == nil || opened == "" && comment {
			comment = opened == "" && inComment(line, comment)
			continue
		}
		switch {
		case opened == "":
			opened = m[1]
			blocks = append(blocks, block{open: i, close: -1, tag: strings.ToLower(m[2])})
		case strings.HasPrefix(m[1], opened) && m[2] == "":
			opened = ""
			blocks[len(blocks)-1].close = i
		}
	}
	return blocks
}

// inComment reports whether a block comment is open at the end of a line.
func inComment(line string, open bool) bool {
	begin, end := strings.LastIndex(line, "/*"), strings.LastIndex(line, "*/")
	if begin < 0 && end < 0 {
		return open
	}
	return begin > end
}

var scriptTags = []string{"js", "javascript", "jsx", "mjs", "cjs", "ts", "typescript", "tsx", "mts", "cts", "node", "ecmascript"}

// otherTags are languages that a program is not written in.
var otherTags = []string{
	"bash", "sh", "shell", "zsh", "console", "powershell", "python", "py", "json", "yaml", "yml", "toml", "xml", "html",
	"css", "sql", "go", "rust", "ruby", "java", "c", "cpp", "text", "txt", "plaintext", "markdown", "md", "diff", "output",
}

// choose picks the block that is the program: the only script, or else the only one that may be a script.
func (c *code) choose(blocks []block) (block, error) {
	isScript := func(b block) bool { return slices.Contains(scriptTags, b.tag) }
	scripts := filter(blocks, isScript)
	if len(scripts) == 0 {
		scripts = filter(blocks, func(b block) bool { return !slices.Contains(otherTags, b.tag) })
	}
	if len(scripts) == 0 {
		return block{}, c.fault(position{blocks[0].open + 1, 1}, "the fenced block is marked "+blocks[0].tag+
			"; a program is JavaScript or TypeScript: send the program's text alone, or in one ```js block")
	}
	if len(scripts) > 1 {
		return block{}, c.fault(position{scripts[1].open + 1, 1},
			"the text holds several fenced programs; send one program, in one block or without a fence")
	}
	if scripts[0].close < 0 {
		return block{}, c.fault(position{scripts[0].open + 1, 1},
			"the fenced block that begins here is never closed; the program may have been cut off: send it whole")
	}
	return scripts[0], nil
}

func filter(blocks []block, keep func(block) bool) []block {
	var kept []block
	for _, b := range blocks {
		if keep(b) {
			kept = append(kept, b)
		}
	}
	return kept
}

func withoutHashbang(text string) string {
	trimmed := strings.TrimLeft(text, " \t\n")
	if !strings.HasPrefix(trimmed, "#!") {
		return text
	}
	_, rest, _ := strings.Cut(trimmed, "\n")
	return text[:len(text)-len(trimmed)] + "\n" + rest
}
