package stream

import (
	"context"
	"errors"

	"github.com/askgate/askgate/gateway/chat"
)

// Sink takes events, e.g. for one client's response; none show that the client is connected.
// An error means that the client is gone; the sink is not written again. It does not keep them.
type Sink interface {
	Write(events Events) error
}

// Writer takes whole SSE frames: a client's response. Errors are as those of a Sink.
type Writer interface {
	Write(frames []byte) error
}

// Native is the Sink of a client who reads events as they are.
type Native struct{ To Writer }

// Write implements Sink.
func (n Native) Write(events Events) error { return n.To.Write(events.Frames) }

// Hub moves the events of chats from the run that records them to their followers. A topic
// is one chat (its internal id). Implementations are safe for concurrent use. A hub may
// lose everything: what must not be lost is in the store.
type Hub interface {
	// Record opens the topic's log for a run. after is the chat's last event before
	// the run, so that the log knows what it follows on. stop is called, from another
	// goroutine, when somebody calls Stop before the log is closed; it must not block,
	// and may be nil.
	Record(topic string, after chat.EventID, stop func()) Log
	// Follow opens a view of the topic, at its present end.
	Follow(topic string) Follower
	// Stop asks the run that records the topic, on any node, to stop. It need not succeed.
	Stop(topic string)
	// Erase forgets the topic and ends its followers, on any node.
	Erase(topic string)
	// Nudge tells all nodes that the store has news (store.Feed). It never waits, and may be
	// lost where the hub is not complete.
	Nudge()
	// Nudges is a channel that has a value after a Nudge of this node or another, of several
	// one; stop ends it.
	Nudges() (nudged <-chan struct{}, stop func())
	// Complete says whether followers see the events of all nodes now. While they do
	// not, readers must look into the store.
	Complete() bool
}

// Log is a topic as its run sees it.
type Log interface {
	// Append adds events in order. The hub copies what it keeps. It never waits for a
	// follower. Events of a run that a newer one took over from are dropped, and so is a
	// transient one that does not follow on the newest.
	Append(b Batch)
	// Close says that the run appends no more.
	Close()
}

// Batch is some events of one run.
type Batch struct {
	// First and Last name its events. Where they are Transient, both name the event before them.
	First, Last chat.EventID
	// After is the event that First follows on: for the run's first, the chat's last event before
	// the run. Only hubs that connect nodes need it; a Log knows it.
	After chat.EventID
	Events
	End bool // Last is the run's done
	// Transient says that it is one event without an id, for followers who look on as it
	// happens: no log keeps it for those who come later, and one who is slow may miss it.
	Transient bool
}

// Follower is one viewer of a topic; for one goroutine.
type Follower interface {
	// Seek goes to right after the given event. False: the log does not have it (yet). Where
	// it does not reach back so far, Next returns ErrGap.
	Seek(after chat.EventID) bool
	// SeekOldest goes to the oldest event that the log has, past what is missing.
	SeekOldest()
	// Next waits for events and returns those that are at hand of one run, up to and
	// including its End, or a part of them if they are many. They are valid until the next call. Errors: ErrLagged,
	// ErrErased, ErrGap, or the context's.
	Next(ctx context.Context) (Batch, error)
	Close()
}

// ErrLagged says that the follower was so slow that events are gone.
var ErrLagged = errors.New("stream: follower too slow")

// ErrErased says that the chat was deleted.
var ErrErased = errors.New("stream: chat erased")

// ErrGap says that events behind the follower's place are missing here: the log does not
// reach back so far, or another node recorded them while the nodes were not connected, or
// they are not connected now.
var ErrGap = errors.New("stream: events of another node are missing")
