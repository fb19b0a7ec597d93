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

// Loan is what a run has of a chat in the cache.
type Loan struct {
	Known *store.Known // nil: nothing
	cache *Cache
	id    string
}

// Borrow returns what is known of a chat, which no other run gets until it is returned.
func (c *Cache) Borrow(conversationID string) *Loan {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.of[conversationID]
	if e == nil {
		e = &entry{id: conversationID}
		c.of[conversationID] = e
	}
	l := &Loan{e.known, c, conversationID}
	c.unlist(e)
	return l
}

// Return gives the cache what is known now; nil: nothing any more. It has no effect if the chat was
// dropped meanwhile, or the loan is nil.
func (l *Loan) Return(known *store.Known) {
	if l == nil {
		return
	}
	c := l.cache
	bytes := 0
	if known != nil {
		bytes = size(known)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.of[l.id]
	if e == nil {
		return
	}
	c.unlist(e)
	if known == nil || len(known.Messages) < keptFrom || bytes > keptBytes {
		delete(c.of, l.id)
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

// lapse drops what no run has borrowed in time.
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

// unlist clears an entry.
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
		n += len(m.ID) + len(m.TurnID) + len(m.Content) + len(m.MadeBy) + len(m.State) + len(m.Files)*int(unsafe.Sizeof(chat.SentFile{}))
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
