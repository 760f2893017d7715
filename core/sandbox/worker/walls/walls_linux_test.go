package walls

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

var outer = []string{Environment, User, NetworkNamespace, ProcessNamespace, IPCNamespace}

// aim makes what attempts aim at.
func aim(t *testing.T) target {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })

	key := 0x5a110000 + os.Getpid()
	shm, err := unix.SysvShmGet(key, 4096, unix.IPC_CREAT|0o666)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.SysvShmCtl(shm, unix.IPC_RMID, nil) })

	file := filepath.Join(os.TempDir(), fmt.Sprintf("walls-%d", os.Getpid()))
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(file) })
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}

	leak, err := unix.FcntlInt(0, unix.F_DUPFD, 100) // without the flag that Go would set
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(leak) })
	return target{pid: os.Getpid(), port: l.Addr().(*net.TCPAddr).Port, key: key, file: file, leak: leak}
}

// try has a child make the named attempts behind walls, and returns how each went.
func (g target) try(t *testing.T, start func(*exec.Cmd) error, raised string, names []string) map[string]outcome {
	t.Helper()
	cmd := command(t, "attempt", append([]string{raised, strings.Join(names, ";")}, g.args()...)...)
	open, err := os.OpenFile(g.file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	cmd.ExtraFiles = []*os.File{open}
	var out, diagnostics strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	if err := start(cmd); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the child ended with %v: %s", err, diagnostics.String())
	}
	return outcomes(t, out.String())
}

// startFreely starts a child as any program would.
func startFreely(cmd *exec.Cmd) error {
	cmd.Env = append(os.Environ(), cmd.Env...)
	return cmd.Start()
}

func stoppedBy(layer string) (names []string) {
	for _, a := range attempts {
		if layer == "" || slices.Contains(a.layers, layer) {
			names = append(names, a.name)
		}
	}
	return names
}

// TestWalls holds each attempt against no wall, where it gets through, against each layer that should stop it, alone,
// and against all of them.
func TestWalls(t *testing.T) {
	g := aim(t)
	free := g.try(t, startFreely, "none", stoppedBy(""))
	s := spawner(t)
	start := func(cmd *exec.Cmd) error { _, err := s.Start(cmd); return err }
	behindAll := g.try(t, start, "all", stoppedBy(""))
	byLayer := map[string]map[string]outcome{}
	for _, a := range attempts {
		t.Run(strings.ReplaceAll(a.name, " ", "_"), func(t *testing.T) {
			if o, made := behindAll[a.name]; !made || o.Error == "" {
				t.Errorf("behind all walls: made %v, stopped by %q", made, o.Error)
			}
			if o, made := free[a.name]; !made || o.Error != "" {
				t.Skipf("this machine or user stops it without a wall: %s", o.Error)
			}
			for _, layer := range a.layers {
				if layer == User && os.Getuid() != 0 && strings.HasSuffix(a.name, "the host") {
					continue // the host's user, in a namespace of its own: still the same user
				}
				t.Run(strings.ReplaceAll(layer, " ", "_"), func(t *testing.T) {
					if byLayer[layer] == nil {
						byLayer[layer] = g.alone(t, layer)
					}
					if o := byLayer[layer][layer]; o.Error != "" {
						t.Skipf("the layer does not hold here: %s", o.Error)
					}
					o, made := byLayer[layer][a.name]
					if !made || o.Error == "" {
						t.Errorf("made %v, and the layer alone does not stop it", made)
					}
					t.Log(o.Error)
				})
			}
		})
	}
}

// alone has a child make the attempts that a layer should stop, behind no other layer.
func (g target) alone(t *testing.T, layer string) map[string]outcome {
	t.Helper()
	if !slices.Contains(outer, layer) {
		return g.try(t, startFreely, layer, stoppedBy(layer))
	}
	only := plan{}
	if layer == User || layer != Environment && os.Getuid() != 0 {
		only.attr = identities()[0] // an ordinary user has other namespaces only in a user namespace
	}
	for _, ns := range namespaces {
		if ns.layer == layer {
			only.attr.Cloneflags |= ns.flag
		}
	}
	if err := try(only.attr); err != nil {
		return map[string]outcome{layer: {Attempt: layer, Error: err.Error()}}
	}
	s := newSpawner(func() plan { return only })
	defer s.Close()
	return g.try(t, func(cmd *exec.Cmd) error { _, err := s.Start(cmd); return err }, "none", stoppedBy(layer))
}

// TestAsOrdinaryUser runs the tests of this package again, under a host that is not root.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("the tests run as an ordinary user as it is")
	}
	cmd := command(t, "-test.v", "-test.run=^Test(Walls|Memory|CPU|Threads|WorksOn|Probe|DiesWith)")
	cmd.Env = append(os.Environ(), cmd.Env...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 54321, Gid: 54321}}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
}
