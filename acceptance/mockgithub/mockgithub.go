// Package mockgithub is a small GitHub with a memory: issues, labels, contents,
// branches and pull requests behave as the real ones do as far as a connector
// can tell; the rest answers enough to be asked.
package mockgithub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// GitHub is one server with one repository, acme/shop. Its handlers may run
// concurrently.
type GitHub struct {
	mux *http.ServeMux

	mu        sync.Mutex
	clock     time.Time
	next      int // the next issue or pull request
	id        int64
	labels    map[string]*label
	issues    map[int]*issue
	comments  map[int64]*comment
	reviews   map[int64]*review
	pulls     map[int]*pull
	objects   map[string]any    // commits, trees and blobs by their hash
	refs      map[string]string // refs/heads/main -> commit
	releases  map[int64]*release
	gists     map[string]*gist
	attempts  int
	cancelled bool
	dispatch  int
	moved     map[int]*issue    // issues that were transferred to the attic
	read      bool              // the one notification
	checks    map[string]string // commit -> conclusion of its one check
}

// Owner and Repo name the one repository, Login the one user.
const (
	Owner = "acme"
	Repo  = "shop"
	Login = "mary"
)

// New returns a GitHub with a sample in it.
func New() *GitHub {
	g := &GitHub{
		mux: http.NewServeMux(), clock: time.Now().UTC().Truncate(time.Second), next: 1, id: 1000,
		labels: map[string]*label{}, issues: map[int]*issue{}, comments: map[int64]*comment{}, reviews: map[int64]*review{},
		pulls: map[int]*pull{}, objects: map[string]any{}, refs: map[string]string{},
		releases: map[int64]*release{}, gists: map[string]*gist{}, attempts: 1, moved: map[int]*issue{}, checks: map[string]string{},
	}
	g.sample()
	g.routeIssues()
	g.routeGit()
	g.routePulls()
	g.routeRest()
	g.routeAttic()
	return g
}

// ServeHTTP implements http.Handler.
func (g *GitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The storage of logs is another server, to which no token goes.
	if r.Header.Get("Authorization") == "" && r.URL.Path != "/logs" {
		refuse(w, http.StatusUnauthorized, "Requires authentication")
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clock = g.clock.Add(time.Second)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	g.mux.ServeHTTP(w, r)
}

// object is a JSON object.
type object = map[string]any

// handle routes a request; f answers with a status and a value, or nil for no body.
func (g *GitHub) handle(pattern string, f func(r *request) (int, any)) {
	g.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		in := &request{Request: r, w: w}
		if r.Body != nil {
			_ = json.NewDecoder(r.Body).Decode(&in.body) // an empty body is no object
		}
		status, value := f(in)
		w.WriteHeader(status)
		if value != nil {
			_ = json.NewEncoder(w).Encode(value)
		}
	})
}

// repo routes a request below the repository.
func (g *GitHub) repo(method, path string, f func(r *request) (int, any)) {
	g.handle(method+" /repos/"+Owner+"/"+Repo+path, f)
}

// request is one request with its decoded body.
type request struct {
	*http.Request
	w    http.ResponseWriter
	body object
}

func (r *request) number(name string) int {
	n, _ := strconv.Atoi(r.PathValue(name))
	return n
}

func (r *request) text(name string) string {
	s, _ := r.body[name].(string)
	return s
}

func (r *request) texts(name string) []string {
	list, _ := r.body[name].([]any)
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i], _ = v.(string)
	}
	return texts
}

func (r *request) has(name string) bool { _, ok := r.body[name]; return ok }

// page cuts a list and says in a Link header where it goes on.
func page[T any](r *request, all []T) []T {
	per, number := 30, 1
	if n, err := strconv.Atoi(r.URL.Query().Get("per_page")); err == nil {
		per = n
	}
	if n, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil {
		number = n
	}
	from := min(len(all), (number-1)*per)
	to := min(len(all), from+per)
	if to < len(all) {
		next := *r.URL
		query := next.Query()
		query.Set("page", strconv.Itoa(number+1))
		next.RawQuery = query.Encode()
		r.w.Header().Set("Link", fmt.Sprintf("<http://%s%s>; rel=\"next\"", r.Host, next.String()))
	}
	return all[from:to]
}

func notFound() (int, any) { return http.StatusNotFound, message("Not Found") }

func message(text string) object {
	return object{"message": text, "documentation_url": "https://docs.github.com/rest"}
}

func invalid(text string) (int, any) { return http.StatusUnprocessableEntity, message(text) }

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(message(text))
}

func (g *GitHub) newID() int64 { g.id++; return g.id }

func (g *GitHub) now() string { return g.clock.Format(time.RFC3339) }

func login(name string) object { return object{"login": name, "type": "User"} }

func unescaped(s string) string {
	plain, err := url.PathUnescape(s)
	if err != nil {
		return s
	}
	return plain
}
