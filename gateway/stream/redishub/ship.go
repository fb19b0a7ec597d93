package redishub

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// shipper knows which logs have something to ship, in the order in which they got it.
type shipper struct {
	signal chan struct{}
	flush  chan chan struct{} // asks it to close the channel when nothing is left
	nudged atomic.Bool        // nodes have to be informed of news

	pieceAge time.Duration

	work sync.Mutex // held while logs are shipped or given up
	buf  []byte     // for the payloads of a write

	mu     sync.Mutex
	ready  []*runLog
	spare  []*runLog // what take returned last
	open   map[*runLog]struct{}
	recent [2]map[string]struct{} // topics of logs that ended a short time ago, the newest first
	forgot map[string]struct{}    // topics whose streams may have forgotten events of this node
}

// begin adds a log.
func (q *shipper) begin(l *runLog) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open[l] = struct{}{}
}

func (q *shipper) ended(l *runLog) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, l)
	q.recent[0][l.topic] = struct{}{}
}

// age drops what ended before the last call. The calls are further apart than messages of other nodes
// may take.
func (q *shipper) age() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.recent = [2]map[string]struct{}{{}, q.recent[0]}
}

// forget says that another node forgot a topic. If this node recorded it, what it shipped meanwhile
// may have come after that, and is deleted before anything else is shipped.
func (q *shipper) forget(topic string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, here := q.recent[0][topic]
	if !here {
		_, here = q.recent[1][topic]
	}
	for l := range q.open {
		here = here || l.topic == topic
	}
	if here {
		q.forgot[topic] = struct{}{}
		q.wake()
	}
}

// forgotten returns the topics whose streams have to be deleted, and makes their logs begin again
// with what came after they were forgotten.
func (q *shipper) forgotten() (topics []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.forgot) == 0 {
		return nil
	}
	topics = slices.Collect(maps.Keys(q.forgot))
	clear(q.forgot)
	for l := range q.open {
		if slices.Contains(topics, l.topic) {
			l.cursor.SeekOldest()
			if l.queued.CompareAndSwap(false, true) {
				q.ready = append(q.ready, l)
			}
		}
	}
	return topics
}

// due reports whether there is something to ship besides logs.
func (q *shipper) due() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.nudged.Load() || len(q.forgot) > 0
}

// releaseAll queues all logs, whatever they hold.
func (q *shipper) releaseAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for l := range q.open {
		if l.queued.CompareAndSwap(false, true) {
			q.ready = append(q.ready, l)
		}
	}
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
		if l.over {
			continue
		}
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
