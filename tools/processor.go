package tools

import (
	"sync/atomic"
	"time"
)

// Processor counts the processor time that the calls of one step take: those that run beside each
// other count together. Tools that bound it add to it. Safe for concurrent use; a nil Processor
// counts nothing.
type Processor struct{ taken atomic.Int64 }

// Add counts some time.
func (p *Processor) Add(d time.Duration) {
	if p != nil {
		p.taken.Add(int64(d))
	}
}

// Taken is the time counted so far.
func (p *Processor) Taken() time.Duration {
	if p == nil {
		return 0
	}
	return time.Duration(p.taken.Load())
}
