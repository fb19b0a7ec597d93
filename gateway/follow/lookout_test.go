package follow_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// counted counts the reads of a store, each of which is a transaction, and fails them while it is down:
// after that many looks, if that is not 0.
type counted struct {
	store.Store
	reads, looks atomic.Int64
	down         atomic.Bool
	downAfter    int64
}

func (c *counted) read() error {
	if c.reads.Add(1) > 100_000 {
		panic("the store is read all the time")
	}
	if c.down.Load() {
		return store.ErrUnavailable
	}
	return nil
}

func (c *counted) Conversation(ctx context.Context, of chat.Ref) (*chat.Conversation, *chat.Turn, error) {
	if err := c.read(); err != nil {
		return nil, nil, err
	}
	return c.Store.Conversation(ctx, of)
}

func (c *counted) ViewPart(ctx context.Context, of chat.Ref, part store.Part) (*store.View, error) {
	if err := c.read(); err != nil {
		return nil, err
	}
	return c.Store.ViewPart(ctx, of, part)
}

func (c *counted) Positions(ctx context.Context, ids []string) ([]store.Position, error) {
	if err := c.read(); err != nil {
		return nil, err
	}
	if c.looks.Add(1) == c.downAfter {
		defer c.down.Store(true)
	}
	return c.Store.Positions(ctx, ids)
}

func (c *counted) Begun(ctx context.Context, refs []chat.Ref) ([]chat.Ref, error) {
	if err := c.read(); err != nil {
		return nil, err
	}
	return c.Store.Begun(ctx, refs)
}

// viewing follows a chat until the test ends, and returns what it is shown. ended gets why the stream
// ended by itself.
func viewing(t *testing.T, r *follow.Reader, of chat.Ref, after string) (shown *seenFrames, ended <-chan error) {
	t.Helper()
	f, err := r.Follow(t.Context(), of, 10, after)
	if err != nil {
		t.Fatal(err)
	}
	shown = &seenFrames{}
	if err := f.Begin(shown); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	end := make(chan error, 1)
	go func() {
		defer f.Close()
		end <- f.Stream(ctx, shown)
	}()
	return shown, end
}

// TestStreamsShareTheirLooks: while the hub is complete, a node asks the store at most once a
// second for all of its streams, of chats and of those that do not exist yet, and not at all for streams that
// have ended.
func TestStreamsShareTheirLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const streams = 300
		s := newStage(t)
		kept := &counted{Store: s.store}
		r := &follow.Reader{Store: kept, Hub: stream.NewLocal(), Shared: true}
		ctx, leave := context.WithCancel(t.Context())
		for i := range streams {
			of := ref
			if i%3 == 0 {
				of.ChatID = fmt.Sprint("awaited ", i)
			}
			f, err := r.Follow(t.Context(), of, 10, "")
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				defer f.Close()
				_ = f.Stream(ctx, &seenFrames{})
			}()
		}
		synctest.Wait()
		kept.reads.Store(0)
		time.Sleep(time.Minute)
		if n := kept.reads.Load(); n < 10 || n > 60 {
			t.Errorf("%d reads in a minute with %d streams, want 10 to 60", n, streams)
		}
		leave()
		synctest.Wait()
		kept.reads.Store(0)
		time.Sleep(time.Minute)
		if n := kept.reads.Load(); n != 0 {
			t.Errorf("%d reads in a minute without streams", n)
		}
	})
}

// TestStreamsOfTheOnlyNodeDoNotLook: only other nodes can die unseen.
func TestStreamsOfTheOnlyNodeDoNotLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		kept := &counted{Store: s.store}
		viewing(t, &follow.Reader{Store: kept, Hub: stream.NewLocal()}, ref, "")
		synctest.Wait()
		kept.reads.Store(0)
		time.Sleep(time.Hour)
		if n := kept.reads.Load(); n != 0 {
			t.Errorf("%d reads in an hour", n)
		}
	})
}

