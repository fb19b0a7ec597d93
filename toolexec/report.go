package toolexec

import (
	"sync"

	"github.com/askgate/askgate/tools"
)

// reports passes on the progress that a tool reports during a call. It drops reports that do not
// rise, and all that arrive after the tool has returned. It is safe for concurrent use.
type reports struct {
	to func(tools.Progress)

	mu     sync.Mutex
	newest *tools.Progress
	closed bool
}

// reporting makes a call report through a reports. end must be called when the tool has returned.
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
