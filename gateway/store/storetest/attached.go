package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// testAttached: files wait for the first message where no list shows them, then belong to the chat,
// and are kept in a fork. Files of a chat that never began are dropped, and deleted with their chat
// or person.
func testAttached(t *testing.T, s store.Store) {
	file := func(id string) chat.File {
		return chat.File{ID: id, Attachment: tools.Attachment{Name: "a.txt", Type: "text/plain", Size: 3}, CreatedAt: at(1)}
	}
	upload := func(of chat.Ref, ids ...string) {
		update(t, s, of, func(tx store.Tx) error {
			tx.Conversation().UpdatedAt = at(1)
			for _, id := range ids {
				if err := all(func() error { return tx.Files().Add(file(id)) }, func() error { return tx.Files().Save(file(id)) }); err != nil {
					return err
				}
			}
			return nil
		})
	}
	gone := func() (ids []string) {
		list, err := s.Files().GoneFiles(t.Context(), at(9), 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			ids = append(ids, f.ID)
		}
		slices.Sort(ids)
		return ids
	}

	upload(ref("c").Unsent(), "fil_sent", "fil_late", "fil_left")
	chats, _, err := s.Conversations(t.Context(), ref("c").Tenant, ref("c").Subject, ref("c").App, store.Page{Limit: 9})
	if err != nil || len(chats) > 0 {
		t.Fatalf("listed before they began: %v, %v", chats, err)
	}
	sent := []chat.SentFile{{ID: "fil_sent", Attachment: file("").Attachment}}
	message := chat.Message{ID: "msg_1", TurnID: "turn_1", Fence: 7, Role: chat.RoleUser, Content: "Look", CreatedAt: at(1), Files: sent}
	waiting := chat.Queued{ID: "msg_2", Content: "And this", CreatedAt: at(2), Files: []chat.SentFile{{ID: "fil_late", Attachment: file("").Attachment}}}
	update(t, s, ref("c"), func(tx store.Tx) error {
		tx.Conversation().Fence = 7
		use := func(id, by string) func() error {
			return func() error {
				if err := tx.Files().Adopt(ref("c").Unsent(), id); err != nil {
					return err
				}
				f, err := tx.Files().Find(id)
				if err != nil {
					return err
				}
				f.UsedBy = by
				return tx.Files().Save(f)
			}
		}
		return all(use("fil_sent", "msg_1"), use("fil_late", "msg_2"), func() error { return tx.BeginTurn(chat.Turn{ID: "turn_1", State: chat.TurnEnded}) },
			func() error { return tx.AppendMessage(message) }, func() error { return tx.Enqueue(waiting) })
	})
	for name, of := range map[string]chat.Ref{"again": ref("c"), "by another chat": ref("d")} {
		wantError(t, name, s.Update(t.Context(), of, func(tx store.Tx) error { return tx.Files().Adopt(of.Unsent(), "fil_sent") }), store.ErrNotFound)
	}
	v := view(t, s, ref("c"))
	equal(t, "the messages", v.Messages, []chat.Message{message})
	equal(t, "the queue", v.Queue, []chat.Queued{waiting})
	update(t, s, ref("fork"), func(tx store.Tx) error {
		tx.Conversation().Fence = 8
		o, err := tx.Forks().Origin(chat.Fork{ChatID: "c", MessageID: "msg_1"})
		if err != nil {
			return err
		}
		equal(t, "the message at the point", o.Message, message)
		o.Through = 1 // as when a later message is the point
		return tx.Forks().Copy(o, "turn_2")
	})
	equal(t, "the fork's messages", view(t, s, ref("fork")).Messages[0].Files, sent)
	f, err := s.Files().File(t.Context(), ref("fork"), "fil_sent")
	wantError(t, "the fork's file", err, nil)
	equal(t, "what uses it", f.UsedBy, "msg_1")
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.Files().Release("fil_late", at(50)) })
	update(t, s, ref("fork"), func(tx store.Tx) error {
		wantError(t, "Release of another chat's", tx.Files().Release("fil_late", at(50)), store.ErrNotFound)
		return nil
	})
	f, err = s.Files().File(t.Context(), ref("c"), "fil_late")
	wantError(t, "a released file", err, nil)
	equal(t, "what uses it now", f.UsedBy, "")
	equal(t, "since when it is there", f.CreatedAt, at(50))

	if err := s.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "gone with the chat, sent or not", gone(), []string{"fil_late", "fil_left", "fil_sent"})
	upload(ref("e").Unsent(), "fil_e")
	if err := s.Files().GiveUpFiles(t.Context(), at(1), at(1)); err != nil {
		t.Fatal(err)
	}
	equal(t, "while it may be sent", len(gone()), 3)
	if err := s.Files().GiveUpFiles(t.Context(), at(2), at(2)); err != nil {
		t.Fatal(err)
	}
	equal(t, "when it was not", len(gone()), 4)
	if _, _, err := s.Conversation(t.Context(), ref("e").Unsent()); err == nil {
		t.Error("files of a chat that never began are kept")
	}
	upload(ref("g").Unsent(), "fil_g")
	if _, err := s.Memory().EraseTraces(t.Context(), ref("g").Tenant, ref("g").Subject); err != nil {
		t.Fatal(err)
	}
	equal(t, "gone with the person", len(gone()), 5)
}

