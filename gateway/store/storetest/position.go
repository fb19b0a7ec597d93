package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// testPositions: those of many chats are read at once, each by its own id, and not those that are gone.
func testPositions(t *testing.T, s store.Store) {
	var ids []string
	var want []store.Position
	for i := range 30 {
		r := ref(fmt.Sprint("c", i))
		update(t, s, r, func(tx store.Tx) error {
			tx.Conversation().Fence, tx.Conversation().LastEvent = int64(i+1), chat.EventID{Fence: int64(i + 1), Seq: int64(2 * i)}
			return begin(tx, at(i))
		})
		head := view(t, s, r).Conversation
		ids = append(ids, head.ID)
		if i%10 == 3 {
			if err := s.Delete(t.Context(), r, at(1000)); err != nil {
				t.Fatal(err)
			}
		} else if i%2 == 0 {
			want = append(want, store.Position{ConversationID: head.ID, LastEvent: head.LastEvent})
		} else {
			ids = ids[:len(ids)-1] // exists, but is not looked for
		}
	}
	check := func(ids []string, want []store.Position) {
		t.Helper()
		got, err := s.Positions(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		byID := func(a, b store.Position) int { return cmp.Compare(a.ConversationID, b.ConversationID) }
		slices.SortFunc(got, byID)
		slices.SortFunc(want, byID)
		equal(t, "positions", got, want)
	}
	check(ids, want)
	check(nil, []store.Position{})
	many := []string{"", `"`, "'", "é", "?", want[0].ConversationID}
	for i := range 25_000 { // more than one statement looks for
		many = append(many, fmt.Sprint("none_", i))
	}
	check(append(many, want[1].ConversationID), want[:2])
}

// testBegun: a reference is all of its names, and a chat that is gone has not begun.
func testBegun(t *testing.T, s store.Store) {
	there, other, gone := ref("there"), ref("there"), ref("gone")
	other.App += "\x00"
	for _, r := range []chat.Ref{there, gone} {
		update(t, s, r, func(tx store.Tx) error { return begin(tx, at(0)) })
	}
	if err := s.Delete(t.Context(), gone, at(1000)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ of, want []chat.Ref }{{nil, nil}, {[]chat.Ref{other, there, gone}, []chat.Ref{there}}, {[]chat.Ref{gone}, nil}} {
		got, err := s.Begun(t.Context(), test.of)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "begun chats", got, test.want)
	}
}
