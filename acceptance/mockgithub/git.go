package mockgithub

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// file is one entry of a tree.
type file struct {
	Mode, Blob string
}

// tree is the files of a commit by path, folders and all.
type tree map[string]file

type commit struct {
	Message, Tree string
	Parents       []string
	Date          string
}

type blob struct{ Content string }

// store keeps an object under its hash.
func (g *GitHub) store(v any) string {
	text, _ := json.Marshal(v) // maps come out in order
	sum := sha1.Sum([]byte(fmt.Sprintf("%T %s", v, text)))
	sha := hex.EncodeToString(sum[:])
	g.objects[sha] = v
	return sha
}

func get[T any](g *GitHub, sha string) (T, bool) {
	v, ok := g.objects[sha].(T)
	return v, ok
}

// resolve finds the commit that a name means.
func (g *GitHub) resolve(name string) (string, bool) {
	name = strings.TrimPrefix(name, Owner+":")
	if name == "" || name == "HEAD" {
		name = "main"
	}
	for _, ref := range []string{"refs/heads/" + name, "refs/tags/" + name} {
		if sha, ok := g.refs[ref]; ok {
			return sha, true
		}
	}
	_, ok := get[commit](g, name)
	return name, ok
}

// files are those of a commit.
func (g *GitHub) files(sha string) tree {
	c, _ := get[commit](g, sha)
	t, _ := get[tree](g, c.Tree)
	return t
}

func (g *GitHub) routeGit() {
	g.repo("GET", "/git/ref/{ref...}", func(r *request) (int, any) {
		name := "refs/" + r.PathValue("ref")
		sha, ok := g.refs[name]
		if !ok {
			return notFound()
		}
		return 200, refJSON(name, sha)
	})
	g.repo("POST", "/git/refs", func(r *request) (int, any) {
		if _, exists := g.refs[r.text("ref")]; exists {
			return invalid("Reference already exists")
		}
		if _, ok := get[commit](g, r.text("sha")); !ok {
			return invalid("Object does not exist")
		}
		g.refs[r.text("ref")] = r.text("sha")
		return 201, refJSON(r.text("ref"), r.text("sha"))
	})
	g.repo("PATCH", "/git/refs/{ref...}", func(r *request) (int, any) {
		name := "refs/" + r.PathValue("ref")
		former, ok := g.refs[name]
		if !ok {
			return invalid("Reference does not exist")
		}
		if !g.descends(r.text("sha"), former) && r.body["force"] != true {
			return invalid("Update is not a fast forward")
		}
		g.refs[name] = r.text("sha")
		return 200, refJSON(name, r.text("sha"))
	})
	g.repo("DELETE", "/git/refs/{ref...}", func(r *request) (int, any) {
		name := "refs/" + r.PathValue("ref")
		if _, ok := g.refs[name]; !ok {
			return invalid("Reference does not exist")
		}
		if name == "refs/heads/main" {
			return invalid("Cannot delete the default branch")
		}
		delete(g.refs, name)
		for _, p := range g.pulls {
			if "refs/heads/"+p.head == name || "refs/heads/"+p.base == name {
				g.issues[p.number].state = "closed"
			}
		}
		return 204, nil
	})
	g.repo("GET", "/git/commits/{sha}", func(r *request) (int, any) {
		c, ok := get[commit](g, r.PathValue("sha"))
		if !ok {
			return notFound()
		}
		return 200, gitCommitJSON(r.PathValue("sha"), c)
	})
	g.repo("POST", "/git/commits", func(r *request) (int, any) {
		c := commit{r.text("message"), r.text("tree"), r.texts("parents"), g.now()}
		return 201, gitCommitJSON(g.store(c), c)
	})
	g.repo("POST", "/git/blobs", func(r *request) (int, any) {
		content := r.text("content")
		if r.text("encoding") == "base64" {
			bytes, err := base64.StdEncoding.DecodeString(content)
			if err != nil {
				return invalid("content is not valid Base64")
			}
			content = string(bytes)
		}
		return 201, object{"sha": g.store(blob{content})}
	})
	g.repo("POST", "/git/trees", g.createTree)
	g.repo("GET", "/git/trees/{ref}", func(r *request) (int, any) {
		sha, ok := g.resolve(r.PathValue("ref"))
		if !ok {
			return notFound()
		}
		return 200, g.treeJSON(sha)
	})
	g.repo("GET", "/contents/{path...}", g.contents)
	g.repo("GET", "/branches", func(r *request) (int, any) {
		all := []object{}
		for _, name := range slices.Sorted(maps.Keys(g.refs)) {
			if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok {
				all = append(all, object{"name": branch, "commit": object{"sha": g.refs[name]}, "protected": branch == "main"})
			}
		}
		return 200, page(r, all)
	})
	g.repo("GET", "/commits", func(r *request) (int, any) {
		sha, ok := g.resolve(r.URL.Query().Get("sha"))
		if !ok {
			return notFound()
		}
		all := []object{}
		for _, s := range g.history(sha) {
			all = append(all, g.commitJSON(s))
		}
		return 200, page(r, all)
	})
	g.repo("GET", "/commits/{ref...}", g.commitOrChecks)
	g.repo("GET", "/compare/{basehead...}", g.compare)
}

