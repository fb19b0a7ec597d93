package limit

import "sync"

// Small is what costs too little to be counted in Bytes.
const Small = 64 << 10

// Bytes bounds the memory of what is in flight: bodies that are read, and large responses
// that their clients have not taken yet. A holder may have half of it, so that one alone
// cannot keep all others out. Safe for concurrent use.
type Bytes struct {
	most int64

	mu   sync.Mutex
	all  int64
	held map[string]int64 // by holder, never 0
}

// NewBytes makes a budget of so many bytes.
func NewBytes(most int64) *Bytes { return &Bytes{most: most, held: map[string]int64{}} }

// Take takes n bytes of the budget. release gives them back; it is never nil, and calling
// it again does nothing. What is Small is free. A holder without anything may take more
// than half.
func (b *Bytes) Take(holder string, n int64) (release func(), ok bool) {
	if n <= Small {
		return func() {}, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.held[holder]
	if b.all+n > b.most || own > 0 && own+n > b.most/2 {
		return func() {}, false
	}
	b.all += n
	b.held[holder] = own + n
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.all -= n
		if b.held[holder] -= n; b.held[holder] == 0 {
			delete(b.held, holder)
		}
	}), true
}
