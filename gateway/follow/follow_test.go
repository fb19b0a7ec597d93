package follow_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

var ref = chat.Ref{Tenant: "t", Subject: "s", App: "helper", ChatID: "c"}

// stage is a chat on a store, with one run of another node that this node's hub
// hears nothing of.
type stage struct {
	t     *testing.T
	store store.Store
	head  chat.Conversation
	turn  chat.Turn
	now   time.Time
}

func newStage(t *testing.T) *stage {
	t.Helper()
	return newStageOn(t, testdb.Open(t))
}

func newStageOn(t *testing.T, on store.Store) *stage {
	t.Helper()
	s := &stage{t: t, store: on, now: time.UnixMilli(1_800_000_000_000)}
	s.turn = chat.Turn{ID: "turn_1", State: chat.TurnRunning, StartedAt: s.now, LeaseOwner: "other"}
	err := s.store.Update(t.Context(), ref, func(tx store.Tx) error {
		head := tx.Conversation()
		head.Fence, head.LastEvent, head.UpdatedAt = 1, chat.EventID{Fence: 1, Seq: 2}, s.now
		s.head = *head
		if err := tx.BeginTurn(s.turn); err != nil {
			return err
		}
		return tx.AppendMessage(chat.Message{ID: "msg_1", TurnID: s.turn.ID, Fence: 1, Role: chat.RoleUser, Content: "hi", CreatedAt: s.now})
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ends stores the run's answer and end, as its node does.
func (s *stage) ends(text string) { s.endsAt(4, text) }

// endsAt is ends, of a run of that many events.
func (s *stage) endsAt(last int64, text string) { s.endsThinking(last, "", text) }

// endsThinking is endsAt, of a model that was heard to think.
func (s *stage) endsThinking(last int64, thinking, text string) {
	s.t.Helper()
	s.turn.State, s.turn.FinishReason, s.turn.LeaseOwner, s.turn.EndedAt = chat.TurnEnded, chat.FinishStop, "", s.now
	held := store.Held{
		Ref: ref, ConversationID: s.head.ID, Fence: 1, Known: s.head.LastEvent,
		LastEvent: chat.EventID{Fence: 1, Seq: last}, UpdatedAt: s.now, Turn: s.turn,
	}
	err := s.store.UpdateAs(context.Background(), held, false, func(tx store.RunTx) error {
		if err := tx.AppendMessage(chat.Message{ID: "msg_2", TurnID: s.turn.ID, Fence: 1, Role: chat.RoleAssistant, Thinking: thinking, Content: text, CreatedAt: s.now}); err != nil {
			return err
		}
		return tx.SaveRun(chat.Run{Fence: 1, TurnID: s.turn.ID, FinishReason: chat.FinishStop, LastSeq: last, EndedAt: s.now})
	})
	if err != nil {
		s.t.Error(err)
	}
}

// begins stores another turn with a message, as the node does that drives it.
func (s *stage) begins(text string) {
	s.t.Helper()
	err := s.store.Update(context.Background(), ref, func(tx store.Tx) error {
		head := tx.Conversation()
		head.Fence, head.LastEvent, head.UpdatedAt = 2, chat.EventID{Fence: 2, Seq: 2}, s.now
		if err := tx.BeginTurn(chat.Turn{ID: "turn_2", State: chat.TurnRunning, StartedAt: s.now, LeaseOwner: "this"}); err != nil {
			return err
		}
		return tx.AppendMessage(chat.Message{ID: "msg_3", TurnID: "turn_2", Fence: 2, Role: chat.RoleUser, Content: text, CreatedAt: s.now})
	})
	if err != nil {
		s.t.Error(err)
	}
}

// between is a store in which something happens after the chat was read and before its
// run is.
type between struct {
	store.Store
	happens func()
	once    sync.Once
}

func (b *between) Run(ctx context.Context, conversationID string, fence int64) (chat.Run, error) {
	b.once.Do(b.happens)
	return b.Store.Run(ctx, conversationID, fence)
}

// frames is a client's stream.
type frames struct{ strings.Builder }

func (f *frames) Write(events stream.Events) error {
	_, err := f.Builder.Write(events.Frames)
	return err
}

// TestARunThatEndsWhileItIsReadIsShownWhole: the run's end must not be told without what
// was said before it.
func TestARunThatEndsWhileItIsReadIsShownWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		reading := &between{Store: s.store, happens: func() { s.ends("All of it.") }}
		r := follow.Reader{Store: reading, Hub: stream.NewLocal(), Shared: true}
		var shown frames
		result := r.Run(t.Context(), s.head, 1, &shown)
		got := shown.String()
		said, done := strings.Index(got, "All of it."), strings.Index(got, "event: done")
		if said < 0 || done < said || strings.Count(got, "event: done") != 1 {
			t.Errorf("shown:\n%s", got)
		}
		if result.Text != "All of it." || result.FinishReason != chat.FinishStop {
			t.Errorf("result %+v", result)
		}
	})
}

