package stream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
)

// record makes a run of n chunks, without its done.
func record(hub stream.Hub, after chat.EventID, n int) (*stream.Recorder, chat.EventID) {
	rec := stream.NewRecorder(hub.Record("topic", after, nil), nil, "c1", after.Fence+1)
	for i := range n {
		rec.Chunk(chat.EventChunk, fmt.Appendf(nil, "%d ", i))
		if i%3 == 0 {
			rec.Flush()
		}
	}
	rec.Flush()
	return rec, rec.Last()
}

func ids(t *testing.T, frames []byte) []string {
	t.Helper()
	var list []string
	for ev, err := range sse.Read(strings.NewReader(string(frames))) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev.ID)
	}
	return list
}

func TestReplayFromAnyEventHasNoGapAndNoDuplicate(t *testing.T) {
	hub := stream.NewLocal()
	rec, last := record(hub, chat.EventID{}, 20)
	defer rec.Close()
	for seq := int64(0); seq <= last.Seq; seq++ {
		f := hub.Follow("topic")
		if !f.Seek(chat.EventID{Fence: 1, Seq: seq}) {
			t.Fatalf("after %d: not covered", seq)
		}
		if seq < last.Seq {
			b, err := f.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := ids(t, b.Frames)
			if len(got) != int(last.Seq-seq) || got[0] != (chat.EventID{Fence: 1, Seq: seq + 1}).String() {
				t.Fatalf("after %d: %v", seq, got)
			}
		}
		f.Close()
	}
}

func TestSeekTellsWhatTheLogDoesNotCover(t *testing.T) {
	hub := stream.NewLocal()
	rec, _ := record(hub, chat.EventID{Fence: 4, Seq: 9}, 3)
	defer rec.Close()
	f := hub.Follow("topic")
	defer f.Close()
	for id, want := range map[chat.EventID]bool{
		{Fence: 4, Seq: 9}: true, {Fence: 5, Seq: 0}: true, {Fence: 5, Seq: 3}: true,
		{Fence: 4, Seq: 8}: false, {}: false, {Fence: 5, Seq: 4}: false, {Fence: 6, Seq: 1}: false,
	} {
		if got := f.Seek(id); got != want {
			t.Errorf("Seek(%v) = %v, want %v", id, got, want)
		}
	}
}

func TestViewerAheadOfTheLogSeesNothingTwice(t *testing.T) {
	hub := stream.NewLocal()
	f := hub.Follow("topic")
	defer f.Close()
	f.Seek(chat.EventID{Fence: 1, Seq: 2}) // told by a snapshot, before the run published it
	rec, _ := record(hub, chat.EventID{}, 5)
	defer rec.Close()
	b, err := f.Next(t.Context())
	if got := ids(t, b.Frames); err != nil || len(got) != 3 || got[0] != (chat.EventID{Fence: 1, Seq: 3}).String() {
		t.Errorf("%v, %v", got, err)
	}
}

func TestRunsThatFollowOnAreOneLog(t *testing.T) {
	hub := stream.NewLocal()
	rec, last := record(hub, chat.EventID{}, 3)
	rec.Close()
	rec, _ = record(hub, last, 2)
	rec.Close()
	f := hub.Follow("topic")
	defer f.Close()
	if !f.Seek(chat.EventID{}) {
		t.Fatal("the first run is gone")
	}
	for i, want := range []int{3, 2} {
		b, err := f.Next(t.Context())
		if got := ids(t, b.Frames); err != nil || len(got) != want || b.First.Fence != int64(i+1) {
			t.Fatalf("run %d: %v, %v: want both runs", i+1, got, err)
		}
	}

	// Events between the runs that this hub did not see make a new log.
	rec, _ = record(hub, chat.EventID{Fence: 7, Seq: 1}, 1)
	defer rec.Close()
	if f.Seek(last) {
		t.Error("a log with a gap claims to be complete")
	}
}

// A run died after it had published more than was stored: the one that takes over
// follows on what is stored, and viewers on what they saw.
func TestTakeoverGoesOnBehindWhatTheDeadRunPublished(t *testing.T) {
	hub := stream.NewLocal()
	dead, seen := record(hub, chat.EventID{}, 5)
	f := hub.Follow("topic")
	defer f.Close()
	next := stream.NewRecorder(hub.Record("topic", chat.EventID{Fence: 1, Seq: 2}, nil), nil, "c1", 2)
	defer next.Close()
	next.Event(chat.EventStepRestart, chat.StepRestart{ChatID: "c1"})
	next.Flush()
	dead.Chunk(chat.EventChunk, []byte("it was paused, not dead"))
	dead.Flush()
	dead.Close()
	next.Chunk(chat.EventChunk, []byte("on"))
	next.Flush()
	want := []string{chat.EventID{Fence: 2, Seq: 1}.String(), chat.EventID{Fence: 2, Seq: 2}.String()}
	if b, err := f.Next(t.Context()); err != nil || !slices.Equal(ids(t, b.Frames), want) {
		t.Errorf("a viewer at the end: %v, %v, want %v", ids(t, b.Frames), err, want)
	}
	if !f.Seek(seen) {
		t.Fatal("what the dead run published is gone")
	}
	if b, err := f.Next(t.Context()); err != nil || !slices.Equal(ids(t, b.Frames), want) {
		t.Errorf("a viewer that comes back: %v, %v, want %v", ids(t, b.Frames), err, want)
	}
}

