package walls

import (
	"errors"
	"os/exec"
	"runtime"
	"sync"
)

// Spawner starts children. It finds out once which walls this machine lets it put up, and it keeps a thread for as long
// as it is open: the kernel ends a child when the thread ends that started it, and not, as one would think, the process.
// It is safe for concurrent use.
type Spawner struct {
	starts chan func()
	closed chan struct{}
	ended  chan struct{}
	close  func()
	plan   func() plan
}

// New returns a spawner, which wants to be closed.
func New() *Spawner { return newSpawner(choose) }

func newSpawner(choose func() plan) *Spawner {
	s := &Spawner{
		starts: make(chan func()),
		closed: make(chan struct{}),
		ended:  make(chan struct{}),
		plan:   sync.OnceValue(choose),
	}
	s.close = sync.OnceFunc(func() { close(s.closed) })
	go s.run()
	return s
}

// run lends its thread to the starts, and takes it along when it ends.
func (s *Spawner) run() {
	runtime.LockOSThread()
	defer close(s.ended)
	for {
		select {
		case start := <-s.starts:
			start()
		case <-s.closed:
			return
		}
	}
}

// Start starts cmd like [exec.Cmd.Start], in the root folder, with no environment but cmd.Env, and behind the walls that
// the machine allows; it says which. It sets cmd.SysProcAttr. The child's descriptors should be pipes: one that leads to a
// file can no longer be written once [Raise] has been called.
func (s *Spawner) Start(cmd *exec.Cmd) ([]Layer, error) {
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would mean the host's
	}
	cmd.Dir = "/"
	var layers []Layer
	result := make(chan error, 1)
	start := func() {
		layers = s.plan().prepare(cmd)
		result <- cmd.Start()
	}
	select {
	case s.starts <- start:
	case <-s.closed:
		return nil, errors.New("start a child: the spawner is closed")
	}
	if err := <-result; err != nil {
		return nil, err
	}
	return layers, nil
}

// Close gives the thread back. Wait for the children first: those that still run may be killed.
func (s *Spawner) Close() {
	s.close()
	<-s.ended
}
