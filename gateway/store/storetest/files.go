package storetest

import (
	"cmp"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// testFiles: a file belongs to its chat once it is complete. A file that is no longer needed is
// listed until it is dropped: in an erased chat, given up, or never used.
func testFiles(t *testing.T, s store.Store) {
	known := func(id string) chat.File {
		return chat.File{ID: id, Attachment: tools.Attachment{Name: "über <b>.csv", Type: "text/csv", Size: 1 << 40}, CreatedAt: at(1)}
	}
	add := func(of chat.Ref, f chat.File, whole bool) {
		update(t, s, of, func(tx store.Tx) error {
			tx.Conversation().Fence = 1
			return tx.Files().Add(f)
		})
		if whole {
			update(t, s, of, func(tx store.Tx) error { return tx.Files().Save(f) })
		}
	}
	get := func(of chat.Ref, id string) (chat.File, error) { return s.Files().File(t.Context(), of, id) }
	gone := func() (ids []string, list []store.GoneFile) {
		list, err := s.Files().GoneFiles(t.Context(), at(2), 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			ids = append(ids, f.ID)
		}
		return ids, list
	}

	add(ref("c"), known("fil_coming"), false)
	_, err := get(ref("c"), "fil_coming")
	wantError(t, "a file that is not whole", err, store.ErrNotFound)
	add(ref("c"), known("fil_used"), true)
	add(ref("c"), known("fil_unused"), true)
	add(ref("copy"), known("fil_used"), true)
	update(t, s, ref("c"), func(tx store.Tx) error {
		files, bytes, err := tx.Files().Held()
		equal(t, "files of the chat", files, 3)
		equal(t, "bytes of the chat", bytes, int64(2<<40))
		if err != nil {
			return err
		}
		f, err := tx.Files().Find("fil_used")
		equal(t, "a file", f, known("fil_used"))
		f.UsedBy = "clr_1"
		return cmp.Or(err, tx.Files().Save(f))
	})
	used := known("fil_used")
	used.UsedBy = "clr_1"
	f, err := get(ref("c"), "fil_used")
	equal(t, "a file that answers", f, used)
	wantError(t, "reading it", err, nil)
	for _, stranger := range []chat.Ref{{Tenant: "acme", Subject: "bob", App: "translator", ChatID: "c"}, ref("none")} {
		_, err = get(stranger, "fil_used")
		wantError(t, "a stranger", err, store.ErrNotFound)
	}
	wantError(t, "another chat's", s.Update(t.Context(), ref("copy"), func(tx store.Tx) error {
		if _, err := tx.Files().Find("fil_unused"); err != nil {
			return err
		}
		t.Error("it was found")
		return nil
	}), store.ErrNotFound)
	wantError(t, "saving one that is not there", s.Update(t.Context(), ref("copy"), func(tx store.Tx) error {
		return tx.Files().Save(known("fil_unused"))
	}), store.ErrNotFound)

	if err := s.Files().GiveUpFiles(t.Context(), at(1), at(1)); err != nil {
		t.Fatal(err)
	}
	ids, _ := gone()
	equal(t, "given up that are young", ids, []string(nil))
	if err := s.Files().GiveUpFiles(t.Context(), at(2), at(2)); err != nil {
		t.Fatal(err)
	}
	ids, list := gone()
	equal(t, "given up", ids, []string{"fil_coming", "fil_unused", "fil_used"}) // by id; the last is the copy's, which answers nothing
	equal(t, "the bytes of a file that another chat has stay", list[2].Kept, true)
	_, err = get(ref("c"), "fil_unused")
	wantError(t, "what was given up", err, store.ErrNotFound)
	_, err = get(ref("c"), "fil_used")
	wantError(t, "what answers", err, nil)
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.Files().GiveUp("fil_used") })
	_, err = get(ref("c"), "fil_used")
	wantError(t, "what answers is not given up", err, nil)
	for _, f := range list {
		if err := s.Files().DropFile(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	ids, _ = gone()
	equal(t, "after they were dropped", ids, []string(nil))

	add(ref("c"), known("fil_late"), true)
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.Files().GiveUp("fil_late") })
	ids, _ = gone()
	equal(t, "given up alone", ids, []string{"fil_late"})
	add(ref("erased"), known("fil_still"), false)
	if err := s.Delete(t.Context(), ref("erased"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	early, err := s.Files().GoneFiles(t.Context(), at(1), 100)
	equal(t, "while the bytes of an erased chat may come", len(early), 1)
	wantError(t, "listing", err, nil)
	_, list = gone()
	equal(t, "when they cannot any more", len(list), 2)
	if err := s.Files().DropFile(t.Context(), list[1]); err != nil {
		t.Fatal(err)
	}
	if err := s.Files().DropFile(t.Context(), list[0]); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	ids, list = gone()
	equal(t, "of an erased chat", ids, []string{"fil_used"})
	equal(t, "and no other chat has it", list[0].Kept, false)
	_, err = get(ref("c"), "fil_used")
	wantError(t, "of an erased chat", err, store.ErrNotFound)
}
