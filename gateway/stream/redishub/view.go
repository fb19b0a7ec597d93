package redishub

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/stream"
)

// view is a topic that has followers here.
type view struct {
	topic  string
	mirror *stream.Mirror
	ready  chan struct{} // closed when its history is here, or is not available
	refs   int           // guarded by the hub's lock
}

// Follow implements stream.Hub. The first follower of a topic waits for its history.
func (h *Hub) Follow(topic string) stream.Follower {
	h.mu.Lock()
	v, s := h.views[topic], h.session
	first := v == nil
	if first {
		v = &view{topic: topic, ready: make(chan struct{})}
		v.mirror = h.local.Mirror(topic, func() { go h.repair(v) })
		h.views[topic] = v
	}
	v.refs++
	h.mu.Unlock()
	if first {
		if s != nil {
			s.attach([]*view{v})
		}
		close(v.ready)
	}
	<-v.ready
	return &follower{Follower: h.local.Follow(topic), hub: h, view: v}
}

type follower struct {
	stream.Follower
	hub  *Hub
	view *view
	once sync.Once
}

// Close implements stream.Follower.
func (f *follower) Close() {
	f.once.Do(func() {
		f.Follower.Close()
		f.hub.leave(f.view)
	})
}

func (h *Hub) leave(v *view) {
	h.mu.Lock()
	v.refs--
	last, s := v.refs == 0, h.session
	if last {
		delete(h.views, v.topic)
		v.mirror.Close()
	}
	h.mu.Unlock()
	if last && s != nil {
		s.unsubscribe(v.topic)
	}
}

// repairAfter says when the stream is read again for followers that miss something, which may be on
// its way from another node.
var repairAfter = []time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond}

// repair fetches what followers of the topic miss.
func (h *Hub) repair(v *view) {
	for i, pause := range repairAfter {
		time.Sleep(pause)
		h.mu.Lock()
		s := h.session
		h.mu.Unlock()
		if s == nil {
			break
		}
		if whole, err := s.read([]*view{v}, i < len(repairAfter)-1); err != nil {
			s.fail(err)
			break
		} else if whole {
			return
		}
	}
	v.mirror.Extend(0, nil, false)
}

func (h *Hub) viewOf(topic string) *view {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.views[topic]
}

// lost gives the followers ErrGap, unless the run is this node's.
func (v *view) lost() {
	if !v.mirror.Recorded() {
		v.mirror.Gap()
	}
}

// gapAll gives the followers of other nodes' runs ErrGap.
func (h *Hub) gapAll() {
	h.mu.Lock()
	views := slices.Collect(maps.Values(h.views))
	h.mu.Unlock()
	for _, v := range views {
		v.lost()
	}
}
