package storetest

import (
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// tells stores a pending question in a chat, and whom channels tell of it.
func tells(t *testing.T, s store.Store, chatID, id string, to ...chat.Recipient) {
	t.Helper()
	update(t, s, ref(chatID), func(tx store.Tx) error {
		if err := tx.AddClarification(chat.Clarification{ID: id, TurnID: "turn_1", ToolCallID: "call_" + id, ToolName: "ask_user", Arguments: "{}",
			State: tools.StatePending, AskedAt: at(1), Question: tools.Question{Kind: tools.KindQuestion}}); err != nil {
			return err
		}
		return tx.AddNews(chat.News{At: at(1), Type: chat.EventClarification, ClarificationID: id, Notices: to})
	})
}

// ends closes the only pending question of a chat.
func ends(t *testing.T, s store.Store, chatID string) {
	t.Helper()
	update(t, s, ref(chatID), func(tx store.Tx) error {
		open, err := tx.Clarifications().Pending()
		if err != nil {
			return err
		}
		open[0].State, open[0].AnsweredAt = tools.StateCancelled, at(3)
		if err := tx.Clarifications().Save(open[0]); err != nil {
			return err
		}
		return tx.AddNews(chat.News{At: at(3), Type: chat.EventClarificationResolved, ClarificationID: open[0].ID, EndNotices: true})
	})
}

// due claims what is due for a channel, and returns the question, person and stage of each.
func due(t *testing.T, s store.Store, channel string, lease time.Duration) (what []string, all []store.Notice) {
	t.Helper()
	all, err := s.Outbox().ClaimNotices(t.Context(), channel, lease, 10)
	never(t, err)
	for _, n := range all {
		what = append(what, n.ClarificationID+" "+n.Person+" "+map[int]string{store.NoticeEnded: "ended", 0: "asked", 1: "1", 2: "2"}[n.Stage])
	}
	return what, all
}

func notTold(t *testing.T, s store.Store, id string) []string {
	t.Helper()
	c, err := s.Clarification(t.Context(), id)
	never(t, err)
	return append([]string{}, c.NotTold...)
}

func testNotices(t *testing.T, s store.Store) {
	outbox := s.Outbox()
	tells(t, s, "c", "clr_1", chat.Recipient{Channel: "mail", Subject: "alice"}, chat.Recipient{Channel: "mail", Subject: "bob"}, chat.Recipient{Channel: "slack", Subject: "alice"})
	tells(t, s, "c", "clr_2", chat.Recipient{Channel: "mail", Subject: "alice"})
	what, all := due(t, s, "mail", time.Hour)
	equal(t, "of each person the first of a chat", what, []string{"clr_1 alice asked", "clr_1 bob asked"})
	first := all[0]
	head := view(t, s, ref("c")).Conversation
	equal(t, "what is claimed", first, store.Notice{Seq: first.Seq, Channel: "mail", ConversationID: head.ID, Ref: ref("c"), Language: head.Language,
		ClarificationID: "clr_1", Person: "alice", Since: first.Since, Attempts: 1})
	what, _ = due(t, s, "mail", time.Hour)
	equal(t, "while others hold them", what, []string(nil))
	what, _ = due(t, s, "slack", 0)
	equal(t, "of another channel", what, []string{"clr_1 alice asked"})
	what, held := due(t, s, "slack", time.Hour)
	equal(t, "after the claim lapsed", what, []string{"clr_1 alice asked"})
	equal(t, "attempts", held[0].Attempts, 2)

	never(t, outbox.PostponeNotice(t.Context(), first, time.Hour))
	what, _ = due(t, s, "mail", time.Hour)
	equal(t, "while the first waits", what, []string(nil))
	never(t, outbox.PostponeNotice(t.Context(), first, 0))
	due(t, s, "mail", 0)
	never(t, outbox.PostponeNotice(t.Context(), first, time.Hour)) // of a late node: another one has claimed it
	what, all = due(t, s, "mail", time.Hour)
	equal(t, "what a late node postpones", what, []string{"clr_1 alice asked"})
	first = all[0]

	never(t, outbox.MoveNotice(t.Context(), first, 1, s.Now().Add(-time.Minute), "ref-1"))
	what, all = due(t, s, "mail", time.Hour)
	equal(t, "a reminder that is due, and the next question", what, []string{"clr_1 alice 1", "clr_2 alice asked"})
	equal(t, "its message", all[0].MessageRef, "ref-1")
	equal(t, "its attempts", all[0].Attempts, 1)
	never(t, outbox.MoveNotice(t.Context(), all[0], 2, time.Time{}, "ref-1"))
	never(t, outbox.MoveNotice(t.Context(), all[1], 1, s.Now().Add(time.Hour), ""))
	what, _ = due(t, s, "mail", 0)
	equal(t, "what is never due, or later", what, []string(nil))

	tells(t, s, "d", "clr_3", chat.Recipient{Channel: "mail", Subject: "alice"}, chat.Recipient{Channel: "mail", Subject: "carol"})
	_, all = due(t, s, "mail", time.Hour)
	ends(t, s, "d")
	what, _ = due(t, s, "mail", time.Hour)
	equal(t, "what an attempt holds when its question ends", what, []string(nil))
	never(t, outbox.MoveNotice(t.Context(), all[0], 1, s.Now().Add(time.Hour), "ref-3"))
	what, ended := due(t, s, "mail", time.Hour)
	equal(t, "once the attempt is over", what, []string{"clr_3 alice ended"})
	equal(t, "its message", ended[0].MessageRef, "ref-3")
	never(t, outbox.EndNotice(t.Context(), ended[0]))
	never(t, outbox.EndNotice(t.Context(), ended[0]))
	never(t, outbox.PostponeNotice(t.Context(), all[1], 0)) // an attempt that failed: the question has ended
	what, _ = due(t, s, "mail", 0)
	equal(t, "of one that no message was sent of", what, []string(nil))
}

func testNotTold(t *testing.T, s store.Store) {
	outbox := s.Outbox()
	tells(t, s, "c", "clr_1", chat.Recipient{Channel: "mail", Subject: "alice"}, chat.Recipient{Channel: "mail", Subject: "bob"}, chat.Recipient{Channel: "slack", Subject: "bob"})
	_, all := due(t, s, "mail", time.Hour)
	_, slack := due(t, s, "slack", time.Hour)
	never(t, outbox.FailNotice(t.Context(), all[0]))
	equal(t, "while another person may be told", notTold(t, s, "clr_1"), []string{})
	never(t, outbox.FailNotice(t.Context(), all[1]))
	never(t, outbox.FailNotice(t.Context(), all[1]))
	equal(t, "once none can be", notTold(t, s, "clr_1"), []string{"mail"})
	never(t, outbox.FailNotice(t.Context(), slack[0]))
	equal(t, "by two channels", notTold(t, s, "clr_1"), []string{"mail", "slack"})
	what, _ := due(t, s, "mail", 0)
	equal(t, "what is given up", what, []string(nil))
	tells(t, s, "c", "clr_2", chat.Recipient{Channel: "mail", Subject: "alice"})
	what, all = due(t, s, "mail", time.Hour)
	equal(t, "what comes after it", what, []string{"clr_2 alice asked"})
	never(t, outbox.MoveNotice(t.Context(), all[0], 1, time.Time{}, ""))
	never(t, outbox.FailNotice(t.Context(), all[0])) // of a late node
	equal(t, "of one that was told", notTold(t, s, "clr_2"), []string{})

	update(t, s, ref("e"), func(tx store.Tx) error {
		if err := tx.AddClarification(chat.Clarification{ID: "clr_role", TurnID: "turn_1", ToolCallID: "call", ToolName: "pay", Arguments: "{}", For: "finance",
			State: tools.StatePending, AskedAt: at(1), Question: tools.Question{Kind: tools.KindApproval}}); err != nil {
			return err
		}
		return tx.AddNews(chat.News{At: at(1), Type: chat.EventClarification, ClarificationID: "clr_role", Role: "finance", NotTold: []string{"mail"}})
	})
	equal(t, "of a role that no one has", notTold(t, s, "clr_role"), []string{"mail"})
}

func testNoticesGo(t *testing.T, s store.Store) {
	outbox := s.Outbox()
	to := []chat.Recipient{{Channel: "mail", Subject: "bob"}, {Channel: "slack", Subject: "carol"}}
	tells(t, s, "c", "clr_1", to...)
	tells(t, s, "d", "clr_2", to...)
	channels, err := outbox.Channels(t.Context())
	never(t, err)
	equal(t, "channels", channels, []string{"mail", "slack"})
	if since, err := outbox.OldestNotice(t.Context(), "mail"); err != nil || since.IsZero() {
		t.Errorf("the oldest: %v, %v", since, err)
	}
	if since, err := outbox.OldestNotice(t.Context(), "none"); err != nil || !since.IsZero() {
		t.Errorf("the oldest of none: %v, %v", since, err)
	}
	_, all := due(t, s, "mail", time.Hour)
	for _, n := range all {
		never(t, outbox.PostponeNotice(t.Context(), n, time.Hour))
	}
	if since, err := outbox.OldestNotice(t.Context(), "mail"); err != nil || since.IsZero() {
		t.Errorf("the oldest of those that wait for another attempt: %v, %v", since, err)
	}
	for _, n := range all {
		never(t, outbox.PostponeNotice(t.Context(), n, 0))
	}
	_, all = due(t, s, "slack", time.Hour)
	for _, n := range all {
		never(t, outbox.MoveNotice(t.Context(), n, 1, time.Time{}, ""))
	}
	if since, err := outbox.OldestNotice(t.Context(), "slack"); err != nil || !since.IsZero() {
		t.Errorf("the oldest of those that are never due: %v, %v", since, err)
	}
	tells(t, s, "e", "clr_3", chat.Recipient{Channel: "slack", Subject: "carol"})
	never(t, s.Delete(t.Context(), ref("d"), time.Time{}))
	what, _ := due(t, s, "slack", 0)
	equal(t, "of a chat that is deleted", what, []string{"clr_3 carol asked"})
	never(t, outbox.DropNotices(t.Context(), "slack", time.Unix(1, 0)))
	what, _ = due(t, s, "slack", 0)
	equal(t, "one that is too young to be dropped", what, []string{"clr_3 carol asked"})
	never(t, outbox.DropNotices(t.Context(), "slack", s.Now().Add(time.Hour)))
	what, _ = due(t, s, "slack", 0)
	equal(t, "of a channel that is gone", what, []string(nil))
	channels, err = outbox.Channels(t.Context())
	never(t, err)
	equal(t, "the channels that are left", channels, []string{"mail"})

	address := func(subject string) string {
		sealed, err := outbox.Address(t.Context(), "acme", subject)
		never(t, err)
		return sealed
	}
	never(t, outbox.SaveAddress(t.Context(), "acme", "bob", "sealed-1"))
	never(t, outbox.SaveAddress(t.Context(), "acme", "bob", "sealed-2"))
	never(t, outbox.SaveAddress(t.Context(), "acme", "carol", "sealed-3"))
	never(t, outbox.SaveAddress(t.Context(), "acme", "carol", ""))
	equal(t, "addresses", []string{address("bob"), address("carol"), address("dora")}, []string{"sealed-2", "", ""})
	_, err = s.Memory().EraseTraces(t.Context(), "acme", "bob")
	never(t, err)
	equal(t, "the address of an erased person", address("bob"), "")
	what, _ = due(t, s, "mail", 0)
	equal(t, "what an erased person was to be told", what, []string(nil))
}
