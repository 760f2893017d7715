package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// done is a write that was carried out.
type done struct {
	call   *wire.Call
	result json.RawMessage
}

// picker makes random writes on the mock's sample.
type picker struct {
	*rand.Rand
	branches []string
	made     int
}

func (p *picker) one(list ...string) string { return list[p.IntN(len(list))] }

func (p *picker) text() string { return fmt.Sprintf("text %d", p.IntN(1000)) }

// subset is some of the labels or logins.
func (p *picker) subset(list ...string) []string {
	some := []string{}
	for _, s := range list {
		if p.IntN(2) == 0 {
			some = append(some, s)
		}
	}
	return some
}

// writes are the makers of the arguments of every write that can be reverted.
var writes = map[string]func(p *picker) map[string]any{
	"create_issue": func(p *picker) map[string]any {
		return p.with(p.with(p.repo(), "title", p.text()), "labels", p.subset("bug", "stale"))
	},
	"create_pull_request": func(p *picker) map[string]any {
		return p.with(p.with(p.with(p.repo(), "title", p.text()), "head", p.one(p.branches...)), "base", "main")
	},
	"create_review": func(p *picker) map[string]any {
		return p.with(p.with(p.on(3), "event", p.one("APPROVE", "REQUEST_CHANGES")), "body", p.text())
	},
	"update_issue": func(p *picker) map[string]any {
		args := p.on(p.IntN(4) + 1)
		if p.IntN(2) == 0 {
			args["title"] = p.text()
		}
		if p.IntN(2) == 0 {
			args["body"] = p.text()
		}
		if p.IntN(2) == 0 && args["number"] != 3 {
			args["state"] = p.one("open", "closed")
		}
		if p.IntN(2) == 0 {
			args["labels"] = p.subset("bug", "stale", "enhancement")
		}
		if p.IntN(2) == 0 {
			args["assignees"] = p.subset("ada", "mary")
		}
		if p.IntN(2) == 0 {
			args["milestone"] = p.IntN(3)
		}
		return args
	},
	"add_labels": func(p *picker) map[string]any {
		return p.with(p.on(p.IntN(4)+1), "labels", append(p.subset("bug", "stale"), "enhancement"))
	},
	"remove_label": func(p *picker) map[string]any {
		return p.with(p.on(p.IntN(4)+1), "label", p.one("bug", "Stale", "enhancement"))
	},
	"add_assignees": func(p *picker) map[string]any {
		return p.with(p.on(p.IntN(4)+1), "assignees", append(p.subset("ada"), "mary"))
	},
	"request_reviewers": func(p *picker) map[string]any {
		return p.with(p.with(p.on(3), "reviewers", append(p.subset("ada"), "mary")), "teams", p.subset("core"))
	},
	"lock_issue": func(p *picker) map[string]any {
		return p.with(p.on(p.IntN(4)+1), "reason", p.one("spam", "resolved"))
	},
	"unlock_issue": func(p *picker) map[string]any { return p.on(p.IntN(4) + 1) },
	"update_release": func(p *picker) map[string]any {
		args := p.with(p.repo(), "release_id", 900)
		if p.IntN(2) == 0 {
			args["name"] = p.text()
		}
		if p.IntN(2) == 0 {
			args["body"] = p.text()
		}
		if p.IntN(2) == 0 {
			args["draft"] = p.IntN(2) == 0
		}
		return args
	},
	"create_issue_comment": func(p *picker) map[string]any { return p.with(p.on(p.IntN(4)+1), "body", p.text()) },
	"create_label": func(p *picker) map[string]any {
		p.made++
		return p.with(p.repo(), "name", fmt.Sprintf("new/%d? #%%", p.made))
	},
	"create_branch": func(p *picker) map[string]any {
		p.made++
		p.branches = append(p.branches, fmt.Sprintf("branch/%d", p.made))
		return p.with(p.with(p.repo(), "branch", p.branches[len(p.branches)-1]), "from", p.one("main", "fix/crash"))
	},
	"delete_branch": func(p *picker) map[string]any { return p.with(p.repo(), "branch", p.one(p.branches...)) },
	"commit_files": func(p *picker) map[string]any {
		files := []any{}
		for _, path := range []string{"README.md", "src/cart.go", "bin/run.sh", "new/file.txt", "assets/ok.bin"} {
			switch p.IntN(4) {
			case 0:
				files = append(files, map[string]any{"path": path, "content": p.text()})
			case 1:
				files = append(files, map[string]any{"path": path, "content": "AP8B", "encoding": "base64"})
			}
		}
		files = append(files, map[string]any{"path": "main.go", "content": p.text()})
		return p.with(p.with(p.with(p.repo(), "branch", p.one(p.branches...)), "message", p.text()), "files", files)
	},
	"update_pull_request": func(p *picker) map[string]any {
		args := p.with(p.on(3), "title", p.text())
		if p.IntN(2) == 0 {
			args["body"] = p.text()
		}
		if p.IntN(2) == 0 {
			args["state"] = p.one("open", "closed")
		}
		return args
	},
	"create_release": func(p *picker) map[string]any {
		p.made++
		return p.with(p.with(p.repo(), "tag", fmt.Sprintf("v%d", p.made)), "draft", p.IntN(2) == 0)
	},
	"create_gist": func(p *picker) map[string]any {
		return map[string]any{"description": p.text(), "files": map[string]any{"a.md": p.text()}}
	},
}