func TestFollowersLearnThatEventsAreMissing(t *testing.T) {
	hub := stream.NewPartial()
	rec, last := record(hub, chat.EventID{}, 3)
	rec.Close()
	behind, told := hub.Follow("topic"), hub.Follow("topic")
	defer behind.Close()
	defer told.Close()
	elsewhere := chat.EventID{Fence: 7, Seq: 4} // the end of a run of another node
	told.Seek(elsewhere)
	rec, _ = record(hub, elsewhere, 2)
	defer rec.Close()
	for range 2 {
		if _, err := behind.Next(t.Context()); !errors.Is(err, stream.ErrGap) {
			t.Errorf("a viewer of the older run: %v, want ErrGap", err)
		}
	}
	for _, f := range []stream.Follower{told, behind} {
		f.Seek(elsewhere) // as what is stored tells
		if b, err := f.Next(t.Context()); err != nil || len(ids(t, b.Frames)) != 2 {
			t.Errorf("a viewer that has what is missing: %v, %v", ids(t, b.Frames), err)
		}
	}
	if behind.Seek(last) {
		t.Error("a log with a gap claims to be complete")
	}
}

func TestStopReachesTheOpenLogs(t *testing.T) {
	hub := stream.NewLocal()
	calls := map[string]int{}
	open := func(topic, name string) stream.Log {
		return hub.Record(topic, chat.EventID{}, func() {
			calls[name]++
			hub.Complete()
			hub.Follow(topic).Close() // it may use the hub
		})
	}
	closed := open("topic", "closed")
	defer open("topic", "one").Close()
	defer open("topic", "two").Close()
	defer open("another", "another").Close()
	closed.Close()
	hub.Stop("topic")
	hub.Stop("nobody's")
	if want := map[string]int{"one": 1, "two": 1}; !maps.Equal(calls, want) {
		t.Errorf("stopped %v, want %v", calls, want)
	}
}

func TestOnlyTheHubOfAllNodesIsComplete(t *testing.T) {
	if !stream.NewLocal().Complete() || stream.NewPartial().Complete() {
		t.Error("a single node's hub is complete, one of several is not")
	}
}

