package stream

import (
	"github.com/askgate/askgate/gateway/chat"
)

// maxTransient is how many transient events a topic holds for followers who have not taken them
// yet: those of two seconds, at the pace of a run (gateway/turn/run). Each has a few KiB.
const maxTransient = 32

// transient is the newest transient events of a topic. A follower gets one when it has come to the
// event before it, and drops those whose place it has left behind: so they need no place in the
// window, and nobody is sent them twice.
type transient struct {
	count int64 // of all that there were
	held  []pass
}

type pass struct {
	number int64        // counted from 1
	after  chat.EventID // the event before it
	event  Events
}

// pass adds a transient event, unless others than the newest event here come before it. The
// caller holds the lock.
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

// next is the oldest one that a viewer at an event may still get; nil without one. passed, the
// number of the newest that is done with, is moved on.
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

// forget drops those that are held: nobody looks on.
func (p *transient) forget() { p.held = nil }
