package schema

import "sync"

// cacheSize bounds the compiled schemas that are kept. Compiling takes about a
// millisecond, and a host calls few of the methods it knows.
const cacheSize = 1024

// compiled is shared by the whole process: a schema is a pure function of its text.
var compiled = cache{schemas: map[string]*Schema{}}

// cache holds compiled schemas by their text.
type cache struct {
	mu      sync.Mutex
	schemas map[string]*Schema
}

func (c *cache) get(raw []byte) (*Schema, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.schemas[string(raw)]
	return s, ok
}

func (c *cache) put(raw []byte, s *Schema) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.schemas) >= cacheSize {
		clear(c.schemas)
	}
	c.schemas[string(raw)] = s
}
