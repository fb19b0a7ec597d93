package stream

import (
	"container/list"
	"slices"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
)

// maxIdle is how many bytes the logs of chats without a run or a follower keep together, for clients
// that reconnect. The least recently used are dropped first.
const maxIdle = 16 << 20

// Local is the hub of one process.
type Local struct {
	nudges
	partial bool
	mu      sync.Mutex
	topics  map[string]*topic
	idle    *list.List // of *topic, the most recently used first
	bytes   int        // of all idle logs

	onForget []func(topic string)
}

// NewLocal makes an empty hub for the only node.
func NewLocal() *Local {
	return &Local{topics: map[string]*topic{}, idle: list.New()}
}

// NewPartial makes an empty hub for one of several nodes that share only a store. It has only the
// events of its own runs, and is never complete.
func NewPartial() *Local {
	h := NewLocal()
	h.partial = true
	return h
}

var _ Hub = (*Local)(nil)

// topic is the log of one chat: its newest events. What an append reads comes first, together.
type topic struct {
	mu        sync.Mutex
	erased    bool
	repairing bool // what followers miss is being fetched
	followers []*follower
	window
	logs      []*localLog // open ones
	transient transient
	mirror    *Mirror // nil while events of other nodes are not wanted
	forgets   int     // how often it was forgotten

	name string

	// Guarded by the hub's mutex.
	pins  int // runs and followers
	place *list.Element
	size  int // counted in Local.bytes while idle
}

// wake makes the followers look again. The caller holds the lock.
func (t *topic) wake() {
	for _, f := range t.followers {
		f.wake()
	}
}

// topicOverhead is roughly what an empty topic costs, in bytes.
const topicOverhead = 512

func (h *Local) pin(name string) *topic {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[name]
	if t == nil {
		t = &topic{name: name}
		h.topics[name] = t
	}
	if t.place != nil {
		h.idle.Remove(t.place)
		t.place, h.bytes = nil, h.bytes-t.size
	}
	t.pins++
	return t
}

func (h *Local) unpin(t *topic) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t.pins--
	if t.pins > 0 || h.topics[t.name] != t {
		return
	}
	t.mu.Lock()
	t.transient.forget()
	t.Frames, t.marks = fitted(t.Frames), fitted(t.marks)
	empty := t.Len() == 0
	t.size = topicOverhead + cap(t.Frames) + markSize*cap(t.marks)
	t.mu.Unlock()
	if empty {
		delete(h.topics, t.name)
		return
	}
	t.place = h.idle.PushFront(t)
	h.bytes += t.size
	for h.bytes > maxIdle {
		old := h.idle.Remove(h.idle.Back()).(*topic)
		h.bytes -= old.size
		delete(h.topics, old.name)
	}
}

// fitted returns a slice without much spare capacity. A long one has little as it is, and would be
// copied with each turn of its chat.
func fitted[E any](s []E) []E {
	if cap(s)-len(s) <= len(s)/4 {
		return s
	}
	return slices.Clone(s)
}

// Complete implements Hub.
func (h *Local) Complete() bool { return !h.partial }

// Record implements Hub.
func (h *Local) Record(name string, after chat.EventID, stop func()) Log {
	t := h.pin(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	// Events beyond after are of a run that died. Viewers have seen them, so they stay.
	if !t.known || t.last.Less(after) { // the events in between were not seen here
		t.restart(after)
	}
	l := &localLog{hub: h, topic: t, stop: stop}
	t.logs = append(t.logs, l)
	return l
}

// restart empties the log, so that it goes on after the given event. Followers that do not have that
// event miss something. The caller holds the lock.
func (t *topic) restart(after chat.EventID) {
	t.begin(after)
	missing := false
	for _, f := range t.followers {
		if f.placed && !f.place() {
			f.gap, missing = true, true
		} else if !f.placed {
			f.pos = t.base
		}
	}
	if !missing {
		return
	}
	if t.mirror != nil {
		t.repairing = true
		t.mirror.repair()
		return
	}
	t.wake()
}

type localLog struct {
	hub   *Local
	topic *topic
	stop  func()
	once  sync.Once
}

// Append implements Log.
func (l *localLog) Append(b Batch) {
	t := l.topic
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.erased || b.First.Fence < t.last.Fence { // another run took over from this one
		return
	}
	if b.Transient {
		t.pass(b)
		return
	}
	t.add(b)
	t.wake()
}

// Close implements Log.
func (l *localLog) Close() {
	l.once.Do(func() {
		t := l.topic
		t.mu.Lock()
		t.logs = slices.DeleteFunc(t.logs, func(o *localLog) bool { return o == l })
		t.mu.Unlock()
		l.hub.unpin(t)
	})
}

// Stop implements Hub.
func (h *Local) Stop(name string) {
	h.mu.Lock()
	t := h.topics[name]
	h.mu.Unlock()
	if t == nil {
		return
	}
	t.mu.Lock()
	logs := slices.Clone(t.logs)
	t.mu.Unlock()
	for _, l := range logs { // no lock is held: stop may call the hub
		if l.stop != nil {
			l.stop()
		}
	}
}

// OnForget implements Hub.
func (h *Local) OnForget(f func(topic string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.onForget = append(h.onForget, f)
}

// forgot calls what OnForget was given.
func (h *Local) forgot(name string) {
	h.mu.Lock()
	all := slices.Clone(h.onForget)
	h.mu.Unlock()
	for _, f := range all {
		f(name)
	}
}

// Forget implements Hub.
func (h *Local) Forget(name string) {
	defer h.forgot(name)
	t := h.pin(name)
	t.mu.Lock()
	t.forgets++
	if t.known {
		t.restart(t.last)
	}
	t.transient.forget()
	t.mu.Unlock()
	h.unpin(t)
}

// Erase implements Hub.
func (h *Local) Erase(name string) {
	defer h.forgot(name)
	h.mu.Lock()
	t := h.topics[name]
	if t != nil {
		delete(h.topics, name)
		if t.place != nil {
			h.idle.Remove(t.place)
			t.place, h.bytes = nil, h.bytes-t.size
		}
	}
	h.mu.Unlock()
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.empty()
	t.erased = true
	t.wake()
}
