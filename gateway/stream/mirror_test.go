package stream_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/stream/hubtest"
)

// batch is what another node recorded: events of one run.
func batch(fence, first, last int64, after chat.EventID) stream.Batch {
	if first > 1 {
		after = hubtest.ID(fence, first-1)
	}
	b := stream.Batch{First: hubtest.ID(fence, first), Last: hubtest.ID(fence, last), After: after}
	for seq := first; seq <= last; seq++ {
		b.Add(hubtest.ID(fence, seq), chat.Event{Type: chat.EventChunk, Data: chat.Chunk{}})
	}
	return b
}

func TestMirrorLeavesOutWhatIsHere(t *testing.T) {
	hub := stream.NewLocal()
	m := hub.Mirror("topic", func() { t.Error("nothing is missing") })
	defer m.Close()
	f := hubtest.Follow(t, hub, "topic")
	f.Seek(hubtest.ID(0, 0))
	for _, b := range []stream.Batch{
		batch(1, 1, 3, hubtest.ID(0, 0)), batch(1, 1, 3, hubtest.ID(0, 0)), batch(1, 2, 3, hubtest.ID(0, 0)),
		batch(1, 2, 5, hubtest.ID(0, 0)), // its end is new
		batch(2, 1, 2, hubtest.ID(1, 4)),
		batch(1, 6, 7, hubtest.ID(0, 0)), // of a run that was taken over from
		batch(2, 3, 3, hubtest.ID(0, 0)),
	} {
		m.Append(b)
	}
	if got := hubtest.Expect(t, f, hubtest.ID(0, 0), hubtest.ID(2, 3)); len(got) != 8 {
		t.Errorf("%v", got)
	}
}

func TestFollowersWaitForWhatIsRepaired(t *testing.T) {
	hub := stream.NewLocal()
	asked := 0
	m := hub.Mirror("topic", func() { asked++ })
	defer m.Close()
	m.Append(batch(1, 1, 2, hubtest.ID(0, 0)))
	f := hubtest.Follow(t, hub, "topic")
	f.Seek(hubtest.ID(1, 1))
	m.Append(batch(1, 5, 6, hubtest.ID(0, 0))) // 3 and 4 are missing
	if asked != 1 {
		t.Fatalf("%d requests for the missing events", asked)
	}
	if m.Extend(m.Forgets(), []stream.Batch{batch(1, 1, 2, hubtest.ID(0, 0))}, true) {
		t.Error("events that are still missing are reported as available")
	}
	if !m.Extend(m.Forgets(), []stream.Batch{batch(1, 1, 2, hubtest.ID(0, 0)), batch(1, 3, 4, hubtest.ID(0, 0))}, true) {
		t.Error("events that arrived are reported as missing")
	}
	hubtest.Expect(t, f, hubtest.ID(1, 1), hubtest.ID(1, 6))

	m.Append(batch(1, 8, 8, hubtest.ID(0, 0)))
	m.Extend(m.Forgets(), nil, false) // nothing to be found
	if _, err := hubtest.Next(t, f); !errors.Is(err, stream.ErrGap) {
		t.Errorf("%v, want ErrGap", err)
	}
}

// A run of this node continues while the history before it arrives.
func TestHistoryIsPutInFrontOfALiveRun(t *testing.T) {
	hub := stream.NewLocal()
	rec := hubtest.Begin(hub, "topic", hubtest.ID(1, 3), 2)
	hubtest.Chunks(rec, 4)
	m := hub.Mirror("topic", func() {})
	defer m.Close()
	f := hubtest.Follow(t, hub, "topic")
	m.Forget() // not while a run records
	m.Extend(m.Forgets(), []stream.Batch{batch(1, 1, 3, hubtest.ID(0, 0)), batch(2, 1, 2, hubtest.ID(1, 3))}, false)
	hubtest.Chunks(rec, 4)
	last := hubtest.End(rec)
	hubtest.Expect(t, f, hubtest.ID(2, 4), last)
	if !f.Seek(hubtest.ID(0, 0)) {
		t.Fatal("the history is not there")
	}
	hubtest.Expect(t, f, hubtest.ID(0, 0), last)
}

// A history that was read before the topic was forgotten does not come back.
func TestAForgottenHistoryStaysGone(t *testing.T) {
	for _, known := range []bool{true, false} {
		hub := stream.NewLocal()
		m := hub.Mirror("topic", func() {})
		if known {
			m.Append(batch(1, 1, 3, hubtest.ID(0, 0)))
		}
		read := m.Forgets()
		hub.Forget("topic")
		m.Extend(read, []stream.Batch{batch(1, 1, 3, hubtest.ID(0, 0))}, false)
		if f := hubtest.Follow(t, hub, "topic"); f.Seek(hubtest.ID(0, 0)) {
			t.Errorf("with the events in the log %v: forgotten events are back", known)
		}
		m.Close()
	}
}

// A transient event of another node is shown in its place, or not at all.
func TestMirrorShowsWhatPassesInItsPlace(t *testing.T) {
	hub := stream.NewLocal()
	m := hub.Mirror("topic", func() {})
	defer m.Close()
	m.Append(batch(1, 1, 2, hubtest.ID(0, 0)))
	f := hubtest.Follow(t, hub, "topic")
	transient := func(after chat.EventID, name string) stream.Batch {
		return stream.Batch{First: after, Last: after, Transient: true, Events: stream.One("", chat.Event{Type: chat.EventToolCallProgress, Data: chat.ToolCallProgress{ToolName: name}})}
	}
	m.Append(transient(hubtest.ID(1, 1), "late"))
	m.Append(transient(hubtest.ID(1, 3), "early"))
	m.Append(transient(hubtest.ID(1, 2), "good"))
	m.Append(batch(1, 3, 3, hubtest.ID(0, 0)))
	var got []string
	for len(got) < 2 {
		b, err := hubtest.Next(t, f)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, hubtest.Names(t, b.Frames)...)
	}
	if want := []string{"good", "3"}; !slices.Equal(got, want) {
		t.Errorf("seen %v, want %v", got, want)
	}

	own := hub.Record("topic", hubtest.ID(1, 3), nil) // its hub sends the run's events back
	defer own.Close()
	m.Append(transient(hubtest.ID(1, 3), "its own"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if b, err := f.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("shown twice: %q, %v", b.Frames, err)
	}
}