// testLinked: files that a question's answer link uploaded wait for its answer, and are gone with its
// chat or person, or when they were not sent.
func testLinked(t *testing.T, s store.Store) {
	now := at(1)
	upload := func(place chat.Ref, id string) {
		update(t, s, place, func(tx store.Tx) error {
			tx.Conversation().UpdatedAt = now
			f := chat.File{ID: id, Attachment: tools.Attachment{Name: "a.txt", Type: "text/plain", Size: 3}, CreatedAt: now}
			return all(func() error { return tx.Files().Add(f) }, func() error { return tx.Files().Save(f) })
		})
	}
	gone := func(what string, want ...string) {
		t.Helper()
		list, err := s.Files().GoneFiles(t.Context(), at(9), 100)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, f := range list {
			ids = append(ids, f.ID)
		}
		slices.Sort(ids)
		equal(t, what, ids, want)
	}
	for _, id := range []string{"l", "l-2"} {
		update(t, s, ref(id), func(tx store.Tx) error {
			tx.Conversation().Fence = 7
			return nil
		})
	}
	place := ref("l").Linked("clr_1")
	upload(place, "fil_1")
	upload(place, "fil_2")
	upload(ref("l").Linked("clr_2"), "fil_3")
	upload(ref("l-2").Linked("clr_3"), "fil_4")
	update(t, s, ref("l"), func(tx store.Tx) error {
		f, err := tx.Files().FindAt(place, "fil_1")
		wantError(t, "its file", err, nil)
		equal(t, "its name", f.Name, "a.txt")
		for name, at := range map[string]chat.Ref{"another question": ref("l").Linked("clr_2"), "another chat": ref("l-2").Linked("clr_1"), "no link": ref("l").Unsent()} {
			_, err := tx.Files().FindAt(at, "fil_1")
			wantError(t, name, err, store.ErrNotFound)
			wantError(t, name, tx.Files().Adopt(at, "fil_1"), store.ErrNotFound)
		}
		_, err = tx.Files().Find("fil_1")
		wantError(t, "before it is sent", err, store.ErrNotFound)
		wantError(t, "sent", tx.Files().Adopt(place, "fil_1"), nil)
		_, err = tx.Files().Find("fil_1")
		return err
	})
	gone("nothing yet")
	if err := s.Delete(t.Context(), ref("l"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	gone("with the chat, sent or not", "fil_1", "fil_2", "fil_3")
	now = at(3)
	upload(ref("l-2").Linked("clr_3"), "fil_5")
	upload(ref("l-3").Unsent(), "fil_no_link")
	if err := s.Files().GiveUpFiles(t.Context(), at(1), at(2)); err != nil {
		t.Fatal(err)
	}
	gone("each when it was not sent", "fil_1", "fil_2", "fil_3", "fil_4")
	if _, err := s.Memory().EraseTraces(t.Context(), ref("l-2").Tenant, ref("l-2").Subject); err != nil {
		t.Fatal(err)
	}
	gone("with the person", "fil_1", "fil_2", "fil_3", "fil_4", "fil_5", "fil_no_link")
}
