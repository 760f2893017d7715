package catalog

import (
	"slices"
	"strings"

	"github.com/codemode-go/codemode/core/typescript"
)

// intent is what a query asks for, or what a method does: actions on an object.
type intent struct {
	actions []string // the groups of the verbs; none: not known
	titles  []title  // of a query one
}

// title is a name, or a sentence, taken apart: what stands behind its verb, up
// to the first preposition, is the object, whose last word is the head.
type title struct {
	verb   string // the verb's stem, also of one that is in no group; empty: there is none
	object []string
	beside []string // the other words: before the verb, behind a preposition
	plural bool     // the object is more than one
}

// longestTitle is the number of words of a sentence that still names what a method does.
const longestTitle = 16

// intentOf reads what a method does from its name, from its description's first sentence, and from
// whether one of its required parameters says which object is meant.
func intentOf(name, description string, required []string) intent {
	words := plainWords(name)
	named, actions := readName(words)
	one := targets(required, named)
	in := intent{titles: []title{named}}
	sentence := plainWords(typescript.Sentence(description, summaryWidth))
	said, told := readSentence(sentence)
	if len(sentence) <= longestTitle && len(said.object) > 0 {
		in.titles = append(in.titles, said)
	}
	if len(words) > 0 && transport[words[0]] {
		actions = byTransport(actions, words, told != "", one)
	}
	if told != "" && !slices.Contains(actions, told) {
		actions = append(actions, told)
	}
	for _, a := range actions {
		switch {
		case a != "get" && a != "list":
		case one:
			a = "get"
		case named.plural:
			a = "list"
		}
		in.actions = append(in.actions, a)
	}
	return in
}

// transport are the verbs of HTTP. A name that begins with one may say it of any action.
var transport = plainSet("get post put patch delete")

// byTransport returns the actions of a name that begins with a verb of HTTP. A POST to one object changes it,
// or does what the name ends with.
func byTransport(actions, words []string, told, one bool) []string {
	switch last := verbOf(words[len(words)-1]); {
	case len(words) > 2 && last != "" && !reading[last]:
		return []string{last}
	case words[0] != "post" && words[0] != "put":
		return actions[:1]
	case told:
		return nil
	case one:
		return []string{updating}
	}
	return actions[:1]
}

// targets reports whether a required parameter says which object is meant.
func targets(required []string, t title) bool {
	for _, p := range required {
		words := nameTokens(p)
		if n := len(words); n > 1 && identifying[words[n-1]] {
			words = words[:n-1] // project_id is of a project
		}
		if last := len(words) - 1; last >= 0 && (identifying[words[last]] || slices.Contains(t.object, words[last])) {
			return true
		}
	}
	return false
}

// identifying are words that stand for one object.
var identifying = wordSet("id uuid guid key number slug sha")

// readName takes a method's name apart: a tag may stand before its verb, and a noun too (meetingCreate). A plural is
// no verb there.
func readName(words []string) (title, []string) {
	at := slices.IndexFunc(words, func(w string) bool { return verbOf(w) != "" && !isPlural(w) })
	if at < 0 {
		t := titleOf(nil, words)
		return t, nil
	}
	t := titleOf(words[:at], words[at+1:])
	t.verb = stem(words[at])
	actions := []string{verbOf(words[at])}
	if last := words[len(words)-1]; len(words) > at+1 && !reading[actions[0]] && !isPlural(last) {
		if v := verbOf(last); v != "" && v != actions[0] {
			actions = append(actions, v) // create_fork
		}
	}
	return t, actions
}

// readSentence takes a description's first sentence apart. Its first word is its verb, if it is one.
func readSentence(words []string) (title, string) {
	if len(words) == 0 {
		return title{}, ""
	}
	action := verbOf(words[0])
	t := titleOf(nil, words[1:])
	t.verb = stem(words[0])
	return t, action
}

