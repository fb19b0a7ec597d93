// Package hubtest is the suite that every stream.Hub must pass: what a run records reaches every
// follower once and in order, even if runs and followers are slow, die or come back, on one node
// (Run) and between nodes (RunNodes).
package hubtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
)

// patience limits how long a test waits. It makes no difference if the hub works.
const patience = 5 * time.Minute

// ID returns an event's id.
func ID(fence, seq int64) chat.EventID { return chat.EventID{Fence: fence, Seq: seq} }

// Begin opens a run's recording.
func Begin(hub stream.Hub, topic string, after chat.EventID, fence int64) *stream.Recorder {
	return stream.NewRecorder(hub.Record(topic, after, nil), nil, "c1", fence)
}

// Chunks records n chunks of a byte each, some of them flushed together.
func Chunks(rec *stream.Recorder, n int) {
	for i := range n {
		rec.Chunk(chat.EventChunk, []byte{'a' + byte(i%26)})
		if i%3 == 0 {
			rec.Flush()
		}
	}
	rec.Flush()
}

// End records the run's done and closes the recording.
func End(rec *stream.Recorder) chat.EventID {
	rec.Event(chat.Event{Type: chat.EventDone, Data: chat.Done{ChatID: "c1"}})
	rec.Publish(true)
	rec.Flush()
	rec.Close()
	return rec.Last()
}

// Follow opens a view that ends with the test.
func Follow(t *testing.T, hub stream.Hub, topic string) stream.Follower {
	t.Helper()
	f := hub.Follow(topic)
	t.Cleanup(f.Close)
	return f
}

// Next returns the follower's next batch.
func Next(t *testing.T, f stream.Follower) (stream.Batch, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return f.Next(ctx)
}

// IDs returns the ids in frames.
func IDs(t *testing.T, frames []byte) []chat.EventID {
	t.Helper()
	var list []chat.EventID
	for ev, err := range sse.Read(strings.NewReader(string(frames))) {
		if err != nil {
			t.Fatal(err)
		}
		id, err := chat.ParseEventID(ev.ID)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, id)
	}
	return list
}

// Expect reads until it has read the event want, which must be a batch's last, and fails unless the
// events are those of the runs after the given one, without gaps or duplicates. It returns what it
// read.
func Expect(t *testing.T, f stream.Follower, after, want chat.EventID) (got []chat.EventID) {
	t.Helper()
	return expect(t, f, after, want, func() bool { return true })
}

// expect is Expect for hubs that need not be complete: those may report a gap where there is none.
func expect(t *testing.T, f stream.Follower, after, want chat.EventID, complete func() bool) (got []chat.EventID) {
	t.Helper()
	for at := after; at != want; {
		b, err := Next(t, f)
		if errors.Is(err, stream.ErrGap) && !complete() && f.Seek(at) {
			continue
		}
		if err != nil {
			t.Errorf("after %v, on the way to %v: %v", at, want, err)
			return got
		}
		list := IDs(t, b.Frames)
		if len(list) == 0 || list[0] != b.First || list[len(list)-1] != b.Last {
			t.Errorf("a batch from %v to %v has %v", b.First, b.Last, list)
			return got
		}
		for _, id := range list {
			if id != ID(at.Fence, at.Seq+1) && (id.Seq != 1 || id.Fence <= at.Fence) {
				t.Errorf("%v came after %v", id, at)
				return got
			}
			at = id
		}
		got = append(got, list...)
		if want.Less(at) {
			t.Errorf("got %v, and never %v", at, want)
			return got
		}
	}
	return got
}

