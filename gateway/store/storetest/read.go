package storetest

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

func testIsolation(t *testing.T, s store.Store) {
	refs := []chat.Ref{
		{Tenant: "t", Subject: "s", App: "a", ChatID: "c"},
		{Tenant: "T", Subject: "s", App: "a", ChatID: "c"},
		{Tenant: "t", Subject: "S", App: "a", ChatID: "c"},
		{Tenant: "t", Subject: "s", App: "A", ChatID: "c"},
		{Tenant: "t", Subject: "s", App: "a", ChatID: "C"},
		{Tenant: "ts", Subject: "", App: "a", ChatID: "c"},
		{Tenant: "t", Subject: "sa", App: "", ChatID: "c"},
		{Tenant: "t ", Subject: "s", App: "a", ChatID: "c"},
		{Tenant: "t%", Subject: "_", App: "a", ChatID: "c"},
		{Tenant: "t\x00", Subject: "s", App: "a", ChatID: "c"},
		{},
	}
	for i, r := range refs {
		if _, _, err := s.Conversation(t.Context(), r); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%+v exists before it was created: %v", r, err)
		}
		update(t, s, r, func(tx store.Tx) error {
			tx.Conversation().Language = fmt.Sprint(i)
			c := question(fmt.Sprint("clr_", i), 1, at(0))
			return errors.Join(tx.AddClarification(c), tx.AppendMessage(chat.Message{ID: "msg", Role: chat.RoleUser, Content: fmt.Sprint(i)}))
		})
	}
	for i, r := range refs {
		v := view(t, s, r)
		if v.Conversation.Language != fmt.Sprint(i) || v.Conversation.Ref != r || len(v.Messages) != 1 || v.Messages[0].Content != fmt.Sprint(i) ||
			len(v.Clarifications) != 1 || v.Clarifications[0].Ref != r {
			t.Errorf("the chat of %+v is %+v", r, v)
		}
	}
	list, _, err := s.Conversations(t.Context(), "t", "s", "a", store.Page{Limit: 100})
	if err != nil || len(list) != 2 { // c and C
		t.Errorf("Conversations lists %d chats, %v; want 2", len(list), err)
	}
	pending, _, err := s.Clarifications(t.Context(), "t", "s", store.Which{}, store.Page{Limit: 100})
	if err != nil || len(pending) != 3 { // c, C and app A
		t.Errorf("Clarifications lists %d questions, %v; want 3", len(pending), err)
	}
}

// pages walks a list and returns the keys of its items, page by page.
func pages[T any](t *testing.T, limit int, list func(store.Page) ([]T, string, error), key func(T) string) (keys []string) {
	t.Helper()
	for cursor, n := "", 0; ; n++ {
		items, next, err := list(store.Page{Limit: limit, Cursor: cursor})
		if err != nil {
			t.Fatalf("page %d: %v", n, err)
		}
		if len(items) > limit || next != "" && len(items) == 0 || n > 1000 {
			t.Fatalf("page %d has %d items, limit %d, next %q", n, len(items), limit, next)
		}
		for _, it := range items {
			keys = append(keys, key(it))
		}
		if next == "" {
			return keys
		}
		cursor = next
	}
}

func chatIDs(t *testing.T, s store.Store, limit int) []string {
	t.Helper()
	return pages(t, limit, func(p store.Page) ([]store.Listed, string, error) {
		return s.Conversations(t.Context(), "acme", "alice", "translator", p)
	}, func(c store.Listed) string { return c.ChatID })
}

func testConversations(t *testing.T, s store.Store) {
	if ids := chatIDs(t, s, 10); len(ids) != 0 {
		t.Errorf("an empty store lists %v", ids)
	}
	var want []string
	for i := range 7 {
		id := fmt.Sprintf("c%d", i)
		want = append(want, id)
		update(t, s, ref(id), func(tx store.Tx) error { return begin(tx, at(i/2)) }) // two at the same time
	}
	for limit := 1; limit <= 8; limit++ {
		got := chatIDs(t, s, limit)
		for i := range got[:len(got)-1] {
			if got[i][1]/2 < got[i+1][1]/2 {
				t.Errorf("limit %d: %v is not newest first", limit, got)
			}
		}
		slices.Sort(got)
		equal(t, fmt.Sprint("all chats, limit ", limit), got, want)
	}
	list, _, err := s.Conversations(t.Context(), "acme", "alice", "translator", store.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "a listed head", list[0].Conversation, view(t, s, list[0].Ref).Conversation)
}

