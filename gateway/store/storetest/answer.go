package storetest

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// storeAnswered stores a question of a call in a chat, its answer and the call's result.
func storeAnswered(t *testing.T, s store.Store, chatID, id string, change func(head *chat.Conversation, c *chat.Clarification)) {
	t.Helper()
	at := time.UnixMilli(1_750_000_000_000).UTC()
	c := question(id, 1, at)
	c.TurnID, c.ToolCallID, c.AskedFence, c.DoneFence = "turn_1", "call_1", 7, 8
	c.State, c.Answer, c.AnsweredAt = tools.StateAnswered, &tools.Answer{Value: json.RawMessage(`"fr"`)}, at.Add(time.Second)
	update(t, s, ref(chatID), func(tx store.Tx) error {
		tx.Conversation().Fence = 9
		change(tx.Conversation(), &c)
		return all(
			func() error {
				return tx.AppendMessage(chat.Message{ID: "msg_" + id, TurnID: "turn_1", Fence: 7, Role: chat.RoleAssistant, CreatedAt: at, ToolCalls: []chat.ToolCall{
					{ID: "call_1", Name: "ask_user", Arguments: "{}", Result: &chat.ToolResult{Content: "fr", Fence: 8}},
					{ID: "call_2", Name: "ask_user", Arguments: "{}", Result: &chat.ToolResult{Content: "fr, again", Fence: 8}},
					{ID: "call_3", Name: "other", Arguments: "{}", Result: &chat.ToolResult{Content: "fr", Fence: 8}},
					{ID: "call_4", Name: "other", Arguments: "{}", Result: &chat.ToolResult{Content: "drawn for fr", Fence: 8, Shown: []tools.Content{{Part: json.RawMessage(`{"type":"text"}`)}}}},
				}})
			},
			func() error { return tx.AddClarification(c) },
			func() error {
				return tx.Audit(chat.AuditRecord{At: chat.Time(c.AskedAt), What: chat.AuditAsked, App: c.App, ClarificationID: id})
			},
			func() error {
				return tx.Audit(chat.AuditRecord{At: chat.Time(c.AnsweredAt), What: chat.AuditResolved, App: c.App, ClarificationID: id, Answer: c.Answer})
			},
			func() error {
				return tx.Remember(chat.Memory{ID: "mem_" + id, Key: "k_" + id, Of: "key", UpdatedAt: c.AnsweredAt, Answer: &chat.RememberedAnswer{Answer: *c.Answer}})
			},
		)
	})
}

