package redishub

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
)

const (
	// One write has at most maxEntries, of at most maxWrite bytes together, but at least one.
	maxEntries = 512
	maxWrite   = 1 << 20
)

// runLog is a run's log: the node's own log, and a cursor in it for what is still to be shipped.
type runLog struct {
	hub    *Hub
	topic  string
	after  chat.EventID
	inner  stream.Log
	fence  int64 // set before it is queued for the first time
	queued atomic.Bool
	closed atomic.Bool // by the run

	// Used by the goroutine that ships, or by the one that gives up while none does.
	cursor  stream.Follower
	shipped chat.EventID // Redis has everything up to here
	payload []byte
	dead    bool // erased, or taken over by another node
	over    bool
}

// Append implements stream.Log.
func (l *runLog) Append(b stream.Batch) {
	if l.fence == 0 {
		l.fence = b.First.Fence
	}
	l.inner.Append(b)
	l.hub.ship.queue(l)
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
		l.cursor.Close()
		l.inner.Close()
	}
}

// shipper knows which logs have something to ship, in the order in which they got it.
type shipper struct {
	signal chan struct{}
	flush  chan chan struct{} // asks it to close the channel when nothing is left
	nudged atomic.Bool        // nodes have to be informed of news

	work sync.Mutex // held while logs are shipped or given up

	mu    sync.Mutex
	ready []*runLog
	spare []*runLog // what take returned last
}

func (q *shipper) queue(l *runLog) {
	if !l.queued.CompareAndSwap(false, true) {
		return
	}
	q.mu.Lock()
	q.ready = append(q.ready, l)
	q.mu.Unlock()
	q.wake()
}

func (q *shipper) wake() {
	select {
	case q.signal <- struct{}{}:
	default:
	}
}

// take returns the queue, which is valid until the next take.
func (q *shipper) take() []*runLog {
	q.mu.Lock()
	defer q.mu.Unlock()
	logs := q.ready
	clear(q.spare)
	q.ready, q.spare = q.spare[:0], logs
	return logs
}

// putBack puts logs back at the front of the queue.
func (q *shipper) putBack(logs []*runLog) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ready = append(logs, q.ready...)
}

// shipping ships until the session ends.
func (s *session) shipping() error {
	q := &s.hub.ship
	q.wake() // something may have waited for the session
	for {
		var flushed chan struct{}
		select {
		case <-s.ctx.Done():
			return nil
		case <-q.signal:
		case flushed = <-q.flush:
		}
		for logs := q.take(); len(logs) > 0 || q.nudged.Load(); logs = q.take() {
			for len(logs) > 0 || q.nudged.Load() {
				n, err := s.shipSome(logs)
				if err != nil {
					return err
				}
				logs = logs[n:]
			}
		}
		if flushed != nil {
			close(flushed)
		}
	}
}

// shipSome ships what the first logs have at hand, in one write, with a nudge if one is due. It
// returns how many logs that were. After an error, all of them are in the queue again.
func (s *session) shipSome(logs []*runLog) (n int, err error) {
	h := s.hub
	h.ship.work.Lock()
	defer h.ship.work.Unlock()
	pipe := h.client.Pipeline()
	nudged := h.ship.nudged.Swap(false)
	if nudged {
		h.say(s.ctx, pipe, sayNudge, "")
	}
	var sent, ended []*runLog
	var last []chat.EventID
	for size := 0; n < len(logs) && n < maxEntries && (n == 0 || size < maxWrite); n++ {
		l := logs[n]
		l.queued.Store(false)
		closed := l.closed.Load() // before its rest is read
		b, ok := l.next()
		switch {
		case ok:
			var id string
			l.payload, id = encode(l.payload[:0], l.topic, b, h.signer)
			size += len(l.payload)
			sent, last = append(sent, l), append(last, b.Last)
			if b.Transient {
				pipe.Publish(s.ctx, h.channel(l.topic), l.payload)
				continue
			}
			pipe.EvalSha(s.ctx, shipScript.Hash(), []string{h.streamKey(l.topic), h.sizeKey(l.topic)},
				id, l.payload, h.channel(l.topic), maxBytes, maxAge.Milliseconds(), entryCost)
		case closed || l.dead:
			ended = append(ended, l)
		}
	}
	if len(sent) > 0 || nudged {
		ctx, cancel := context.WithTimeout(s.ctx, timeout)
		defer cancel()
		if _, err := pipe.Exec(ctx); err != nil {
			if nudged {
				h.ship.nudged.Store(true)
			}
			for _, l := range sent {
				if !l.cursor.Seek(l.shipped) { // readers drop what Redis has of it already
					l.cursor.SeekOldest()
				}
			}
			again := slices.DeleteFunc(slices.Clone(logs[:n]), func(l *runLog) bool { return !l.queued.CompareAndSwap(false, true) })
			h.ship.putBack(append(again, logs[n:]...))
			return 0, err
		}
	}
	for i, l := range sent {
		l.shipped = last[i]
		h.ship.queue(l) // to see whether anything is left
	}
	for _, l := range ended {
		l.finish()
	}
	return n, nil
}

// giveUpClosed drops the logs that were closed before Redis had all of their events, if nothing is
// being shipped.
func (h *Hub) giveUpClosed() {
	q := &h.ship
	q.work.Lock()
	defer q.work.Unlock()
	if h.Complete() {
		return
	}
	var open []*runLog
	for _, l := range q.take() {
		if !l.closed.Load() {
			open = append(open, l)
			continue
		}
		if l.unshipped() {
			h.lost.Inc()
			h.mu.Lock()
			h.missed.add(l.topic)
			h.mu.Unlock()
		}
		l.finish()
		// The next run may be on another node.
		if v := h.viewOf(l.topic); v != nil {
			v.lost()
		}
	}
	q.putBack(open)
}
