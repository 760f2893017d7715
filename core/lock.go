package core

import "sync"

// keyedLock is one lock for each key. The zero value is ready.
type keyedLock struct {
	mu   sync.Mutex
	held map[string]*heldLock
}

type heldLock struct {
	sync.Mutex
	users int // those who hold it or wait for it
}

// lock takes the lock of a key and returns what gives it back.
func (k *keyedLock) lock(key string) (unlock func()) {
	k.mu.Lock()
	if k.held == nil {
		k.held = map[string]*heldLock{}
	}
	l := k.held[key]
	if l == nil {
		l = &heldLock{}
		k.held[key] = l
	}
	l.users++
	k.mu.Unlock()
	l.Lock()
	return func() {
		l.Unlock()
		k.mu.Lock()
		defer k.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(k.held, key)
		}
	}
}