// testBeginnings: a list shows how each chat begins, whatever was said later.
func testBeginnings(t *testing.T, s store.Store) {
	long := strings.Repeat("é😀", 60)
	for i, texts := range [][]string{{"\r\n  first \nsecond line", "later"}, {long}, {}} {
		update(t, s, ref(fmt.Sprintf("c%d", i)), func(tx store.Tx) error {
			tx.Conversation().UpdatedAt = at(i)
			var err error
			for n, text := range texts {
				err = errors.Join(err, tx.AppendMessage(chat.Message{ID: fmt.Sprintf("msg_%d_%d", i, n), Role: chat.RoleUser, Content: text}))
			}
			return err
		})
	}
	for chatID, by := range map[string]tools.Asker{"c3": {Name: "deploy", Title: "CI #4711"}, "c4": {Name: "deploy"}} {
		update(t, s, ref(chatID), func(tx store.Tx) error {
			return tx.AppendMessage(chat.Message{ID: "msg_" + chatID, Role: chat.RoleAssistant, AskedBy: &by, ClarificationID: "clr_" + chatID})
		})
	}
	list, _, err := s.Conversations(t.Context(), "acme", "alice", "translator", store.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range list {
		got[c.ChatID] = c.Beginning
	}
	equal(t, "how the chats begin", got, map[string]string{"c0": "first", "c1": strings.Repeat("é😀", 50), "c2": "", "c3": "CI #4711", "c4": "deploy"})
}

// testPagesHoldStill: chats that change move to the top; every other one is seen once.
func testPagesHoldStill(t *testing.T, s store.Store) {
	for i := range 20 {
		update(t, s, ref(fmt.Sprintf("c%02d", i)), func(tx store.Tx) error { return begin(tx, at(i)) })
	}
	var seen []string
	for cursor, n := "", 0; ; n++ {
		items, next, err := s.Conversations(t.Context(), "acme", "alice", "translator", store.Page{Limit: 3, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range items {
			seen = append(seen, c.ChatID)
		}
		if cursor = next; cursor == "" {
			break
		}
		if last := items[len(items)-1]; n == 0 {
			if err := s.Delete(t.Context(), last.Ref, time.Time{}); err != nil { // exactly the place of the cursor
				t.Fatal(err)
			}
		}
		update(t, s, ref(seen[0]), func(tx store.Tx) error { return begin(tx, at(100+n)) })
		update(t, s, ref(fmt.Sprint("new", n)), func(tx store.Tx) error { return begin(tx, at(100+n)) })
	}
	slices.Reverse(seen)
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprintf("c%02d", i))
	}
	equal(t, "what a walk has seen", seen, want)
}

func testPendingClarifications(t *testing.T, s store.Store) {
	var want []string
	for i := range 9 {
		r := ref(fmt.Sprint("c", i%2))
		r.App = fmt.Sprint("app", i%3)
		id := fmt.Sprintf("clr_%d", i)
		update(t, s, r, func(tx store.Tx) error {
			c := question(fmt.Sprintf("clr_%d", 9-i), i, at(i/3)) // three at the same time, ids falling
			if i == 4 {
				c.State = tools.StateAnswered
			}
			id = c.ID
			return tx.AddClarification(c)
		})
		if i != 4 {
			want = append(want, id)
		}
	}
	stranger := ref("c0")
	stranger.Subject = "bob"
	update(t, s, stranger, func(tx store.Tx) error { return tx.AddClarification(question("clr_bob", 1, at(0))) })
	for limit := 1; limit <= 10; limit++ {
		got := pages(t, limit, func(p store.Page) ([]chat.Clarification, string, error) {
			return s.Clarifications(t.Context(), "acme", "alice", store.Which{}, p)
		}, func(c chat.Clarification) string { return c.ID })
		equal(t, fmt.Sprint("pending, limit ", limit), got, want)
	}
	list, _, err := s.Clarifications(t.Context(), "acme", "alice", store.Which{}, store.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "a listed question", list[0], view(t, s, list[0].Ref).Clarifications[0])
}

func testCursors(t *testing.T, s store.Store) {
	for i := range 3 {
		update(t, s, ref(fmt.Sprint("c", i)), func(tx store.Tx) error {
			return errors.Join(begin(tx, at(i)), tx.AddClarification(question(fmt.Sprint("clr_", i), 1, at(i))))
		})
	}
	_, chats, err := s.Conversations(t.Context(), "acme", "alice", "translator", store.Page{Limit: 1})
	if err != nil || chats == "" {
		t.Fatalf("cursor %q, %v", chats, err)
	}
	_, questions, err := s.Clarifications(t.Context(), "acme", "alice", store.Which{}, store.Page{Limit: 1})
	if err != nil || questions == "" {
		t.Fatalf("cursor %q, %v", questions, err)
	}
	if _, _, err := s.Conversations(t.Context(), "acme", "bob", "translator", store.Page{Limit: 1, Cursor: chats}); !errors.Is(err, store.ErrCursor) {
		t.Errorf("a cursor of another subject: %v", err)
	}
	for what, cursor := range map[string]string{
		"of the other list": questions, "cut": chats[:len(chats)/2], "garbage": "garbage!", "one letter": "A", "NUL": "\x00",
		"zeros": base64.RawURLEncoding.EncodeToString(make([]byte, 40)), "long": strings.Repeat("A", 1<<20), "quotes": `' OR 1=1 --`,
	} {
		_, _, err := s.Conversations(t.Context(), "acme", "alice", "translator", store.Page{Limit: 1, Cursor: cursor})
		wantError(t, "Conversations after a cursor that is "+what, err, store.ErrCursor)
		if what == "of the other list" {
			cursor = chats
		}
		_, _, err = s.Clarifications(t.Context(), "acme", "alice", store.Which{}, store.Page{Limit: 1, Cursor: cursor})
		wantError(t, "Clarifications after a cursor that is "+what, err, store.ErrCursor)
	}
}

func testDelete(t *testing.T, s store.Store) {
	wantError(t, "Delete of no chat", s.Delete(t.Context(), ref("c"), time.Time{}), store.ErrNotFound)
	fill := func(r chat.Ref, clarification string) {
		update(t, s, r, func(tx store.Tx) error {
			c := question(clarification, 1, at(0))
			c.ExpiresAt = at(1)
			return all(
				func() error { return begin(tx, at(0)) },
				func() error {
					return tx.AppendMessage(chat.Message{ID: "msg_2", Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{ID: "call_1", Name: "n"}}})
				},
				func() error { return tx.AddClarification(c) },
				func() error { return tx.Keys().Save(chat.Key{Key: "k", CreatedAt: at(0)}) },
				func() error { return tx.Enqueue(queued("msg_3", 0)) },
			)
		})
	}
	fill(ref("c"), "clr_1")
	fill(ref("other"), "clr_2")
	wantError(t, "Delete of a chat that was changed since", s.Delete(t.Context(), ref("c"), at(0)), store.ErrNotFound)
	id, other := view(t, s, ref("c")).Conversation.ID, view(t, s, ref("other"))
	since := view(t, s, ref("c")).Conversation.UpdatedAt.Add(time.Millisecond)
	if err := s.Delete(t.Context(), ref("c"), since); err != nil {
		t.Fatal(err)
	}
	wantError(t, "a second Delete", s.Delete(t.Context(), ref("c"), time.Time{}), store.ErrNotFound)
	_, err := s.View(t.Context(), ref("c"))
	wantError(t, "View", err, store.ErrNotFound)
	_, err = s.Run(t.Context(), id, 1)
	wantError(t, "Run", err, store.ErrNotFound)
	equal(t, "the other chat", view(t, s, ref("other")), other)
	equal(t, "the list", chatIDs(t, s, 10), []string{"other"})
	pending, _, err1 := s.Clarifications(t.Context(), "acme", "alice", store.Which{}, store.Page{Limit: 10})
	expired, err2 := s.Due().Expired(t.Context(), at(99), 10)
	abandoned, err3 := s.Due().Abandoned(t.Context(), observer(t, s), 0, 10)
	counts, err4 := s.Due().Pending(t.Context())
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	if len(pending) != 1 || len(expired) != 1 || len(abandoned) != 1 || len(counts) != 1 || counts[0].Count != 1 {
		t.Errorf("after Delete: pending %v, expired %v, abandoned %v, counts %v", pending, expired, abandoned, counts)
	}

	update(t, s, ref("c"), func(tx store.Tx) error { // the id may be used again, without anything of the old chat
		c := tx.Conversation()
		if c.ID == id || c.Fence != 0 || tx.Turn() != nil {
			t.Errorf("the deleted chat came back: %+v", c)
		}
		_, err := tx.Keys().Find("k", time.Time{})
		wantError(t, "the old key", err, store.ErrNotFound)
		_, err = tx.Run(1)
		wantError(t, "the old run", err, store.ErrNotFound)
		list, err := tx.Clarifications().Pending()
		queue, queueErr := tx.Queue()
		if len(list) != 0 || len(queue) != 0 {
			t.Errorf("old clarifications: %v, old queue: %v", list, queue)
		}
		return errors.Join(err, queueErr, tx.Enqueue(queued("msg_4", 0)))
	})
	if v := view(t, s, ref("c")); len(v.Messages)+len(v.Clarifications) != 0 || len(v.Queue) != 1 {
		t.Errorf("old rows: %+v", v)
	}
}

