package storetest

import (
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// tell stores news of a chat.
func addNews(t *testing.T, s store.Store, r chat.Ref, news ...chat.News) {
	t.Helper()
	update(t, s, r, func(tx store.Tx) error {
		for _, n := range news {
			if err := tx.AddNews(n); err != nil {
				return err
			}
		}
		return nil
	})
	allNews(t, s, 0, 1000)
}

// allNews waits until all news can be read, since others may use the same server.
func allNews(t *testing.T, s store.Store, after int64, limit int) []chat.News {
	t.Helper()
	for {
		news, later, err := s.Feed().AllNews(t.Context(), after, limit)
		if err != nil {
			t.Fatal(err)
		}
		if !later {
			return news
		}
	}
}

// told returns the turns that news are about, which the tests use as names; their ids must grow.
func names(t *testing.T, news []chat.News) (names []string) {
	t.Helper()
	last := int64(0)
	for _, n := range news {
		if n.ID <= last {
			t.Errorf("id %d after %d", n.ID, last)
		}
		last = n.ID
		names = append(names, n.TurnID)
	}
	return names
}

func named(name string) chat.News { return chat.News{At: at(0), Type: chat.EventTitle, TurnID: name} }

func testNews(t *testing.T, s store.Store) {
	if head, err := s.Feed().NewsHead(t.Context()); err != nil || head != 0 {
		t.Errorf("the head of no news: %d, %v", head, err)
	}
	first := chat.News{At: at(1), Role: "oncall", Asker: "ci", Type: chat.EventClarification, ClarificationID: "clr_1", TurnID: "1",
		MessageID: "msg_1", FinishReason: chat.FinishStop, Usage: chat.Usage{InputTokens: 3, OutputTokens: 4, CachedInputTokens: 2, ReasoningTokens: 1}}
	addNews(t, s, ref("c"), first, named("2"))
	addNews(t, s, ref("d"), named("3"))
	all := allNews(t, s, 0, 10)
	equal(t, "all", names(t, all), []string{"1", "2", "3"})
	first.ID, first.Ref, first.ConversationID = all[0].ID, ref("c"), view(t, s, ref("c")).Conversation.ID
	equal(t, "the first", all[0], first)
	equal(t, "one after the first", names(t, allNews(t, s, all[0].ID, 1)), []string{"2"})
	equal(t, "those after the last", len(allNews(t, s, all[2].ID, 10)), 0)
	if head, err := s.Feed().NewsHead(t.Context()); err != nil || head != all[2].ID {
		t.Errorf("the head is %d, %v, want %d", head, err, all[2].ID)
	}
	err := s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		if err := tx.AddNews(named("4")); err != nil {
			return err
		}
		return store.ErrNotFound
	})
	wantError(t, "an update that fails", err, store.ErrNotFound)
	equal(t, "what was rolled back", len(allNews(t, s, all[2].ID, 10)), 0)
}

func testNewsOfWhom(t *testing.T, s store.Store) {
	of := func(tenant, subject string) chat.Ref {
		return chat.Ref{Tenant: tenant, Subject: subject, App: "translator", ChatID: "c"}
	}
	both, role, asked := named("both"), named("role"), named("asked")
	both.Role, both.Asker, role.Role, asked.Asker = "oncall", "alice", "oncall", "alice"
	addNews(t, s, of("acme", "alice"), named("own"), both)
	addNews(t, s, of("acme", "bob"), named("bob's"), role, asked)
	addNews(t, s, of("other", "alice"), named("elsewhere"), both)
	for _, test := range []struct {
		subject string
		roles   []string
		want    []string
	}{
		{"alice", []string{"oncall", "none"}, []string{"own", "both", "role", "asked"}},
		{"alice", nil, []string{"own", "both", "asked"}},
		{"bob", nil, []string{"bob's", "role", "asked"}},
		{"carol", []string{"oncall"}, []string{"both", "role"}},
		{"carol", []string{"", "dba"}, nil},
		{"", []string{""}, nil},
	} {
		after, got := int64(0), []chat.News(nil)
		for { // in parts
			part, err := s.Feed().News(t.Context(), "acme", test.subject, test.roles, after, 2)
			if err != nil || len(part) > 2 {
				t.Fatal(len(part), err)
			}
			if len(part) == 0 {
				break
			}
			got, after = append(got, part...), part[len(part)-1].ID
		}
		equal(t, test.subject, names(t, got), test.want)
	}
}

