package follow_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// behind is a store from which a viewer reads a chat just before something happens in it.
type behind struct {
	store.Store
	happens func()
	once    sync.Once
}

func (b *behind) ViewPart(ctx context.Context, of chat.Ref, part store.Part) (*store.View, error) {
	view, err := b.Store.ViewPart(ctx, of, part)
	b.once.Do(b.happens)
	return view, err
}

// watched returns what a viewer of the chat is shown in a minute, when after happens once it has
// read the chat.
func (s *stage) watched(hub stream.Hub, happens func()) string {
	s.t.Helper()
	r := follow.Reader{Store: &behind{Store: s.store, happens: happens}, Hub: hub, Shared: true}
	f, err := r.Follow(s.t.Context(), ref, 10, "")
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	var shown frames
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	if err := f.Begin(&shown); err != nil {
		s.t.Fatal(err)
	}
	_ = f.Stream(ctx, &shown)
	return shown.String()
}

// inOrder reports whether the texts occur in got in this order, once each.
func inOrder(got string, texts ...string) bool {
	for _, text := range texts {
		before, after, found := strings.Cut(got, text)
		if !found || strings.Contains(after, text) || strings.Contains(before, text) {
			return false
		}
		got = after
	}
	return true
}

// TestTheEndOfARunIsNotSkippedForTheNext: a node that begins a run before it has heard the end of
// the previous one, which another node ran, still shows that end to its viewers.
func TestTheEndOfARunIsNotSkippedForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		hub := stream.NewLocal()
		first := stream.NewRecorder(hub.Record(s.head.ID, chat.EventID{}, nil), nil, "c", 1)
		defer first.Close()
		first.Event(chat.Event{Type: chat.EventTurnStart, Data: chat.TurnStart{ChatID: "c", TurnID: s.turn.ID}})
		first.Event(chat.Event{Type: chat.EventUserMessage, Data: chat.UserMessage{ChatID: "c", TurnID: s.turn.ID, MessageID: "msg_1", Content: "hi"}})
		first.Flush()
		got := s.watched(hub, func() {
			s.ends("All of it.")
			s.begins("And now?")
			next := stream.NewRecorder(hub.Record(s.head.ID, chat.EventID{Fence: 1, Seq: 13}, nil), nil, "c", 2)
			defer next.Close()
			next.Event(chat.Event{Type: chat.EventTurnStart, Data: chat.TurnStart{ChatID: "c", TurnID: "turn_2"}})
			next.Event(chat.Event{Type: chat.EventUserMessage, Data: chat.UserMessage{ChatID: "c", TurnID: "turn_2", MessageID: "msg_3", Content: "And now?"}})
			next.Flush()
		})
		if !inOrder(got, "event: snapshot", "All of it.", "event: done", "And now?") {
			t.Errorf("shown:\n%s", got)
		}
	})
}

// TestATextIsNotShownWithoutItsBeginning: where events of a running step were lost, its text
// arrives in full when it is stored.
func TestATextIsNotShownWithoutItsBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		hub := stream.NewLocal()
		got := s.watched(hub, func() {
			lost := chat.EventID{Fence: 1, Seq: 5} // the text's first piece, which never arrived here
			log := hub.Record(s.head.ID, lost, nil)
			go func() {
				defer log.Close()
				id := chat.EventID{Fence: 1, Seq: 12}
				log.Append(stream.Batch{First: id, Last: id, After: lost, Events: stream.One(id.String(), chat.Event{
					Type: chat.EventChunk, Data: chat.Chunk{ChatID: "c", Content: " of it."},
				})})
				time.Sleep(20 * time.Second)
				s.ends("All of it.")
			}()
		})
		if !inOrder(got, "event: snapshot", `"All of it."`, "event: done") || strings.Contains(got, `" of it."`) {
			t.Errorf("shown:\n%s", got)
		}
	})
}
