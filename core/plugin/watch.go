package plugin

import (
	"context"

	"github.com/codemode-go/codemode/plugin/wire"
)

// watcher collects changes for one caller of Watch until it can take them.
// Its fields are the supervisor's lock's to guard.
type watcher struct {
	changed bool          // the methods have, since the last report
	news    chan struct{} // holds a token while there is anything to report
}

// Watch reports what the connector's processes report, until ctx ends or the
// supervisor is closed, which ends it with nil. It starts no process. To the
// processes' own changes it adds two: a process that failed is a Health that
// says so, and one that was started after another changes the methods, for it
// may offer others. Reports come one at a time; while report runs, further
// changes become one.
func (s *Supervisor) Watch(ctx context.Context, report func(wire.Change)) error {
	w := &watcher{news: make(chan struct{}, 1)}
	s.mu.Lock()
	s.watchers[w] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, w)
	}()
	for {
		select {
		case <-w.news:
			report(s.take(w))
		case <-ctx.Done():
			return ctx.Err()
		case <-s.closed:
			return nil
		}
	}
}

// notify records a change for every watcher. The lock is held.
func (s *Supervisor) notify(change wire.Change) {
	s.health = change.Health
	for w := range s.watchers {
		w.changed = w.changed || change.MethodsChanged
		select {
		case w.news <- struct{}{}:
		default:
		}
	}
}

// take returns what has changed for a watcher since it was last asked.
func (s *Supervisor) take(w *watcher) wire.Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	change := wire.Change{MethodsChanged: w.changed, Health: s.health}
	w.changed = false
	return change
}