func testNewsGo(t *testing.T, s store.Store) {
	old, young := named("old"), named("young")
	old.At, young.At = at(0), at(60)
	addNews(t, s, ref("c"), old, young)
	addNews(t, s, ref("d"), young)
	last := allNews(t, s, 0, 10)[2].ID
	if err := s.Feed().DropNews(t.Context(), at(30)); err != nil {
		t.Fatal(err)
	}
	equal(t, "what is left of them", names(t, allNews(t, s, 0, 10)), []string{"young", "young"})
	if err := s.Delete(t.Context(), ref("d"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "the rest next to a deleted chat", len(allNews(t, s, 0, 10)), 1)
	addNews(t, s, ref("e"), young)
	if news := allNews(t, s, 0, 10); news[1].ID <= last {
		t.Errorf("an id came back after a deletion: %d after %d", news[1].ID, last)
	}
}

// testNewsOfRuns: the end of a turn's run is news for the owner of its chat, in its place among the others,
// for a day.
func testNewsOfRuns(t *testing.T, s store.Store) {
	now := s.Now().UTC().Truncate(time.Millisecond)
	usage := chat.Usage{InputTokens: 3, OutputTokens: 4, CachedInputTokens: 2, ReasoningTokens: 1}
	ends := func(r chat.Ref, fence int64, turn string, reason chat.FinishReason, at time.Time) {
		update(t, s, r, func(tx store.Tx) error {
			head := tx.Conversation()
			head.Fence, head.UpdatedAt = fence, now
			return all(
				func() error {
					return tx.SaveRun(chat.Run{Fence: fence, TurnID: turn, FinishReason: reason, Usage: usage, EndedAt: at})
				},
				func() error {
					return tx.AddNews(chat.News{At: at, Type: chat.EventDone, TurnID: turn, FinishReason: reason, Usage: usage})
				},
			)
		})
	}
	other := chat.Ref{Tenant: "acme", Subject: "bob", App: "translator", ChatID: "c"}
	addNews(t, s, ref("c"), named("1"))
	ends(ref("c"), 1, "2", chat.FinishStop, now)
	ends(other, 1, "3", chat.FinishClarification, now)
	ends(ref("d"), 1, "", chat.FinishStop, now)                       // what a program asked
	ends(ref("d"), 2, "goes on", "", time.Time{})                     // a run that was resumed
	ends(ref("d"), 3, "old", chat.FinishStop, now.Add(-25*time.Hour)) // longer ago than a reader may return
	addNews(t, s, ref("c"), named("4"))
	ends(ref("c"), 2, "5", chat.FinishError, now)
	news := allNews(t, s, 0, 10)
	equal(t, "all", names(t, news), []string{"1", "2", "3", "4", "5"})
	want := chat.News{ID: news[1].ID, At: now, Ref: ref("c"), ConversationID: view(t, s, ref("c")).Conversation.ID, Type: chat.EventDone, TurnID: "2", FinishReason: chat.FinishStop, Usage: usage}
	equal(t, "the end of a run", news[1], want)
	if head, err := s.Feed().NewsHead(t.Context()); err != nil || head != news[4].ID {
		t.Errorf("the head is %d, %v, want %d", head, err, news[4].ID)
	}
	for limit := 1; limit < 5; limit++ {
		var got []string
		for after, more := int64(0), true; more; {
			part := allNews(t, s, after, limit)
			for _, n := range part {
				got, after = append(got, n.TurnID), n.ID
			}
			more = len(part) > 0
		}
		equal(t, "all, in parts", got, []string{"1", "2", "3", "4", "5"})
	}
	mine, err := s.Feed().News(t.Context(), "acme", ref("c").Subject, nil, news[0].ID, 10)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the owner's", names(t, mine), []string{"2", "4", "5"})
	if err := s.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "what a deleted chat leaves", names(t, allNews(t, s, 0, 10)), []string{"3"})
	ends(ref("c"), 1, "6", chat.FinishStop, now)
	if again := allNews(t, s, news[4].ID, 10); len(again) != 1 || again[0].TurnID != "6" {
		t.Errorf("behind the ones that are gone: %+v", again)
	}
}

func testNewsOfDeleted(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error {
		open, closed, other := question("clr_1", 1, at(0)), question("clr_2", 2, at(0)), question("clr_3", 3, at(0))
		closed.State = tools.StateAnswered
		other.Asker, other.For = "ci", "oncall"
		return all(func() error { return tx.AddClarification(open) }, func() error { return tx.AddClarification(closed) },
			func() error { return tx.AddClarification(other) }, func() error { return tx.AddNews(named("gone")) })
	})
	id := view(t, s, ref("c")).Conversation.ID
	if err := s.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	news := allNews(t, s, 0, 10)
	if len(news) != 2 {
		t.Fatalf("%+v", news)
	}
	for i, want := range []chat.News{{ClarificationID: "clr_1"}, {ClarificationID: "clr_3", Asker: "ci", Role: "oncall"}} {
		if news[i].At.IsZero() {
			t.Error("no time")
		}
		want.ID, want.At, want.Ref, want.ConversationID = news[i].ID, news[i].At, ref("c"), id
		want.Type, want.TurnID, want.MessageID = chat.EventClarificationResolved, "trn_1", "call_"+want.ClarificationID
		equal(t, want.ClarificationID, news[i], want)
	}
	names(t, news) // in order
}

func testMessage(t *testing.T, s store.Store) {
	said := chat.Message{ID: "msg_1", Role: chat.RoleUser, Content: "hello", CreatedAt: at(0)}
	deferred := chat.Message{ID: "msg_2", Role: chat.RoleAssistant, Content: "wait", CreatedAt: at(1), AskedBy: &tools.Asker{Kind: tools.AskerProgram, Name: "ci"}}
	update(t, s, ref("c"), func(tx store.Tx) error {
		return all(func() error { return tx.AppendMessage(said) }, func() error { return tx.Defer(deferred) })
	})
	id := view(t, s, ref("c")).Conversation.ID
	for _, want := range []chat.Message{said, deferred} {
		got, err := s.Message(t.Context(), id, want.ID)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, want.ID, got, want)
	}
	_, err := s.Message(t.Context(), id, "msg_3")
	wantError(t, "a message that is not there", err, store.ErrNotFound)
	_, err = s.Message(t.Context(), "cnv_other", "msg_1")
	wantError(t, "a message of another chat", err, store.ErrNotFound)
}
