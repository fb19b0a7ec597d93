package stream

import (
	"github.com/askgate/askgate/gateway/chat"
)

// maxTransient is how many transient events a topic holds for followers who have not taken them yet:
// those of two seconds, at the pace of a run (gateway/turn/run). Each has a few KiB.
const maxTransient = 32

// transient holds the newest transient events of a topic. A follower gets one when it has come to
// the event before it, and skips those whose place it has passed. So they need no place in the
// window, and no follower gets one twice.
type transient struct {
	count int64 // how many there have been
	held  []pass
}

type pass struct {
	number int64        // counts from 1
	after  chat.EventID // the event before it
	event  Events
}

// pass adds a transient event if the event before it is the newest one here. The caller holds the
// lock.
func (t *topic) pass(b Batch) {
	if t.erased || !t.known || t.last != b.Last || len(t.followers) == 0 {
		return
	}
	p := &t.transient
	p.count++
	if len(p.held) == maxTransient {
		copy(p.held, p.held[1:])
		p.held = p.held[:maxTransient-1]
	}
	var event Events
	event.append(b.Events)
	p.held = append(p.held, pass{p.count, b.Last, event})
	t.wake()
}

// next returns the oldest event that a viewer at a position may still get, or nil if there is none.
// It advances passed, the number of the newest event that the viewer got or missed.
func (p *transient) next(at chat.EventID, passed *int64) *pass {
	for i := range p.held {
		switch of := &p.held[i]; {
		case of.number <= *passed:
		case of.after.Less(at):
			*passed = of.number
		default:
			return of
		}
	}
	return nil
}

// forget drops the held events, because there are no viewers.
func (p *transient) forget() { p.held = nil }
