package toolschema

import (
	"encoding/json"
	"sync"
)

const (
	maxForms     = 1024    // in a cache
	maxFormBytes = 8 << 20 // of their schemas and forms together
)

// cache keeps forms by their schemas. Each request needs the forms of all its tools, and writing one
// takes hundreds of microseconds. When it is full, it is emptied.
type cache struct {
	mu    sync.RWMutex
	forms map[string]form
	bytes int
}

type form struct {
	raw json.RawMessage
	err error
}

// caches has a cache for each dialect.
var caches [Gemini + 1]cache

func (c *cache) get(schema json.RawMessage) (form, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	f, known := c.forms[string(schema)]
	return f, known
}

func (c *cache) put(schema json.RawMessage, f form) {
	size := len(schema) + len(f.raw)
	if size > maxFormBytes/8 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.forms == nil || len(c.forms) >= maxForms || c.bytes+size > maxFormBytes {
		c.forms, c.bytes = map[string]form{}, 0
	}
	if _, known := c.forms[string(schema)]; !known {
		c.forms[string(schema)] = f
		c.bytes += size
	}
}
