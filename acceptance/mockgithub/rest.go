package mockgithub

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

type release struct {
	id                      int64
	tag, name, body, target string
	draft, prerelease       bool
}

type gist struct {
	id, description string
	public          bool
	files           map[string]string
}

func (g *GitHub) routeRest() {
	repository := object{
		"full_name": Owner + "/" + Repo, "default_branch": "main", "private": true, "visibility": "private",
		"html_url": "https://github.com/" + Owner + "/" + Repo, "topics": []string{"shop"},
	}
	repositories := func(r *request) (int, any) { return 200, page(r, []object{repository}) }
	g.repo("GET", "", func(*request) (int, any) { return 200, repository })
	g.handle("GET /user/repos", repositories)
	g.handle("GET /orgs/"+Owner+"/repos", repositories)
	g.handle("GET /users/"+Login+"/repos", repositories)
	g.handle("GET /orgs/{org}/repos", func(*request) (int, any) { return notFound() })
	g.handle("GET /user", func(*request) (int, any) { return 200, login(Login) })
	g.handle("GET /users/{login}", func(r *request) (int, any) { return 200, login(r.PathValue("login")) })
	g.handle("GET /orgs/{org}/teams/{team}/members", func(r *request) (int, any) { return 200, page(r, []object{login(Login), login("ada")}) })
	g.handle("GET /orgs/{org}/teams", func(r *request) (int, any) {
		return 200, page(r, []object{{"slug": "core", "name": "Core", "privacy": "closed", "parent": object{"slug": "all"}}})
	})
	g.routeNotifications(repository)
	g.routeSearch(repository)
	g.routeReleases()
	g.routeGists()
	g.routeActions()
}

func (g *GitHub) routeNotifications(repository object) {
	thread := func() object {
		return object{
			"id": "1", "reason": "mention", "unread": !g.read, "repository": repository,
			"subject": object{"title": "Crash", "type": "Issue", "url": "https://api.github.com/repos/acme/shop/issues/1"},
		}
	}
	g.handle("GET /notifications", func(r *request) (int, any) { return 200, page(r, []object{thread()}) })
	g.handle("GET /notifications/threads/1", func(*request) (int, any) { return 200, thread() })
	g.handle("PATCH /notifications/threads/1", func(*request) (int, any) {
		g.read = true
		return 205, nil
	})
}

func (g *GitHub) routeSearch(repository object) {
	found := func(r *request, all []object) (int, any) {
		return 200, object{"total_count": len(all), "incomplete_results": false, "items": page(r, all)}
	}
	g.handle("GET /search/issues", func(r *request) (int, any) {
		all := []object{}
		for _, number := range slices.Sorted(maps.Keys(g.issues)) {
			all = append(all, g.issueJSON(g.issues[number]))
		}
		return found(r, all)
	})
	g.handle("GET /search/repositories", func(r *request) (int, any) { return found(r, []object{repository}) })
	g.handle("GET /search/code", func(r *request) (int, any) {
		return found(r, []object{{
			"path": "main.go", "repository": repository, "sha": "1", "text_matches": []object{{"fragment": "func main"}},
		}})
	})
}

func (g *GitHub) routeReleases() {
	g.repo("GET", "/releases", func(r *request) (int, any) {
		all := []object{}
		for _, id := range slices.Backward(slices.Sorted(maps.Keys(g.releases))) {
			all = append(all, g.releases[id].json())
		}
		return 200, page(r, all)
	})
	g.repo("POST", "/releases", func(r *request) (int, any) {
		v := &release{
			id: g.newID(), tag: r.text("tag_name"), name: r.text("name"), body: r.text("body"),
			target: or(r.text("target_commitish"), "main"), draft: r.body["draft"] == true, prerelease: r.body["prerelease"] == true,
		}
		g.releases[v.id] = v
		g.tag(v)
		return 201, v.json()
	})
	g.repo("GET", "/releases/{id}", func(r *request) (int, any) {
		v := g.releases[int64(r.number("id"))]
		if v == nil {
			return notFound()
		}
		return 200, v.json()
	})
	g.repo("PATCH", "/releases/{id}", func(r *request) (int, any) {
		v := g.releases[int64(r.number("id"))]
		if v == nil {
			return notFound()
		}
		set(r, "name", &v.name)
		set(r, "body", &v.body)
		if r.has("draft") {
			v.draft = r.body["draft"] == true
		}
		if r.has("prerelease") {
			v.prerelease = r.body["prerelease"] == true
		}
		g.tag(v)
		return 200, v.json()
	})
	g.repo("DELETE", "/releases/{id}", func(r *request) (int, any) {
		delete(g.releases, int64(r.number("id")))
		return 204, nil
	})
}

