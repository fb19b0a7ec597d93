package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

func queued(id string, minutes int) chat.Queued {
	return chat.Queued{
		ID: id, Content: "text of " + id, Language: "de", Interactive: true, IdempotencyKey: "key of " + id, CreatedAt: at(minutes),
	}
}

func testQueue(t *testing.T, s store.Store) {
	var want []chat.Queued
	check := func(what string) {
		t.Helper()
		equal(t, what, view(t, s, ref("c")).Queue, want)
		update(t, s, ref("c"), func(tx store.Tx) error {
			got, err := tx.Queue()
			equal(t, what+", in an update", got, want)
			return err
		})
	}
	update(t, s, ref("c"), func(store.Tx) error { return nil })
	check("nothing queued")
	for i := range 12 { // in the order of arrival, not of times or ids
		m := queued(fmt.Sprintf("msg_%d", 20-i), -i)
		want = append(want, m)
		update(t, s, ref("c"), func(tx store.Tx) error { return tx.Enqueue(m) })
	}
	check("queued")
	update(t, s, ref("other"), func(tx store.Tx) error {
		wantError(t, "Dequeue of another chat's", tx.Dequeue(want[0].ID), store.ErrNotFound)
		return tx.Enqueue(chat.Queued{ID: want[0].ID})
	})
	update(t, s, ref("c"), func(tx store.Tx) error {
		last := queued("msg_last", 0)
		err := all( // the first, the last, one in between; what comes later is last
			func() error { return tx.Dequeue(want[0].ID) },
			func() error { return tx.Dequeue(want[11].ID) },
			func() error { return tx.Dequeue(want[5].ID) },
			func() error { return tx.Enqueue(last) },
		)
		wantError(t, "a second Dequeue", tx.Dequeue(want[0].ID), store.ErrNotFound)
		want = append(append(append([]chat.Queued(nil), want[1:5]...), want[6:11]...), last)
		got, queueErr := tx.Queue()
		equal(t, "its own writes", got, want)
		return errors.Join(err, queueErr)
	})
	check("some dequeued")

	update(t, s, ref("c"), func(tx store.Tx) error {
		wantError(t, "PutFirst of one that is not there", tx.PutFirst("msg_none"), store.ErrNotFound)
		return errors.Join(tx.PutFirst(want[4].ID), tx.PutFirst(want[2].ID), tx.PutFirst(want[2].ID))
	})
	want = append([]chat.Queued{want[2], want[4], want[0], want[1], want[3]}, want[5:]...)
	check("two put first")
	later := queued("msg_later", 0)
	want = append(want, later)
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.Enqueue(later) })
	check("another one behind them")

	boom := errors.New("boom")
	err := s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		return errors.Join(tx.PutFirst(want[3].ID), tx.Enqueue(queued("msg_no", 0)), tx.Dequeue(want[0].ID), boom)
	})
	wantError(t, "a failed update", err, boom)
	check("after a failed update")

	update(t, s, ref("c"), func(tx store.Tx) error {
		for _, m := range want {
			if err := tx.Dequeue(m.ID); err != nil {
				return err
			}
		}
		return nil
	})
	want = nil
	check("all dequeued")
	equal(t, "the other chat's", view(t, s, ref("other")).Queue, []chat.Queued{{ID: "msg_20"}})
}

