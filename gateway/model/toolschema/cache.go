package toolschema

import (
	"encoding/json"
	"sync"
)

const (
	maxForms     = 1024    // that are kept
	maxFormBytes = 8 << 20 // of their schemas and forms together
)

// cache keeps forms by the schemas that they are of. A request has the forms of all its tools, and
// writing one takes hundreds of microseconds. Where it is full, it begins empty again.
type cache struct {
	mu    sync.RWMutex
	forms map[string]form
	bytes int
}

type form struct {
	raw json.RawMessage
	err error
}

// caches are by dialect.
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
