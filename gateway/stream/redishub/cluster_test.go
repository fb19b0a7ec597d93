package redishub_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/prove/redistest"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/stream/hubtest"
	"github.com/askgate/askgate/gateway/stream/redishub"
)

func TestCluster(t *testing.T) {
	c := redistest.NewCluster(t)
	suites(t, c.URL)
	t.Run("FailOver", func(t *testing.T) {
		amidTurns(t, c.URL, func(t *testing.T, h *redishub.Hub) {
			c.FailOver(t, h.Control())
			c.FailOver(t, h.Channel("0"))
		})
	})
	t.Run("MovedSlot", func(t *testing.T) {
		amidTurns(t, c.URL, func(t *testing.T, h *redishub.Hub) {
			const topic = "11" // not in the slot of a channel that the session needs
			from, _ := c.Of(t, h.Channel(topic))
			for i := 0; ; i++ {
				other := h.Channel(strconv.Itoa(i))
				if to, _ := c.Of(t, other); to != from {
					c.Move(t, h.Channel(topic), other)
					return
				}
			}
		})
	})
	t.Run("KilledMaster", func(t *testing.T) {
		amidTurns(t, c.URL, func(t *testing.T, h *redishub.Hub) {
			master, _ := c.Of(t, h.Channel("0"))
			master.Kill()
			c.Settled(t)
		})
	})
}

func TestSentinel(t *testing.T) {
	s := redistest.NewSentinel(t)
	suites(t, s.URL)
	s.Fail(t, func(t *testing.T, fails func()) {
		amidTurns(t, s.URL, func(*testing.T, *redishub.Hub) { fails() })
	})
}

// suites runs the suites of hubs on a server.
func suites(t *testing.T, server string) {
	connected := func(t *testing.T, prefix string) *redishub.Hub {
		h := open(t, server, prefix)
		h.Await(t, true)
		return h
	}
	t.Run("Hub", func(t *testing.T) {
		hubtest.Run(t, func(t *testing.T) stream.Hub { return connected(t, redistest.Prefix(t, server)) })
	})
	t.Run("Nodes", func(t *testing.T) {
		hubtest.RunNodes(t, func(t *testing.T, nodes int) []stream.Hub {
			prefix := redistest.Prefix(t, server)
			hubs := make([]stream.Hub, nodes)
			for i := range hubs {
				hubs[i] = connected(t, prefix)
			}
			return hubs
		})
	})
}

// turn is a run and what is stored of it.
type turn struct {
	topic string
	mu    sync.Mutex
	rec   *stream.Recorder
	over  bool
}

// say records a piece of a byte, as the run's next event.
func (r *turn) say() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rec.Chunk(chat.EventChunk, []byte("x"))
	r.rec.Flush()
}

func (r *turn) stored() (last chat.EventID, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rec.Last(), r.over
}

func (r *turn) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	hubtest.End(r.rec)
	r.over = true
}

// amidTurns lets happen something to Redis while runs on one node are followed on all. Followers get
// each event once and in order, except those that are missing according to ErrGap, and whose place the
// store knows.
func amidTurns(t *testing.T, server string, happen func(*testing.T, *redishub.Hub)) {
	prefix := redistest.Prefix(t, server)
	nodes := []*redishub.Hub{open(t, server, prefix), open(t, server, prefix), open(t, server, prefix)}
	for _, h := range nodes {
		h.Await(t, true)
	}
	const topics = 12 // on all masters of a cluster
	over := make(chan struct{})
	var whole atomic.Int64
	var running, following sync.WaitGroup
	for i := range topics {
		r := &turn{topic: strconv.Itoa(i)}
		r.rec = hubtest.Begin(nodes[i%2], r.topic, hubtest.ID(0, 0), 1)
		r.say()
		running.Go(func() {
			for {
				r.say()
				select {
				case <-over:
					for range 10 {
						r.say()
					}
					r.end()
					return
				case <-t.Context().Done():
					return
				case <-time.After(5 * time.Millisecond): // the pace of a model
				}
			}
		})
		for _, h := range nodes {
			f := hubtest.Follow(t, h, r.topic)
			f.Seek(hubtest.ID(0, 0))
			following.Go(func() { followed(t, f, r, &whole) })
		}
	}
	happen(t, nodes[0])
	for _, h := range nodes {
		h.Await(t, true)
	}
	close(over)
	running.Wait()
	following.Wait()

	t.Logf("%d of %d followers saw the run's end in the stream, the others in the store", whole.Load(), topics*len(nodes))

	// In the end, nothing is missing.
	attempt := 0
	redistest.Await(t, "a run is followed without a gap", func(context.Context) bool {
		attempt++
		r := &turn{topic: fmt.Sprint("after ", attempt)}
		r.rec = hubtest.Begin(nodes[0], r.topic, hubtest.ID(0, 0), 1)
		f := hubtest.Follow(t, nodes[2], r.topic)
		f.Seek(hubtest.ID(0, 0))
		for range 20 {
			r.say()
		}
		r.end()
		before := whole.Load()
		followed(t, f, r, &whole)
		return whole.Load() > before
	})
}

// look is how long a follower waits before it looks into the store, as package follow does: a master that
// is lost may take events with it of which no node is told.
const look = 4 * time.Second

// followed follows a run to its end.
func followed(t *testing.T, f stream.Follower, r *turn, whole *atomic.Int64) {
	for at := (chat.EventID{}); ; {
		ctx, cancel := context.WithTimeout(t.Context(), look)
		b, err := f.Next(ctx)
		cancel()
		if errors.Is(err, stream.ErrGap) || errors.Is(err, context.DeadlineExceeded) {
			stored, over := r.stored()
			if over {
				return
			}
			if at.Less(stored) || errors.Is(err, stream.ErrGap) {
				at = stored
				f.Seek(at)
			}
			continue
		}
		if err != nil {
			t.Errorf("topic %s after %v: %v", r.topic, at, err)
			return
		}
		for _, id := range hubtest.IDs(t, b.Frames) {
			if id != hubtest.ID(1, at.Seq+1) {
				t.Errorf("topic %s: %v came after %v", r.topic, id, at)
				return
			}
			at = id
		}
		if b.End {
			whole.Add(1)
			return
		}
	}
}
