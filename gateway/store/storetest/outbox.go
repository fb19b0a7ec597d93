package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// hooked returns news for webhooks, with a turn as its name.
func hooked(name string, hooks ...string) chat.News {
	n := named(name)
	for _, hook := range hooks {
		n.Hooks = append(n.Hooks, chat.Hook{Webhook: hook, Event: "turn.ended"})
	}
	return n
}

// claimed claims the due deliveries for an hour, and returns their names.
func claimed(t *testing.T, s store.Store, webhook string, lease time.Duration) (names []string, all []store.Delivery) {
	t.Helper()
	all, err := s.Outbox().ClaimDeliveries(t.Context(), webhook, lease, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		names = append(names, d.TurnID)
	}
	return names, all
}

// never fails the test on an error.
func never(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func testDeliveries(t *testing.T, s store.Store) {
	n := hooked("1", "a", "b")
	n.ClarificationID, n.FinishReason = "clr_1", chat.FinishStop
	addNews(t, s, ref("c"), n, hooked("2", "a"))
	addNews(t, s, ref("d"), hooked("3", "a"))
	never(t, func() error {
		err := s.Update(t.Context(), ref("d"), func(tx store.Tx) error {
			_ = tx.AddNews(hooked("undone", "a"))
			return store.ErrNotFound
		})
		wantError(t, "an update that fails", err, store.ErrNotFound)
		return nil
	}())
	names, all := claimed(t, s, "a", time.Hour)
	equal(t, "of each chat the first", names, []string{"1", "3"})
	first := all[0]
	want := store.Delivery{Seq: first.Seq, ID: first.ID, Webhook: "a", Event: "turn.ended", ConversationID: view(t, s, ref("c")).Conversation.ID,
		Ref: ref("c"), Language: view(t, s, ref("c")).Conversation.Language, ClarificationID: "clr_1", TurnID: "1", FinishReason: chat.FinishStop, At: first.At, Attempts: 1}
	equal(t, "what is claimed", first, want)
	if first.ID == "" || first.ID == all[1].ID || first.At.IsZero() {
		t.Errorf("%+v", first)
	}
	names, _ = claimed(t, s, "a", time.Hour)
	equal(t, "deliveries of others, and those after them", names, []string(nil))
	names, _ = claimed(t, s, "b", 0)
	equal(t, "of another webhook", names, []string{"1"})
	names, all = claimed(t, s, "b", time.Hour)
	equal(t, "after the claim lapsed", names, []string{"1"})
	equal(t, "attempts", all[0].Attempts, 2)

	never(t, s.Outbox().PostponeDelivery(t.Context(), first, time.Hour))
	names, _ = claimed(t, s, "a", time.Hour)
	equal(t, "while the first waits", names, []string(nil))
	never(t, s.Outbox().PostponeDelivery(t.Context(), first, 0))
	names, all = claimed(t, s, "a", 0)
	equal(t, "when it is due again", names, []string{"1"})
	equal(t, "its id", all[0].ID, first.ID)
	never(t, s.Outbox().PostponeDelivery(t.Context(), first, time.Hour)) // a delivery that a late node postpones
	names, all = claimed(t, s, "a", time.Hour)
	equal(t, "what a late node postpones", names, []string{"1"})
	never(t, s.Outbox().PostponeDelivery(t.Context(), all[0], time.Hour))
	never(t, s.Outbox().EndDelivery(t.Context(), all[0]))
	never(t, s.Outbox().EndDelivery(t.Context(), all[0]))
	names, all = claimed(t, s, "a", time.Hour)
	equal(t, "once the first is delivered", names, []string{"2"})
	never(t, s.Outbox().EndDelivery(t.Context(), all[0]))
	names, _ = claimed(t, s, "a", time.Hour)
	equal(t, "in the end", names, []string(nil))
}

func testDeliveriesGo(t *testing.T, s store.Store) {
	addNews(t, s, ref("c"), hooked("1", "a", "b"), hooked("2", "a"))
	addNews(t, s, ref("d"), hooked("3", "a", "b"))
	all, err := s.Outbox().Webhooks(t.Context())
	never(t, err)
	equal(t, "webhooks", all, []string{"a", "b"})
	if oldest, err := s.Outbox().OldestDelivery(t.Context(), "a"); err != nil || oldest.IsZero() {
		t.Errorf("the oldest: %v, %v", oldest, err)
	}
	if oldest, err := s.Outbox().OldestDelivery(t.Context(), "none"); err != nil || !oldest.IsZero() {
		t.Errorf("the oldest of none: %v, %v", oldest, err)
	}
	_, held := claimed(t, s, "a", time.Hour)
	never(t, s.Delete(t.Context(), ref("c"), time.Time{}))
	never(t, s.Outbox().EndDelivery(t.Context(), held[0]))
	never(t, s.Outbox().PostponeDelivery(t.Context(), held[0], 0))
	names, _ := claimed(t, s, "b", 0)
	equal(t, "of a chat that is deleted", names, []string{"3"})
	never(t, s.Outbox().DropDeliveries(t.Context(), "b", time.Unix(1, 0)))
	names, _ = claimed(t, s, "b", 0)
	equal(t, "one that is too young to be dropped", names, []string{"3"})
	never(t, s.Outbox().DropDeliveries(t.Context(), "b", time.Now().Add(1000*time.Hour)))
	all, err = s.Outbox().Webhooks(t.Context())
	never(t, err)
	equal(t, "webhooks that are left", all, []string{"a"})
}

// unseenHooks are for a question that is due at once.
func unseenHooks(id string, webhooks ...string) chat.News {
	n := chat.News{At: at(0), Type: chat.EventClarification, ClarificationID: id}
	for _, w := range webhooks {
		n.Hooks = append(n.Hooks, chat.Hook{Webhook: w, Event: "clarification.undelivered", Unseen: 1})
	}
	return n
}

func testUndelivered(t *testing.T, s store.Store) {
	ask := func(chatID, id string) {
		update(t, s, ref(chatID), func(tx store.Tx) error {
			if err := tx.AddClarification(chat.Clarification{ID: id, TurnID: "turn_1", ToolCallID: "call_" + id, ToolName: "ask_user", Arguments: "{}",
				State: tools.StatePending, AskedAt: at(1), Question: tools.Question{Kind: tools.KindQuestion}}); err != nil {
				return err
			}
			return tx.AddNews(unseenHooks(id, "", "a"))
		})
	}
	for _, name := range []string{"unseen", "seen", "closed", "deleted"} {
		ask(name, "clr_"+name)
	}
	update(t, s, ref("input"), func(tx store.Tx) error { // a call that a client's tool answers is on no screen
		return tx.AddClarification(chat.Clarification{ID: "clr_input", TurnID: "turn_1", ToolCallID: "call_input", ToolName: "input", Arguments: "{}",
			State: tools.StatePending, AskedAt: at(1), Question: tools.Question{Kind: tools.KindInput}})
	})
	names, _ := claimed(t, s, "a", 0)
	equal(t, "before its time", names, []string(nil))
	counts, err := s.Outbox().Undelivered(t.Context(), at(1))
	never(t, err)
	equal(t, "unseen so far", counts, map[string]int{ref("c").App: 4})
	counts, err = s.Outbox().Undelivered(t.Context(), at(0))
	never(t, err)
	equal(t, "unseen from before", counts, map[string]int{})

	_, err = s.SaveSeen(t.Context(), "clr_seen", at(2))
	never(t, err)
	update(t, s, ref("closed"), func(tx store.Tx) error {
		open, err := tx.Clarifications().Pending()
		if err != nil {
			return err
		}
		open[0].State = tools.StateCancelled
		return tx.Clarifications().Save(open[0])
	})
	never(t, s.Delete(t.Context(), ref("deleted"), time.Time{}))
	var apps []string
	for range 3 {
		some, err := s.Outbox().TurnUndelivered(t.Context(), 4)
		never(t, err)
		apps = append(apps, some...)
	}
	equal(t, "counted", apps, []string{ref("c").App})
	all, err := s.Outbox().ClaimDeliveries(t.Context(), "a", 0, 10)
	never(t, err)
	if len(all) != 1 || all[0].ClarificationID != "clr_unseen" || all[0].Event != "clarification.undelivered" {
		t.Errorf("told of %+v", all)
	}
	counts, err = s.Outbox().Undelivered(t.Context(), at(1))
	never(t, err)
	equal(t, "unseen", counts, map[string]int{ref("c").App: 1})
	// Deliveries that wait to be seen do not hold up others.
	update(t, s, ref("waits"), func(tx store.Tx) error {
		n := unseenHooks("clr_unseen", "a")
		n.Hooks[0].Unseen = time.Hour
		if err := tx.AddNews(n); err != nil {
			return err
		}
		return tx.AddNews(hooked("next", "b", "a"))
	})
	names, _ = claimed(t, s, "b", 0)
	equal(t, "after one that waits", names, []string{"next"})
}

// If several claim at the same time, each delivery goes to one.
func testClaimsCompete(t *testing.T, s store.Store) {
	const chats, nodes = 20, 4
	for i := range chats {
		addNews(t, s, ref(fmt.Sprint("c", i)), hooked(fmt.Sprint(i), "a"))
	}
	var mu sync.Mutex
	got := map[string]int{}
	var wait sync.WaitGroup
	for range nodes {
		wait.Go(func() {
			for range chats {
				some, err := s.Outbox().ClaimDeliveries(t.Context(), "a", time.Hour, 3)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, d := range some {
					got[d.TurnID]++
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if len(got) != chats {
		t.Errorf("%d of %d were claimed", len(got), chats)
	}
	for name, n := range got {
		if n != 1 {
			t.Errorf("%s was claimed %d times", name, n)
		}
	}
}
