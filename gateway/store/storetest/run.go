package storetest

import (
	"errors"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// held returns what the newest run of a chat holds at present.
func held(t *testing.T, s store.Store, r chat.Ref) store.Held {
	t.Helper()
	v := view(t, s, r)
	return store.Held{
		Ref: r, ConversationID: v.Conversation.ID, Fence: v.Conversation.Fence,
		Known: v.Conversation.LastEvent, LastEvent: v.Conversation.LastEvent, UpdatedAt: v.Conversation.UpdatedAt, Turn: *v.Turn,
	}
}

// testUpdateAs: a run writes head, turn and rows as Update does, but nothing once a newer run, or
// another chat of that name, has taken its place.
func testUpdateAs(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error { return begin(tx, at(0)) })
	h, want := held(t, s, ref("c")), view(t, s, ref("c"))
	h.LastEvent, h.UpdatedAt = chat.EventID{Fence: h.Fence, Seq: 17}, at(5)
	h.Turn.State, h.Turn.FinishReason, h.Turn.Steps, h.Turn.LeaseOwner, h.Turn.EndedAt = chat.TurnEnded, chat.FinishStop, 3, "", at(5)
	h.Turn.Usage = chat.Usage{InputTokens: 11, OutputTokens: 1 << 40, CachedInputTokens: 9, ReasoningTokens: 1 << 39}
	said := chat.Message{ID: "said", TurnID: h.Turn.ID, Fence: h.Fence, Role: chat.RoleAssistant, Content: "hi", CreatedAt: at(5)}
	for _, lazy := range []bool{false, true} {
		said.ID += "!"
		if err := s.UpdateAs(t.Context(), h, lazy, func(tx store.RunTx) error { return tx.AppendMessage(said) }); err != nil {
			t.Fatalf("UpdateAs, lazy %v: %v", lazy, err)
		}
		h.Known = h.LastEvent
		want.Messages = append(want.Messages, said)
	}
	want.Conversation.LastEvent, want.Conversation.UpdatedAt, *want.Turn = h.LastEvent, h.UpdatedAt, h.Turn
	equal(t, "after UpdateAs", view(t, s, ref("c")), want)

	step := h // of a run that keeps the turn
	step.LastEvent.Seq, step.Turn.Steps, step.Turn.Usage.InputTokens = 21, 4, 13
	want.Conversation.LastEvent, want.Turn.Steps, want.Turn.Usage.InputTokens = step.LastEvent, 4, 13
	step.GoesOn, step.UpdatedAt, step.Turn.State, step.Turn.LeaseOwner, step.Turn.EndedAt = true, at(9), chat.TurnRunning, "another", at(9)
	if err := s.UpdateAs(t.Context(), step, true, func(store.RunTx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	equal(t, "after a step", view(t, s, ref("c")), want)
	h.Known, h.LastEvent = step.LastEvent, step.LastEvent

	boom, changed := errors.New("boom"), h
	changed.Turn.Steps = 99
	err := s.UpdateAs(t.Context(), changed, true, func(tx store.RunTx) error { return errors.Join(tx.AppendMessage(said), boom) })
	wantError(t, "UpdateAs whose fn fails", err, boom)
	equal(t, "after an UpdateAs that failed", view(t, s, ref("c")), want)

	older, other, gone, behind, ahead := changed, changed, changed, changed, changed
	older.Fence--
	other.ConversationID = "cnv_other"
	gone.Ref = ref("another")
	behind.Known.Seq--
	ahead.Known.Seq++
	for what, h := range map[string]store.Held{
		"an older run": older, "a run of an erased chat": other, "a run of no chat": gone,
		"a run that does not know its last commit": behind, "a run whose last commit is lost": ahead,
	} {
		for _, h.GoesOn = range []bool{false, true} {
			err := s.UpdateAs(t.Context(), h, false, func(tx store.RunTx) error { return tx.AppendMessage(said) })
			wantError(t, what, err, store.ErrFenced)
		}
	}
	equal(t, "after runs that have lost the turn", view(t, s, ref("c")), want)
}

// testUpdateAsKeepsTheRest: a run does not touch rows that it does not hold.
func testUpdateAsKeepsTheRest(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error {
		tx.Conversation().Language = "de"
		return begin(tx, at(0))
	})
	h := held(t, s, ref("c"))
	waits := chat.Queued{ID: "msg_later", Content: "later", CreatedAt: at(1)}
	update(t, s, ref("c"), func(tx store.Tx) error {
		tx.Conversation().Language = "fr"
		return tx.Enqueue(waits)
	})
	err := s.UpdateAs(t.Context(), h, true, func(tx store.RunTx) error {
		all, err := tx.Remembered()
		if len(all) != 0 {
			t.Errorf("%+v", all)
		}
		return err
	})
	v := view(t, s, ref("c"))
	if err != nil || v.Conversation.Language != "fr" || len(v.Queue) != 1 || v.Queue[0].ID != waits.ID || v.Turn.State != chat.TurnRunning {
		t.Errorf("%v: %+v", err, v)
	}
	question := chat.Clarification{
		ID: "clr_1", TurnID: h.Turn.ID, ToolCallID: "call_1", ToolName: "ask_user", Arguments: "{}", State: tools.StatePending,
		Question: tools.Question{Kind: tools.KindQuestion}, Number: 1, AskedFence: h.Fence, AskedAt: at(2),
	}
	if err := s.UpdateAs(t.Context(), h, false, func(tx store.RunTx) error { return tx.AddClarification(question) }); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Clarification(t.Context(), "clr_1"); err != nil || c.Ref != ref("c") || c.ConversationID != h.ConversationID {
		t.Errorf("%+v, %v", c, err)
	}
}