func testContext(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error { return begin(tx, at(0)) })
	before := view(t, s, ref("c"))

	done, cancel := context.WithCancel(t.Context())
	cancel()
	called := false
	err := s.Update(done, ref("c"), func(store.Tx) error { called = true; return nil })
	wantError(t, "Update", err, context.Canceled)
	if called {
		t.Error("fn was called for a context that is done")
	}
	_, err = s.View(done, ref("c"))
	wantError(t, "View", err, context.Canceled)
	_, err = s.Heartbeat(done, "node-1", long)
	wantError(t, "Heartbeat", err, context.Canceled)
	wantError(t, "Delete", s.Delete(done, ref("c"), time.Time{}), context.Canceled)

	during, cancel := context.WithCancel(t.Context())
	err = s.Update(during, ref("c"), func(tx store.Tx) error {
		defer cancel()
		return begin(tx, at(1))
	})
	wantError(t, "Update whose context ends during fn", err, context.Canceled)

	// A caller that waits for another's update stops waiting when its context ends.
	held, release, released := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		released <- s.Update(t.Context(), ref("c"), func(store.Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	waiting, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err = s.Update(waiting, ref("c"), func(tx store.Tx) error { return begin(tx, at(1)) })
	wantError(t, "Update that waited too long", err, context.DeadlineExceeded)
	close(release)
	if err := <-released; err != nil {
		t.Error(err)
	}
	equal(t, "the chat", view(t, s, ref("c")), before)
}

func testClosed(t *testing.T, s store.Store) {
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping of an open store: %v", err)
	}
	update(t, s, ref("c"), func(tx store.Tx) error { return begin(tx, at(0)) })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := s.View(t.Context(), ref("c"))
	wantError(t, "View", err, store.ErrUnavailable)
	wantError(t, "Update", s.Update(t.Context(), ref("c"), func(store.Tx) error { return nil }), store.ErrUnavailable)
	wantError(t, "Ping", s.Ping(t.Context()), store.ErrUnavailable)
}