func (p *picker) repo() map[string]any { return map[string]any{"owner": "acme", "repo": "shop"} }

func (p *picker) on(number int) map[string]any { return p.with(p.repo(), "number", number) }

func (p *picker) with(args map[string]any, name string, value any) map[string]any {
	args[name] = value
	return args
}

// TestRollbackRestores: whatever is written, undoing it in reverse order leaves
// the state that was found. A write that GitHub refuses has changed nothing.
func TestRollbackRestores(t *testing.T) {
	t.Parallel()
	names := make([]string, 0, len(writes))
	for name := range writes {
		names = append(names, name)
	}
	slices.Sort(names)
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := open(t)
			p := &picker{Rand: rand.New(rand.NewPCG(seed, 1)), branches: []string{"main", "fix/crash"}}
			found := h.github.State()
			var journal []done
			for i := range 25 {
				name := names[p.IntN(len(names))]
				if i < len(names) && seed == 0 {
					name = names[i]
				}
				journal = h.attempt(journal, fmt.Sprint(i), name, writes[name](p))
			}
			for _, d := range slices.Backward(journal) {
				if err := h.revert(d.call, d.result); err != nil {
					t.Errorf("revert %s %s: %v", d.call.Method, d.call.Args, err)
				}
			}
			if diff := cmp.Diff(found, withoutClosed(found, h.github.State())); diff != "" {
				for _, d := range journal {
					t.Logf("%s %s", d.call.Method, d.call.Args)
				}
				t.Error(diff)
			}
		})
	}
}

// withoutClosed leaves out the issues and pull requests that were not there and
// are closed now: GitHub deletes neither.
func withoutClosed(found, now []string) []string {
	there := map[string]bool{}
	for _, line := range found {
		there[strings.Fields(line)[0]] = true
	}
	return slices.DeleteFunc(now, func(line string) bool {
		number := strings.Fields(line)[0]
		return strings.HasPrefix(number, "#") && !there[number] && strings.Contains(line, " closed labels ")
	})
}

// attempt carries a write out and remembers it if it succeeded.
func (h *house) attempt(journal []done, key, method string, args map[string]any) []done {
	h.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		h.t.Fatal(err)
	}
	before := h.github.State()
	c := call(key, method, string(raw))
	result, err := h.invoke(c)
	if err == nil {
		return append(journal, done{c, result})
	}
	if e, ok := err.(*sdk.Error); !ok || !e.Code.Harmless() {
		h.t.Errorf("%s %s: %v", method, raw, err)
	}
	if diff := cmp.Diff(before, h.github.State()); diff != "" {
		h.t.Errorf("%s %s failed and changed something: %s", method, raw, diff)
	}
	return journal
}

// TestEveryRevertIsTried: no write that can be reverted is forgotten here.
func TestEveryRevertIsTried(t *testing.T) {
	t.Parallel()
	for _, m := range offered(t, `{"token":"x"}`) {
		if _, tried := writes[m.Name]; m.Reverts && !tried {
			t.Errorf("%s has a revert that no test tries", m.Name)
		}
	}
}
