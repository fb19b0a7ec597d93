package tools

import (
	"sync/atomic"
	"time"
)

// Processor counts the processor time of the calls of one step, including concurrent ones.
// Tools that limit processor time add to it. It is safe for concurrent use. A nil Processor
// counts nothing.
type Processor struct{ taken atomic.Int64 }

// Add adds d to the time taken.
func (p *Processor) Add(d time.Duration) {
	if p != nil {
		p.taken.Add(int64(d))
	}
}

// Taken returns the time counted so far.
func (p *Processor) Taken() time.Duration {
	if p == nil {
		return 0
	}
	return time.Duration(p.taken.Load())
}
