package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// closeAt stores that a question was closed.
func closeAt(t *testing.T, s store.Store, id string, when time.Time) {
	t.Helper()
	c, err := s.Clarification(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	c.State, c.AnsweredAt, c.AnsweredBy = tools.StateDeclined, when, &chat.By{Subject: "alice", Channel: chat.ChannelMessage}
	update(t, s, c.Ref, func(tx store.Tx) error { return tx.Clarifications().Save(c) })
}

func idOf(c chat.Clarification) string { return c.ID }

func testChangedClarifications(t *testing.T, s store.Store) {
	for i := range 8 { // asked one minute apart, in two chats of two apps
		r := ref(fmt.Sprint("c", i/2%2))
		r.App = fmt.Sprint("app", i%2)
		update(t, s, r, func(tx store.Tx) error { return tx.AddClarification(question(fmt.Sprint("clr_", i), 1, at(i))) })
	}
	for i, minute := range map[int]int{0: 20, 1: 3, 2: 20, 6: 9} {
		closeAt(t, s, fmt.Sprint("clr_", i), at(minute))
	}
	stranger := ref("c0")
	stranger.Subject = "bob"
	update(t, s, stranger, func(tx store.Tx) error { return tx.AddClarification(question("clr_bob", 1, at(0))) })
	closeAt(t, s, "clr_bob", at(5))

	for what, test := range map[string]struct {
		which store.Which
		want  string
	}{
		"closed":                   {store.Which{Status: store.StatusClosed}, "1 6 0 2"},
		"all":                      {store.Which{Status: store.StatusAll}, "1 3 4 5 7 6 0 2"},
		"pending":                  {store.Which{}, "3 4 5 7"},
		"closed since":             {store.Which{Status: store.StatusClosed, Since: at(9)}, "6 0 2"},
		"closed after the last":    {store.Which{Status: store.StatusClosed, Since: at(20).Add(time.Millisecond)}, ""},
		"all since":                {store.Which{Status: store.StatusAll, Since: at(7)}, "7 6 0 2"},
		"pending since":            {store.Which{Since: at(5)}, "5 7"},
		"all of an app":            {store.Which{Status: store.StatusAll, App: "app1"}, "1 3 5 7"},
		"all of a chat":            {store.Which{Status: store.StatusAll, ChatID: "c0"}, "1 4 5 0"},
		"all of an app's chat":     {store.Which{Status: store.StatusAll, App: "app0", ChatID: "c0"}, "4 0"},
		"closed of a chat since":   {store.Which{Status: store.StatusClosed, ChatID: "c1", Since: at(9)}, "6 2"},
		"pending of a chat":        {store.Which{ChatID: "c1"}, "3 7"},
		"pending of an app's chat": {store.Which{App: "app0", ChatID: "c0"}, "4"},
		"of no app":                {store.Which{Status: store.StatusAll, App: "app2"}, ""},
	} {
		for limit := range 9 {
			got := pages(t, limit+1, func(p store.Page) ([]chat.Clarification, string, error) {
				return s.Clarifications(t.Context(), "acme", "alice", test.which, p)
			}, func(c chat.Clarification) string { return strings.TrimPrefix(c.ID, "clr_") })
			if strings.Join(got, " ") != test.want {
				t.Errorf("%s, limit %d: %v, want %s", what, limit+1, got, test.want)
			}
		}
	}
	list, _, err := s.Clarifications(t.Context(), "acme", "alice", store.Which{Status: store.StatusClosed}, store.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	one, err := s.Clarification(t.Context(), "clr_1")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "a listed question", list[0], one)

	_, cursor, err := s.Clarifications(t.Context(), "acme", "alice", store.Which{Status: store.StatusAll}, store.Page{Limit: 1})
	if err != nil || cursor == "" {
		t.Fatalf("cursor %q, %v", cursor, err)
	}
	for what, which := range map[string]store.Which{
		"another status": {Status: store.StatusClosed}, "another app": {Status: store.StatusAll, App: "app1"},
		"another chat": {Status: store.StatusAll, ChatID: "c0"}, "another time": {Status: store.StatusAll, Since: at(1)},
	} {
		_, _, err := s.Clarifications(t.Context(), "acme", "alice", which, store.Page{Limit: 1, Cursor: cursor})
		wantError(t, "a cursor of "+what, err, store.ErrCursor)
	}
}

// A client that reads on sees changes after its place.
func testListWhileClosing(t *testing.T, s store.Store) {
	for i := range 4 {
		update(t, s, ref("c"), func(tx store.Tx) error { return tx.AddClarification(question(fmt.Sprint("clr_", i), i, at(i))) })
	}
	which := store.Which{Status: store.StatusAll}
	first, cursor, err := s.Clarifications(t.Context(), "acme", "alice", which, store.Page{Limit: 2})
	if err != nil || len(first) != 2 {
		t.Fatalf("%+v, %v", first, err)
	}
	closeAt(t, s, "clr_0", at(10)) // was seen as pending
	closeAt(t, s, "clr_2", at(11)) // was not seen
	rest := pages(t, 2, func(p store.Page) ([]chat.Clarification, string, error) {
		if p.Cursor == "" {
			p.Cursor = cursor
		}
		return s.Clarifications(t.Context(), "acme", "alice", which, p)
	}, idOf)
	equal(t, "the rest", rest, []string{"clr_3", "clr_0", "clr_2"})
}

func testDrafts(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error {
		return all(
			func() error { return tx.AddClarification(question("clr_1", 1, at(0))) },
			func() error { return tx.AddClarification(question("clr_2", 2, at(0))) },
		)
	})
	save := func(id, draft string) error {
		return s.SaveDraft(t.Context(), "acme", "alice", id, json.RawMessage(draft))
	}
	drafts := func(what string, want ...string) {
		t.Helper()
		listed, _, err := s.Clarifications(t.Context(), "acme", "alice", store.Which{Status: store.StatusAll}, store.Page{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range view(t, s, ref("c")).Clarifications {
			one, err := s.Clarification(t.Context(), c.ID)
			if err != nil || string(one.Draft) != want[i] || string(c.Draft) != want[i] || string(listed[i].Draft) != want[i] {
				t.Errorf("%s: %s has the draft %q, %q, %q, want %q (%v)", what, c.ID, one.Draft, c.Draft, listed[i].Draft, want[i], err)
			}
		}
	}
	drafts("before", "", "")
	if err := save("clr_1", `{"a": "<ü>\u0000"}`); err != nil {
		t.Fatal(err)
	}
	if err := save("clr_2", `1.50`); err != nil {
		t.Fatal(err)
	}
	drafts("saved", `{"a": "<ü>\u0000"}`, `1.50`)
	if err := save("clr_1", `"again"`); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveDraft(t.Context(), "acme", "alice", "clr_2", nil); err != nil {
		t.Fatal(err)
	}
	drafts("saved again, and removed", `"again"`, "")

	wantError(t, "a draft of no question", save("clr_x", `1`), store.ErrNotFound)
	wantError(t, "another subject's draft", s.SaveDraft(t.Context(), "acme", "bob", "clr_1", json.RawMessage(`1`)), store.ErrNotFound)
	wantError(t, "another tenant's draft", s.SaveDraft(t.Context(), "globex", "alice", "clr_1", json.RawMessage(`1`)), store.ErrNotFound)
	drafts("of others", `"again"`, "")

	update(t, s, ref("c"), func(tx store.Tx) error {
		all, err := tx.Clarifications().Pending()
		if err != nil {
			return err
		}
		all[0].State = tools.StateExpired
		return tx.Clarifications().Save(all[0])
	})
	drafts("closed", "", "")
	wantError(t, "a draft of a closed question", save("clr_1", `1`), store.ErrNotFound)
	drafts("after that", "", "")
}
