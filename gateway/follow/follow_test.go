package follow_test

import (
	"context"
	"encoding/json"
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

// stage is a chat in a store, with a run of another node from which this node's hub hears nothing.
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
func (s *stage) ends(text string) { s.endsThinking("", text) }

// endsThinking is ends for a model that has thought, in these spans.
func (s *stage) endsThinking(thinking, text string, spans ...int) {
	s.t.Helper()
	s.turn.State, s.turn.FinishReason, s.turn.LeaseOwner, s.turn.EndedAt = chat.TurnEnded, chat.FinishStop, "", s.now
	said := int64(2 + len(thinking) + len(text))
	last := said + 1
	held := store.Held{
		Ref: ref, ConversationID: s.head.ID, Fence: 1, Known: s.head.LastEvent,
		LastEvent: chat.EventID{Fence: 1, Seq: last}, UpdatedAt: s.now, Turn: s.turn,
	}
	err := s.store.UpdateAs(context.Background(), held, false, func(tx store.RunTx) error {
		if err := tx.AppendMessage(chat.Message{ID: "msg_2", TurnID: s.turn.ID, Fence: 1, Role: chat.RoleAssistant, Thinking: thinking, Content: text, Seq: said, Spans: spans, CreatedAt: s.now}); err != nil {
			return err
		}
		return tx.SaveRun(chat.Run{Fence: 1, TurnID: s.turn.ID, FinishReason: chat.FinishStop, LastSeq: last, EndedAt: s.now})
	})
	if err != nil {
		s.t.Error(err)
	}
}

// begins stores another turn with a message, as the node that runs it does.
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

// between is a store in which something happens after the chat was read and before its run is read.
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

// TestARunThatEndsWhileItIsReadIsShownWhole: the end of the run must not be shown without what came
// before it.
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

// TestAResumedRunThatEndsWhileItIsReadBeginsAsItDid: it did not take over from a dead node, so
// there is nothing to discard.
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
				LastEvent: chat.EventID{Fence: 2, Seq: 12}, UpdatedAt: s.now, Turn: s.turn,
			}
			run.FinishReason, run.LastSeq, run.EndedAt = chat.FinishStop, 12, s.now
			err := s.store.UpdateAs(context.Background(), held, false, func(tx store.RunTx) error {
				if err := tx.AppendMessage(chat.Message{ID: "msg_3", TurnID: s.turn.ID, Fence: 2, Role: chat.RoleAssistant, Content: "The other.", Seq: 11, CreatedAt: s.now}); err != nil {
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

// TestWhoIsCutOffInATextGetsTheRest: at any position of any text, from the store and from a hub
// that has lost its beginning, and never what the viewer already had.
func TestWhoIsCutOffInATextGetsTheRest(t *testing.T) {
	for name, lost := range map[string]int64{"from the store": 0, "from the hub": 9} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				s.endsThinking("Because.", "All of it.", 3, 4, 5, 6)
				hub := stream.NewLocal()
				if lost > 0 { // it has the end of the run
					rec := stream.NewRecorder(hub.Record(s.head.ID, chat.EventID{Fence: 1, Seq: lost}, nil), nil, "c", 1)
					rec.Emit(
						chat.Emitted{ID: chat.EventID{Fence: 1, Seq: 14}, Event: chat.Event{Type: chat.EventThinking, Data: chat.Chunk{ChatID: "c", Content: "ause."}}},
						chat.Emitted{ID: chat.EventID{Fence: 1, Seq: 20}, Event: chat.Event{Type: chat.EventChunk, Data: chat.Chunk{ChatID: "c", Content: "of it."}}},
						chat.Emitted{ID: chat.EventID{Fence: 1, Seq: 21}, Event: chat.Event{Type: chat.EventDone, Data: chat.Done{ChatID: "c", TurnID: s.turn.ID, FinishReason: chat.FinishStop}}},
					)
					rec.Publish(true)
					rec.Close()
				}
				r := follow.Reader{Store: s.store, Hub: hub, Shared: true}
				var whole frames
				r.Run(t.Context(), s.head, 1, &whole)
				want := byPlace(t, whole.String())
				if len(want) != 21 {
					t.Fatalf("shown:\n%s", whole.String())
				}
				for had := range int64(22) {
					f, err := r.Follow(t.Context(), ref, 10, chat.EventID{Fence: 1, Seq: had}.String())
					if err != nil {
						t.Fatal(err)
					}
					var rest frames
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					if err := f.Begin(&rest); err != nil {
						t.Error(err)
					}
					_ = f.Stream(ctx, &rest)
					cancel()
					f.Close()
					if lost > 0 && had > lost && had != 14 && had < 20 {
						continue // no piece ended there, so no viewer comes back with such an id
					}
					got := byPlace(t, rest.String())
					for at, what := range want {
						if at.Seq <= had {
							what = ""
						}
						if got[at] != what {
							t.Errorf("after %d: %q at %d, want %q", had, got[at], at.Seq, what)
						}
					}
				}
			})
		})
	}
}

// byPlace maps each place to what frames show there: a byte of a text, or an event.
func byPlace(t *testing.T, told string) map[chat.EventID]string {
	t.Helper()
	all := map[chat.EventID]string{}
	for ev, err := range sse.Read(strings.NewReader(told)) {
		if err != nil {
			t.Fatal(err)
		}
		id, err := chat.ParseEventID(ev.ID)
		if err != nil || all[id] != "" {
			t.Errorf("the id %q: %v, it had %q", ev.ID, err, all[id])
		}
		var piece chat.Chunk
		if ev.Name != string(chat.EventChunk) && ev.Name != string(chat.EventThinking) {
			all[id] = ev.Name + " " + string(ev.Data)
		} else if err := json.Unmarshal(ev.Data, &piece); err != nil {
			t.Error(err)
		}
		for i := range len(piece.Content) {
			at := chat.EventID{Fence: id.Fence, Seq: id.Seq - int64(len(piece.Content)-1-i)}
			if all[at] != "" {
				t.Errorf("at %v %q came after %q", at, piece.Content, all[at])
			}
			all[at] = ev.Name + " " + piece.Content[i:i+1]
		}
	}
	return all
}
