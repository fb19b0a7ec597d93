package follow_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/stream/hubtest"
)

// TestTransientEventsPutNoLookIntoTheStoreOff: what another node has stored is shown while progress
// of a call arrives, and the progress is shown at once.
func TestTransientEventsPutNoLookIntoTheStoreOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		hub := stream.NewLocal()
		rec := stream.NewRecorder(hub.Record(s.head.ID, chat.EventID{}, nil), nil, "c", 1)
		defer rec.Close()
		rec.Event(chat.Event{Type: chat.EventTurnStart, Data: chat.TurnStart{ChatID: "c", TurnID: s.turn.ID}})
		rec.Event(chat.Event{Type: chat.EventUserMessage, Data: chat.UserMessage{ChatID: "c", TurnID: s.turn.ID, MessageID: "msg_1", Content: "hi"}})
		rec.Flush()
		got := s.watched(hub, func() {
			go func() {
				for i := range 80 { // 20 s
					hubtest.Pass(rec, "tool")
					rec.Flush()
					if i == 4 {
						s.ends("All of it.")
					}
					time.Sleep(250 * time.Millisecond)
				}
			}()
		})
		before, after, found := strings.Cut(got, "event: done")
		if n := strings.Count(before, "tool.call.progress"); !found || n == 0 || n > 40 || strings.Contains(after, "tool.call.progress") || strings.Count(before, "All of it.") != 1 {
			t.Errorf("shown:\n%s", got)
		}
	})
}

// TestARunIsFollowedPastTransientEvents: transient events do not end a run, and have no place in
// it.
func TestARunIsFollowedPastTransientEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		hub := stream.NewLocal()
		log := hub.Record(s.head.ID, chat.EventID{}, nil)
		rec := stream.NewRecorder(log, nil, "c", 1)
		rec.Event(chat.Event{Type: chat.EventTurnStart, Data: chat.TurnStart{ChatID: "c", TurnID: s.turn.ID}})
		rec.Event(chat.Event{Type: chat.EventUserMessage, Data: chat.UserMessage{ChatID: "c", TurnID: s.turn.ID, MessageID: "msg_1", Content: "hi"}})
		rec.Flush()
		r := follow.Reader{Store: s.store, Hub: hub}
		var shown frames
		ended := make(chan chat.Result)
		go func() { ended <- r.Run(context.Background(), s.head, 1, &shown) }()
		synctest.Wait()
		hubtest.Pass(rec, "tool")
		rec.Flush()
		synctest.Wait()
		rec.Chunk(chat.EventChunk, []byte("All of it."))
		rec.Event(chat.Event{Type: chat.EventDone, Data: chat.Done{ChatID: "c", TurnID: s.turn.ID, FinishReason: chat.FinishStop}})
		s.ends("All of it.")
		rec.Publish(true)
		rec.Flush()
		rec.Close()
		if result := <-ended; result.FinishReason != chat.FinishStop {
			t.Errorf("result %+v", result)
		}
		if !inOrder(shown.String(), "event: user.message", "event: tool.call.progress", "event: chunk", "event: done") {
			t.Errorf("shown:\n%s", shown.String())
		}
		f, err := r.Follow(t.Context(), ref, 10, chat.EventID{Fence: 1, Seq: 1}.String())
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var again frames
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = f.Stream(ctx, &again)
		if !inOrder(again.String(), "event: user.message", "event: chunk", "event: done") || strings.Contains(again.String(), "progress") {
			t.Errorf("a viewer that comes back is shown:\n%s", again.String())
		}
	})
}
