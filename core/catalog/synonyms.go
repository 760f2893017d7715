package catalog

import "strings"

// verbGroups are verbs that connectors and people use for one another. The
// first of a group names it.
var verbGroups = []string{
	"create add open new make insert register compose raise file post",
	"delete remove destroy drop erase clear purge discard trash unset",
	"list get fetch show find read view retrieve search query lookup display browse see load enumerate describe",
	"update edit change modify set patch put rename alter adjust amend replace move revise close",
	"send post publish submit deliver notify emit",
	"run start execute trigger launch dispatch invoke begin kick",
	"stop cancel abort halt terminate end kill interrupt",
	"enable activate allow turn unlock",
	"disable deactivate block suspend lock ban",
	"close resolve finish complete",
	"assign delegate",
	"merge combine join",
	"copy duplicate clone fork",
	"upload attach import",
	"download export",
	"approve accept confirm",
	"reject decline deny dismiss refuse",
	"restore recover undelete reopen revert undo",
}

// nounGroups are nouns of the kind.
var nounGroups = []string{
	"issue ticket bug task",
	"pull pr",
	"repository repo",
	"organization org company",
	"user member person people account",
	"comment note reply",
	"message mail email msg",
	"file document doc attachment",
	"folder directory dir",
	"image picture photo",
	"customer client",
	"payment charge",
	"invoice bill",
	"price cost",
	"team group",
	"label tag",
	"permission access role right",
	"configuration config setting preference option",
	"environment env",
	"authentication auth login signin",
	"workflow pipeline job",
	"event activity",
	"branch ref",
	"web hook webhook",
	"credential secret token key",
	"channel room conversation chat",
	"calendar schedule",
	"meeting appointment",
	"database db",
	"information info detail",
	"statistic stat metric",
	"version release",
	"my me mine self authenticated current viewer",
}

// synonymWeight is what a match by synonym counts, against 1 for the word itself.
const synonymWeight = 0.6

// synonyms maps each word's stem to the stems of its group, itself included; verbs to the group of a verb.
var synonyms, verbs = func() (map[string][]string, map[string]string) {
	same, class := map[string][]string{}, map[string]string{}
	for i, line := range append(append([]string{}, verbGroups...), nounGroups...) {
		var stems []string
		for _, w := range strings.Fields(line) {
			stems = append(stems, stem(w))
		}
		for _, s := range stems {
			same[s] = append(same[s], stems...)
			if i < len(verbGroups) && class[s] == "" {
				class[s] = stems[0]
			}
		}
	}
	return same, class
}()

// verbsOf returns the groups of the verbs among some words.
func verbsOf(words []string) map[string]bool {
	groups := map[string]bool{}
	for _, w := range words {
		if v := verbs[w]; v != "" {
			groups[v] = true
		}
	}
	return groups
}

// verbOf returns the group of the verb that a query begins its demand with;
// empty if there is none. A noun used as one ("comment on it", "fork a
// repository") asks to create.
func verbOf(text string) string {
	words := tokens(text)
	for _, w := range words {
		if v := verbs[w]; v != "" {
			return v
		}
	}
	if len(words) > 2 && !stopWords[words[0]] && stopWords[words[1]] {
		return verbs["creat"]
	}
	return ""
}