// TestWhatADeadNodeStoredArrives: in a chat, at its beginning and at its end, whenever the node died
// between two looks, within 10 s; and within 2 s where the hub does not know of other nodes.
func TestWhatADeadNodeStoredArrives(t *testing.T) {
	for _, complete := range []bool{true, false} {
		within := map[bool]time.Duration{true: 10 * time.Second, false: 2 * time.Second}[complete]
		for late := 500 * time.Millisecond; late < 5*time.Second; late += 500 * time.Millisecond {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				r := &follow.Reader{Store: s.store, Hub: apart{stream.NewLocal(), complete}, Shared: true}
				new, there, here := ref, ref, ref
				new.ChatID, there.ChatID = "new", "there"
				begin := func(of chat.Ref) {
					err := s.store.Update(context.Background(), of, func(tx store.Tx) error {
						tx.Conversation().Fence, tx.Conversation().LastEvent = 1, chat.EventID{Fence: 1, Seq: 1}
						return tx.BeginTurn(chat.Turn{ID: "turn_" + of.ChatID, State: chat.TurnRunning, StartedAt: s.now, LeaseOwner: "dead"})
					})
					if err != nil {
						t.Error(err)
					}
				}
				begin(there)
				shown, _ := viewing(t, r, here, "")
				again, _ := viewing(t, r, here, s.head.LastEvent.String())
				awaited, _ := viewing(t, r, new, "")
				_, erased := viewing(t, r, there, "")
				time.Sleep(late)
				s.ends("All of it.")
				begin(new)
				if err := s.store.Delete(t.Context(), there, time.Time{}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(within)
				synctest.Wait()
				for who, what := range map[string]*seenFrames{"viewer": shown, "viewer who came back": again} {
					if events := what.events(t); len(events) == 0 || events[len(events)-1] != "done 00000000000010000000013" {
						t.Errorf("%v after it looked, complete %v: the %s has %v", late, complete, who, events)
					}
				}
				if events := awaited.events(t); len(events) != 2 {
					t.Errorf("%v after it looked, complete %v: who awaits the chat has %v", late, complete, events)
				}
				select {
				case err := <-erased:
					if !errors.Is(err, stream.ErrErased) {
						t.Error(err)
					}
				default:
					t.Errorf("%v after it looked, complete %v: an erased chat is still shown", late, complete)
				}
			})
		}
	}
}

// TestALookDoesNotReadWhatIsOnItsWay: an event that arrives soon after it was stored is read from the hub alone.
func TestALookDoesNotReadWhatIsOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		hub := stream.NewLocal()
		kept := &counted{Store: s.store}
		shown, _ := viewing(t, &follow.Reader{Store: kept, Hub: hub, Shared: true}, ref, "")
		time.Sleep(3900 * time.Millisecond)
		s.ends("All of it.")
		time.Sleep(200 * time.Millisecond) // it looks
		rec := stream.NewRecorder(hub.Record(s.head.ID, s.head.LastEvent, nil), nil, "c", 1)
		defer rec.Close()
		rec.Emit(chat.Emitted{ID: chat.EventID{Fence: 1, Seq: 13}, Event: chat.Event{Type: chat.EventDone, Data: chat.Done{ChatID: "c", TurnID: s.turn.ID, FinishReason: chat.FinishStop}}})
		rec.Publish(true)
		kept.reads.Store(0)
		time.Sleep(time.Minute)
		if events := shown.events(t); len(events) != 2 || kept.reads.Load() > 15 {
			t.Errorf("shown %v, with %d reads", events, kept.reads.Load())
		}
	})
}

// slowSink is a client that takes a minute for each write.
type slowSink struct{ seenFrames }

func (s *slowSink) Write(events stream.Events) error {
	time.Sleep(time.Minute)
	return s.seenFrames.Write(events)
}

