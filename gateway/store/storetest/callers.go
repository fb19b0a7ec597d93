package storetest

import (
	"errors"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// testCallers: what is kept of a caller is read by its turn, queued message or question only; a queued
// message gives it to its turn. Nothing of it outlives what it is of, its chat, or the person.
func testCallers(t *testing.T, s store.Store) {
	var id string
	kept := func(of string) string {
		t.Helper()
		claims, err := s.Caller(t.Context(), id, of)
		if err != nil {
			t.Fatal(err)
		}
		return claims
	}
	read := func(ask bool) string {
		t.Helper()
		recent, err := s.Recent(t.Context(), ref("c"), func([]chat.Fit) store.Span { return store.Span{Caller: ask} })
		if err != nil {
			t.Fatal(err)
		}
		return recent.Caller
	}
	save := func(of, subject, claims string) func(tx store.Tx) error {
		return func(tx store.Tx) error {
			return tx.SaveCaller(chat.KeptCaller{Of: of, Tenant: "acme", Subject: subject, Claims: claims})
		}
	}
	sweep := func(want int) {
		t.Helper()
		if n, err := s.Due().DropCallers(t.Context(), 10); n != want || err != nil {
			t.Errorf("%d were dropped, %v; want %d", n, err, want)
		}
	}
	update(t, s, ref("c"), func(tx store.Tx) error { // with the message that begins the chat
		id = tx.Conversation().ID
		return errors.Join(begin(tx, at(0)), save("trn_1", "alice", "sealed 1")(tx))
	})
	if got := read(true); got != "sealed 1" {
		t.Errorf("of the turn: %q", got)
	}
	if got := read(false); got != "" {
		t.Errorf("%q was read without a request", got)
	}
	update(t, s, ref("c"), save("trn_1", "alice", "sealed 2"))
	update(t, s, ref("c"), func(tx store.Tx) error {
		asked := question("clr_asked", 0, at(0))
		asked.TurnID, asked.Asker = "", "bob"
		return errors.Join(tx.Enqueue(chat.Queued{ID: "msg_queued", CreatedAt: at(0)}), tx.AddClarification(asked),
			save("msg_queued", "alice", "sealed 3")(tx), save("clr_asked", "bob", "sealed 4")(tx))
	})
	sweep(0) // all of them still wait
	for of, want := range map[string]string{"trn_1": "sealed 2", "msg_queued": "sealed 3", "clr_asked": "sealed 4", "trn_2": ""} {
		if got := kept(of); got != want {
			t.Errorf("of %s: %q, want %q", of, got, want)
		}
	}
	update(t, s, ref("c"), func(tx store.Tx) error {
		return errors.Join(tx.DropCaller("trn_1"), tx.Turn().Move(chat.TurnEnded))
	})
	update(t, s, ref("c"), func(tx store.Tx) error {
		return errors.Join(tx.Dequeue("msg_queued"), begin(tx, at(1)), tx.MoveCaller("msg_queued", "trn_2"), tx.MoveCaller("msg_other", "trn_2"))
	})
	if got := read(true); got != "sealed 3" || kept("msg_queued") != "" || kept("trn_1") != "" {
		t.Errorf("the message's turn has %q; the message %q, the turn before %q", got, kept("msg_queued"), kept("trn_1"))
	}
	if _, err := s.Memory().EraseTraces(t.Context(), "acme", "bob"); err != nil || kept("clr_asked") != "" || kept("trn_2") == "" {
		t.Errorf("after bob was erased: %q of bob, %q of alice, %v", kept("clr_asked"), kept("trn_2"), err)
	}

	// A version without callers ends what they are of.
	update(t, s, ref("c"), save("clr_asked", "bob", "sealed 5"))
	update(t, s, ref("c"), func(tx store.Tx) error {
		c, err := tx.Clarifications().Find("clr_asked")
		c.State, c.AnsweredAt = tools.StateExpired, at(2)
		return errors.Join(err, tx.Clarifications().Save(c), tx.Turn().Move(chat.TurnEnded), save("msg_gone", "alice", "sealed 6")(tx))
	})
	sweep(3)
	sweep(0)
	update(t, s, ref("c"), save("trn_2", "alice", "sealed 7"))
	if err := s.Delete(t.Context(), ref("c"), at(1<<20)); err != nil {
		t.Fatal(err)
	}
	if got := kept("trn_2"); got != "" {
		t.Errorf("an erased chat left %q", got)
	}
	sweep(0)
}