// tag makes the tag of a release that is published.
func (g *GitHub) tag(v *release) {
	if sha, ok := g.resolve(v.target); ok && !v.draft && g.refs["refs/tags/"+v.tag] == "" {
		g.refs["refs/tags/"+v.tag] = sha
	}
}

func (v *release) json() object {
	return object{
		"id": v.id, "tag_name": v.tag, "name": v.name, "body": v.body, "target_commitish": v.target,
		"draft": v.draft, "prerelease": v.prerelease, "html_url": "https://github.com/acme/shop/releases/" + v.tag,
	}
}

func (g *GitHub) routeGists() {
	g.handle("POST /gists", func(r *request) (int, any) {
		v := &gist{id: strconv.FormatInt(g.newID(), 16), description: r.text("description"), public: r.body["public"] == true, files: map[string]string{}}
		files, _ := r.body["files"].(object)
		for name, f := range files {
			content, _ := f.(object)["content"].(string)
			v.files[name] = content
		}
		g.gists[v.id] = v
		return 201, v.json()
	})
	g.handle("GET /gists/{id}", func(r *request) (int, any) {
		if g.gists[r.PathValue("id")] == nil {
			return notFound()
		}
		return 200, g.gists[r.PathValue("id")].json()
	})
	g.handle("DELETE /gists/{id}", func(r *request) (int, any) {
		delete(g.gists, r.PathValue("id"))
		return 204, nil
	})
}

func (v *gist) json() object {
	files := object{}
	for name, content := range v.files {
		files[name] = object{"filename": name, "content": content}
	}
	return object{"id": v.id, "description": v.description, "public": v.public, "files": files, "owner": login(Login)}
}

func (g *GitHub) routeActions() {
	runs := func(r *request) (int, any) {
		return 200, object{"total_count": 1, "workflow_runs": page(r, []object{g.runJSON()})}
	}
	g.repo("GET", "/actions/runs", runs)
	g.repo("GET", "/actions/workflows/{file}/runs", runs)
	g.repo("GET", "/actions/runs/{id}", func(*request) (int, any) { return 200, g.runJSON() })
	g.repo("GET", "/actions/runs/{id}/jobs", func(r *request) (int, any) {
		return 200, object{"total_count": 1, "jobs": page(r, []object{{
			"id": 9, "name": "test", "status": "completed", "conclusion": "failure",
			"steps": []object{{"name": "go test", "status": "completed", "conclusion": "failure"}},
		}})}
	})
	g.repo("GET", "/actions/jobs/{id}/logs", func(r *request) (int, any) {
		r.w.Header().Set("Location", fmt.Sprintf("http://%s/logs?signature=secret", r.Host))
		return 302, nil
	})
	g.mux.HandleFunc("GET /logs", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "go test\n--- FAIL: TestCart\nFAIL\n")
	})
	again := func(*request) (int, any) { g.attempts++; return 201, object{} }
	g.repo("POST", "/actions/runs/{id}/rerun", again)
	g.repo("POST", "/actions/runs/{id}/rerun-failed-jobs", again)
	g.repo("POST", "/actions/runs/{id}/cancel", func(*request) (int, any) { g.cancelled = true; return 202, object{} })
	g.repo("POST", "/actions/workflows/{file}/dispatches", func(*request) (int, any) {
		g.dispatch++
		return 200, object{"workflow_run_id": 7, "html_url": "https://github.com/acme/shop/actions/runs/7"}
	})
}

func (g *GitHub) runJSON() object {
	conclusion := "failure"
	if g.cancelled {
		conclusion = "cancelled"
	}
	return object{
		"id": 7, "name": "CI", "display_title": "Fix", "run_number": 12, "run_attempt": g.attempts, "event": "push",
		"status": "completed", "conclusion": conclusion, "head_branch": "main", "head_sha": g.refs["refs/heads/main"], "actor": login(Login),
	}
}

// commitOrChecks answers for a commit, and for its checks and statuses, which
// hang below names that may have slashes.
func (g *GitHub) commitOrChecks(r *request) (int, any) {
	ref := r.PathValue("ref")
	name, checks := strings.CutSuffix(ref, "/check-runs")
	name, statuses := strings.CutSuffix(name, "/status")
	sha, ok := g.resolve(name)
	switch {
	case !ok:
		return notFound()
	case checks:
		conclusion := or(g.checks[sha], "success")
		return 200, object{"total_count": 1, "check_runs": page(r, []object{{"name": "test", "status": "completed", "conclusion": conclusion}})}
	case statuses:
		return 200, object{"state": "success", "statuses": page(r, []object{{"context": "lint", "state": "success"}})}
	}
	o := g.commitJSON(sha)
	c, _ := get[commit](g, sha)
	if len(c.Parents) > 0 {
		o["files"] = g.changes(c.Parents[0], sha)
	}
	return 200, o
}