// TestASlowViewerReadsTheHub: what a look finds is not read from the store for a viewer who has it at
// hand, and is only too slow to have taken it.
func TestASlowViewerReadsTheHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		hub := stream.NewLocal()
		kept := &counted{Store: s.store}
		f, err := (&follow.Reader{Store: kept, Hub: hub, Shared: true}).Follow(t.Context(), ref, 10, s.head.LastEvent.String())
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		slow := &slowSink{}
		go func() {
			defer f.Close()
			_ = f.Stream(ctx, slow)
		}()
		rec := stream.NewRecorder(hub.Record(s.head.ID, s.head.LastEvent, nil), nil, "c", 1)
		defer rec.Close()
		rec.Chunk(chat.EventChunk, []byte("All "))
		rec.Flush()
		synctest.Wait() // it is taking the first chunk
		rec.Chunk(chat.EventChunk, []byte("of it."))
		s.ends("All of it.")
		rec.Emit(chat.Emitted{ID: chat.EventID{Fence: 1, Seq: 13}, Event: chat.Event{Type: chat.EventDone, Data: chat.Done{ChatID: "c", TurnID: s.turn.ID, FinishReason: chat.FinishStop}}})
		rec.Publish(true)
		kept.reads.Store(0)
		time.Sleep(5 * time.Minute)
		looks := kept.looks.Load()
		if events := slow.events(t); len(events) != 3 || kept.reads.Load() > looks {
			t.Errorf("shown %v, with %d reads, of which %d were looks", events, kept.reads.Load(), looks)
		}
	})
}

// TestAStoreThatIsAwayIsAskedAgain: at the pace of looks, whenever it went, and viewers get what it has
// when it is back.
func TestAStoreThatIsAwayIsAskedAgain(t *testing.T) {
	for _, looks := range []int64{1, 2} { // the second one wakes the viewer
		synctest.Test(t, func(t *testing.T) { goesAfter(t, looks) })
	}
}

func goesAfter(t *testing.T, looks int64) {
	s := newStage(t)
	kept := &counted{Store: s.store, downAfter: looks}
	shown, ended := viewing(t, &follow.Reader{Store: kept, Hub: stream.NewLocal(), Shared: true}, ref, "")
	synctest.Wait()
	s.ends("All of it.")
	kept.reads.Store(0)
	time.Sleep(time.Minute)
	if n := kept.reads.Load(); n == 0 || n > 60 {
		t.Errorf("a store that is away is read %d times in a minute", n)
	}
	kept.down.Store(false)
	time.Sleep(10 * time.Second)
	if events := shown.events(t); len(events) != 3 {
		t.Errorf("shown %v", events)
	}
	if len(ended) != 0 {
		t.Errorf("the stream has ended: %v", <-ended)
	}
}

// TestWhoHasEverythingReadsNoMessages: a viewer who comes back with the newest id costs rows of
// heads, however long the chat is.
func TestWhoHasEverythingReadsNoMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.ends("All of it.")
		last := chat.EventID{Fence: 1, Seq: 13}
		r := &follow.Reader{Store: headsOnly{s.store, t}, Hub: stream.NewLocal(), Shared: true}
		shown, ended := viewing(t, r, ref, last.String())
		time.Sleep(time.Minute)
		if events := shown.events(t); len(events) != 0 || len(ended) != 0 {
			t.Errorf("shown %v", events)
		}
		if _, err := r.Follow(t.Context(), chat.Ref{Tenant: "t", Subject: "other", App: "helper", ChatID: "c"}, 10, last.String()); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("someone else's chat: %v", err)
		}
	})
}

// headsOnly is a store whose messages must not be read.
type headsOnly struct {
	store.Store
	t *testing.T
}

func (h headsOnly) ViewPart(ctx context.Context, of chat.Ref, part store.Part) (*store.View, error) {
	h.t.Error("messages are read")
	return h.Store.ViewPart(ctx, of, part)
}

func (h headsOnly) ViewRuns(ctx context.Context, of chat.Ref, after, through, bytes int64) (*store.View, error) {
	h.t.Error("runs are read")
	return h.Store.ViewRuns(ctx, of, after, through, bytes)
}
