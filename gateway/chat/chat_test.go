package chat_test

import (
	"slices"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

func TestEventIDsOrderAlikeAsTextAndAsIDs(t *testing.T) {
	now := chat.FirstFence(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
	ids := []chat.EventID{{}, {Fence: 1, Seq: 99_999_999}, {Fence: 2, Seq: 1}, {Fence: now, Seq: 9}, {Fence: now, Seq: 10}, {Fence: now + 1}}
	for i, id := range ids {
		back, err := chat.ParseEventID(id.String())
		if err != nil || back != id {
			t.Errorf("%v is written %s and read %v, %v", id, id, back, err)
		}
		if i > 0 && (!ids[i-1].Less(id) || id.Less(ids[i-1]) || ids[i-1].String() >= id.String()) {
			t.Errorf("%v does not come before %v", ids[i-1], id)
		}
	}
}

func FuzzParseEventID(f *testing.F) {
	for _, s := range []string{"", "1", "17952212424450000000001", "-7952212424450000001", "99999999999999999999x", "+79522124244500000001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if id, err := chat.ParseEventID(s); err == nil && id.String() != s {
			t.Errorf("%q is read as %v", s, id)
		}
	})
}

func TestTurnsMoveAlongTheTableOnly(t *testing.T) {
	states := []chat.TurnState{chat.TurnRunning, chat.TurnPaused, chat.TurnEnded}
	allowed := map[chat.TurnState][]chat.TurnState{
		"":               {chat.TurnRunning},
		chat.TurnRunning: states,
		chat.TurnPaused:  states,
		chat.TurnEnded:   {chat.TurnRunning},
	}
	for from, to := range allowed {
		for _, state := range states {
			turn := chat.Turn{State: from}
			err := turn.Move(state)
			if want := slices.Contains(to, state); (err == nil) != want {
				t.Errorf("from %q to %q: %v", from, state, err)
			}
			if err != nil && turn.State != from {
				t.Errorf("a refused move from %q left %q", from, turn.State)
			}
		}
	}
}
