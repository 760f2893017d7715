package mockgithub

import (
	"maps"
	"slices"
	"strings"
)

type pull struct {
	number     int
	head, base string
	draft      bool
	merged     string // the merge commit
	reviewers  []string
	teams      []string
}

type review struct {
	id                  int64
	pull                int
	state, body, commit string
}

func (g *GitHub) routePulls() {
	g.repo("GET", "/pulls", func(r *request) (int, any) {
		query := r.URL.Query()
		state := or(query.Get("state"), "open")
		all := []object{}
		for _, number := range slices.Backward(slices.Sorted(maps.Keys(g.pulls))) {
			p := g.pulls[number]
			head := strings.TrimPrefix(query.Get("head"), Owner+":")
			if (state == "all" || state == g.issues[number].state) && (head == "" || head == p.head) &&
				(query.Get("base") == "" || query.Get("base") == p.base) {
				all = append(all, g.pullJSON(p))
			}
		}
		return 200, page(r, all)
	})
	g.repo("POST", "/pulls", func(r *request) (int, any) {
		_, head := g.refs["refs/heads/"+strings.TrimPrefix(r.text("head"), Owner+":")]
		_, base := g.refs["refs/heads/"+r.text("base")]
		if !head || !base {
			return 422, object{"message": "Validation Failed", "errors": []object{{"resource": "PullRequest", "field": "head", "code": "invalid"}}}
		}
		for _, p := range g.pulls {
			if p.head == strings.TrimPrefix(r.text("head"), Owner+":") && p.base == r.text("base") && g.issues[p.number].state == "open" {
				return 422, object{"message": "Validation Failed", "errors": []object{{
					"resource": "PullRequest", "code": "custom", "message": "A pull request already exists for " + Owner + ":" + p.head + ".",
				}}}
			}
		}
		p := g.newPull(r.text("title"), r.text("body"), strings.TrimPrefix(r.text("head"), Owner+":"), r.text("base"))
		p.draft = r.body["draft"] == true
		return 201, g.pullJSON(p)
	})
	g.onPull("GET", "", func(_ *request, p *pull) (int, any) { return 200, g.pullJSON(p) })
	g.onPull("PATCH", "", func(r *request, p *pull) (int, any) {
		_, exists := g.refs["refs/heads/"+p.head]
		if r.text("state") == "open" && (!exists || p.merged != "") {
			return invalid("Validation Failed")
		}
		g.patchIssue(r, g.issues[p.number])
		set(r, "base", &p.base)
		return 200, g.pullJSON(p)
	})
	g.onPull("GET", "/files", func(r *request, p *pull) (int, any) {
		return 200, page(r, g.changes(g.refs["refs/heads/"+p.base], g.refs["refs/heads/"+p.head]))
	})
	g.onPull("PUT", "/merge", func(r *request, p *pull) (int, any) {
		head, base := g.refs["refs/heads/"+p.head], g.refs["refs/heads/"+p.base]
		switch {
		case p.merged != "" || g.issues[p.number].state != "open":
			return 405, message("Pull Request is not mergeable")
		case r.text("sha") != "" && r.text("sha") != head:
			return 409, message("Head branch was modified. Review and try the merge again.")
		}
		c, _ := get[commit](g, head)
		p.merged = g.store(commit{or(r.text("commit_title"), "Merge pull request"), c.Tree, []string{base, head}, g.now()})
		g.refs["refs/heads/"+p.base] = p.merged
		g.issues[p.number].state = "closed"
		return 200, object{"sha": p.merged, "merged": true, "message": "Pull Request successfully merged"}
	})
	g.onPull("PUT", "/update-branch", func(_ *request, _ *pull) (int, any) {
		return 202, object{"message": "Updating pull request branch.", "url": "https://github.com"}
	})
	g.onPull("POST", "/requested_reviewers", func(r *request, p *pull) (int, any) {
		p.reviewers, p.teams = joined(p.reviewers, r.texts("reviewers")), joined(p.teams, r.texts("team_reviewers"))
		return 201, g.pullJSON(p)
	})
	g.onPull("DELETE", "/requested_reviewers", func(r *request, p *pull) (int, any) {
		p.reviewers, p.teams = remove(p.reviewers, r.texts("reviewers")...), remove(p.teams, r.texts("team_reviewers")...)
		return 200, g.pullJSON(p)
	})
	g.onPull("GET", "/reviews", func(r *request, p *pull) (int, any) {
		all := []object{}
		for _, id := range slices.Sorted(maps.Keys(g.reviews)) {
			if g.reviews[id].pull == p.number {
				all = append(all, g.reviews[id].json())
			}
		}
		return 200, page(r, all)
	})
	g.onPull("POST", "/reviews", func(r *request, p *pull) (int, any) {
		states := map[string]string{"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}
		v := &review{g.newID(), p.number, states[r.text("event")], r.text("body"), or(r.text("commit_id"), g.refs["refs/heads/"+p.head])}
		g.reviews[v.id] = v
		return 200, v.json()
	})
	g.onPull("PUT", "/reviews/{id}/dismissals", func(r *request, _ *pull) (int, any) {
		v := g.reviews[int64(r.number("id"))]
		if v == nil {
			return notFound()
		}
		v.state = "DISMISSED"
		return 200, v.json()
	})
	g.onPull("GET", "/comments", func(r *request, _ *pull) (int, any) {
		return 200, page(r, []object{{"id": 1, "path": "main.go", "line": 3, "body": "Why?", "user": login(Login), "diff_hunk": "@@"}})
	})
	g.handle("POST /graphql", func(r *request) (int, any) {
		if strings.Contains(r.text("query"), "transferIssue") {
			return g.transfer(r)
		}
		if !strings.Contains(r.text("query"), "revertPullRequest") {
			return 200, object{"errors": []object{{"message": "unknown query"}}}
		}
		p := g.newPull("Revert", "", "main", "main")
		return 200, object{"data": object{"revertPullRequest": object{"revertPullRequest": object{"number": p.number}}}}
	})
}

func (g *GitHub) onPull(method, rest string, f func(*request, *pull) (int, any)) {
	g.repo(method, "/pulls/{number}"+rest, func(r *request) (int, any) {
		p := g.pulls[r.number("number")]
		if p == nil {
			return notFound()
		}
		return f(r, p)
	})
}

func (g *GitHub) newPull(title, body, head, base string) *pull {
	i := g.newIssue(title, body)
	p := &pull{number: i.number, head: head, base: base}
	g.pulls[p.number] = p
	return p
}

func (g *GitHub) pullJSON(p *pull) object {
	o := g.issueJSON(g.issues[p.number])
	o["node_id"] = "PR_" + p.head
	o["draft"] = p.draft
	o["head"] = object{"ref": p.head, "sha": g.refs["refs/heads/"+p.head], "repo": object{"full_name": Owner + "/" + Repo}}
	o["base"] = object{"ref": p.base, "sha": g.refs["refs/heads/"+p.base]}
	o["mergeable"], o["mergeable_state"] = true, "clean"
	o["merged"] = p.merged != ""
	if p.merged != "" {
		o["merge_commit_sha"], o["merged_at"] = p.merged, g.issues[p.number].updated
	}
	asked, teams := []object{}, []object{}
	for _, name := range p.reviewers {
		asked = append(asked, login(name))
	}
	for _, slug := range p.teams {
		teams = append(teams, object{"slug": slug, "name": slug})
	}
	o["requested_reviewers"], o["requested_teams"] = asked, teams
	files := g.changes(g.refs["refs/heads/"+p.base], g.refs["refs/heads/"+p.head])
	o["changed_files"] = len(files)
	return o
}

func (v *review) json() object {
	return object{"id": v.id, "state": v.state, "body": v.body, "commit_id": v.commit, "user": login(Login)}
}