func TestFollowersSeeEveryEventOfConcurrentRecording(t *testing.T) {
	hub := stream.NewLocal()
	const events, viewers = 2000, 8
	var wg sync.WaitGroup
	for range viewers {
		f := hub.Follow("topic")
		wg.Go(func() {
			defer f.Close()
			next := int64(1)
			for {
				b, err := f.Next(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				for _, id := range ids(t, b.Frames) {
					if want := (chat.EventID{Fence: 1, Seq: next}).String(); id != want {
						t.Errorf("got %s, want %s", id, want)
						return
					}
					next++
				}
				if b.End {
					if next != events+2 {
						t.Errorf("done after %d events", next-1)
					}
					return
				}
			}
		})
	}
	rec, _ := record(hub, chat.EventID{}, events)
	rec.Event(chat.EventDone, chat.Done{ChatID: "c1"})
	rec.Publish(true)
	rec.Close()
	wg.Wait()
}

func TestSlowFollowerIsDroppedAndHoldsNobody(t *testing.T) {
	hub := stream.NewLocal()
	rec := stream.NewRecorder(hub.Record("topic", chat.EventID{}, nil), nil, "c1", 1)
	defer rec.Close()
	f := hub.Follow("topic")
	defer f.Close()
	text := []byte(strings.Repeat("x", 64<<10))
	for range 80 { // 5 MiB: more than a log keeps
		rec.Chunk(chat.EventChunk, text)
		rec.Flush()
	}
	if _, err := f.Next(t.Context()); !errors.Is(err, stream.ErrLagged) {
		t.Fatalf("got %v, want ErrLagged", err)
	}
	if f.Seek(chat.EventID{Fence: 1, Seq: 1}) {
		t.Error("trimmed events are claimed to be there")
	}
	if b, err := f.Next(t.Context()); err != nil || len(b.Frames) == 0 {
		t.Errorf("after a seek to the oldest: %d bytes, %v", len(b.Frames), err)
	}
}

func TestEraseEndsFollowersAndForgets(t *testing.T) {
	hub := stream.NewLocal()
	rec, _ := record(hub, chat.EventID{}, 3)
	f := hub.Follow("topic")
	hub.Erase("topic")
	if _, err := f.Next(t.Context()); !errors.Is(err, stream.ErrErased) {
		t.Errorf("got %v, want ErrErased", err)
	}
	f.Close()
	rec.Chunk(chat.EventChunk, []byte("late"))
	rec.Flush()
	rec.Close()
	f = hub.Follow("topic")
	defer f.Close()
	if f.Seek(chat.EventID{}) {
		t.Error("an erased topic still has events")
	}
}

func TestNextEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := stream.NewLocal()
		f := hub.Follow("topic")
		defer f.Close()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := f.Next(ctx)
			done <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestIdleLogsAreBounded(t *testing.T) {
	hub := stream.NewLocal()
	text := []byte(strings.Repeat("x", 1<<20))
	for i := range 40 {
		rec := stream.NewRecorder(hub.Record(fmt.Sprint(i), chat.EventID{}, nil), nil, "c1", 1)
		rec.Chunk(chat.EventChunk, text)
		rec.Flush()
		rec.Close()
	}
	kept := 0
	for i := range 40 {
		f := hub.Follow(fmt.Sprint(i))
		if f.Seek(chat.EventID{}) {
			kept++
			if i < 20 {
				t.Errorf("log %d outlived younger ones", i)
			}
		}
		f.Close()
	}
	if kept < 10 || kept > 16 {
		t.Errorf("%d logs of 1 MiB kept, want what 16 MiB hold", kept)
	}
}

// sink keeps what it is given, and fails after limit writes.
type sink struct {
	writes []string
	limit  int
}

func (s *sink) Write(frames []byte) error {
	if s.limit > 0 && len(s.writes) == s.limit {
		return errors.New("gone")
	}
	s.writes = append(s.writes, string(frames))
	return nil
}

func TestOneFlushIsOneWrite(t *testing.T) {
	hub := stream.NewLocal()
	out := &sink{}
	rec := stream.NewRecorder(hub.Record("topic", chat.EventID{}, nil), out, "c1", 1)
	defer rec.Close()
	for range 5 {
		rec.Chunk(chat.EventChunk, []byte("x"))
	}
	rec.Flush()
	rec.Flush()
	if len(out.writes) != 1 || len(ids(t, []byte(out.writes[0]))) != 5 {
		t.Errorf("%d writes: %q", len(out.writes), out.writes)
	}
}

func TestClientThatLeavesDoesNotStopTheRecording(t *testing.T) {
	hub := stream.NewLocal()
	out := &sink{limit: 1}
	rec := stream.NewRecorder(hub.Record("topic", chat.EventID{}, nil), out, "c1", 1)
	defer rec.Close()
	for range 3 {
		rec.Chunk(chat.EventChunk, []byte("x"))
		rec.Flush()
	}
	f := hub.Follow("topic")
	defer f.Close()
	f.Seek(chat.EventID{})
	if b, err := f.Next(t.Context()); err != nil || len(ids(t, b.Frames)) != 3 {
		t.Errorf("%v %v", ids(t, b.Frames), err)
	}
}

func TestRewindForgetsUnpublishedEvents(t *testing.T) {
	out := &sink{}
	rec := stream.NewRecorder(stream.NewLocal().Record("topic", chat.EventID{}, nil), out, "c1", 1)
	defer rec.Close()
	rec.Chunk(chat.EventChunk, []byte("kept"))
	mark := rec.Mark()
	rec.Event(chat.EventDone, chat.Done{ChatID: "c1"})
	rec.Rewind(mark)
	rec.Chunk(chat.EventChunk, []byte("next"))
	rec.Flush()
	if got := ids(t, []byte(strings.Join(out.writes, ""))); len(got) != 2 || got[1] != (chat.EventID{Fence: 1, Seq: 2}).String() {
		t.Errorf("ids %v", got)
	}
}

func FuzzChunkIsTheTextInJSON(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\r\t\x00\x1f", "ü\u2028😀", "\xff\xfe", "a\xc3", "\n\ndata: x\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := &sink{}
		rec := stream.NewRecorder(stream.NewLocal().Record("topic", chat.EventID{}, nil), out, "c\"1", 1)
		rec.Chunk(chat.EventChunk, []byte(text))
		rec.Flush()
		rec.Close()
		n := 0
		for ev, err := range sse.Read(strings.NewReader(strings.Join(out.writes, ""))) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			var c chat.Chunk
			if err := json.Unmarshal(ev.Data, &c); err != nil {
				t.Fatalf("%q: %v", ev.Data, err)
			}
			want := text
			if !utf8.ValidString(text) {
				want = string([]rune(text)) // each bad byte becomes U+FFFD
			}
			if c.Content != want || c.ChatID != "c\"1" || ev.Name != "chunk" {
				t.Fatalf("%q came out as %q", want, c.Content)
			}
		}
		if n != 1 {
			t.Fatalf("%d events", n)
		}
	})
}

func BenchmarkChunk(b *testing.B) {
	hub := stream.NewLocal()
	rec := stream.NewRecorder(hub.Record("topic", chat.EventID{}, nil), discard{}, "chat-1", 1)
	defer rec.Close()
	text := []byte(" token")
	b.ReportAllocs()
	for b.Loop() {
		rec.Chunk(chat.EventChunk, text)
		rec.Flush()
	}
}

type discard struct{}

func (discard) Write([]byte) error { return nil }
