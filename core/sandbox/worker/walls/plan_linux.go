package walls

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// nobody is a user and a group that owns nothing. In a user namespace of its own, too, the child goes by this number.
const nobody = 65534

// namespaces are those that a child gets. A mount namespace is not among them: without a root of its own it would hide
// nothing, and Landlock needs none.
var namespaces = []struct {
	layer string
	flag  uintptr
}{
	{NetworkNamespace, unix.CLONE_NEWNET},
	{ProcessNamespace, unix.CLONE_NEWPID},
	{IPCNamespace, unix.CLONE_NEWIPC},
}

// plan is how this machine lets a host start a child.
type plan struct {
	attr   syscall.SysProcAttr
	denied map[string]error // by layer
}

// choose finds the way to start a child that puts up the most walls.
func choose() plan {
	var best plan
	for i, identity := range identities() {
		p := explore(identity)
		if i == 0 || len(p.denied) < len(best.denied) {
			best = p
		}
		if len(best.denied) == 0 {
			break
		}
	}
	return best
}

// identities returns whom a child can be, the best first. To be nobody is better than a user namespace, with which the
// kernel copies the page tables of the host at each start.
func identities() []syscall.SysProcAttr {
	own := syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getgid(), Size: 1}},
	}
	if os.Getuid() != 0 {
		return []syscall.SysProcAttr{own, {}}
	}
	return []syscall.SysProcAttr{{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}, own, {}}
}

// explore finds the namespaces that a child of this identity may have: all at once, or those that work one by one.
func explore(identity syscall.SysProcAttr) plan {
	p := plan{attr: identity, denied: map[string]error{}}
	all := identity
	for _, ns := range namespaces {
		all.Cloneflags |= ns.flag
	}
	switch {
	case identity.Cloneflags == 0 && identity.Credential == nil:
		p.denied[User] = errors.New("the host can neither make a user namespace nor become another user")
	case try(all) == nil:
		p.attr = all
		return p
	default:
		if err := try(identity); err != nil {
			p.denied[User] = err
		}
	}
	for _, ns := range namespaces {
		one := p.attr
		one.Cloneflags |= ns.flag
		if err := try(one); err != nil {
			p.denied[ns.layer] = err
			continue
		}
		p.attr = one
	}
	return p
}

// unstartable is a name that the kernel refuses in its own way, and only after it has made all that a child was to get.
var unstartable = strings.Repeat("x", 2*unix.PathMax)

// try finds out whether a child may be started like this, without one ever running.
func try(attr syscall.SysProcAttr) error {
	_, err := os.StartProcess(unstartable, []string{"try"}, &os.ProcAttr{Dir: "/", Env: []string{}, Sys: &attr})
	if errors.Is(err, unix.ENAMETOOLONG) {
		return nil
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return fmt.Errorf("start a child that cannot be started: %w", err)
}

// prepare makes cmd start as planned, and says which walls that gives.
func (p plan) prepare(cmd *exec.Cmd) []Layer {
	attr, denied := p.attr, p.denied
	if attr.Credential != nil && !anyoneMayExecute(cmd.Path) {
		attr.Credential = nil
		denied = map[string]error{User: fmt.Errorf("others than its owner may not execute %s, so it runs as root", cmd.Path)}
		for layer, err := range p.denied {
			denied[layer] = err
		}
	}
	attr.Setsid = true // a process group of its own, and no terminal
	attr.Pdeathsig = unix.SIGKILL
	cmd.SysProcAttr = &attr

	layers := []Layer{{Name: Environment, Holds: true}, {Name: Parent, Holds: true}, verdict(User, denied)}
	for _, ns := range namespaces {
		layers = append(layers, verdict(ns.layer, denied))
	}
	return layers
}

func verdict(layer string, denied map[string]error) Layer {
	err, no := denied[layer]
	if !no {
		return Layer{Name: layer, Holds: true}
	}
	if errors.Is(err, unix.ENOSPC) {
		err = errors.New("a limit in /proc/sys/user is reached")
	}
	return missing(layer, "the system does not allow it: %v", err)
}

// anyoneMayExecute reports whether nobody can start the file: one that is not for all, or in a folder that is not, would
// fail the start.
func anyoneMayExecute(path string) bool {
	if path == self {
		info, err := os.Stat(path)
		return err == nil && info.Mode()&0o001 != 0
	}
	path, err := filepath.EvalSymlinks(path)
	for err == nil && path != "/" {
		var info os.FileInfo
		if info, err = os.Stat(path); err == nil && info.Mode()&0o001 == 0 {
			return false
		}
		path = filepath.Dir(path)
	}
	return err == nil
}

// self is this process's own program, even where the file has been replaced since, or lies where the child's user may
// not go.
const self = "/proc/self/exe"

// Self returns the path by which a host starts itself again.
func Self() (string, error) {
	if _, err := os.Stat(self); err != nil {
		return os.Executable()
	}
	return self, nil
}
