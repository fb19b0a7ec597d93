package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

func testClarification(t *testing.T, s store.Store) {
	for _, state := range []tools.State{tools.StatePending, tools.StateExpired} {
		r := ref("c " + string(state))
		want := question("clr_"+string(state), 1, at(0))
		want.State = state
		update(t, s, r, func(tx store.Tx) error {
			want.ConversationID, want.Ref = tx.Conversation().ID, r
			return tx.AddClarification(want)
		})
		got, err := s.Clarification(t.Context(), want.ID)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, string(state), got, want)
	}
	for _, id := range []string{"", "clr_", "clr_pending ", "CLR_PENDING", "clr_%"} {
		_, err := s.Clarification(t.Context(), id)
		wantError(t, "Clarification "+id, err, store.ErrNotFound)
	}
	if err := s.Delete(t.Context(), ref("c pending"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	_, err := s.Clarification(t.Context(), "clr_pending")
	wantError(t, "a question of a deleted chat", err, store.ErrNotFound)
}

func testAllPending(t *testing.T, s store.Store) {
	var want []string
	for i := range 12 {
		c := question(fmt.Sprintf("clr_%02d", i), 99-i, at(i/3)) // three at the same time: in order of id
		r := chat.Ref{Tenant: fmt.Sprint("t", i%2), Subject: fmt.Sprint("s", i%5), App: fmt.Sprint("a", i%3), ChatID: "c"}
		if i%6 == 2 {
			c.State = tools.StateCancelled
		} else {
			want = append(want, c.ID)
		}
		update(t, s, r, func(tx store.Tx) error { return tx.AddClarification(c) })
	}
	for limit := 1; limit <= 11; limit++ {
		got := pages(t, limit, func(p store.Page) ([]chat.Clarification, string, error) {
			return s.Overview().AllPending(t.Context(), p)
		}, func(c chat.Clarification) string { return c.ID })
		equal(t, fmt.Sprint("all pending, limit ", limit), got, want)
	}
	list, cursor, err := s.Overview().AllPending(t.Context(), store.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "a listed question", list[0], view(t, s, list[0].Ref).Clarifications[0])
	_, _, err = s.Clarifications(t.Context(), "t0", "s0", store.Which{}, store.Page{Limit: 1, Cursor: cursor})
	wantError(t, "a subject's list after a cursor of everybody's", err, store.ErrCursor)
	_, _, err = s.Overview().AllPending(t.Context(), store.Page{Limit: 1, Cursor: "x"})
	wantError(t, "AllPending after no cursor", err, store.ErrCursor)
}

func testTallies(t *testing.T, s store.Store) {
	tallies := func(since, span time.Duration) []store.Tally {
		t.Helper()
		list, err := s.Overview().Tallies(t.Context(), at(0).Add(since), span)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if got := tallies(0, time.Hour); len(got) != 0 {
		t.Errorf("an empty store: %+v", got)
	}
	n := 0
	add := func(app string, asked time.Time, state tools.State, wait time.Duration) {
		n++
		c := question(fmt.Sprint("clr_", n), 1, asked)
		if c.State = state; state != tools.StatePending {
			c.AnsweredAt = asked.Add(wait)
		}
		update(t, s, chat.Ref{Tenant: "t", Subject: fmt.Sprint("s", n), App: app, ChatID: "c"}, func(tx store.Tx) error {
			return tx.AddClarification(c)
		})
	}
	for i := range 200 { // waits of 1 to 200 s, out of order
		add("b", at(61), tools.StateAnswered, time.Duration((i*77+1)%200+1)*time.Second)
	}
	add("b", at(59), tools.StatePending, 0)
	add("b", at(59), tools.StateDeclined, 3*time.Second)
	add("b", at(0), tools.StateSkipped, 9*time.Second)
	add("b", at(0), tools.StateExpired, time.Hour)
	add("a", at(60), tools.StateSuperseded, time.Second)
	add("a", at(0).Add(-time.Millisecond), tools.StateCancelled, time.Second)

	seconds := func(count, p50, p90, p99 int) store.Waits {
		s := func(n int) time.Duration { return time.Duration(n) * time.Second }
		return store.Waits{Count: count, P50: s(p50), P90: s(p90), P99: s(p99)}
	}
	equal(t, "by the hour", tallies(0, time.Hour), []store.Tally{
		{App: "a", Start: at(60), States: map[tools.State]int{tools.StateSuperseded: 1}},
		{App: "b", Start: at(0), States: map[tools.State]int{
			tools.StatePending: 1, tools.StateDeclined: 1, tools.StateSkipped: 1, tools.StateExpired: 1}, Waits: seconds(2, 3, 9, 9)},
		{App: "b", Start: at(60), States: map[tools.State]int{tools.StateAnswered: 200}, Waits: seconds(200, 100, 180, 198)},
	})
	equal(t, "in one span", tallies(-time.Millisecond, 100*time.Hour), []store.Tally{
		{App: "a", Start: at(0).Add(-time.Millisecond), States: map[tools.State]int{tools.StateSuperseded: 1, tools.StateCancelled: 1}},
		{App: "b", Start: at(0).Add(-time.Millisecond), States: map[tools.State]int{
			tools.StatePending: 1, tools.StateDeclined: 1, tools.StateSkipped: 1, tools.StateExpired: 1, tools.StateAnswered: 200,
		}, Waits: seconds(202, 99, 180, 198)},
	})
	if got := tallies(62*time.Minute, time.Hour); len(got) != 0 {
		t.Errorf("later than all: %+v", got)
	}
	if got := tallies(0, 0); len(got) != 4 {
		t.Errorf("a span of nothing is a millisecond: %+v", got)
	}
}
