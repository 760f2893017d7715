package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/core"
)

func TestServePrivately(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.Mkdir(dir, 0o755); err != nil { // one that was open to others
		t.Fatal(err)
	}
	serveIn(t, dir, &fake{})
	for name, want := range map[string]fs.FileMode{
		".":            fs.ModeDir | 0o700,
		"control.sock": fs.ModeSocket | 0o600,
		"holder.json":  0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s: mode %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestHolderTellsWhoServes(t *testing.T) {
	t.Parallel()
	dir, _ := serve(t, &fake{})
	want := control.Holder{PID: os.Getpid(), Version: control.Version, Socket: filepath.Join(dir, "control.sock"), Identity: here}
	if diff := cmp.Diff(want, guest(t, dir, here).Holder()); diff != "" {
		t.Error(diff)
	}
	text, err := os.ReadFile(filepath.Join(dir, "holder.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got control.Holder
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSocketElsewhereWhereThePathIsTooLong(t *testing.T) {
	short, err := os.MkdirTemp("/tmp", "cm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	t.Setenv("XDG_RUNTIME_DIR", short)
	dir := filepath.Join(t.TempDir(), strings.Repeat("deep/", 30), "run")
	s, err := control.Serve(t.Context(), control.Options{Dir: dir, Host: &fake{pending: nothingWaits}, Identity: here})
	if err != nil {
		t.Fatal(err)
	}
	c := guest(t, dir, here)
	folder := filepath.Dir(c.Holder().Socket)
	if filepath.Dir(folder) != short {
		t.Errorf("the socket is %s, want it under %s", c.Holder().Socket, short)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the socket's folder: %v, %v, want mode 0700", info, err)
	}
	if _, err := c.Pending(t.Context(), ""); err != nil {
		t.Error(err)
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(short); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDialWithoutAHolder(t *testing.T) {
	t.Parallel()
	for name, holder := range map[string]string{
		"nobody ever":      "",
		"a socket is gone": `{"pid": 1, "version": 1, "socket": "/nonexistent/control.sock"}`,
		"a dead socket":    `{"pid": 1, "version": 1, "socket": "SOCKET"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := deadHolder(t, holder)
			if _, err := control.Dial(t.Context(), dir, here); !errors.Is(err, control.ErrNoHolder) {
				t.Errorf("got %v, want ErrNoHolder", err)
			}
		})
	}
}

// deadHolder makes a run folder as a process leaves it that was killed.
func deadHolder(t *testing.T, holder string) string {
	t.Helper()
	dir := t.TempDir()
	socket := filepath.Join(dir, "control.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if holder == "" {
		return dir
	}
	text := strings.ReplaceAll(holder, "SOCKET", socket)
	if err := os.WriteFile(filepath.Join(dir, "holder.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestServeAfterADeadHolder(t *testing.T) {
	t.Parallel()
	for name, holder := range map[string]string{
		"told of":     `{"pid": 1, "version": 1, "socket": "SOCKET"}`,
		"not told of": "",
		"unreadable":  `{"pid":`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := deadHolder(t, holder)
			serveIn(t, dir, &fake{pending: nothingWaits})
			if _, err := guest(t, dir, here).Pending(t.Context(), ""); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestServeTwice(t *testing.T) {
	t.Parallel()
	dir, _ := serve(t, &fake{pending: nothingWaits})
	_, err := control.Serve(t.Context(), control.Options{Dir: dir, Host: &fake{}, Identity: here})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d serves", os.Getpid())) {
		t.Errorf("got %v, want a refusal that names the process", err)
	}
	if _, err := guest(t, dir, here).Pending(t.Context(), ""); err != nil {
		t.Errorf("the first one is disturbed: %v", err)
	}
}

func TestGuestThatVanishesCancelsNothing(t *testing.T) {
	t.Parallel()
	began, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	f := &fake{run: func(ctx context.Context, _ core.RunRequest) (*core.Outcome, error) {
		close(began)
		<-end
		ended <- ctx.Err()
		return completed("x"), nil
	}}
	dir, _ := serve(t, f)
	c := guest(t, dir, here)
	conn, err := net.Dial("unix", c.Holder().Socket)
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"code":"1"}`
	_, err = fmt.Fprintf(conn, "POST /run HTTP/1.1\r\nHost: codemode\r\nCodemode-Control-Version: %d\r\nCodemode-Fingerprint: %s\r\n"+
		"Codemode-Request: r1\r\nContent-Length: %d\r\n\r\n%s", control.Version, here.Fingerprint, len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	receive(t, began)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	close(end)
	if err := receive(t, ended); err != nil {
		t.Errorf("the run was cancelled: %v", err)
	}
}

func TestShutdownWaitsForGuests(t *testing.T) {
	t.Parallel()
	began, end := make(chan struct{}), make(chan struct{})
	f := &fake{pending: nothingWaits, run: func(context.Context, core.RunRequest) (*core.Outcome, error) {
		close(began)
		<-end
		return completed("x"), nil
	}}
	dir := filepath.Join(t.TempDir(), "run")
	s, err := control.Serve(t.Context(), control.Options{Dir: dir, Host: f, Identity: here})
	if err != nil {
		t.Fatal(err)
	}
	c := guest(t, dir, here)
	out := make(chan *core.Outcome, 1)
	go func() {
		o, err := c.Run(context.Background(), core.RunRequest{})
		if err != nil {
			t.Error(err)
		}
		out <- o
	}()
	receive(t, began)
	if s.Guests() != 1 {
		t.Errorf("%d guests, want 1", s.Guests())
	}
	down := make(chan error, 1)
	go func() { down <- s.Shutdown(context.Background()) }()
	if _, err := guest(t, dir, here).Pending(t.Context(), ""); err != nil {
		t.Errorf("a guest that comes while it waits: %v", err)
	}
	select {
	case err := <-down:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	close(end)
	if o := receive(t, out); o == nil || o.ExecutionID != "x" {
		t.Errorf("the guest got %v", o)
	}
	if err := receive(t, down); err != nil {
		t.Error(err)
	}
	if _, err := c.Pending(t.Context(), ""); !errors.Is(err, control.ErrNoHolder) {
		t.Errorf("after it: %v, want ErrNoHolder", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestShutdownInAHurry(t *testing.T) {
	t.Parallel()
	began := make(chan struct{}, 2)
	stopped, endRun, runErr := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	f := &fake{
		run: func(ctx context.Context, _ core.RunRequest) (*core.Outcome, error) {
			began <- struct{}{}
			<-endRun
			runErr <- ctx.Err()
			return nil, errTest
		},
		approve: func(ctx context.Context, _ core.ApproveRequest) (*core.Outcome, error) {
			began <- struct{}{}
			<-ctx.Done()
			close(stopped)
			return nil, ctx.Err()
		},
	}
	dir := filepath.Join(t.TempDir(), "run")
	s, err := control.Serve(t.Context(), control.Options{Dir: dir, Host: f, Identity: here})
	if err != nil {
		t.Fatal(err)
	}
	c := guest(t, dir, here)
	lost := make(chan error, 1)
	go func() {
		_, err := c.Run(context.Background(), core.RunRequest{})
		lost <- err
	}()
	approved := make(chan struct{})
	go func() {
		defer close(approved)
		_, _ = c.Approve(context.Background(), core.ApproveRequest{})
	}()
	receive(t, began)
	receive(t, began)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it did not wait", err)
	}
	receive(t, stopped)
	receive(t, approved)
	var gone *control.LostError
	if err := receive(t, lost); !errors.As(err, &gone) || gone.PID != os.Getpid() {
		t.Errorf("the run's guest got %v, want a LostError with the process", err)
	}
	close(endRun) // what the host's Close does
	s.Wait()
	if err := receive(t, runErr); err != nil {
		t.Errorf("the run was cancelled: %v", err)
	}
}
