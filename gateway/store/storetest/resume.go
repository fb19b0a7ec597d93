package storetest

import (
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// testDropText: only the newest message, only a text of the assistant's without calls, and only
// if that run stored it. A run records how it began.
func testDropText(t *testing.T, s store.Store) {
	say := func(id string, fence int64, role chat.Role, calls ...chat.ToolCall) chat.Message {
		return chat.Message{ID: id, TurnID: "trn_1", Fence: fence, Role: role, Content: "text", ToolCalls: calls, CreatedAt: at(0)}
	}
	drop := func(what string, fence int64, want bool) {
		t.Helper()
		update(t, s, ref("c"), func(tx store.Tx) error {
			got, err := tx.DropText(fence)
			if got != want {
				t.Errorf("%s: dropped %v, want %v", what, got, want)
			}
			return err
		})
	}
	add := func(r chat.Ref, m chat.Message) {
		t.Helper()
		update(t, s, r, func(tx store.Tx) error { return tx.AppendMessage(m) })
	}
	add(ref("c"), say("question", 1, chat.RoleUser))
	drop("a person's message", 1, false)
	add(ref("c"), say("part", 1, chat.RoleAssistant))
	add(ref("other"), say("part", 1, chat.RoleAssistant))
	drop("of another run", 2, false)
	add(ref("c"), say("calls", 2, chat.RoleAssistant, chat.ToolCall{ID: "call_1", Name: "glossary", Arguments: `{}`}))
	drop("a message with calls", 2, false)
	drop("a text that is not the newest", 1, false)
	add(ref("c"), say("rest", 2, chat.RoleAssistant))
	drop("the newest text", 2, true)
	drop("once only", 2, false)
	add(ref("c"), say("again", 3, chat.RoleAssistant))
	var ids []string
	for _, m := range view(t, s, ref("c")).Messages {
		ids = append(ids, m.ID)
	}
	equal(t, "messages", ids, []string{"question", "part", "calls", "again"})
	equal(t, "messages of another chat", len(view(t, s, ref("other")).Messages), 1)

	began := chat.Run{Fence: 4, TurnID: "trn_1", Resumed: true, Discards: true, StartedAt: at(0)}
	update(t, s, ref("c"), func(tx store.Tx) error {
		began.ConversationID = tx.Conversation().ID
		return tx.SaveRun(began)
	})
	got, err := s.Run(t.Context(), began.ConversationID, 4)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the run", got, began)
}