func (g *GitHub) createTree(r *request) (int, any) {
	base, _ := get[tree](g, r.text("base_tree"))
	made := maps.Clone(base)
	if made == nil {
		made = tree{}
	}
	list, _ := r.body["tree"].([]any)
	for _, entry := range list {
		e, _ := entry.(object)
		path, _ := e["path"].(string)
		mode, _ := e["mode"].(string)
		sha, _ := e["sha"].(string)
		content, inline := e["content"].(string)
		switch {
		case inline:
			made[path] = file{mode, g.store(blob{content})}
		case sha != "":
			made[path] = file{mode, sha}
		default:
			if _, ok := made[path]; !ok {
				return invalid("GitRPC::BadObjectState")
			}
			delete(made, path)
		}
	}
	return 201, object{"sha": g.store(made)}
}

func (g *GitHub) treeJSON(sha string) object {
	entries := []object{}
	files := g.files(sha)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		b, _ := get[blob](g, files[path].Blob)
		entries = append(entries, object{"path": path, "mode": files[path].Mode, "type": "blob", "sha": files[path].Blob, "size": len(b.Content)})
	}
	return object{"sha": sha, "tree": entries, "truncated": false}
}

func (g *GitHub) contents(r *request) (int, any) {
	sha, ok := g.resolve(r.URL.Query().Get("ref"))
	if !ok {
		return notFound()
	}
	path := strings.Trim(r.PathValue("path"), "/")
	files := g.files(sha)
	if f, ok := files[path]; ok {
		b, _ := get[blob](g, f.Blob)
		return 200, object{
			"type": "file", "path": path, "name": path, "sha": f.Blob, "size": len(b.Content),
			"encoding": "base64", "content": base64.StdEncoding.EncodeToString([]byte(b.Content)),
		}
	}
	entries, seen := []object{}, map[string]bool{}
	for _, full := range slices.Sorted(maps.Keys(files)) {
		rest, below := strings.CutPrefix(full, path+"/")
		if path == "" {
			rest, below = full, true
		}
		if !below {
			continue
		}
		name, _, folder := strings.Cut(rest, "/")
		if seen[name] {
			continue
		}
		seen[name] = true
		kind := "file"
		if folder {
			kind = "dir"
		}
		entries = append(entries, object{"type": kind, "name": name, "path": strings.TrimPrefix(path+"/"+name, "/"), "sha": files[full].Blob})
	}
	if len(entries) == 0 && path != "" {
		return notFound()
	}
	return 200, entries
}

// history lists a commit and what came before it, the latest first.
func (g *GitHub) history(sha string) []string {
	var list []string
	seen := map[string]bool{}
	queue := []string{sha}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		c, ok := get[commit](g, next)
		if !ok || seen[next] {
			continue
		}
		seen[next] = true
		list = append(list, next)
		queue = append(queue, c.Parents...)
	}
	return list
}

func (g *GitHub) descends(sha, from string) bool { return slices.Contains(g.history(sha), from) }

func (g *GitHub) compare(r *request) (int, any) {
	basehead := unescaped(r.PathValue("basehead"))
	baseName, headName, _ := strings.Cut(basehead, "...")
	base, ok := g.resolve(baseName)
	head, also := g.resolve(headName)
	if !ok || !also {
		return notFound()
	}
	commits := []object{}
	known := g.history(base)
	for _, sha := range slices.Backward(g.history(head)) {
		if !slices.Contains(known, sha) {
			commits = append(commits, g.commitJSON(sha))
		}
	}
	status := "ahead"
	if len(commits) == 0 {
		status = "identical"
	}
	return 200, object{
		"status": status, "ahead_by": len(commits), "behind_by": 0, "total_commits": len(commits),
		"commits": commits, "files": g.changes(base, head),
	}
}

// changes lists the files in which two commits differ.
func (g *GitHub) changes(base, head string) []object {
	before, after := g.files(base), g.files(head)
	paths := maps.Clone(before)
	if paths == nil {
		paths = tree{}
	}
	maps.Copy(paths, after)
	changed := []object{}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		old, had := before[path]
		current, has := after[path]
		if old == current {
			continue
		}
		status := "modified"
		switch {
		case !had:
			status = "added"
		case !has:
			status = "removed"
		}
		a, _ := get[blob](g, current.Blob)
		d, _ := get[blob](g, old.Blob)
		changed = append(changed, object{"filename": path, "status": status, "additions": strings.Count(a.Content, "\n"), "deletions": strings.Count(d.Content, "\n")})
	}
	return changed
}

func (g *GitHub) commitJSON(sha string) object {
	c, _ := get[commit](g, sha)
	parents := make([]object, len(c.Parents))
	for i, p := range c.Parents {
		parents[i] = object{"sha": p}
	}
	return object{
		"sha": sha, "parents": parents, "author": login(Login),
		"commit": object{"message": c.Message, "author": object{"name": "Mary"}, "committer": object{"date": c.Date}},
	}
}

func gitCommitJSON(sha string, c commit) object {
	parents := make([]object, len(c.Parents))
	for i, p := range c.Parents {
		parents[i] = object{"sha": p}
	}
	return object{"sha": sha, "message": c.Message, "tree": object{"sha": c.Tree}, "parents": parents}
}

func refJSON(name, sha string) object {
	return object{"ref": name, "object": object{"type": "commit", "sha": sha}}
}
