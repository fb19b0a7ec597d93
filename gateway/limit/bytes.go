package limit

import "sync"

// Small is the size, in bytes, up to which Bytes does not count.
const Small = 64 << 10

// Bytes bounds the memory of what is in flight: bodies that are being read, and large responses
// that clients have not taken yet. A holder may have half of it, so that a single one cannot shut
// out all others. Safe for concurrent use.
type Bytes struct {
	most int64

	mu   sync.Mutex
	all  int64
	held map[string]int64 // by holder, never 0
}

// NewBytes returns a budget of so many bytes.
func NewBytes(most int64) *Bytes { return &Bytes{most: most, held: map[string]int64{}} }

// Take takes n bytes of the budget. release gives them back; it is never nil, and calling it
// again does nothing. Up to Small, bytes are free. A holder that has none yet may take more than
// half.
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
