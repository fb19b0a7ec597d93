package history

import (
	"container/list"
	"sync"
	"time"
	"unsafe"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Cache has what the runs of a process read of long chats, so that the next turn of a chat reads only
// what is new. The store decides whether what it has is still true (store.Known). It is safe for
// concurrent use.
type Cache struct {
	mu    sync.Mutex
	of    map[string]*entry // by conversation id
	order *list.List        // of *entry, the last used first; those that a run has are not in it
	bytes int               // of all in order
}

const (
	// keptBytes is how much is kept together; the least recently used goes first.
	keptBytes = 32 << 20
	// keptFor is how long it is kept after a turn: as long as people take to write the next message.
	keptFor = 5 * time.Minute
	// keptFrom is how many messages a chat has at least: a shorter one is read as quickly.
	keptFrom = 16
)

// entry is what is known of one chat.
type entry struct {
	id    string
	known *store.Known // nil while a run has it
	bytes int
	place *list.Element
	until *time.Timer
}

// NewCache returns an empty cache.
func NewCache() *Cache { return &Cache{of: map[string]*entry{}, order: list.New()} }

// Take returns what is known of a chat, or nil, and leaves it to the caller, a run, which gives it back
// with Put.
func (c *Cache) Take(conversationID string) *store.Known {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.of[conversationID]
	if e == nil {
		e = &entry{id: conversationID}
		c.of[conversationID] = e
	}
	known := e.known
	c.unlist(e)
	return known
}

// Put keeps what is known of a chat, or, with nil, nothing any more. It does nothing if the chat was
// dropped since it was taken.
func (c *Cache) Put(conversationID string, known *store.Known) {
	bytes := 0
	if known != nil {
		bytes = size(known)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.of[conversationID]
	if e == nil {
		return
	}
	c.unlist(e)
	if known == nil || len(known.Messages) < keptFrom || bytes > keptBytes {
		delete(c.of, conversationID)
		return
	}
	e.known, e.bytes, e.place = known, bytes, c.order.PushFront(e)
	e.until = time.AfterFunc(keptFor, func() { c.lapse(e, known) })
	for c.bytes += bytes; c.bytes > keptBytes; {
		c.remove(c.order.Back().Value.(*entry))
	}
}

// Drop forgets a chat, also if a run has what is known of it: words of the chat were erased.
func (c *Cache) Drop(conversationID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.of[conversationID]; e != nil {
		c.remove(e)
	}
}

// lapse drops what was not taken in time.
func (c *Cache) lapse(e *entry, known *store.Known) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.known == known {
		c.remove(e)
	}
}

func (c *Cache) remove(e *entry) {
	c.unlist(e)
	delete(c.of, e.id)
}

// unlist takes from an entry what is known.
func (c *Cache) unlist(e *entry) {
	if e.place == nil {
		return
	}
	e.until.Stop()
	c.order.Remove(e.place)
	c.bytes -= e.bytes
	e.known, e.bytes, e.place, e.until = nil, 0, nil, nil
}

// size returns about how many bytes of memory messages take.
func size(known *store.Known) int {
	n := cap(known.Messages) * int(unsafe.Sizeof(chat.Message{}))
	for i := range known.Messages {
		m := &known.Messages[i]
		n += len(m.ID) + len(m.TurnID) + len(m.Content) + len(m.State) + len(m.Files)*int(unsafe.Sizeof(chat.SentFile{}))
		for j := range m.ToolCalls {
			call, result := &m.ToolCalls[j], m.ToolCalls[j].Result
			n += int(unsafe.Sizeof(*call)+unsafe.Sizeof(*result)) + len(call.ID) + len(call.Arguments) + len(result.Content)
			for s := range result.Shown {
				n += int(unsafe.Sizeof(result.Shown[s])) + len(result.Shown[s].Part)
			}
		}
	}
	return n
}