// testDeletedAnswers: an update deletes an answer in all chats of a family, and nothing else.
func testDeletedAnswers(t *testing.T, s store.Store) {
	same := func(*chat.Conversation, *chat.Clarification) {}
	branch := func(c *chat.Conversation) { c.Root, c.Fork = "c", chat.Fork{ChatID: "c", MessageID: "msg_x"} }
	storeAnswered(t, s, "c", "clr_a", same)
	storeAnswered(t, s, "fork", "clr_b", func(head *chat.Conversation, c *chat.Clarification) { branch(head); c.Copied = true })
	storeAnswered(t, s, "instead", "clr_c", func(head *chat.Conversation, c *chat.Clarification) {
		branch(head)
		c.AnsweredAt = c.AnsweredAt.Add(time.Second)
	})
	storeAnswered(t, s, "stranger", "clr_d", same)
	var c chat.Clarification
	var copies, since []string
	update(t, s, ref("c"), func(tx store.Tx) (err error) {
		if c, err = tx.Clarifications().Find("clr_a"); err != nil {
			return err
		}
		list, err := tx.Answers().Copies(c)
		if err != nil {
			return err
		}
		copies, since = nil, nil
		var chats []string
		for _, of := range list {
			copies, chats = append(copies, of.ID), append(chats, of.ConversationID)
			if err := all(
				func() error { return tx.Answers().Delete(of) },
				func() error { return tx.Answers().Replace(of.ConversationID, "fr, again", "gone, again") },
				func() error { return tx.Answers().SaveResult(of.ConversationID, "call_1", "gone") },
				func() error { return tx.Answers().SaveText(of.ConversationID, "call_4", "drawn") },
			); err != nil {
				return err
			}
		}
		return all(
			func() error {
				return tx.Answers().Since(c.AnsweredAt.Add(time.Millisecond), func(c *chat.Clarification) { since = append(since, c.ID) })
			},
			func() error { return tx.Answers().DropMemory("k_clr_a", c.AnsweredAt) },
			func() error { return tx.Answers().DropMemory("k_clr_b", c.AnsweredAt.Add(1*time.Millisecond)) },
			func() error {
				return tx.Answers().EraseAudit(chats, func(r *chat.AuditRecord) bool {
					if r.What == chat.AuditAsked {
						return false
					}
					if r.ClarificationID == "clr_a" {
						r.What = ""
					}
					r.Answer = nil
					return true
				}, chat.AuditRecord{At: chat.Time(c.AnsweredAt), What: chat.AuditErased, App: c.App})
			},
		)
	})
	if slices.Sort(copies); !slices.Equal(copies, []string{"clr_a", "clr_b"}) {
		t.Errorf("copies: %v", copies)
	}
	if !slices.Equal(since, []string{"clr_c"}) {
		t.Errorf("since: %v", since)
	}
	for chatID, gone := range map[string]bool{"c": true, "fork": true, "instead": false, "stranger": false} {
		v := view(t, s, ref(chatID))
		c, calls := v.Clarifications[0], v.Messages[0].ToolCalls
		deleted := c.Answer != nil && c.Answer.Deleted && c.Answer.Value == nil
		if deleted != gone || c.State != tools.StateAnswered || (c.DeletedFence == -1) != gone || v.Conversation.Unpublished != gone {
			t.Errorf("%s: answer %+v, %s, fence %d, unpublished %v", chatID, c.Answer, c.State, c.DeletedFence, v.Conversation.Unpublished)
		}
		if last := calls[3].Result; (last.Content == "drawn") != gone || len(last.Shown) != 1 {
			t.Errorf("%s: the tool's own result is %+v", chatID, last)
		}
		if (calls[0].Result.Content == "gone") != gone || (calls[1].Result.Content == "gone, again") != gone || calls[2].Result.Content != "fr" {
			t.Errorf("%s: results %q, %q, %q", chatID, calls[0].Result.Content, calls[1].Result.Content, calls[2].Result.Content)
		}
	}
	memories, err := s.Memory().Memories(t.Context(), c.Tenant, c.Subject, c.App)
	if err != nil || slices.ContainsFunc(memories, func(m chat.Memory) bool { return m.ID == "mem_clr_a" }) || len(memories) != 3 {
		t.Errorf("memories: %+v, %v", memories, err)
	}
	whats := map[chat.AuditWhat]int{}
	for _, r := range audit(t, s, store.AuditSpan{}) {
		whats[r.What]++
		if r.Answer != nil && (r.ClarificationID == "clr_a" || r.ClarificationID == "clr_b") {
			t.Errorf("the audit still has %+v", r)
		}
	}
	if whats[chat.AuditAsked] != 4 || whats[chat.AuditResolved] != 3 || whats[chat.AuditErased] != 1 {
		t.Errorf("the audit has %v", whats)
	}
	if v, err := s.Audit().VerifyAudit(t.Context()); err != nil || v.Broken != nil || v.Erased != 2 {
		t.Errorf("the audit: %+v, %+v, %v", v, v.Broken, err)
	}
	if err := s.Delete(t.Context(), ref("fork"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Audit().VerifyAudit(t.Context()); err != nil || v.Broken != nil {
		t.Errorf("the audit, once a chat is erased: %+v, %+v, %v", v, v.Broken, err)
	}
	testDeletionAnnounced(t, s)
}

// testDeletionAnnounced: a run announces a deleted answer once, and a view of that run has it.
func testDeletionAnnounced(t *testing.T, s store.Store) {
	for range 2 {
		update(t, s, ref("c"), func(tx store.Tx) error {
			if deleted, err := tx.IsDeleted("clr_a"); err != nil || !deleted {
				t.Errorf("deleted: %v, %v", deleted, err)
			}
			list, err := tx.Answers().Unannounced()
			for i := range list {
				err = tx.Answers().Announced(list[i].ID, 12)
			}
			if known := tx.Conversation().Unpublished; known != (len(list) == 1) {
				t.Errorf("unannounced: %d", len(list))
			}
			tx.Conversation().Fence, tx.Conversation().Unpublished = 12, false
			return err
		})
	}
	v, err := s.ViewRuns(t.Context(), ref("c"), 11, 12, 1<<20)
	if err != nil || !slices.ContainsFunc(v.Clarifications, func(c chat.Clarification) bool { return c.ID == "clr_a" && c.DeletedFence == 12 }) {
		t.Errorf("the run shows %+v, %v", v, err)
	}
}
