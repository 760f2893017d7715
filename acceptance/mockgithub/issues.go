package mockgithub

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

type label struct{ name, color, description string }

type issue struct {
	number            int
	title, body       string
	state, reason     string
	labels, assignees []string
	milestone         int
	locked            bool
	lockReason        string
	created, updated  string
	author            string
}

type comment struct {
	id      int64
	issue   int
	body    string
	created string
}

func (g *GitHub) routeIssues() {
	g.repo("GET", "/labels", func(r *request) (int, any) {
		var all []object
		for _, name := range slices.Sorted(maps.Keys(g.labels)) {
			all = append(all, g.labels[name].json())
		}
		return 200, page(r, all)
	})
	g.repo("POST", "/labels", func(r *request) (int, any) {
		if g.labels[strings.ToLower(r.text("name"))] != nil {
			return 422, object{"message": "Validation Failed", "errors": []object{{"resource": "Label", "code": "already_exists", "field": "name"}}}
		}
		l := &label{r.text("name"), or(r.text("color"), "ededed"), r.text("description")}
		g.labels[strings.ToLower(l.name)] = l
		return 201, l.json()
	})
	g.repo("GET", "/labels/{name}", func(r *request) (int, any) {
		l := g.labels[strings.ToLower(r.PathValue("name"))]
		if l == nil {
			return notFound()
		}
		return 200, l.json()
	})
	g.repo("DELETE", "/labels/{name}", func(r *request) (int, any) {
		name := strings.ToLower(r.PathValue("name"))
		if g.labels[name] == nil {
			return notFound()
		}
		delete(g.labels, name)
		for _, i := range g.issues {
			i.labels = remove(i.labels, name)
		}
		return 204, nil
	})
	g.repo("GET", "/milestones", func(r *request) (int, any) {
		return 200, page(r, []object{{"number": 1, "title": "Spring", "state": "open"}, {"number": 2, "title": "Summer", "state": "open"}})
	})
	g.repo("GET", "/issues", g.listIssues)
	g.repo("POST", "/issues", func(r *request) (int, any) {
		if r.text("title") == "" {
			return invalid("Validation Failed")
		}
		i := g.newIssue(r.text("title"), r.text("body"))
		i.labels, i.assignees = r.texts("labels"), r.texts("assignees")
		if m, ok := r.body["milestone"].(float64); ok {
			i.milestone = int(m)
		}
		return 201, g.issueJSON(i)
	})
	g.onIssue("GET", "", func(_ *request, i *issue) (int, any) { return 200, g.issueJSON(i) })
	g.onIssue("PATCH", "", func(r *request, i *issue) (int, any) {
		g.patchIssue(r, i)
		return 200, g.issueJSON(i)
	})
	g.onIssue("POST", "/labels", func(r *request, i *issue) (int, any) {
		for _, name := range r.texts("labels") {
			if !contains(i.labels, name) {
				i.labels = append(i.labels, name)
			}
		}
		return 200, labelsJSON(i.labels)
	})
	g.onIssue("DELETE", "/labels/{name}", func(r *request, i *issue) (int, any) {
		if !contains(i.labels, r.PathValue("name")) {
			return notFound()
		}
		i.labels = remove(i.labels, r.PathValue("name"))
		return 200, labelsJSON(i.labels)
	})
	g.onIssue("POST", "/assignees", func(r *request, i *issue) (int, any) {
		i.assignees = joined(i.assignees, r.texts("assignees"))
		return 201, g.issueJSON(i)
	})
	g.onIssue("DELETE", "/assignees", func(r *request, i *issue) (int, any) {
		i.assignees = remove(i.assignees, r.texts("assignees")...)
		return 200, g.issueJSON(i)
	})
	g.onIssue("PUT", "/lock", func(r *request, i *issue) (int, any) {
		i.locked, i.lockReason = true, r.text("lock_reason")
		return 204, nil
	})
	g.onIssue("DELETE", "/lock", func(_ *request, i *issue) (int, any) {
		i.locked, i.lockReason = false, ""
		return 204, nil
	})
	g.onIssue("GET", "/comments", func(r *request, i *issue) (int, any) {
		all := []object{}
		for _, id := range slices.Sorted(maps.Keys(g.comments)) {
			if c := g.comments[id]; c.issue == i.number && c.created >= r.URL.Query().Get("since") {
				all = append(all, c.json())
			}
		}
		return 200, page(r, all)
	})
	g.onIssue("POST", "/comments", func(r *request, i *issue) (int, any) {
		c := &comment{g.newID(), i.number, r.text("body"), g.now()}
		g.comments[c.id] = c
		return 201, c.json()
	})
	// A pattern with the word comments would clash with those for one issue.
	g.repo("DELETE", "/issues/{what}/{id}", func(r *request) (int, any) {
		id := int64(r.number("id"))
		if r.PathValue("what") != "comments" || g.comments[id] == nil {
			return notFound()
		}
		delete(g.comments, id)
		return 204, nil
	})
}

