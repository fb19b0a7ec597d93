package hubtest

import (
	"errors"
	"slices"
	"testing"

	"github.com/askgate/askgate/gateway/stream"
)

// forget: what is forgotten is gone for those who come later and for those who were behind; the topic
// goes on for all.
func forget(t *testing.T, hub stream.Hub) {
	rec := Begin(hub, "topic", ID(0, 0), 1)
	behind, upToDate := Follow(t, hub, "topic"), Follow(t, hub, "topic")
	behind.Seek(ID(0, 0))
	upToDate.Seek(ID(0, 0))
	Chunks(rec, 3)
	seen := rec.Last()
	Expect(t, upToDate, ID(0, 0), seen)
	var told []string
	hub.OnForget(func(topic string) { told = append(told, topic) })
	hub.Forget("topic")
	hub.Erase("other")
	if !slices.Equal(told, []string{"topic", "other"}) {
		t.Errorf("OnForget was called with %q", told)
	}
	if Follow(t, hub, "topic").Seek(ID(0, 0)) {
		t.Error("forgotten events are still there")
	}
	Chunks(rec, 3)
	End(rec)
	Expect(t, upToDate, seen, rec.Last())
	if _, err := Next(t, behind); !errors.Is(err, stream.ErrGap) {
		t.Errorf("behind: %v, want ErrGap", err)
	}
	late := Follow(t, hub, "topic")
	if !late.Seek(seen) {
		t.Error("what came afterwards is not there")
	}
	Expect(t, late, seen, rec.Last())
}

// nodesForget: no node has what another one forgot, and what comes next reaches all.
func nodesForget(t *testing.T, nodes []stream.Hub) {
	rec := Begin(nodes[0], "topic", ID(0, 0), 1)
	Chunks(rec, 3)
	seen := rec.Last()
	for _, node := range nodes[1:] {
		reached(t, node, "topic", seen)
	}
	f := Follow(t, nodes[1], "topic")
	f.Seek(seen)
	told := make([]chan string, len(nodes))
	for i, node := range nodes {
		told[i] = make(chan string, 100)
		node.OnForget(func(topic string) { told[i] <- topic })
	}
	nodes[2].Forget("topic")
	nodes[0].Erase("other")
	for i := range nodes {
		heard := map[string]bool{}
		for !heard["topic"] || !heard["other"] {
			heard[<-told[i]] = true
		}
	}
	for i, node := range nodes { // the run's node, too: until it hears of it, it drops what it records
		for deadline := 0; ; deadline++ { // it is on its way
			late := Follow(t, node, "topic")
			there := late.Seek(ID(0, 0))
			if late.Close(); !there {
				break
			}
			if deadline == 10_000 {
				t.Fatalf("node %d still has the events", i)
			}
		}
	}
	Chunks(rec, 3)
	End(rec)
	Expect(t, f, seen, rec.Last())
}