// titleOf returns the title whose verb stands between two parts.
func titleOf(before, behind []string) title {
	var t title
	end := phraseEnd(behind)
	t.object, t.plural = content(behind[:end])
	beside, _ := content(behind[end:])
	if len(t.object) > 0 {
		tag, _ := content(before)
		t.beside = append(beside, tag...)
		return t
	}
	end = phraseEnd(before)
	t.object, t.plural = content(before[:end])
	more, _ := content(before[end:])
	t.beside = append(beside, more...)
	return t
}

// phraseEnd returns where the first noun phrase ends. What "list of" and the like are before is its noun.
func phraseEnd(words []string) int {
	empty := true
	for i, w := range words {
		if prepositions[w] && (i == 0 || !empty) {
			return i
		}
		empty = empty && (prepositions[w] || articles[w] || light[stem(w)])
	}
	return len(words)
}

// content returns the stems of the words that carry something, each once, and whether the last one is a plural.
func content(words []string) (stems []string, plural bool) {
	for _, w := range words {
		s := stem(w)
		if stopWords[s] || s == "id" || s == "uuid" {
			continue
		}
		if !slices.Contains(stems, s) {
			stems = append(stems, s)
		}
		if s == stems[len(stems)-1] {
			plural = isPlural(w)
		}
	}
	for len(stems) > 1 && light[stems[len(stems)-1]] { // file contents: the file
		stems = stems[:len(stems)-1]
	}
	return stems, plural
}

// light are the nouns that say less than those that they stand beside.
var light = wordSet("list history content detail information info data object resource record entry name")

// isPlural guesses by the ending.
func isPlural(word string) bool {
	return len(word) > 3 && plainASCII(word) && strings.HasSuffix(word, "s") && stem(word) != word && !strings.HasSuffix(word, "ss")
}

// demand reads what a query asks for. A word that is in no group is taken for a verb where an article follows it
// ("merge a branch"), and as one that creates where it is a noun ("comment on it"). A question, or no verb at all, asks to read.
func demand(text string) intent {
	words := plainWords(text)
	asks := len(words) > 1 && questions[words[0]] && !(words[0] == "how" && manner[words[1]])
	for len(words) > 1 && stopWords[stem(words[0])] {
		words = words[1:]
	}
	if len(words) == 0 {
		return intent{titles: []title{{}}}
	}
	action := ""
	if !isPlural(words[0]) {
		action = verbOf(words[0])
	}
	t := titleOf(nil, words[1:])
	t.verb = stem(words[0])
	followed := len(words) > 2
	switch {
	case asks && !reading[action]:
		t = titleOf(nil, words)
		action = asking
	case action != "" && !(followed && used[words[1]]):
	case followed && (articles[words[1]] || used[words[1]]):
		t.object = append([]string{t.verb}, t.object...)
		if action == "" {
			action = creating
		}
	default:
		t = titleOf(nil, words)
		action = asking
	}
	switch {
	case action == asking && t.plural, action == "get" && t.plural:
		action = "list"
	case action == asking && len(t.object) > 0 && !asks:
		action = "get"
	}
	return intent{actions: []string{action}, titles: []title{t}}
}

var (
	prepositions = plainSet("of for in to on at by with from into onto as via under per that which who using and or without between after before because so if")
	articles     = plainSet("a an the this that these those my our your their its any all some every each me us")
	questions    = plainSet("who what which how is are was has have does did do where when whose")
	manner       = plainSet("do can could to should would") // behind "how": it is no question
	// used are the prepositions behind a noun that is used as a verb.
	used = plainSet("on to in for with")
)

// rephrased replaces the phrases of a query whose words alone say something else.
func rephrased(text string) string {
	text = " " + strings.Join(strings.Fields(text), " ") + " "
	lower := strings.ToLower(text)
	for _, p := range phrases {
		if strings.Contains(lower, " "+p[0]+" ") {
			lower = strings.ReplaceAll(lower, " "+p[0]+" ", " "+p[1]+" ")
			text = lower
		}
	}
	return text
}
