package redishub

import (
	"context"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/askgate/askgate/gateway/chat"
)

// One write has at most maxEntries, and no further entry once it has maxWrite bytes.
const (
	maxEntries = 512
	maxWrite   = 1 << 20
)

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
			q.releaseAll()
		}
		for logs := q.take(); len(logs) > 0 || q.due(); logs = q.take() {
			for len(logs) > 0 || q.due() {
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

// write is one write of the shipper.
type write struct {
	pipe     redis.Pipeliner
	run      func(ctx context.Context, c redis.Scripter, keys []string, args ...any) *redis.Cmd // shipScript
	entries  []entry
	payloads []byte // of the entries
	nudged   bool
	forgot   []string
	ended    []*runLog // nothing is left of them
	cut      []*runLog // something may be left of them
}

// entry is a batch on its way. Redis answers how many nodes got it, if it was new.
type entry struct {
	log    *runLog
	last   chat.EventID
	answer interface{ Int64() (int64, error) }
}

func (w *write) full() bool { return len(w.entries) >= maxEntries || len(w.payloads) >= maxWrite }

// shipSome ships what the first logs have at hand, in one write, with what else is due. It returns
// how many logs that were. After an error, all of them are in the queue again.
func (s *session) shipSome(logs []*runLog) (n int, err error) {
	h := s.hub
	h.ship.work.Lock()
	defer h.ship.work.Unlock()
	w := &write{pipe: h.client.Pipeline(), run: shipScript.EvalSha, payloads: h.ship.buf[:0], nudged: h.ship.nudged.Swap(false), forgot: h.ship.forgotten()}
	if s.whole {
		w.run = shipScript.Eval
	}
	ctx, cancel := context.WithTimeout(s.ctx, timeout)
	defer cancel()
	if w.nudged {
		h.say(ctx, w.pipe, sayNudge, "")
	}
	for n < len(logs) && !w.full() {
		s.addTo(ctx, w, logs[n])
		n++
	}
	h.ship.buf = w.payloads
	err = h.forgetAll(ctx, w.forgot, sayDrop) // before what came after it is shipped
	if err == nil {
		_, err = w.pipe.Exec(ctx)
	}
	if err != nil {
		h.ship.undo(w, logs[:n], logs[n:])
		if missing := redis.HasErrorPrefix(err, "NOSCRIPT"); missing && !s.whole {
			s.whole = true
			return len(logs), nil
		}
		return 0, err
	}
	s.whole = false
	for _, e := range w.entries {
		e.log.shipped = e.last
		if nodes, err := e.answer.Int64(); err == nil && nodes >= 0 {
			if h.viewOf(e.log.topic) != nil {
				nodes-- // this one
			}
			e.log.followed.Store(nodes > 0)
		}
	}
	for _, l := range w.cut {
		h.ship.queue(l)
	}
	for _, l := range w.ended {
		l.finish()
	}
	return n, nil
}

// addTo adds what a log has at hand to a write.
func (s *session) addTo(ctx context.Context, w *write, l *runLog) {
	h := s.hub
	l.queued.Store(false)
	if l.over {
		return
	}
	l.release()
	closed := l.closed.Load() // before its rest is read
	for !w.full() {
		b, ok := l.next()
		if !ok {
			if closed || l.dead {
				w.ended = append(w.ended, l)
			}
			return
		}
		begin := len(w.payloads)
		var id string
		w.payloads, id = encode(w.payloads, l.topic, b, h.signer)
		payload := w.payloads[begin:]
		e := entry{log: l, last: b.Last}
		if b.Transient {
			e.answer = intResult{h.client.Send(ctx, w.pipe, h.channel(l.topic), payload)}
		} else {
			e.answer = w.run(ctx, w.pipe, []string{h.streamKey(l.topic), h.sizeKey(l.topic)},
				id, payload, h.channel(l.topic), maxBytes, maxAge.Milliseconds(), entryCost, h.client.SendCommand())
		}
		w.entries = append(w.entries, e)
	}
	w.cut = append(w.cut, l)
}

// intResult has the method of redis.Cmd.
type intResult struct{ *redis.IntCmd }

func (r intResult) Int64() (int64, error) { return r.Result() }

// undo makes the next write do what one failed to do: that of some logs, and of more that were not
// tried.
func (q *shipper) undo(w *write, logs, more []*runLog) {
	if w.nudged {
		q.nudged.Store(true)
	}
	q.mu.Lock()
	for _, topic := range w.forgot {
		q.forgot[topic] = struct{}{}
	}
	q.mu.Unlock()
	for _, e := range w.entries {
		if l := e.log; !l.cursor.Seek(l.shipped) { // readers drop what Redis has of it already
			l.cursor.SeekOldest()
		}
	}
	again := slices.DeleteFunc(slices.Clone(logs), func(l *runLog) bool { return !l.queued.CompareAndSwap(false, true) })
	q.putBack(append(again, more...))
}
