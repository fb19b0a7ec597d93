package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// words returns a memory of alice's.
func words(id, app, key, text string, minute int) chat.Memory {
	return chat.Memory{ID: id, Tenant: "acme", Subject: "alice", App: app, Key: key, Text: text, UpdatedAt: at(minute)}
}

// answered returns an answer of alice's that is remembered permanently.
func answered(id, key, of string, minute int) chat.Memory {
	return chat.Memory{
		ID: id, Tenant: "acme", Subject: "alice", App: "translator", Key: key, Of: of, Text: "French, <é>",
		Answer: &chat.RememberedAnswer{Part: tools.Part{ID: "q1", Question: "Which <language>?", InputType: tools.Select, Key: "language"}, Filled: "f",
			Answer: tools.Answer{Value: json.RawMessage(`"fr"`), Note: "n"}},
		Silent: true, UpdatedAt: at(minute),
	}
}

func wantMemories(t *testing.T, s store.Store, app string, want ...chat.Memory) {
	t.Helper()
	got, err := s.Memory().Memories(t.Context(), "acme", "alice", app)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "memories in "+app, got, want)
}

func saved(t *testing.T, s store.Store, list ...chat.Memory) {
	t.Helper()
	for _, m := range list {
		if err := s.Memory().SaveMemory(t.Context(), m, 100); err != nil {
			t.Fatal(err)
		}
	}
}

func testMemories(t *testing.T, s store.Store) {
	tone, units, other := words("mem_1", "translator", "tone", "formal", 1), words("mem_2", "translator", "units", "metric\n", 2), words("mem_3", "helper", "tone", "short", 3)
	bobs, theirs := words("mem_4", "translator", "tone", "bob's", 4), words("mem_5", "translator", "tone", "globex's", 5)
	bobs.Subject, theirs.Tenant = "bob", "globex"
	saved(t, s, tone, units, other, bobs, theirs)
	wantMemories(t, s, "translator", units, tone)
	wantMemories(t, s, "helper", other)

	said := words("mem_8", "helper", "said", "in a chat", 5)
	said.ConversationID = "cnv_gone"
	wantError(t, "words of a chat that is gone", s.Memory().SaveMemory(t.Context(), said, 100), store.ErrNotFound)
	update(t, s, ref("c"), func(tx store.Tx) error {
		said.ConversationID = tx.Conversation().ID
		return begin(tx, at(0))
	})
	saved(t, s, said)
	said.ConversationID = ""
	wantMemories(t, s, "helper", said, other)
	if n, err := s.Memory().ForgetKey(t.Context(), "acme", "alice", "helper", "said"); n != 1 || err != nil {
		t.Errorf("ForgetKey: %d, %v", n, err)
	}

	again := words("mem_9", "translator", "tone", "informal", 6)
	again.Said = "in\nformal"
	saved(t, s, again)
	again.ID = tone.ID // it stays the same one
	wantMemories(t, s, "translator", again, units)

	var listed []chat.Memory
	page := store.Page{Limit: 1}
	for {
		items, next, err := s.Memory().MemoryPage(t.Context(), "acme", "alice", "", page)
		if err != nil {
			t.Fatal(err)
		}
		if listed = append(listed, items...); next == "" {
			break
		}
		page.Cursor = next
	}
	equal(t, "all pages", listed, []chat.Memory{again, other, units})
	if _, _, err := s.Memory().MemoryPage(t.Context(), "acme", "bob", "", page); !errors.Is(err, store.ErrCursor) {
		t.Errorf("another's cursor: %v", err)
	}
	items, _, err := s.Memory().MemoryPage(t.Context(), "acme", "alice", "helper", store.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "of one app", items, []chat.Memory{other})

	_, err = s.Memory().EditMemory(t.Context(), "acme", "alice", bobs.ID, "mine", at(7))
	wantError(t, "editing bob's", err, store.ErrNotFound)
	_, err = s.Memory().EditMemory(t.Context(), "globex", "alice", again.ID, "mine", at(7))
	wantError(t, "editing in another tenant", err, store.ErrNotFound)
	got, err := s.Memory().EditMemory(t.Context(), "acme", "alice", again.ID, "edited", at(7))
	again.Text, again.Said, again.UpdatedAt = "edited", "edited", at(7)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "edited", got, again)
	wantMemories(t, s, "translator", again, units)

	wantError(t, "deleting bob's", s.Memory().DeleteMemory(t.Context(), "acme", "alice", bobs.ID), store.ErrNotFound)
	wantError(t, "deleting in another tenant", s.Memory().DeleteMemory(t.Context(), "globex", "alice", again.ID), store.ErrNotFound)
	if err := s.Memory().DeleteMemory(t.Context(), "acme", "alice", again.ID); err != nil {
		t.Fatal(err)
	}
	wantMemories(t, s, "translator", units)
	if n, err := s.Memory().ForgetKey(t.Context(), "acme", "alice", "translator", "tone"); n != 0 || err != nil {
		t.Errorf("a deleted entry is deleted again: %d, %v", n, err)
	}
	if n, err := s.Memory().ForgetKey(t.Context(), "acme", "alice", "translator", "units"); n != 1 || err != nil {
		t.Errorf("ForgetKey: %d, %v", n, err)
	}
	if n, err := s.Memory().DeleteMemories(t.Context(), "acme", "alice", "translator"); n != 0 || err != nil {
		t.Errorf("DeleteMemories of an app: %d, %v", n, err)
	}
	wantMemories(t, s, "helper", other)
	if n, err := s.Memory().DeleteMemories(t.Context(), "acme", "alice", ""); n != 1 || err != nil {
		t.Errorf("DeleteMemories: %d, %v", n, err)
	}
	for _, of := range [][2]string{{"acme", "bob"}, {"globex", "alice"}} {
		if list, err := s.Memory().Memories(t.Context(), of[0], of[1], "translator"); len(list) != 1 || err != nil {
			t.Errorf("%v lost: %v, %v", of, list, err)
		}
	}
}

