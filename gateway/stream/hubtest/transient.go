package hubtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
)

// Pass records a transient event.
func Pass(rec *stream.Recorder, name string) {
	rec.Pass(chat.Event{Type: chat.EventToolCallProgress, Data: chat.ToolCallProgress{ChatID: "c1", ToolName: name}})
}

// Names returns the content of frames, in order: the numbers of the events or, for events without
// an id, the name of their tool.
func Names(t *testing.T, frames []byte) []string {
	t.Helper()
	var list []string
	for ev, err := range sse.Read(strings.NewReader(string(frames))) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.ID == "" {
			_, name, _ := strings.Cut(string(ev.Data), `"toolName":"`)
			name, _, _ = strings.Cut(name, `"`)
			list = append(list, name)
			continue
		}
		id, err := chat.ParseEventID(ev.ID)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprint(id.Seq))
	}
	return list
}

// watched reads until the run's done event. Transient batches must not move the viewer's position.
func watched(t *testing.T, f stream.Follower, at chat.EventID) string {
	t.Helper()
	var list []string
	for {
		b, err := Next(t, f)
		if err != nil {
			t.Errorf("after %v: %v", at, err)
			return strings.Join(list, " ")
		}
		if b.Transient && (b.First != at || b.Last != at || b.End) {
			t.Errorf("a transient event after %v moves the position from %v to %v", at, b.First, b.Last)
		}
		at = b.Last
		list = append(list, Names(t, b.Frames)...)
		if b.End {
			return strings.Join(list, " ")
		}
	}
}

func pass(t *testing.T, hub stream.Hub) {
	rec := Begin(hub, "topic", ID(0, 0), 1)
	Chunks(rec, 2)
	Pass(rec, "no viewer")
	rec.Flush()
	f := Follow(t, hub, "topic")
	Pass(rec, "a")
	Chunks(rec, 1)
	Pass(rec, "b") // flushed together with what follows it
	rec.Chunk(chat.EventChunk, []byte("4"))
	mark := rec.Mark()
	Pass(rec, "rewound")
	rec.Chunk(chat.EventChunk, []byte("rewound"))
	rec.Rewind(mark)
	Pass(rec, "c")
	rec.Flush()
	Pass(rec, "d")
	rec.Flush()
	last := End(rec)
	if got, want := watched(t, f, ID(1, 2)), "a 3 b 4 c d 5"; got != want {
		t.Errorf("a viewer sees %q, want %q", got, want)
	}
	f.Seek(ID(1, 2))
	if got, want := watched(t, f, ID(1, 2)), "3 4 5"; got != want {
		t.Errorf("a viewer that goes back sees %q, want %q", got, want)
	}
	for after, want := range map[chat.EventID]string{ID(0, 0): "1 2 3 4 5", ID(1, 2): "3 4 5", ID(1, 4): "5"} {
		late := Follow(t, hub, "topic")
		if !late.Seek(after) {
			t.Fatalf("after %v: not covered", after)
		}
		if got := watched(t, late, after); got != want {
			t.Errorf("a viewer that comes back after %v sees %q, want %q", after, got, want)
		}
	}
	f.Seek(last)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if b, err := f.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end there is %q, %v", b.Frames, err)
	}
}

// Transient events of a run that a newer one took over from are dropped as well.
func passFenced(t *testing.T, hub stream.Hub) {
	dead := Begin(hub, "topic", ID(0, 0), 1)
	Chunks(dead, 2)
	f := Follow(t, hub, "topic")
	next := Begin(hub, "topic", ID(1, 2), 2)
	Chunks(next, 1)
	Pass(dead, "late")
	dead.Flush()
	dead.Close()
	End(next)
	if got, want := watched(t, f, ID(1, 2)), "1 2"; got != want {
		t.Errorf("seen %q, want %q", got, want)
	}
}

// A viewer that reads nothing costs a bounded number of events, and loses only the oldest.
func passMany(t *testing.T, hub stream.Hub) {
	rec := Begin(hub, "topic", ID(0, 0), 1)
	Chunks(rec, 1)
	f := Follow(t, hub, "topic")
	const many = 100_000
	for i := range many {
		Pass(rec, fmt.Sprint("p", i))
		rec.Flush()
	}
	End(rec)
	got := strings.Fields(watched(t, f, ID(1, 1)))
	if n := len(got); n < 2 || n > 100 || got[n-2] != fmt.Sprint("p", many-1) || got[n-1] != "2" {
		t.Errorf("%d of %d arrived, the last are %v", n, many, got[max(0, n-2):])
	}
}

// On other nodes, transient events come in their place as well, and not to viewers who come later.
func nodesPass(t *testing.T, nodes []stream.Hub) {
	rec := Begin(nodes[0], "topic", ID(0, 0), 1)
	Chunks(rec, 2)
	var viewers []stream.Follower
	for _, node := range nodes {
		f := Follow(t, node, "topic")
		f.Seek(ID(0, 0))
		Expect(t, f, ID(0, 0), ID(1, 2))
		viewers = append(viewers, f)
	}
	Pass(rec, "a")
	rec.Flush()
	for i, f := range viewers {
		b, err := Next(t, f)
		if err != nil || !b.Transient || b.Last != ID(1, 2) {
			t.Fatalf("node %d: %+v, %v", i, b, err)
		}
	}
	Chunks(rec, 1)
	Pass(rec, "b")
	rec.Chunk(chat.EventChunk, []byte("4"))
	Pass(rec, "c")
	last := End(rec)
	for i, f := range viewers {
		if got, want := watched(t, f, ID(1, 2)), "3 b 4 c 5"; got != want {
			t.Errorf("node %d sees %q, want %q", i, got, want)
		}
	}
	reached(t, nodes[1], "topic", last)
	for i, node := range nodes {
		f := Follow(t, node, "topic")
		if !f.Seek(ID(0, 0)) {
			t.Fatalf("node %d: not covered", i)
		}
		if got, want := watched(t, f, ID(0, 0)), "1 2 3 4 5"; got != want {
			t.Errorf("a later viewer of node %d sees %q, want %q", i, got, want)
		}
	}
}