// Run tests a hub. open creates an empty one that ends with the test.
func Run(t *testing.T, open func(t *testing.T) stream.Hub) {
	for name, test := range map[string]func(*testing.T, stream.Hub){
		"ReplayFromAnyEvent":            replay,
		"PiecesTakeANumberForEachByte":  pieces,
		"SeekTellsWhatIsCovered":        seek,
		"ViewerAheadOfTheLog":           ahead,
		"RunsThatFollowOn":              followOn,
		"TakeoverFromADeadRun":          takeover,
		"MissingEventsAreTold":          missing,
		"ManyViewersAndTopics":          many,
		"SlowFollowerIsDropped":         slow,
		"EraseEndsAndForgets":           erase,
		"ForgottenEventsAreGone":        forget,
		"StopReachesOpenLogs":           stop,
		"NextEndsWithItsContext":        ends,
		"NudgesWakeAllWhoWait":          nudge,
		"PassingEventsComeInTheirPlace": pass,
		"PassingEventsAreFenced":        passFenced,
		"PassingEventsAreBounded":       passMany,
		"ViewersComeAndGo":              comeAndGo,
		"CloseIsForOnceAndForAll":       closing,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func replay(t *testing.T, hub stream.Hub) {
	rec := Begin(hub, "topic", ID(0, 0), 1)
	defer rec.Close()
	Chunks(rec, 20)
	for seq := range rec.Last().Seq {
		f := Follow(t, hub, "topic")
		if !f.Seek(ID(1, seq)) {
			t.Fatalf("after %d: not covered", seq)
		}
		Expect(t, f, ID(1, seq), rec.Last())
	}
}

// The id of a piece of text says where the piece ends, and a batch says what it follows.
func pieces(t *testing.T, hub stream.Hub) {
	rec := Begin(hub, "topic", ID(0, 0), 1)
	for _, text := range []string{"abc", "é", "defghijklmn"} {
		rec.Chunk(chat.EventChunk, []byte(text))
		rec.Flush()
	}
	done := End(rec)
	for i, at := range []chat.EventID{ID(1, 0), ID(1, 3), ID(1, 5), ID(1, 16)} {
		f := Follow(t, hub, "topic")
		if !f.Seek(at) {
			t.Fatalf("after %v: not covered", at)
		}
		var got []chat.EventID
		for last := at; last != done; {
			b, err := Next(t, f)
			if err != nil {
				t.Fatal(err)
			}
			if last.Seq > 0 && b.After != last {
				t.Errorf("a batch that follows on %v came after %v", b.After, last)
			}
			got, last = append(got, IDs(t, b.Frames)...), b.Last
		}
		if want := []chat.EventID{ID(1, 3), ID(1, 5), ID(1, 16), done}[i:]; !slices.Equal(got, want) {
			t.Errorf("after %v: %v, want %v", at, got, want)
		}
	}
}

func seek(t *testing.T, hub stream.Hub) {
	rec := Begin(hub, "topic", ID(4, 9), 5)
	defer rec.Close()
	Chunks(rec, 3)
	f := Follow(t, hub, "topic")
	for id, want := range map[chat.EventID]bool{
		ID(4, 9): true, ID(5, 0): true, ID(5, 3): true,
		ID(4, 8): false, {}: false, ID(5, 4): false, ID(6, 1): false,
	} {
		if got := f.Seek(id); got != want {
			t.Errorf("Seek(%v) = %v, want %v", id, got, want)
		}
	}
}

func ahead(t *testing.T, hub stream.Hub) {
	f := Follow(t, hub, "topic")
	f.Seek(ID(1, 2)) // as reported by a snapshot, before the run published it
	rec := Begin(hub, "topic", ID(0, 0), 1)
	defer rec.Close()
	Chunks(rec, 5)
	Expect(t, f, ID(1, 2), ID(1, 5))
}

func followOn(t *testing.T, hub stream.Hub) {
	rec := Begin(hub, "topic", ID(0, 0), 1)
	Chunks(rec, 3)
	first := End(rec)
	rec = Begin(hub, "topic", first, 2)
	Chunks(rec, 2)
	second := End(rec)
	f := Follow(t, hub, "topic")
	if !f.Seek(ID(0, 0)) {
		t.Fatal("the first run is gone")
	}
	Expect(t, f, ID(0, 0), second)
}

// A run died after it had published more than was stored. The run that takes over continues from
// what is stored, and viewers from what they saw.
func takeover(t *testing.T, hub stream.Hub) {
	dead := Begin(hub, "topic", ID(0, 0), 1)
	Chunks(dead, 5)
	f := Follow(t, hub, "topic")
	f.Seek(ID(1, 5))
	next := Begin(hub, "topic", ID(1, 2), 2)
	next.Event(chat.Event{Type: chat.EventStepRestart, Data: chat.StepRestart{ChatID: "c1"}})
	next.Flush()
	Chunks(dead, 3) // it was paused, not dead
	dead.Close()
	Chunks(next, 4)
	last := End(next)
	Expect(t, f, ID(1, 5), last)
	if !f.Seek(ID(1, 3)) {
		t.Fatal("what the dead run published is gone")
	}
	Expect(t, f, ID(1, 3), last)
}

func missing(t *testing.T, hub stream.Hub) {
	rec := Begin(hub, "topic", ID(0, 0), 1)
	Chunks(rec, 3)
	last := End(rec)
	behind, told := Follow(t, hub, "topic"), Follow(t, hub, "topic")
	behind.Seek(last)
	elsewhere := ID(7, 4) // the end of a run that was never seen here
	told.Seek(elsewhere)
	rec = Begin(hub, "topic", elsewhere, 8)
	defer rec.Close()
	Chunks(rec, 2)
	for range 2 {
		if _, err := Next(t, behind); !errors.Is(err, stream.ErrGap) {
			t.Errorf("a viewer of the older run: %v, want ErrGap", err)
		}
	}
	for _, f := range []stream.Follower{told, behind} {
		f.Seek(elsewhere) // as the stored state shows
		Expect(t, f, elsewhere, rec.Last())
	}
	if behind.Seek(last) {
		t.Error("a log with a gap claims to be complete")
	}
	for range 2 { // viewers that have just read the store are there, too
		if b, err := Next(t, behind); !errors.Is(err, stream.ErrGap) {
			t.Errorf("a viewer that goes to a place that the log does not reach is shown %v to %v, %v, want ErrGap", b.First, b.Last, err)
		}
	}
	behind.SeekOldest()
	Expect(t, behind, elsewhere, rec.Last())
}

func many(t *testing.T, hub stream.Hub) {
	const topics, viewers, runs, events = 4, 4, 3, 300
	var wg sync.WaitGroup
	for i := range topics {
		topic := fmt.Sprint(i)
		// Begin first: a hub that is not complete may only report missing events for a topic that
		// it does not know.
		rec := Begin(hub, topic, chat.EventID{}, 1)
		for range viewers {
			f := Follow(t, hub, topic)
			f.Seek(ID(0, 0))
			wg.Go(func() { expect(t, f, ID(0, 0), ID(runs, events+1), hub.Complete) })
		}
		wg.Go(func() {
			for run := 1; ; run++ {
				Chunks(rec, events)
				last := End(rec)
				if run == runs {
					return
				}
				rec = Begin(hub, topic, last, int64(run+1))
			}
		})
	}
	wg.Wait()
}

func slow(t *testing.T, hub stream.Hub) {
	rec := Begin(hub, "topic", ID(0, 0), 1)
	defer rec.Close()
	f := Follow(t, hub, "topic")
	text := []byte(strings.Repeat("x", 64<<10))
	for range 80 { // 5 MiB: more than a log keeps
		rec.Chunk(chat.EventChunk, text)
		rec.Flush()
	}
	if _, err := Next(t, f); !errors.Is(err, stream.ErrLagged) {
		t.Fatalf("got %v, want ErrLagged", err)
	}
	if f.Seek(ID(1, 1)) {
		t.Error("trimmed events are reported as available")
	}
	f.SeekOldest()
	for at := (chat.EventID{}); at != rec.Last(); {
		b, err := Next(t, f)
		if err != nil || len(b.Frames) > 256<<10 {
			t.Fatalf("from the oldest on: up to %v, %d bytes, %v", at, len(b.Frames), err)
		}
		at = b.Last
	}
}

func erase(t *testing.T, hub stream.Hub) {
	rec := Begin(hub, "topic", ID(0, 0), 1)
	Chunks(rec, 3)
	f := Follow(t, hub, "topic")
	hub.Erase("topic")
	if _, err := Next(t, f); !errors.Is(err, stream.ErrErased) {
		t.Errorf("got %v, want ErrErased", err)
	}
	f.Close()
	Chunks(rec, 3) // late
	End(rec)
	if Follow(t, hub, "topic").Seek(ID(0, 0)) {
		t.Error("an erased topic still has events")
	}
}

func stop(t *testing.T, hub stream.Hub) {
	stopped := make(chan string, 10)
	open := func(topic, name string) stream.Log {
		return hub.Record(topic, ID(0, 0), func() {
			hub.Complete() // the callback may use the hub
			stopped <- name
		})
	}
	closed := open("topic", "closed")
	defer open("topic", "one").Close()
	defer open("topic", "two").Close()
	defer open("another", "another").Close()
	closed.Close()
	hub.Stop("topic")
	hub.Stop("unknown")
	got := []string{<-stopped, <-stopped}
	slices.Sort(got)
	if want := []string{"one", "two"}; !slices.Equal(got, want) || len(stopped) > 0 {
		t.Errorf("stopped %v and %d more, want %v", got, len(stopped), want)
	}
}

func ends(t *testing.T, hub stream.Hub) {
	f := Follow(t, hub, "topic")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := f.Next(ctx)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func comeAndGo(t *testing.T, hub stream.Hub) {
	const events = 400
	var wg sync.WaitGroup
	recorded := make(chan struct{})
	for range 6 {
		wg.Go(func() {
			at := ID(0, 0)
			for at != ID(1, events+1) {
				f := hub.Follow("topic")
				if !f.Seek(at) && at != ID(0, 0) {
					t.Errorf("what follows %v is gone", at)
				}
				for range 3 {
					b, err := Next(t, f)
					if err != nil {
						t.Errorf("after %v: %v", at, err)
						f.Close()
						return
					}
					if b.First != ID(1, at.Seq+1) {
						t.Errorf("%v came after %v", b.First, at)
					}
					if at = b.Last; b.End {
						break
					}
				}
				f.Close()
			}
		})
	}
	wg.Go(func() {
		defer close(recorded)
		rec := Begin(hub, "topic", ID(0, 0), 1)
		Chunks(rec, events)
		End(rec)
	})
	<-recorded
	wg.Wait()
}

func closing(t *testing.T, hub stream.Hub) {
	log := hub.Record("topic", ID(0, 0), nil)
	f := hub.Follow("topic")
	for range 2 {
		log.Close()
		f.Close()
	}
}
