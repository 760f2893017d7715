package main

import (
	"fmt"
	"strings"
)

const pageHead = `# Mutations

Tests are worth what they notice. Each line below is a way in which codemode was broken on purpose, in one place at a
time, and the test that failed then. ` + "`make mutants`" + ` does it all again, in about a quarter of an hour; it fails where a
mutation survives. The list is kept in ` + "`internal/mutation/`" + `, with the text that is replaced and what takes its place;
this page is made from it (` + "`go test ./internal/mutation -update`" + `). To add a mutation, write it there, look with
` + "`go run ./internal/mutation -survey NAME`" + ` which tests notice it, and name the one whose subject it is. Where none
does, a test is missing.

The numbers in brackets are rows of ` + "`docs/parity.md`" + `.
`

// titles are the headings of the page, by the first part of the mutations' names.
var titles = map[string]string{
	"replay":   "Replay and delivery",
	"doubt":    "Doubt and ownership",
	"pass":     "The end of a pass, its time and its timers",
	"dispatch": "Judging and dispatching a call",
	"decision": "Decisions",
	"rollback": "Rollback",
	"crash":    "What a crash must not break, noticed by random lives",
	"policy":   "Policy",
	"journal":  "The journal's form",
	"fold":     "What may follow in a journal",
	"memory":   "The store in memory",
	"badger":   "The store on Badger",
	"host":     "The host: requests, hooks, retention",
}

// page is docs/mutations.md.
func page(list []Mutation) string {
	var b strings.Builder
	b.WriteString(pageHead)
	area := ""
	for _, m := range list {
		now, name, _ := strings.Cut(m.Name, "/")
		if now != area {
			area = now
			fmt.Fprintf(&b, "\n## %s\n\n| | in | what breaks | noticed by |\n|---|---|---|---|\n", titles[area])
		}
		breaks := m.Breaks
		if m.Row != "" {
			breaks += " [" + m.Row + "]"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | `%s` |\n", name, m.File, breaks, m.Test)
	}
	return b.String()
}