// TestAResumedRunThatEndsWhileItIsReadBeginsAsItDid: it is none that took over from a dead one,
// and nothing is to be discarded.
func TestAResumedRunThatEndsWhileItIsReadBeginsAsItDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.ends("One half.")
		run := chat.Run{Fence: 2, TurnID: s.turn.ID, Resumed: true, StartedAt: s.now}
		err := s.store.Update(t.Context(), ref, func(tx store.Tx) error {
			head, turn := tx.Conversation(), tx.Turn()
			head.Fence, head.LastEvent = 2, chat.EventID{Fence: 2, Seq: 1}
			turn.State, turn.FinishReason, turn.LeaseOwner, turn.EndedAt = chat.TurnRunning, "", "other", time.Time{}
			return tx.SaveRun(run)
		})
		if err != nil {
			t.Fatal(err)
		}
		reading := &between{Store: s.store, happens: func() {
			held := store.Held{
				Ref: ref, ConversationID: s.head.ID, Fence: 2, Known: chat.EventID{Fence: 2, Seq: 1},
				LastEvent: chat.EventID{Fence: 2, Seq: 3}, UpdatedAt: s.now, Turn: s.turn,
			}
			run.FinishReason, run.LastSeq, run.EndedAt = chat.FinishStop, 3, s.now
			err := s.store.UpdateAs(context.Background(), held, false, func(tx store.RunTx) error {
				if err := tx.AppendMessage(chat.Message{ID: "msg_3", TurnID: s.turn.ID, Fence: 2, Role: chat.RoleAssistant, Content: "The other.", CreatedAt: s.now}); err != nil {
					return err
				}
				return tx.SaveRun(run)
			})
			if err != nil {
				t.Error(err)
			}
		}}
		r := follow.Reader{Store: reading, Hub: stream.NewLocal(), Shared: true}
		var shown frames
		r.Run(t.Context(), s.head, 2, &shown)
		if got := shown.String(); !inOrder(got, "event: turn.start", `"resumed":true`, "The other.", "event: done") || strings.Contains(got, "step.restart") {
			t.Errorf("shown:\n%s", got)
		}
	})
}

// TestWhoIsCutOffInARunMadeAgainMissesNothing: a text that comes in one chunk is no place in
// the run as it was, where the hub has the end of that.
func TestWhoIsCutOffInARunMadeAgainMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.endsAt(5, "All of it.")
		hub := stream.NewLocal() // it has the end of the run
		log := hub.Record(s.head.ID, chat.EventID{Fence: 1, Seq: 3}, nil)
		defer log.Close()
		id := chat.EventID{Fence: 1, Seq: 4}
		log.Append(stream.Batch{First: id, Last: id, Events: stream.One(id.String(), chat.Event{
			Type: chat.EventChunk, Data: chat.Chunk{ChatID: "c", Content: " of it."},
		})})
		id.Seq = 5
		log.Append(stream.Batch{First: id, Last: id, End: true, Events: stream.One(id.String(), chat.Event{
			Type: chat.EventDone, Data: chat.Done{ChatID: "c", TurnID: s.turn.ID, FinishReason: chat.FinishStop},
		})})
		r := follow.Reader{Store: s.store, Hub: hub}
		var shown frames
		r.Run(t.Context(), s.head, 1, &shown)
		var ids []string
		for ev, err := range sse.Read(strings.NewReader(shown.String())) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, ev.ID)
		}
		if len(ids) != 4 || !slices.IsSorted(ids) || ids[1] != (chat.EventID{Fence: 1, Seq: 2}).String() || ids[3] != id.String() {
			t.Fatalf("shown:\n%s", shown.String())
		}
		f, err := r.Follow(t.Context(), ref, 10, ids[2]) // cut off after the text
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var rest frames
		if err := f.Begin(&rest); err != nil || !strings.HasPrefix(rest.String(), "id: "+id.String()+"\nevent: snapshot\n") {
			t.Errorf("%v, begins:\n%s", err, rest.String())
		}
	})
}

// TestThinkingMadeAgainIsNoPlaceInTheRun: where it stood among the texts is not stored, so who comes
// back behind it begins with a snapshot, and misses nothing.
func TestThinkingMadeAgainIsNoPlaceInTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.endsThinking(5, "Because.", "All of it.") // as many events as there are made again
		r := follow.Reader{Store: s.store, Hub: stream.NewLocal(), Shared: true}
		var shown frames
		r.Run(t.Context(), s.head, 1, &shown)
		if got := shown.String(); !inOrder(got, "event: thinking", "Because.", "event: chunk", "All of it.", "event: done") {
			t.Errorf("shown:\n%s", got)
		}
		for ev, err := range sse.Read(strings.NewReader(shown.String())) {
			if err != nil {
				t.Fatal(err)
			}
			if _, err := chat.ParseEventID(ev.ID); (err != nil) != (ev.Name == "thinking" || ev.Name == "chunk") {
				t.Errorf("%s has the id %s", ev.Name, ev.ID)
			}
		}
	})
}
