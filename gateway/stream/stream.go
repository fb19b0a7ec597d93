package stream

import (
	"context"
	"errors"

	"github.com/askgate/askgate/gateway/chat"
)

// Sink takes events, for example for one client's response. Empty events show that the client is
// connected. An error means that the client is gone; the sink is not written to again. A Sink does
// not keep the events.
type Sink interface {
	Write(events Events) error
}

// Writer takes whole SSE frames: it is a client's response. Errors mean the same as those of a Sink.
type Writer interface {
	Write(frames []byte) error
}

// Native is the Sink of a client that reads events as they are.
type Native struct{ To Writer }

// Write implements Sink.
func (n Native) Write(events Events) error { return n.To.Write(events.Frames) }

// Hub carries the events of chats from the runs that record them to their followers. A topic is one
// chat (its internal id). Implementations are safe for concurrent use. A hub may lose everything:
// what must not be lost is in the store.
type Hub interface {
	// Record opens the topic's log for a run. after is the chat's last event before the run, so that the
	// log knows what it follows. stop is called, from another goroutine, if Stop is called before the
	// log is closed. It must not block, and may be nil.
	Record(topic string, after chat.EventID, stop func()) Log
	// Follow opens a view of the topic, at its current end.
	Follow(topic string) Follower
	// Stop asks the run that records the topic, on any node, to stop. It need not succeed.
	Stop(topic string)
	// Erase drops the topic and ends its followers, on all nodes.
	Erase(topic string)
	// Forget drops the events that are kept of the topic, on all nodes, because the store has others in
	// their place. Followers that have not seen them get ErrGap; what comes next is kept.
	Forget(topic string)
	// OnForget has f called, for as long as the process runs, with each topic that is erased or
	// forgotten, on any node that the hub connects: what this node keeps of its texts must go as well. f
	// must not block.
	OnForget(f func(topic string))
	// Nudge informs all nodes that the store has news (store.Feed). It never waits. A nudge may be lost
	// if the hub is not complete.
	Nudge()
	// Nudges returns a channel that has a value after a Nudge of this node or another, and a single one
	// after several; stop ends it.
	Nudges() (nudged <-chan struct{}, stop func())
	// Complete reports whether followers see the events of all nodes now. While they do not, readers
	// must read the store.
	Complete() bool
}

// Log is a topic as its run sees it.
type Log interface {
	// Append adds events in order. The hub copies what it keeps. Append never waits for a follower.
	// Events of a run that a newer one took over from are dropped, and so is a transient event that does
	// not follow the newest.
	Append(b Batch)
	// Close says that the run appends nothing more.
	Close()
}

// Batch is some events of one run.
type Batch struct {
	// First and Last are its first and last events. If it is Transient, both name the event before it.
	First, Last chat.EventID
	// After is the event that First follows: for the run's first event, the chat's last event before the
	// run. Only hubs that connect nodes need it; a Log knows it.
	After chat.EventID
	Events
	End bool // Last is the run's done event
	// Transient says that the batch is one event without an id, for followers who are present as it
	// happens. No log keeps it for those who come later, and a slow follower may miss it.
	Transient bool
}

// Follower is one viewer of a topic. It is for use by one goroutine.
type Follower interface {
	// Seek moves to right after the given event. It returns false if the log does not have that event
	// (yet). If the log does not reach back so far, Next returns ErrGap.
	Seek(after chat.EventID) bool
	// SeekOldest moves to the oldest event that the log has, past what is missing.
	SeekOldest()
	// Next waits for events, and returns those of one run that are at hand, up to and including its End,
	// or a part of them if they are many. They are valid until the next call. Errors are ErrLagged,
	// ErrErased, ErrGap, and the context's.
	Next(ctx context.Context) (Batch, error)
	Close()
}

// ErrLagged says that the follower was so slow that events are gone.
var ErrLagged = errors.New("stream: follower too slow")

// ErrErased says that the chat was deleted.
var ErrErased = errors.New("stream: chat erased")

// ErrGap says that events after the follower's position are missing here: the log does not reach
// back so far, another node recorded them while the nodes were not connected, or the nodes are not
// connected now.
var ErrGap = errors.New("stream: events of another node are missing")
