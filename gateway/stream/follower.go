package stream

import (
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
)

// follower is a viewer of a topic of a Local.
type follower struct {
	hub    *Local
	topic  *topic
	pos    int64        // absolute offset of what comes next
	at     chat.EventID // the newest event that the viewer has
	placed bool         // at is set
	ahead  bool         // it had more than the log when it was placed, and may already have what comes next
	gap    bool         // events after at are missing
	broken bool         // events after the newest in the log may be missing
	passed int64        // number of the newest transient event that it has, or came too late for
	ready  chan struct{}
	buf    []byte
	once   sync.Once
}

// Follow implements Hub.
func (h *Local) Follow(name string) Follower {
	t := h.pin(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	f := &follower{hub: h, topic: t, pos: t.end(), at: t.last, placed: t.known, passed: t.transient.count, ready: make(chan struct{}, 1)}
	t.followers = append(t.followers, f)
	return f
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
	f.at, f.placed, f.broken = after, true, false
	there := f.place()
	f.gap = !there && f.topic.known
	return there && !f.ahead // the log did not have that id before
}

// SeekOldest implements Follower.
func (f *follower) SeekOldest() {
	f.topic.mu.Lock()
	defer f.topic.mu.Unlock()
	f.pos, f.gap, f.broken = f.topic.base, false, false
}

// place seeks the position right after at. It returns false if the log does not reach back so far.
// The caller holds the topic's lock.
func (f *follower) place() bool {
	t := f.topic
	f.pos, f.ahead = t.base, t.last.Less(f.at)
	if !t.known || f.at.Less(t.floor) {
		return false
	}
	f.skip()
	return true
}

// skip skips what the viewer has already. The caller holds the topic's lock.
func (f *follower) skip() { f.pos = max(f.pos, f.topic.start(f.topic.behind(f.at))) }

// Next implements Follower.
func (f *follower) Next(ctx context.Context) (Batch, error) {
	for {
		if b, err := f.take(); err != nil || b.Len() > 0 {
			return b, err
		}
		select {
		case <-f.ready:
		case <-ctx.Done():
			return Batch{}, context.Cause(ctx)
		}
	}
}

// maxTake is about how many bytes a follower takes at a time. Viewers share the log of the chat: one
// that does not keep up costs this much, and not another copy of the log.
const maxTake = 64 << 10

// take copies what is at hand, up to maxTake, the first done event, a transient event, or the end of
// a run that died.
func (f *follower) take() (Batch, error) {
	t := f.topic
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.erased:
		return Batch{}, ErrErased
	case f.gap && t.repairing:
		return Batch{}, nil
	case f.gap:
		return Batch{}, ErrGap
	case f.pos < t.base:
		return Batch{}, ErrLagged
	}
	if f.ahead {
		f.skip()
		f.ahead = t.last.Less(f.at)
	}
	passes := t.transient.next(f.at, &f.passed)
	if passes != nil && passes.after == f.at {
		f.passed = passes.number
		return Batch{First: f.at, Last: f.at, Events: passes.event, Transient: true}, nil
	}
	from := sort.Search(t.Len(), func(i int) bool { return f.pos < t.marks[i].end })
	switch {
	case from == t.Len() && f.broken:
		return Batch{}, ErrGap
	case from == t.Len():
		return Batch{}, nil
	}
	b, to := t.batch(from)
	to = min(to, 1+sort.Search(to-1, func(i int) bool { return t.marks[i].end-f.pos >= maxTake }))
	if passes != nil {
		to = min(to, max(from+1, t.behind(passes.after)))
	}
	b.Last, b.End = t.marks[to-1].id, t.marks[to-1].done
	if cap(f.buf) > 2*maxTake { // after a large event
		f.buf = nil
	}
	b.Events = t.part(from, to)
	f.buf = append(f.buf[:0], b.Frames...)
	f.pos, f.at, f.placed, b.Frames = t.start(to), b.Last, true, f.buf
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
