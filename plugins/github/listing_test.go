package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// many is a server with so many issues, every tenth of them a pull request.
func many(total int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		per, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		var items []string
		for n := (page-1)*per + 1; n <= min(page*per, total); n++ {
			if n%10 == 0 {
				items = append(items, fmt.Sprintf(`{"number":%d,"pull_request":{},"own":%d}`, n, n))
			} else {
				items = append(items, fmt.Sprintf(`{"number":%d,"own":%d}`, n, n))
			}
		}
		if page*per < total {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s/x?page=%d>; rel="next", <http://%s/x?page=1>; rel="first"`, r.Host, page+1, r.Host))
		}
		fmt.Fprintf(w, "[%s]", strings.Join(items, ","))
	})
}

// TestListing: pages are fetched up to the limit, and a list that is not whole says so.
func TestListing(t *testing.T) {
	t.Parallel()
	const everything = `"pull_requests":true,`
	tests := map[string]struct {
		total int
		args  string
		want  int
		more  bool
		note  string
	}{
		"nothing":              {0, everything, 0, false, ""},
		"one page":             {7, everything, 7, false, ""},
		"the usual limit":      {150, everything, 100, true, "stopped at the limit of 100"},
		"several pages":        {430, everything + `"limit":300,`, 300, true, "stopped at the limit of 300"},
		"all of several pages": {430, everything + `"limit":1000,`, 430, false, ""},
		"exactly the limit":    {40, everything + `"limit":40,`, 40, false, ""},
		"behind the others":    {100, `"limit":1,`, 1, true, "stopped at the limit of 1"},
		"within a page":        {100, `"limit":89,`, 89, true, "stopped at the limit of 89"},
		"only issues":          {50, `"limit":45,`, 45, false, ""},
		"much left out":        {100000, `"limit":1000,`, 1000, true, "stopped at the limit of 1000"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := serve(t, many(test.total), nil)
			got := must[Page[Issue]](h, call("", "list_issues", `{`+test.args+`"owner":"acme","repo":"shop","raw":true}`))
			if len(got.Items) != test.want || got.More != test.more || got.Note != test.note {
				t.Errorf("%d items, more %v: %q", len(got.Items), got.More, got.Note)
			}
			for _, i := range got.Items {
				var own struct {
					Own int `json:"own"`
				}
				if err := json.Unmarshal(i.Raw, &own); err != nil || own.Own != i.Number {
					t.Fatalf("issue %d has %s, %v", i.Number, i.Raw, err)
				}
			}
		})
	}
}

// TestNothingToKeep: a search for one issue among nothing but pull requests ends.
func TestNothingToKeep(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	h := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Link", fmt.Sprintf(`<http://%s/x?page=%d>; rel="next"`, r.Host, asked.Load()+1))
		fmt.Fprint(w, `[{"number":1,"pull_request":{}}]`)
	}), nil)
	got := must[Page[Issue]](h, call("", "list_issues", `{"owner":"acme","repo":"shop"}`))
	if asked.Load() != mostPages || !got.More || got.Note == "" || len(got.Items) != 0 {
		t.Errorf("asked %d times: %+v", asked.Load(), got)
	}
}

// TestLogs: the end of a log is given, without the token having gone to where it is kept.
func TestLogs(t *testing.T) {
	t.Parallel()
	h := open(t)
	got := must[Logs](h, call("", "get_job_logs", `{"owner":"acme","repo":"shop","job_id":9,"lines":2}`))
	if got.Text != "--- FAIL: TestCart\nFAIL" || got.Lines != 3 {
		t.Errorf("%+v", got)
	}
	var storage http.HandlerFunc = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/logs" {
			http.Redirect(w, r, "/logs?signature=secret", http.StatusFound)
			return
		}
		if r.Header.Get("Authorization") != "" {
			t.Error("the token went to the storage of logs")
		}
		w.WriteHeader(http.StatusForbidden)
	}
	h = serve(t, storage, nil)
	_, err := h.invoke(call("", "get_job_logs", `{"owner":"acme","repo":"shop","job_id":9}`))
	if e := wantCode(t, err, sdk.Unavailable); strings.Contains(e.Message, "secret") {
		t.Errorf("%v", e)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300_000)
	tests := map[string]struct {
		log, want string
		most      int
		lines     int
	}{
		"nothing":               {"", "", 3, 0},
		"no newline at the end": {"a\nb", "a\nb", 3, 2},
		"empty lines":           {"a\n\n\nb\n", "\n\nb", 3, 4},
		"the last":              {"a\r\nb\r\nc\r\n", "c", 1, 3},
		"a long line":           {long + "\nend\n", long[:lineSize] + " [...]\nend", 2, 2},
		"no UTF-8":              {"\xff\n", "\uFFFD", 2, 1},
	}
	for name, test := range tests {
		got, err := tail(strings.NewReader(test.log), test.most)
		if err != nil || got.Text != test.want || got.Lines != test.lines {
			t.Errorf("%s: %q, %d lines, %v", name, got.Text[:min(len(got.Text), 100)], got.Lines, err)
		}
	}
}