func testRemember(t *testing.T, s store.Store) {
	first, second := answered("mem_1", "language", "a", 1), answered("mem_2", "language", "b", 2)
	remember := func(m chat.Memory, then error) error {
		m.Tenant, m.Subject, m.App = "", "", "" // these are the chat's
		return s.Update(t.Context(), ref("c"), func(tx store.Tx) error { return errors.Join(tx.Remember(m), then) })
	}
	for _, m := range []chat.Memory{first, second} {
		if err := remember(m, nil); err != nil {
			t.Fatal(err)
		}
	}
	wantMemories(t, s, "translator", second, first)
	changed := answered("mem_3", "language", "a", 3)
	changed.Answer, changed.Silent, changed.Text = &chat.RememberedAnswer{Answer: tools.Answer{Values: []string{"x", "y"}}}, false, "X, Y"
	failed := errors.New("no")
	wantError(t, "an update that fails", remember(changed, failed), failed)
	wantMemories(t, s, "translator", second, first)
	if err := remember(changed, nil); err != nil {
		t.Fatal(err)
	}
	wantMemories(t, s, "translator", changed, second)

	expired := answered("mem_4", "late", "a", 4)
	expired.ExpiresAt = at(-100000) // the store's clock is later
	if err := remember(expired, nil); err != nil {
		t.Fatal(err)
	}
	wantMemories(t, s, "translator", changed, second)
	if items, _, err := s.Memory().MemoryPage(t.Context(), "acme", "alice", "", store.Page{Limit: 10}); len(items) != 2 || err != nil {
		t.Errorf("what has expired is listed: %+v, %v", items, err)
	}
	if err := s.Memory().DropMemories(t.Context(), at(0)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Memory().EditMemory(t.Context(), "acme", "alice", changed.ID, "x", at(9))
	wantError(t, "editing an answer", err, store.ErrNotFound)
	if n, err := s.Memory().DeleteMemories(t.Context(), "acme", "alice", ""); n != 2 || err != nil {
		t.Errorf("%d left, %v", n, err)
	}
}

func testMemoriesFull(t *testing.T, s store.Store) {
	const most = 4
	saved(t, s, words("mem", "translator", "k", "x", 0))
	for _, err := range together(func(i int) error {
		err := s.Memory().SaveMemory(t.Context(), words(fmt.Sprintf("mem_%d", i), "translator", fmt.Sprintf("k%d", i), "x", i), most)
		if errors.Is(err, store.ErrFull) {
			return nil
		}
		return err
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	kept, err := s.Memory().Memories(t.Context(), "acme", "alice", "translator")
	if err != nil || len(kept) != most {
		t.Fatalf("%d kept, %v", len(kept), err)
	}
	changed := kept[0]
	changed.Text = "changed"
	if err := s.Memory().SaveMemory(t.Context(), changed, len(kept)); err != nil {
		t.Errorf("an existing one is changed: %v", err)
	}
	wantError(t, "one too many", s.Memory().SaveMemory(t.Context(), words("mem_new", "translator", "new", "x", 0), len(kept)), store.ErrFull)
	saved(t, s, words("mem_other", "helper", "new", "x", 0))

	update(t, s, ref("c"), func(tx store.Tx) error {
		for i := range chat.MaxMemories + 2 {
			if err := tx.Remember(answered(fmt.Sprintf("mem_a%d", i), "language", fmt.Sprintf("%d", i), i)); err != nil {
				return err
			}
		}
		return nil
	})
	all, err := s.Memory().Memories(t.Context(), "acme", "alice", "translator")
	if err != nil || len(all) != len(kept)+chat.MaxMemories {
		t.Fatalf("%d kept, %v", len(all), err)
	}
	if oldest := all[len(all)-1]; oldest.Of != "2" {
		t.Errorf("the oldest that is left is %+v", oldest)
	}
}

func testPersons(t *testing.T, s store.Store) {
	bobs := ref("c")
	bobs.Subject = "bob"
	other := ref("a")
	other.App = "helper"
	mine, tenants := meter("tokens", store.Principal("acme", "alice"), 0), meter("tokens", "acme", 0)
	for _, r := range []chat.Ref{ref("c"), other, bobs} {
		update(t, s, r, func(tx store.Tx) error {
			return all(
				func() error { return begin(tx, at(0)) },
				func() error { return tx.Meters().Use(tenants, 1) },
				func() error { return tx.Meters().Use(mine, 1) },
				func() error { return tx.AddNews(chat.News{At: at(0), Type: chat.EventTitle}) },
			)
		})
	}
	theirs := words("mem_2", "helper", "k", "x", 1)
	theirs.Subject = "bob"
	saved(t, s, words("mem_1", "helper", "k", "x", 1), theirs)

	chats, err := s.Memory().ChatsOf(t.Context(), "acme", "alice", 10)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "chats of alice", chats, []chat.Ref{other, ref("c")})
	if some, err := s.Memory().ChatsOf(t.Context(), "acme", "alice", 1); len(some) != 1 || err != nil {
		t.Errorf("one of them: %v, %v", some, err)
	}
	n, err := s.Memory().EraseTraces(t.Context(), "acme", "alice")
	if n != 1 || err != nil {
		t.Errorf("EraseTraces: %d, %v", n, err)
	}
	if n, err := s.Memory().EraseTraces(t.Context(), "acme", "alice"); n != 0 || err != nil {
		t.Errorf("EraseTraces again: %d, %v", n, err)
	}
	wantUsed(t, s, mine, 0)
	wantUsed(t, s, tenants, 3)
	if list, err := s.Memory().Memories(t.Context(), "acme", "bob", "helper"); len(list) != 1 || err != nil {
		t.Errorf("bob has %v, %v", list, err)
	}
	allNews(t, s, 0, 10)
	for subject, want := range map[string]int{"alice": 0, "bob": 1} {
		news, err := s.Feed().News(t.Context(), "acme", subject, nil, 0, 10)
		if len(news) != want || err != nil {
			t.Errorf("%d news for %s, %v", len(news), subject, err)
		}
	}
}
