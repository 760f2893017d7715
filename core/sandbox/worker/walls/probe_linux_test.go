package walls

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var every = []string{
	Environment, Parent, User, NetworkNamespace, ProcessNamespace, IPCNamespace,
	Inherited, Memory, CPU, Threads, FileSize, Filesystem, Descriptors, CoreDumps, SystemCalls,
}

func names(layers []Layer) (all []string) {
	for _, l := range layers {
		all = append(all, l.Name)
	}
	return all
}

func TestProbe(t *testing.T) {
	layers, err := Probe(spawner(t), command(t, "probe"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(every, names(layers)); diff != "" {
		t.Errorf("layers (-want +got):\n%s", diff)
	}
	for _, l := range Missing(layers) {
		t.Logf("missing here: %s: %s", l.Name, l.Why)
		if l.Why == "" {
			t.Errorf("%s is missing for no reason", l.Name)
		}
	}
}

func reportProbe([]string) {
	if err := Report(ample, os.Stdout); err != nil {
		panic(err)
	}
}

func TestProbeFails(t *testing.T) {
	t.Run("the child dies", func(t *testing.T) {
		if _, err := Probe(spawner(t), command(t, "hog")); err == nil || !strings.Contains(err.Error(), "allocat") && !strings.Contains(err.Error(), "out of memory") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the child says something else", func(t *testing.T) {
		if _, err := Probe(spawner(t), command(t, "passed")); err == nil {
			t.Error("no error")
		}
	})
}

// TestContained runs a host in containers that forbid this and that, and wants exactly what is forbidden to be missing.
func TestContained(t *testing.T) {
	tests := map[string]struct {
		forbid []string // in /proc/sys/user
		want   []string
	}{
		"no other users":      {nil, nil}, // root cannot be nobody there, but has its user namespace
		"no user namespaces":  {[]string{"max_user_namespaces"}, []string{User, Threads}},
		"no networks":         {[]string{"max_net_namespaces"}, []string{NetworkNamespace}},
		"only one's own user": {[]string{"max_net_namespaces", "max_pid_namespaces", "max_ipc_namespaces"}, []string{NetworkNamespace, ProcessNamespace, IPCNamespace}},
	}
	here, err := Probe(spawner(t), command(t, "probe"))
	if err != nil {
		t.Fatal(err)
	}
	anyway := names(Missing(here))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := command(t, "contain", test.forbid...)
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			}
			out, err := cmd.Output()
			if errors.Is(err, os.ErrPermission) {
				t.Skip("no user namespaces on this machine")
			}
			if err != nil {
				t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
			}
			var layers []Layer
			if err := json.Unmarshal(out, &layers); err != nil {
				t.Fatal(err)
			}
			for _, l := range Missing(layers) {
				t.Log(l.Name, ": ", l.Why)
			}
			got := slices.DeleteFunc(names(Missing(layers)), func(name string) bool { return slices.Contains(anyway, name) })
			if !slices.Equal(got, test.want) {
				t.Errorf("missing are %q, not %q", got, test.want)
			}
		})
	}
}

// beContained is a host that first forbids itself some kinds of namespaces.
func beContained(forbid []string) {
	for _, kind := range forbid {
		if err := os.WriteFile(filepath.Join("/proc/sys/user", kind), []byte("0"), 0); err != nil {
			panic(err)
		}
	}
	s := New()
	defer s.Close()
	layers, err := Probe(s, exec.Command(self, "probe"))
	if err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(layers); err != nil {
		panic(err)
	}
}

// TestOnlyItsOwnerMayExecute starts a program that nobody could not.
func TestOnlyItsOwnerMayExecute(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root's children become another user")
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, text, 0o700); err != nil {
		t.Fatal(err)
	}
	layers, err := Probe(spawner(t), exec.CommandContext(t.Context(), program, "probe"))
	if err != nil {
		t.Fatal(err)
	}
	if got := names(Missing(layers)); !slices.Contains(got, User) {
		t.Errorf("missing are %q", got)
	}
}
