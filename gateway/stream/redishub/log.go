package redishub

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
)

const (
	// Text that no other node follows is shipped in pieces: after pieceAge, or when there are
	// pieceBytes. What a killed node held is lost, as if it had died that much earlier.
	pieceAge   = 50 * time.Millisecond
	pieceBytes = 4 << 10
)

// runLog is a run's log: the node's own log, and a cursor in it for what is still to be shipped.
type runLog struct {
	hub      *Hub
	topic    string
	after    chat.EventID
	inner    stream.Log
	fence    int64 // set before it is queued for the first time
	queued   atomic.Bool
	closed   atomic.Bool  // by the run
	followed atomic.Bool  // other nodes follow the topic, or may do
	waits    atomic.Bool  // its text is held, and timer is running
	held     atomic.Int64 // bytes of text since it was last shipped
	timer    *time.Timer  // queues it

	// Used by the goroutine that ships, or by the one that gives up while none does.
	cursor  stream.Follower
	shipped chat.EventID // Redis has everything up to here
	dead    bool         // erased, or taken over by another node
	over    bool
}

// Append implements stream.Log.
func (l *runLog) Append(b stream.Batch) {
	if l.fence == 0 {
		l.fence = b.First.Fence
	}
	l.inner.Append(b)
	q := &l.hub.ship
	if l.followed.Load() || !b.OnlyText() || l.held.Add(int64(len(b.Frames))) >= pieceBytes {
		q.queue(l)
	} else if !l.waits.Swap(true) {
		l.timer.Reset(q.pieceAge)
	}
}

// release ends the holding of text, before the shipper reads what is at hand. Text that is recorded
// meanwhile is read as well, or held again.
func (l *runLog) release() {
	l.timer.Stop()
	l.waits.Store(false)
	l.held.Store(0)
}

// Close implements stream.Log. The inner log stays open until everything is shipped.
func (l *runLog) Close() {
	if l.closed.Swap(true) {
		return
	}
	l.hub.ship.queue(l)
	if !l.hub.Complete() {
		l.hub.giveUpClosed()
	}
}

// atHand is a context that has ended, with which Next does not wait.
var atHand = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// next returns what is still to be shipped, if there is anything.
func (l *runLog) next() (stream.Batch, bool) {
	for {
		b, err := l.cursor.Next(atHand)
		switch {
		case errors.Is(err, stream.ErrLagged): // Redis was down for longer than the log reaches back
			l.hub.lost.Inc()
			l.cursor.SeekOldest()
		case errors.Is(err, stream.ErrGap): // what was not shipped yet was to be forgotten, or another node goes on
			l.cursor.SeekOldest()
		case errors.Is(err, context.Canceled):
			return b, false
		case err != nil:
			l.dead = true
			return b, false
		case b.First.Fence == l.fence:
			if b.After.Fence != l.fence || b.After.Seq == 0 { // its first event
				b.After = l.after
			}
			return b, true
		}
	}
}

// unshipped reports whether there is an event left that others should get.
func (l *runLog) unshipped() bool {
	b, ok := l.next()
	for ok && b.Transient {
		b, ok = l.next()
	}
	return ok
}

// finish closes the log.
func (l *runLog) finish() {
	if !l.over {
		l.over = true
		l.timer.Stop()
		l.cursor.Close()
		l.inner.Close()
		l.hub.ship.ended(l)
	}
}
