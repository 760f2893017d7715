package mockgithub

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sample fills a new server.
func (g *GitHub) sample() {
	for _, l := range []label{{"bug", "d73a4a", "It is broken"}, {"stale", "cfd3d7", ""}, {"enhancement", "a2eeef", ""}} {
		g.labels[l.name] = &l
	}
	files := tree{
		"README.md":     {"100644", g.store(blob{"# Shop\n"})},
		"main.go":       {"100644", g.store(blob{"package main\n\nfunc main() {}\n"})},
		"src/cart.go":   {"100644", g.store(blob{"package src\n"})},
		"bin/run.sh":    {"100755", g.store(blob{"#!/bin/sh\n"})},
		"assets/ok.bin": {"100644", g.store(blob{"\x00\xff\x01"})},
	}
	first := g.store(commit{"Begin", g.store(files), nil, g.now()})
	fixed := maps.Clone(files)
	fixed["main.go"] = file{"100644", g.store(blob{"package main\n\nfunc main() { println(1) }\n"})}
	second := g.store(commit{"Fix the crash", g.store(fixed), []string{first}, g.now()})
	g.refs["refs/heads/main"] = first
	g.refs["refs/heads/fix/crash"] = second
	cart := maps.Clone(files)
	cart["src/cart.go"] = file{"100644", g.store(blob{"package src\n\ntype Cart struct{}\n"})}
	g.refs["refs/heads/feature/cart"] = g.store(commit{"Begin the cart", g.store(cart), []string{first}, g.now()})
	crash := g.newIssue("Crash on start", "It crashes.")
	crash.labels = []string{"bug"}
	g.newIssue("Dark mode", "Please.").assignees = []string{"ada"}
	g.newPull("Fix the crash", "Fixes #1", "fix/crash", "main")
	g.releases[900] = &release{id: 900, tag: "v2", name: "Two", body: "Soon.", target: "main", draft: true}
	old := g.newIssue("Old question", "Anybody?")
	old.updated = g.clock.AddDate(-1, 0, 0).Format("2006-01-02T15:04:05Z")
}

// Fail makes the check of a branch's newest commit fail.
func (g *GitHub) Fail(branch string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.checks[g.refs["refs/heads/"+branch]] = "failure"
}

// Runs tells how often the one run has run, and how often a workflow was dispatched.
func (g *GitHub) Runs() (attempts, dispatched int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.attempts, g.dispatch
}

// State describes what there is, a line for each thing, in order: issues and
// pull requests, labels, comments, releases, gists, and the files of each
// branch. Two states are equal when nobody could tell them apart but by history:
// commits and times do not count, and neither does why an open issue is open.
func (g *GitHub) State() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var lines []string
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, n := range slices.Sorted(maps.Keys(g.issues)) {
		i := g.issues[n]
		kind := "issue"
		if p := g.pulls[n]; p != nil {
			kind = fmt.Sprintf("pull %s into %s draft %v merged %v asked %v %v", p.head, p.base, p.draft, p.merged != "", folded(p.reviewers), folded(p.teams))
		}
		line("#%d %s %q %q %s labels %v assignees %v milestone %d locked %v %s",
			n, kind, i.title, i.body, i.state, folded(i.labels), folded(i.assignees), i.milestone, i.locked, i.lockReason)
	}
	for _, name := range slices.Sorted(maps.Keys(g.labels)) {
		line("label %s %s %q", g.labels[name].name, g.labels[name].color, g.labels[name].description)
	}
	for _, id := range slices.Sorted(maps.Keys(g.comments)) {
		line("comment on #%d: %q", g.comments[id].issue, g.comments[id].body)
	}
	for _, id := range slices.Sorted(maps.Keys(g.releases)) {
		v := g.releases[id]
		line("release %s %q %q draft %v prerelease %v", v.tag, v.name, v.body, v.draft, v.prerelease)
	}
	for _, n := range slices.Sorted(maps.Keys(g.moved)) {
		line("#%d is in the attic", n)
	}
	if g.read {
		line("the notification is read")
	}
	for _, id := range slices.Sorted(maps.Keys(g.gists)) {
		line("gist %q %v", g.gists[id].description, g.gists[id].files)
	}
	for _, ref := range slices.Sorted(maps.Keys(g.refs)) {
		files := g.files(g.refs[ref])
		for _, path := range slices.Sorted(maps.Keys(files)) {
			b, _ := get[blob](g, files[path].Blob)
			line("%s %s %s %q", ref, path, files[path].Mode, b.Content)
		}
	}
	return lines
}

func folded(names []string) []string {
	lower := make([]string, len(names))
	for i, name := range names {
		lower[i] = strings.ToLower(name)
	}
	slices.Sort(lower)
	return lower
}
