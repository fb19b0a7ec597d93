package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools/textsearch"
)

// say stores a chat with these texts.
func say(t *testing.T, s store.Store, r chat.Ref, updated time.Time, texts ...string) {
	t.Helper()
	update(t, s, r, func(tx store.Tx) (err error) {
		tx.Conversation().UpdatedAt = updated
		for i, text := range texts {
			role := []chat.Role{chat.RoleUser, chat.RoleAssistant}[i%2]
			err = errors.Join(err, tx.AppendMessage(chat.Message{ID: fmt.Sprintf("msg_%s_%d", r.ChatID, i), Role: role, Content: text, CreatedAt: updated}))
		}
		return err
	})
}

// found returns the ids of the chats in which a query occurs, by pages.
func found(t *testing.T, s store.Store, r chat.Ref, query string, limit int) (ids []string) {
	t.Helper()
	for cursor := ""; ; {
		list, next, err := s.Search(t.Context(), r.Tenant, r.Subject, r.App, textsearch.NewWords(query), store.Page{Limit: limit, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			ids = append(ids, m.ChatID)
		}
		if cursor = next; cursor == "" {
			return ids
		}
	}
}

func testSearch(t *testing.T, s store.Store) {
	say(t, s, ref("old"), at(1), "Plan my weekend", "To München, then?", "No: 50% of a* \"trip\"")
	say(t, s, ref("new"), at(2), "A weekend in Lisbon", strings.Repeat("hay ", 999)+"needle")
	say(t, s, ref("nul"), at(3), "a\x00b \xff")
	say(t, s, ref("empty"), at(4))
	for _, strange := range []chat.Ref{
		{Tenant: "other", Subject: "alice", App: "translator", ChatID: "old"}, {Tenant: "acme", Subject: "bob", App: "translator", ChatID: "old"},
		{Tenant: "acme", Subject: "alice", App: "other", ChatID: "old"},
	} {
		say(t, s, strange, at(5), "weekend")
	}
	update(t, s, ref("empty"), func(tx store.Tx) error {
		tx.Conversation().Title, tx.Conversation().TitleBy = "Weekend in Köln", chat.TitleByPerson
		return nil
	})
	for query, want := range map[string]string{
		"weekend": "empty new old", "WEEKEND lisbon": "new", "munchen": "old", "weekend trip": "old", "needle": "new", "koln": "empty",
		"weekend needle": "new", "100%": "", "50%": "old", "a*": "old", `"trip"`: "old", "_": "", "a\x00b": "nul", "nothing": "",
	} {
		for limit := 1; limit <= 4; limit++ {
			if got := strings.Join(found(t, s, ref(""), query, limit), " "); got != want {
				t.Errorf("%q, %d at a time: %q, want %q", query, limit, got, want)
			}
		}
	}
	list, _, err := s.Search(t.Context(), "acme", "alice", "translator", textsearch.NewWords("munchen weekend"), store.Page{Limit: 9})
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	equal(t, "a match", list[0].Conversation, view(t, s, ref("old")).Conversation)
	equal(t, "a snippet", list[0].Snippet, []textsearch.Piece{{Text: "Plan my "}, {Text: "weekend", Match: true}})
	list, _, err = s.Search(t.Context(), "acme", "alice", "translator", textsearch.NewWords("koln"), store.Page{Limit: 9})
	if err != nil || len(list) != 1 || list[0].Snippet != nil || list[0].Name() != "Weekend in Köln" {
		t.Errorf("a title alone: %+v, %v", list, err)
	}
	if err := s.Delete(t.Context(), ref("new"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, ref(""), "needle", 9); got != nil {
		t.Errorf("a deleted chat is found: %v", got)
	}
	_, _, err = s.Search(t.Context(), "acme", "alice", "translator", textsearch.NewWords("x"), store.Page{Limit: 1, Cursor: "nonsense"})
	wantError(t, "nonsense", err, store.ErrCursor)
}

// testSearchPages: a search looks through part of the chats, and continues from there.
func testSearchPages(t *testing.T, s store.Store) {
	text := strings.Repeat("hay ", 1<<18) // 1 MiB
	var want []string
	for i := range 45 {
		said := "hay"
		switch {
		case i == 0 || i == 44:
			said = "needle"
		case i%3 == 0:
			said = text
		}
		say(t, s, ref(fmt.Sprintf("c%02d", i)), at(i), said)
		if said == "needle" {
			want = append(want, fmt.Sprintf("c%02d", i))
		}
	}
	slices.Reverse(want)
	pages := 0
	var got []string
	for cursor := ""; ; pages++ {
		list, next, err := s.Search(t.Context(), "acme", "alice", "translator", textsearch.NewWords("needle"), store.Page{Limit: 20, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			got = append(got, m.ChatID)
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	equal(t, "all that is found", got, want)
	if pages == 0 {
		t.Error("one page looked through all of it")
	}
}

// testSearchBounded: a page of a search looks through a limited number of bytes, but at least one
// chat, and through the newest messages of a chat.
func testSearchBounded(t *testing.T, s store.Store) {
	text := strings.Repeat("hay ", 1<<18) // 1 MiB
	for i := range 3 {
		say(t, s, ref(fmt.Sprint("large", i)), at(i), "hay\nneedle", text, text, text, text, text) // its title is the first line
	}
	list, next, err := s.Search(t.Context(), "acme", "alice", "translator", textsearch.NewWords("needle"), store.Page{Limit: 20})
	if err != nil || len(list) != 1 || next == "" {
		t.Errorf("a page finds %d chats of 5 MiB, cursor %q, %v", len(list), next, err)
	}
	full := errors.New("full")
	refuse := store.WithAdmission(t.Context(), func(int64) error { return full })
	_, _, err = s.Search(refuse, "acme", "alice", "translator", textsearch.NewWords("needle"), store.Page{Limit: 20})
	wantError(t, "a search that is not admitted", err, full)
	equal(t, "all pages", found(t, s, ref(""), "needle", 20), []string{"large2", "large1", "large0"})
	update(t, s, ref("large0"), func(tx store.Tx) (err error) {
		for i := range 5 {
			content := text
			if i == 4 {
				content = "pin"
			}
			err = errors.Join(err, tx.AppendMessage(chat.Message{ID: fmt.Sprint("more", i), Role: chat.RoleUser, Content: content, CreatedAt: at(9)}))
		}
		return err
	})
	equal(t, "a text far back in a chat", found(t, s, ref(""), "needle", 20), []string{"large2", "large1"})
	equal(t, "a new text in it", found(t, s, ref(""), "pin", 20), []string{"large0"})
}
