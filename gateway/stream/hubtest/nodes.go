package hubtest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
)

// RunNodes tests the hubs of several nodes. open creates that many empty ones, connected with each
// other, that end with the test.
func RunNodes(t *testing.T, open func(t *testing.T, nodes int) []stream.Hub) {
	for name, test := range map[string]func(*testing.T, []stream.Hub){
		"ReplayOnAnotherNode":         nodesReplay,
		"LiveOnAnotherNode":           nodesLive,
		"LateOnAnotherNode":           nodesLate,
		"RunsMoveBetweenNodes":        nodesMove,
		"TakeoverOnAnotherNode":       nodesTakeover,
		"MissingEventsAreTold":        nodesMissing,
		"EraseReachesEveryNode":       nodesErase,
		"ForgettingReachesEveryNode":  nodesForget,
		"StopReachesTheNodeThatRuns":  nodesStop,
		"NudgesReachEveryNode":        nodesNudge,
		"PassingEventsReachEveryNode": nodesPass,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t, 3)) })
	}
}

// reached waits until the node sees the event.
func reached(t *testing.T, node stream.Hub, topic string, id chat.EventID) {
	t.Helper()
	f := Follow(t, node, topic)
	f.Seek(ID(0, 0))
	for {
		if b, err := Next(t, f); err != nil {
			t.Fatalf("waiting for %v: %v", id, err)
		} else if !b.Last.Less(id) {
			return
		}
	}
}

func nodesReplay(t *testing.T, nodes []stream.Hub) {
	rec := Begin(nodes[0], "topic", ID(0, 0), 1)
	Chunks(rec, 20)
	last := End(rec)
	reached(t, nodes[1], "topic", last)
	for seq := range last.Seq {
		f := Follow(t, nodes[2], "topic")
		if !f.Seek(ID(1, seq)) {
			t.Fatalf("after %d: not covered", seq)
		}
		Expect(t, f, ID(1, seq), last)
	}
}

// Viewers on all nodes join before, during and after a recording.
func nodesLive(t *testing.T, nodes []stream.Hub) {
	const events = 600
	var wg sync.WaitGroup
	join := func() {
		for _, node := range nodes {
			for range 2 {
				f := Follow(t, node, "topic")
				f.Seek(ID(0, 0))
				wg.Go(func() { Expect(t, f, ID(0, 0), ID(1, events+1)) })
			}
		}
	}
	join()
	rec := Begin(nodes[0], "topic", ID(0, 0), 1)
	Chunks(rec, events/2)
	join()
	Chunks(rec, events/2)
	End(rec)
	join()
	wg.Wait()
}

// A run's text reaches those who come while no other node follows it, at any moment: at once or soon,
// and without a gap.
func nodesLate(t *testing.T, nodes []stream.Hub) {
	rec := Begin(nodes[0], "topic", ID(0, 0), 1)
	var wg sync.WaitGroup
	const events = 300
	for i := range events {
		rec.Chunk(chat.EventChunk, []byte("x"))
		rec.Flush()
		if at := rec.Last(); i%20 == 10 {
			f := Follow(t, nodes[1+i/20%2], "topic")
			f.Seek(ID(0, 0))
			Expect(t, f, ID(0, 0), at)
			if i%40 == 10 { // until then, this node's followers keep the others from being the first
				f.Close()
				continue
			}
			wg.Go(func() { Expect(t, f, at, ID(1, events+1)) })
		}
	}
	End(rec)
	wg.Wait()
}

// Each run of a chat is on another node, and begins when a viewer there has seen the done event of
// the previous run. Viewers stay, and see one stream.
func nodesMove(t *testing.T, nodes []stream.Hub) {
	const topics, runs, events = 3, 6, 50
	var wg sync.WaitGroup
	for i := range topics {
		topic := fmt.Sprint(i)
		for _, node := range nodes {
			f := Follow(t, node, topic)
			f.Seek(ID(0, 0))
			wg.Go(func() { Expect(t, f, ID(0, 0), ID(runs, events+1)) })
		}
		turns := make([]stream.Follower, len(nodes))
		for n, node := range nodes {
			turns[n] = Follow(t, node, topic)
			turns[n].Seek(ID(0, 0))
		}
		wg.Go(func() {
			var last chat.EventID
			seen := make([]chat.EventID, len(nodes))
			for run := range runs {
				n := run % len(nodes)
				Expect(t, turns[n], seen[n], last)
				seen[n] = last
				rec := Begin(nodes[n], topic, last, int64(run+1))
				Chunks(rec, events)
				last = End(rec)
			}
		})
	}
	wg.Wait()
}

func nodesTakeover(t *testing.T, nodes []stream.Hub) {
	dead := Begin(nodes[0], "topic", ID(0, 0), 1)
	Chunks(dead, 5)
	f := Follow(t, nodes[1], "topic")
	f.Seek(ID(0, 0))
	Expect(t, f, ID(0, 0), ID(1, 5))
	next := Begin(nodes[2], "topic", ID(1, 2), 2) // up to what was stored
	next.Event(chat.Event{Type: chat.EventStepRestart, Data: chat.StepRestart{ChatID: "c1"}})
	next.Flush()
	Expect(t, f, ID(1, 5), ID(2, 1))
	Chunks(dead, 3) // it was paused, not dead
	dead.Close()
	Chunks(next, 4)
	Expect(t, f, ID(2, 1), End(next))
}

func nodesMissing(t *testing.T, nodes []stream.Hub) {
	rec := Begin(nodes[0], "topic", ID(0, 0), 1)
	Chunks(rec, 3)
	last := End(rec)
	f := Follow(t, nodes[1], "topic")
	f.Seek(ID(0, 0))
	Expect(t, f, ID(0, 0), last)
	rec = Begin(nodes[2], "topic", ID(7, 4), 8) // after a run that was not published
	Chunks(rec, 3)
	defer rec.Close()
	if _, err := Next(t, f); !errors.Is(err, stream.ErrGap) {
		t.Fatalf("got %v, want ErrGap", err)
	}
	f.Seek(ID(7, 4))
	Expect(t, f, ID(7, 4), rec.Last())
}

func nodesErase(t *testing.T, nodes []stream.Hub) {
	rec := Begin(nodes[0], "topic", ID(0, 0), 1)
	Chunks(rec, 3)
	reached(t, nodes[1], "topic", rec.Last())
	followers := make([]stream.Follower, len(nodes))
	for i, node := range nodes {
		followers[i] = Follow(t, node, "topic")
	}
	nodes[2].Erase("topic")
	for i, f := range followers {
		if _, err := Next(t, f); !errors.Is(err, stream.ErrErased) {
			t.Errorf("node %d: %v, want ErrErased", i, err)
		}
		f.Close()
	}
	Chunks(rec, 3) // by a run that does not know about it
	End(rec)
	for i, node := range nodes {
		if Follow(t, node, "topic").Seek(ID(0, 0)) {
			t.Errorf("node %d still has events", i)
		}
	}
}

func nodesStop(t *testing.T, nodes []stream.Hub) {
	stopped := make(chan struct{})
	log := nodes[0].Record("topic", ID(0, 0), sync.OnceFunc(func() { close(stopped) }))
	defer log.Close()
	nodes[1].Stop("topic")
	<-stopped
}

func nodesNudge(t *testing.T, nodes []stream.Hub) {
	var nudged []<-chan struct{}
	for _, node := range nodes {
		c, stop := node.Nudges()
		t.Cleanup(stop)
		nudged = append(nudged, c)
	}
	for _, node := range nodes {
		node.Nudge()
		for _, c := range nudged {
			awaitNudge(t, c)
		}
	}
}
