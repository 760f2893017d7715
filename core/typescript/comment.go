package typescript

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// doc is what a declaration tells about a property beside its type.
type doc struct {
	text string
	tags []string
}

// annotations are the keywords that become tags, in the order in which they are written.
var annotations = []string{"default", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"}

// doc returns the comment on a property. What a bare reference leads to may describe it.
func (d *document) doc(s object) doc {
	text, tags := s.get("description").text(), tagsOf(s)
	if target, ok := d.target(s); ok && scalar(target) {
		t := target.object()
		if text == "" {
			text = t.get("description").text()
		}
		tags = append(tags, tagsOf(t)...)
	}
	if text == "" {
		text = s.get("title").text()
	}
	return doc{text, tags}
}

func tagsOf(s object) []string {
	const longest = 60
	var tags []string
	if s.get("deprecated").is("true") {
		tags = append(tags, "@deprecated")
	}
	for _, name := range annotations {
		value := s.get(name)
		if value == nil || value.is("false") && name != "default" || name == "format" && value.is(`"binary"`) {
			continue
		}
		text := value.compact()
		if value.isString() && name != "default" {
			text = value.text()
		}
		if value.is("true") && name != "default" {
			tags = append(tags, "@"+name)
		} else if utf8.RuneCountInString(text) <= longest {
			tags = append(tags, "@"+name+" "+text)
		}
	}
	return tags
}

// comment returns the inside of a comment of at most limit characters of text;
// empty if there is nothing to say.
func (d doc) comment(limit int) string {
	if limit == 0 {
		return ""
	}
	parts := d.tags
	if text := Sentence(d.text, limit); text != "" {
		parts = append([]string{text}, parts...)
	}
	return enclosed(strings.Join(parts, " "))
}

// enclosed makes text safe inside a comment.
func enclosed(text string) string {
	return strings.ReplaceAll(line(text), "*/", `*\/`)
}

// Sentence returns the first sentence of a text in one line of at most limit
// characters.
func Sentence(text string, limit int) string {
	if i := strings.Index(text, "\n\n"); i > 0 && strings.TrimSpace(text[:i]) != "" {
		text = text[:i]
	}
	text = line(text)
	for i := 0; i < len(text); i++ {
		if endsSentence(text, i) {
			text = text[:i+1]
			break
		}
	}
	return cut(text, limit)
}

// endsSentence reports whether a sentence ends at i: the next one starts with a capital letter.
func endsSentence(text string, i int) bool {
	if !strings.ContainsRune(".!?", rune(text[i])) || i+2 >= len(text) || text[i+1] != ' ' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[i+2:], "_*`([\""))
	return unicode.IsUpper(r)
}

// line returns text in one line, without characters that control or reorder it.
func line(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// cut shortens text to limit characters, at a word's end if there is one near.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	short := string([]rune(text)[:max(0, limit-1)])
	if i := strings.LastIndexByte(short, ' '); i > len(short)*2/3 {
		short = short[:i]
	}
	return short + "…"
}

// tells reports whether a text has a word that is not known, nor says as good as nothing.
func tells(text string, known []string) bool {
	for _, w := range nameWords(text) {
		if filler[w] || slices.ContainsFunc(known, func(k string) bool { return alike(w, k) }) {
			continue
		}
		return true
	}
	return false
}

// alike reports whether two words are one, or one begins with the other: issue and issues, repo and repository.
func alike(a, b string) bool {
	const least = 3
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= least && strings.HasPrefix(b, a)
}

// filler are the words of "The unique identifier of the given account".
var filler = set(`
	a an the this that of for to in on by with from and or is are be it its which given specified unique
	id ids identifier identifiers name value account object resource number results fetch return retrieve`)

// nameWords returns the words of a text or a name in lower case, split at separators and before capitals.
func nameWords(text string) []string {
	var words []string
	begin, lower := -1, false
	end := func(i int) {
		if begin >= 0 {
			words = append(words, strings.ToLower(text[begin:i]))
		}
		begin = -1
	}
	for i, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end(i)
			lower = false
			continue
		}
		if unicode.IsUpper(r) && lower {
			end(i)
		}
		if begin < 0 {
			begin = i
		}
		lower = !unicode.IsUpper(r)
	}
	end(len(text))
	return words
}