// onIssue routes a request for something of an issue that exists.
func (g *GitHub) onIssue(method, rest string, f func(*request, *issue) (int, any)) {
	g.repo(method, "/issues/{number}"+rest, func(r *request) (int, any) {
		i := g.issues[r.number("number")]
		if i == nil {
			return g.follow(r)
		}
		return f(r, i)
	})
}

func (g *GitHub) newIssue(title, body string) *issue {
	i := &issue{number: g.next, title: title, body: body, state: "open", created: g.now(), updated: g.now(), author: Login}
	g.issues[i.number] = i
	g.next++
	return i
}

func (g *GitHub) listIssues(r *request) (int, any) {
	query := r.URL.Query()
	all := []object{}
	for _, number := range slices.Backward(slices.Sorted(maps.Keys(g.issues))) {
		i := g.issues[number]
		state := or(query.Get("state"), "open")
		wanted := state == "all" || state == i.state
		for name := range strings.SplitSeq(query.Get("labels"), ",") {
			wanted = wanted && (name == "" || contains(i.labels, name))
		}
		if wanted && i.updated >= query.Get("since") {
			all = append(all, g.issueJSON(i))
		}
	}
	return http.StatusOK, page(r, all)
}

func (g *GitHub) patchIssue(r *request, i *issue) {
	i.updated = g.now()
	set(r, "title", &i.title)
	i.title = strings.TrimSpace(i.title)
	set(r, "body", &i.body)
	former := i.state
	set(r, "state", &i.state)
	switch reason := r.text("state_reason"); {
	case i.state == former:
	case reason != "":
		i.reason = reason
	case i.state == "open":
		i.reason = "reopened"
	default:
		i.reason = "completed"
	}
	if r.has("labels") {
		i.labels = r.texts("labels")
	}
	if r.has("assignees") {
		i.assignees = r.texts("assignees")
	}
	if r.has("milestone") {
		m, _ := r.body["milestone"].(float64)
		i.milestone = int(m)
	}
}

func set(r *request, name string, to *string) {
	if s, ok := r.body[name].(string); ok {
		*to = s
	}
}

func (l *label) json() object {
	return object{"name": l.name, "color": l.color, "description": l.description}
}

func (g *GitHub) issueJSON(i *issue) object {
	assignees := make([]object, len(i.assignees))
	for n, name := range i.assignees {
		assignees[n] = login(name)
	}
	o := object{
		"number": i.number, "node_id": nodeID(i.number), "title": i.title, "body": i.body, "state": i.state, "user": login(i.author),
		"labels": labelsJSON(i.labels), "assignees": assignees, "locked": i.locked,
		"created_at": i.created, "updated_at": i.updated, "comments": g.countComments(i.number),
		"html_url":       fmt.Sprintf("https://github.com/%s/%s/issues/%d", Owner, Repo, i.number),
		"repository_url": "https://api.github.com/repos/" + Owner + "/" + Repo,
	}
	if i.reason != "" {
		o["state_reason"] = i.reason
	}
	if i.lockReason != "" {
		o["active_lock_reason"] = i.lockReason
	}
	if i.milestone != 0 {
		o["milestone"] = object{"number": i.milestone}
	}
	if g.pulls[i.number] != nil {
		o["pull_request"] = object{"url": "https://api.github.com/pulls"}
	}
	return o
}

func (g *GitHub) countComments(number int) int {
	count := 0
	for _, c := range g.comments {
		if c.issue == number {
			count++
		}
	}
	return count
}

func labelsJSON(names []string) []object {
	all := make([]object, len(names))
	for i, name := range names {
		all[i] = object{"name": name}
	}
	return all
}

func (c *comment) json() object {
	return object{"id": c.id, "body": c.body, "user": login(Login), "created_at": c.created, "updated_at": c.created}
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func contains(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

func remove(names []string, gone ...string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return contains(gone, n) })
}

// joined adds the names that are not there.
func joined(names, more []string) []string {
	for _, name := range more {
		if !contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
