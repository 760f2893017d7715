package control

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core"
)

func TestHolderThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket := filepath.Join(dir, socketName)
	l, err := net.Listen("unix", socket) // takes connections into its queue, and no more
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := writeHolder(dir, Holder{PID: 4711, Version: Version, Socket: socket}); err != nil {
		t.Fatal(err)
	}
	_, err = dial(t.Context(), dir, Identity{}, 50*time.Millisecond)
	var silent *SilentError
	if !errors.As(err, &silent) || silent.PID != 4711 || !strings.Contains(err.Error(), "process 4711") {
		t.Errorf("got %v, want a SilentError that names the process", err)
	}
}

func TestGuestOfAnotherVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := Serve(t.Context(), Options{Dir: dir, Identity: Identity{Config: "/a", Fingerprint: "f"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Shutdown(context.Background())
	c, err := Dial(t.Context(), dir, Identity{Config: "/a", Fingerprint: "f"})
	if err != nil {
		t.Fatal(err)
	}
	c.version = Version + 1
	if _, err := call[Holder](t.Context(), c, "holder", struct{}{}); err != nil {
		t.Errorf("what only reads is not served: %v", err)
	}
	_, err = c.Resume(t.Context(), "x")
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) || mismatch.Guest.Version != Version+1 || !strings.Contains(err.Error(), "another version") {
		t.Errorf("got %v, want a MismatchError about the versions", err)
	}
}

func TestHolderFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := readHolder(dir); !errors.Is(err, ErrNoHolder) {
		t.Errorf("without a file: %v, want ErrNoHolder", err)
	}
	want := Holder{PID: 7, Version: 1, Socket: "/s", Identity: Identity{Config: "/c", Fingerprint: "f"}}
	if err := writeHolder(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := readHolder(dir)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if err := removeHolder(dir); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := removeHolder(dir); err != nil {
		t.Errorf("removing what is not there: %v", err)
	}
}

func TestRemoveSocketLeavesFoldersOfOthers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), farPrefix+"data") // a run folder whose name is like that of a far socket
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := removeSocket(filepath.Join(dir, socketName)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

func TestGateClosesWhenItIsEmpty(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{}
		if !g.enter() {
			t.Fatal("an open gate lets nobody in")
		}
		closed := make(chan error, 1)
		go func() { closed <- g.close(context.Background()) }()
		synctest.Wait()
		if !g.enter() {
			t.Error("a gate that waits lets nobody in")
		}
		g.leave()
		synctest.Wait()
		if len(closed) != 0 {
			t.Error("it closed with one inside")
		}
		g.leave()
		synctest.Wait()
		if err := <-closed; err != nil {
			t.Error(err)
		}
		if g.enter() {
			t.Error("a closed gate lets somebody in")
		}
		g.wait()
	})
}

func TestGateInAHurry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{}
		g.enter()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := g.close(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
		if g.enter() {
			t.Error("it lets somebody in")
		}
		waited := make(chan struct{})
		go func() { g.wait(); close(waited) }()
		synctest.Wait()
		select {
		case <-waited:
			t.Error("it did not wait for the one inside")
		default:
		}
		g.leave()
		<-waited
	})
}

func TestUnknownRequests(t *testing.T) {
	t.Parallel()
	s := testServer()
	for name, r := range map[string]*http.Request{
		"path":     httptest.NewRequest(http.MethodPost, "/nothing", nil),
		"method":   httptest.NewRequest(http.MethodGet, "/holder", nil),
		"no JSON":  httptest.NewRequest(http.MethodPost, "/holder", strings.NewReader("x")),
		"too long": httptest.NewRequest(http.MethodPost, "/holder", bytes.NewReader(make([]byte, maxBody+1))),
	} {
		w := httptest.NewRecorder()
		s.answer(w, r)
		if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), `"code":"other"`) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// idle is a host in which nothing runs.
type idle struct{ Host }

func (idle) Cancel(string, error) bool { return false }

func (idle) Progress(string) core.Progress { return core.Progress{} }

func testServer() *Server {
	return &Server{host: idle{}, logger: hclog.NewNullLogger(), ctx: context.Background(), holder: Holder{Version: Version}}
}

// FuzzRequest sends anything at all to the requests that need no host.
func FuzzRequest(f *testing.F) {
	f.Add("holder", []byte(`{}`), "1")
	f.Add("cancel", []byte(`{"request":"r","cause":"c"}`), "1")
	f.Add("cancel", []byte(`{"request":[]}`), "x")
	f.Add("", []byte(`null`), "")
	f.Fuzz(func(t *testing.T, path string, body []byte, version string) {
		if path != "cancel" && routes[path].answer != nil && path != "holder" {
			return
		}
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.URL.Path = "/" + path
		r.Header.Set(headerVersion, version)
		w := httptest.NewRecorder()
		s := testServer()
		s.answer(w, r)
		if s.Guests() != 0 || w.Body.Len() == 0 {
			t.Errorf("%d guests left, answer %q", s.Guests(), w.Body)
		}
	})
}

// FuzzFault decodes errors of a holder: each is an error, with a text.
func FuzzFault(f *testing.F) {
	for _, code := range []string{codeNotFound, codeDamaged, codeSnippet, codeStopped, codeLeaving, codeMismatch, codeOther, "new"} {
		f.Add(code, "text", "x")
	}
	f.Fuzz(func(t *testing.T, code, message, id string) {
		err := fault{Code: code, Message: message, ID: id}.err()
		if err == nil || err.Error() != message {
			t.Errorf("got %v, want the text %q", err, message)
		}
	})
}
