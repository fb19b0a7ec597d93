package stream

import (
	"bytes"
	"container/list"
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
)

const (
	// maxLog is what one chat's log keeps, in bytes: some 40,000 chunks. A
	// follower that is further behind is dropped.
	maxLog = 4 << 20
	// maxIdle is what the logs of chats without a run or a follower keep together,
	// in bytes, for clients that reconnect; the least recently used go first.
	maxIdle = 16 << 20
)

// Local is the hub of one process.
type Local struct {
	partial bool
	mu      sync.Mutex
	topics  map[string]*topic
	idle    *list.List // of *topic, the most recently used first
	bytes   int        // of all idle logs
}

// NewLocal makes an empty hub for the only node there is.
func NewLocal() *Local {
	return &Local{topics: map[string]*topic{}, idle: list.New()}
}

// NewPartial makes an empty hub for one of several nodes that share a store and
// nothing else: it carries the events of its own runs, and is never complete.
func NewPartial() *Local {
	h := NewLocal()
	h.partial = true
	return h
}

var _ Hub = (*Local)(nil)

// topic is one chat's log: the frames of its newest events.
type topic struct {
	name string

	// Guarded by the hub's mutex.
	pins  int // runs and followers
	place *list.Element
	size  int // counted in Local.bytes while idle

	mu        sync.Mutex
	known     bool         // floor says something
	floor     chat.EventID // all events after this one are here
	last      chat.EventID
	base      int64 // bytes dropped from the front so far
	frames    []byte
	spans     []span
	logs      []*localLog // open ones
	followers []*follower
	erased    bool
}

// span is one appended batch.
type span struct {
	first, last chat.EventID
	end         int64 // absolute offset behind it
	done        bool
}

// topicOverhead is what an empty topic costs, in bytes, roughly.
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
	t.frames = slices.Clip(t.frames)
	if cap(t.frames) > len(t.frames) {
		t.frames = bytes.Clone(t.frames)
	}
	t.spans = slices.Clone(t.spans)
	empty := len(t.frames) == 0
	t.size = topicOverhead + cap(t.frames) + 56*len(t.spans)
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

// Complete implements Hub.
func (h *Local) Complete() bool { return !h.partial }