func testWaiting(t *testing.T, s store.Store) {
	for i, id := range []string{"late", "soon", "running", "paused", "no queue", "emptied", "gone", "again"} {
		update(t, s, ref(id), func(tx store.Tx) error {
			tx.Conversation().UpdatedAt = at(-i)
			turn := chat.Turn{ID: "trn_1", State: chat.TurnEnded}
			switch id {
			case "running":
				turn.State = chat.TurnRunning
			case "paused":
				turn.State = chat.TurnPaused
			case "no queue":
				return tx.BeginTurn(turn)
			}
			return errors.Join(tx.BeginTurn(turn), tx.Enqueue(queued("msg_1", 0)), tx.Enqueue(queued("msg_2", 0)))
		})
	}
	update(t, s, ref("emptied"), func(tx store.Tx) error { return errors.Join(tx.Dequeue("msg_1"), tx.Dequeue("msg_2")) })
	update(t, s, ref("soon"), func(tx store.Tx) error { return tx.Dequeue("msg_1") })
	update(t, s, ref("again"), func(tx store.Tx) error { // the first in the queue runs, the second waits for it
		return errors.Join(tx.Dequeue("msg_1"), tx.BeginTurn(chat.Turn{ID: "trn_2", State: chat.TurnRunning}))
	})
	if err := s.Delete(t.Context(), ref("gone"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	want := []chat.Ref{ref("soon"), ref("late")}
	for limit := 1; limit <= 3; limit++ {
		got, err := s.Due().Waiting(t.Context(), limit)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprint("Waiting, limit ", limit), got, want[:min(limit, 2)])
	}
	update(t, s, ref("again"), func(tx store.Tx) error {
		tx.Conversation().UpdatedAt = at(9)
		return tx.Turn().Move(chat.TurnEnded)
	})
	got, err := s.Due().Waiting(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "Waiting after a turn ended", got, append(want, ref("again")))
}

func testStale(t *testing.T, s store.Store) {
	for i, id := range []string{"c3", "c2", "c1", "runs", "other app", "fresh", "never began"} {
		r := ref(id)
		if id == "other app" {
			r.App = "other"
		}
		update(t, s, r, func(tx store.Tx) error {
			tx.Conversation().UpdatedAt = at(-i)
			switch id {
			case "fresh":
				tx.Conversation().UpdatedAt = at(100)
			case "never began":
				return nil
			case "runs":
				return tx.BeginTurn(chat.Turn{ID: "trn_1", State: chat.TurnRunning})
			case "c1":
				return tx.BeginTurn(chat.Turn{ID: "trn_1", State: chat.TurnPaused})
			}
			return tx.BeginTurn(chat.Turn{ID: "trn_1", State: chat.TurnEnded})
		})
	}
	for _, test := range []struct {
		before      time.Time
		skip, limit int
		want        []chat.Ref
	}{
		{at(-6), 0, 10, nil},
		{at(-6).Add(time.Millisecond), 0, 10, []chat.Ref{ref("never began")}},
		{at(50), 0, 10, []chat.Ref{ref("never began"), ref("c1"), ref("c2"), ref("c3")}},
		{at(50), 0, 2, []chat.Ref{ref("never began"), ref("c1")}},
		{at(50), 1, 2, []chat.Ref{ref("c1"), ref("c2")}},
	} {
		got, err := s.Due().Stale(t.Context(), "translator", test.before, test.skip, test.limit)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprint("Stale before ", test.before), got, test.want)
	}
	update(t, s, ref("c1"), func(tx store.Tx) error { tx.Conversation().UpdatedAt = at(60); return nil })
	update(t, s, ref("runs"), func(tx store.Tx) error { return tx.Turn().Move(chat.TurnEnded) })
	got, err := s.Due().Stale(t.Context(), "translator", at(50), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "Stale after changes", got, []chat.Ref{ref("never began"), ref("runs"), ref("c2"), ref("c3")})
}

func testPassed(t *testing.T, s store.Store) {
	begin := func(name string, state chat.TurnState, ephemeral bool) {
		update(t, s, ref(name), func(tx store.Tx) error {
			tx.Conversation().Fence, tx.Conversation().Ephemeral = 1, ephemeral
			return tx.BeginTurn(chat.Turn{ID: "trn_1", State: state})
		})
	}
	begin("kept", chat.TurnEnded, false)
	begin("runs", chat.TurnRunning, true)
	begin("waits", chat.TurnPaused, true)
	begin("queued", chat.TurnEnded, true)
	update(t, s, ref("queued"), func(tx store.Tx) error {
		return tx.Enqueue(chat.Queued{ID: "msg_1", Content: "more", CreatedAt: at(1)})
	})
	ended := func(what string, want ...chat.Ref) {
		t.Helper()
		got, err := s.Due().EndedEphemeral(t.Context(), at(0), 10)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, what, got, want)
	}
	ended("before any is over")
	begin("over", chat.TurnEnded, true)
	ended("one is over", ref("over"))
	view, err := s.View(t.Context(), ref("waits"))
	if err != nil || !view.Conversation.Ephemeral {
		t.Errorf("it is read as %+v, %v", view, err)
	}
	update(t, s, ref("waits"), func(tx store.Tx) error { return tx.Turn().Move(chat.TurnEnded) })
	update(t, s, ref("over"), func(tx store.Tx) error { return tx.Turn().Move(chat.TurnRunning) })
	ended("it ends later", ref("waits"))
	now := s.Now()
	update(t, s, ref("lasts"), func(tx store.Tx) error {
		c := tx.Conversation()
		c.Fence, c.Ephemeral, c.Lasting, c.UsedWith, c.UpdatedAt = 1, true, true, "abc", now
		c.AddCode(&chat.Clarification{Number: 1, ToolCallID: "c"}, "BCDF")
		return tx.BeginTurn(chat.Turn{ID: "trn_1", State: chat.TurnEnded})
	})
	ended("one that lasts", ref("waits"))
	if got, err := s.Due().EndedEphemeral(t.Context(), now.Add(time.Hour), 10); err != nil || len(got) != 2 {
		t.Errorf("after its time: %v, %v", got, err)
	}
	of := ref("lasts")
	list, _, err := s.Conversations(t.Context(), of.Tenant, of.Subject, of.App, store.Page{Limit: 100})
	if err != nil || slices.ContainsFunc(list, func(l store.Listed) bool { return l.ChatID == of.ChatID }) {
		t.Errorf("one that lasts is listed: %+v, %v", list, err)
	}
	if c, _, err := s.Conversation(t.Context(), of); err != nil || c.UsedWith != "abc" || c.Code(&chat.Clarification{Number: 1, ToolCallID: "c"}) != "BCDF" || !c.Lasting {
		t.Errorf("it is read as %+v, %v", c, err)
	}
}
