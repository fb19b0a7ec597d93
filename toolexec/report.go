package toolexec

import (
	"sync"

	"github.com/askgate/askgate/tools"
)

// reports is what a tool tells of a call while it runs: what says nothing is dropped, and so is
// all that comes when the tool has returned. Safe for concurrent use.
type reports struct {
	to func(tools.Progress)

	mu     sync.Mutex
	newest *tools.Progress
	closed bool
}

// reporting has a call report through here. end is to be called when its tool has returned.
func reporting(call *tools.Call) (end func()) {
	if call.Report == nil {
		return func() {}
	}
	r := &reports{to: call.Report}
	call.Report = r.report
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.closed = true
	}
}

func (r *reports) report(p tools.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || !p.Follows(r.newest) {
		return
	}
	p = p.Within()
	r.newest = &p
	r.to(p)
}