// Record implements Hub.
func (h *Local) Record(name string, after chat.EventID, stop func()) Log {
	t := h.pin(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	// What the log has beyond after is of a run that died, and was seen: it stays.
	if !t.known || t.last.Less(after) { // events in between were not seen here
		t.restart(after)
	}
	l := &localLog{hub: h, topic: t, stop: stop}
	t.logs = append(t.logs, l)
	return l
}

// restart empties the log, so that it goes on after the given event. Followers that have
// not had that one miss something. The caller holds the lock.
func (t *topic) restart(after chat.EventID) {
	t.base += int64(len(t.frames))
	t.frames, t.spans = nil, nil
	t.known, t.floor, t.last = true, after, after
	for _, f := range t.followers {
		if !f.placed {
			f.pos = t.base
		} else if !f.place() && f.at.Less(after) {
			f.gap = true
			f.wake()
		}
	}
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
	t.frames = append(t.frames, b.Frames...)
	t.spans = append(t.spans, span{b.First, b.Last, t.base + int64(len(t.frames)), b.End})
	t.last = b.Last
	if len(t.frames) > maxLog {
		t.trim()
	}
	for _, f := range t.followers {
		f.wake()
	}
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
	for _, l := range logs { // no lock is held: stop may come back to the hub
		if l.stop != nil {
			l.stop()
		}
	}
}

// trim drops the older half.
func (t *topic) trim() {
	i := sort.Search(len(t.spans), func(i int) bool { return t.spans[i].end >= t.base+maxLog/2 })
	i = min(i, len(t.spans)-1)
	cut := t.spans[i].end - t.base
	t.floor = t.spans[i].last
	t.frames = append(t.frames[:0], t.frames[cut:]...)
	t.spans = append(t.spans[:0], t.spans[i+1:]...)
	t.base += cut
}

// Follow implements Hub.
func (h *Local) Follow(name string) Follower {
	t := h.pin(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	f := &follower{hub: h, topic: t, pos: t.base + int64(len(t.frames)), at: t.last, placed: t.known, ready: make(chan struct{}, 1)}
	t.followers = append(t.followers, f)
	return f
}

// Erase implements Hub.
func (h *Local) Erase(name string) {
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
	t.erased, t.frames, t.spans = true, nil, nil
	for _, f := range t.followers {
		f.wake()
	}
}

type follower struct {
	hub    *Local
	topic  *topic
	pos    int64        // absolute offset of what comes next
	at     chat.EventID // the newest event that the viewer has
	placed bool         // at says something
	ahead  bool         // it has more than the log had when it was placed: what comes may be known to it
	gap    bool         // events after at are missing
	ready  chan struct{}
	buf    []byte
	once   sync.Once
}

func (f *follower) wake() {
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// Seek implements Follower.
func (f *follower) Seek(after chat.EventID) bool {
	f.topic.mu.Lock()
	defer f.topic.mu.Unlock()
	f.at, f.placed, f.gap = after, true, false
	return f.place()
}

// place goes to right after at, or to the oldest event where the log does not cover it:
// it does not reach back so far, or the id is from the future, none of this log's. The
// caller holds the topic's lock.
func (f *follower) place() bool {
	t := f.topic
	f.pos, f.ahead = t.base, t.last.Less(f.at)
	if !t.known || f.at.Less(t.floor) {
		return false
	}
	f.skip()
	return !f.ahead
}

// skip goes past what the viewer has: from the beginning of a batch to the first one that
// ends behind it, and in there to the frame behind it. The caller holds the topic's lock.
func (f *follower) skip() {
	t := f.topic
	i := sort.Search(len(t.spans), func(i int) bool { return f.at.Less(t.spans[i].last) })
	if i > 0 {
		f.pos = max(f.pos, t.spans[i-1].end)
	}
	if i == len(t.spans) || t.spans[i].first.Fence != f.at.Fence || f.pos >= t.spans[i].end {
		return
	}
	s := t.spans[i]
	rest := t.frames[f.pos-t.base : s.end-t.base]
	for n := s.first.Seq; n <= f.at.Seq; n++ {
		end := bytes.Index(rest, []byte("\n\n")) + 2 // data is one line, so a blank line ends a frame
		f.pos += int64(end)
		rest = rest[end:]
	}
}

// Next implements Follower.
func (f *follower) Next(ctx context.Context) (Batch, error) {
	for {
		if b, err := f.take(); err != nil || len(b.Frames) > 0 {
			return b, err
		}
		select {
		case <-f.ready:
		case <-ctx.Done():
			return Batch{}, context.Cause(ctx)
		}
	}
}

// take copies what is at hand, up to the first done.
func (f *follower) take() (Batch, error) {
	t := f.topic
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.erased:
		return Batch{}, ErrErased
	case f.gap:
		return Batch{}, ErrGap
	case f.pos < t.base:
		return Batch{}, ErrLagged
	}
	if f.ahead {
		f.skip()
		f.ahead = t.last.Less(f.at)
	}
	i := sort.Search(len(t.spans), func(i int) bool { return f.pos < t.spans[i].end })
	if i == len(t.spans) {
		return Batch{}, nil
	}
	b := Batch{First: t.spans[i].first}
	for ; i < len(t.spans) && !b.End; i++ {
		b.Last, b.End = t.spans[i].last, t.spans[i].done
	}
	end := t.spans[i-1].end
	f.buf = append(f.buf[:0], t.frames[f.pos-t.base:end-t.base]...)
	f.pos, f.at, f.placed, b.Frames = end, b.Last, true, f.buf
	return b, nil
}

// Close implements Follower.
func (f *follower) Close() {
	f.once.Do(func() {
		t := f.topic
		t.mu.Lock()
		t.followers = slices.DeleteFunc(t.followers, func(o *follower) bool { return o == f })
		t.mu.Unlock()
		f.hub.unpin(t)
	})
}
