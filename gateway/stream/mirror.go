package stream

import (
	"sync"
)

// Mirror takes the events of other nodes into one topic of a Local, for hubs that connect nodes. It
// is safe for concurrent use.
type Mirror struct {
	hub    *Local
	topic  *topic
	repair func()
	once   sync.Once
}

// Mirror opens the topic for what other nodes record. A topic has one mirror at a time. repair is
// called when followers miss events, and must ensure that Extend is called, because they wait for
// it. It must neither block nor use the mirror before it returns.
func (h *Local) Mirror(name string, repair func()) *Mirror {
	m := &Mirror{hub: h, topic: h.pin(name), repair: repair}
	m.topic.mu.Lock()
	defer m.topic.mu.Unlock()
	m.topic.mirror = m
	return m
}

// Append adds a batch as it comes, with its After. It leaves out what is here already. After a gap,
// the log begins again. A transient batch that does not follow the newest event here is dropped.
func (m *Mirror) Append(b Batch) {
	t := m.topic
	t.mu.Lock()
	defer t.mu.Unlock()
	if b.Transient {
		if len(t.logs) == 0 { // otherwise it came from here
			t.pass(b)
		}
		return
	}
	b, ok := t.fresh(b)
	if !ok || t.erased {
		return
	}
	if !t.follows(b) {
		t.restart(b.After)
	}
	t.add(b)
	t.wake()
}

// Forget empties the log, unless a run of this node records it: before the log is brought up to
// date, its content may be old. Its followers wait at their positions.
func (m *Mirror) Forget() {
	t := m.topic
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.logs) > 0 {
		return
	}
	t.empty()
	for _, f := range t.followers {
		f.pos = t.base
	}
}

// Forgets returns how often the topic was forgotten. It must be called before a history is read.
func (m *Mirror) Forgets() int {
	m.topic.mu.Lock()
	defer m.topic.mu.Unlock()
	return m.topic.forgets
}

// Extend puts batches in front of what the log has, which they have to reach: the topic's history,
// in order. It uses none of them if the topic was forgotten after forgets was read. It reports whether
// the followers miss nothing now. Those that do get ErrGap, unless more is true, which announces
// another call.
func (m *Mirror) Extend(forgets int, history []Batch, more bool) bool {
	t := m.topic
	t.mu.Lock()
	defer t.mu.Unlock()
	if forgets != t.forgets {
		history = nil
	}
	w := window{Events: Events{base: t.end()}}
	for _, b := range history {
		if b, ok := w.fresh(b); ok {
			if !w.follows(b) {
				w.begin(b.After)
			}
			w.add(b)
		}
	}
	if w.known && (!t.known || !w.last.Less(t.floor)) && !t.erased {
		for i := 0; i < t.Len(); {
			var b Batch
			b, i = t.batch(i)
			if b, ok := w.fresh(b); ok {
				w.add(b)
			}
		}
		t.window = w
	}
	whole := true
	for _, f := range t.followers {
		if !f.placed {
			f.pos = t.end()
			continue
		}
		f.gap, f.broken = !f.place(), false
		whole = whole && !f.gap
	}
	t.repairing = more && !whole
	t.wake()
	return whole
}

// Gap informs the followers, once they have what is here, that more is missing.
func (m *Mirror) Gap() {
	t := m.topic
	t.mu.Lock()
	defer t.mu.Unlock()
	t.repairing = false
	for _, f := range t.followers {
		f.broken = true
	}
	t.wake()
}

// Recorded reports whether a run of this node records the topic.
func (m *Mirror) Recorded() bool {
	m.topic.mu.Lock()
	defer m.topic.mu.Unlock()
	return len(m.topic.logs) > 0
}

// Close ends the mirroring.
func (m *Mirror) Close() {
	m.once.Do(func() {
		t := m.topic
		t.mu.Lock()
		if t.mirror == m {
			t.mirror, t.repairing = nil, false
			t.wake()
		}
		t.mu.Unlock()
		m.hub.unpin(t)
	})
}
