package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// auditRecord is one that uses every field.
func auditRecord(app string, when time.Time) chat.AuditRecord {
	yes := true
	return chat.AuditRecord{
		At: chat.Time(when), What: chat.AuditResolved, Tenant: "acme", Subject: "alice\x00<&>", App: app, ChatID: "c", TurnID: "trn_1",
		ClarificationID: "clr_1", ToolCallID: "call_1", Kind: tools.KindApproval, ToolName: "clock", InputType: "confirm",
		Outcome: tools.StateAnswered, Approved: &yes,
		By:   chat.Actor{Kind: chat.ActorCaller, Model: "m", Tenant: "acme", Subject: "alice", Key: "web", From: "2001:db8::1"},
		Node: "node_1", Questions: question("clr_1", 1, when).Question.Parts, Arguments: json.RawMessage(`{"a":"<b>\u00e4"}`),
		Answer: &tools.Answer{Value: json.RawMessage(`true`), Note: "n", Other: "o"},
	}
}

func audit(t *testing.T, s store.Store, span store.AuditSpan) []chat.AuditRecord {
	t.Helper()
	list, next, err := s.AuditRecords(t.Context(), span, store.Page{Limit: 1000})
	if err != nil || next != "" {
		t.Fatalf("AuditRecords: %q, %v", next, err)
	}
	return list
}

func testAudit(t *testing.T, s store.Store) {
	want := []chat.AuditRecord{auditRecord("b", at(1)), auditRecord("a", at(0)), auditRecord("a", at(1)), auditRecord("a", at(2))}
	update(t, s, ref("c"), func(tx store.Tx) error {
		return all(func() error { return tx.Audit(want[0]) }, func() error { return tx.Audit(want[1]) })
	})
	update(t, s, ref("c2"), func(tx store.Tx) error {
		return all(func() error { return tx.Audit(want[2]) }, func() error { return tx.Audit(want[3]) })
	})
	failed := errors.New("no")
	wantError(t, "Update", s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		return all(func() error { return tx.Audit(auditRecord("a", at(1))) }, func() error { return failed })
	}), failed)
	want[0], want[1] = want[1], want[0]
	got := audit(t, s, store.AuditSpan{})
	for i := range got {
		if i < len(want) {
			want[i].ID = got[i].ID
		}
	}
	equal(t, "all, in order of time", got, want)
	if got[1].ID >= got[2].ID {
		t.Errorf("of one millisecond, %d stands before %d", got[1].ID, got[2].ID)
	}
	for what, c := range map[string]struct {
		span store.AuditSpan
		want []chat.AuditRecord
	}{
		"from the second minute on": {store.AuditSpan{Since: at(1)}, want[1:]},
		"before it":                 {store.AuditSpan{Until: at(1)}, want[:1]},
		"in it":                     {store.AuditSpan{Since: at(1), Until: at(1).Add(time.Millisecond)}, want[1:3]},
		"of an app":                 {store.AuditSpan{App: "a"}, []chat.AuditRecord{want[0], want[2], want[3]}},
		"of an app, in it":          {store.AuditSpan{Since: at(1), Until: at(2), App: "b"}, want[1:2]},
		"of none":                   {store.AuditSpan{App: "x"}, nil},
		"of no time":                {store.AuditSpan{Since: at(1), Until: at(1)}, nil},
	} {
		equal(t, what, audit(t, s, c.span), c.want)
	}
}

func testAuditPages(t *testing.T, s store.Store) {
	var want []string
	for i := range 11 {
		want = append(want, fmt.Sprint(i))
		update(t, s, ref(fmt.Sprint("c", i%3)), func(tx store.Tx) error {
			r := auditRecord("a", at(i/4)) // four of one time
			r.TurnID = want[i]
			return tx.Audit(r)
		})
	}
	for limit := 1; limit <= 12; limit++ {
		got := pages(t, limit, func(p store.Page) ([]chat.AuditRecord, string, error) {
			return s.AuditRecords(t.Context(), store.AuditSpan{App: "a"}, p)
		}, func(r chat.AuditRecord) string { return r.TurnID })
		equal(t, fmt.Sprint("limit ", limit), got, want)
	}
	_, cursor, err := s.AuditRecords(t.Context(), store.AuditSpan{App: "a"}, store.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.AuditRecords(t.Context(), store.AuditSpan{App: "b"}, store.Page{Limit: 1, Cursor: cursor})
	wantError(t, "another app's list after the cursor", err, store.ErrCursor)
	_, _, err = s.AuditRecords(t.Context(), store.AuditSpan{}, store.Page{Limit: 1, Cursor: "x"})
	wantError(t, "after no cursor", err, store.ErrCursor)
}

func testAuditErased(t *testing.T, s store.Store) {
	for _, c := range []string{"c", "stays"} {
		update(t, s, ref(c), func(tx store.Tx) error {
			r := auditRecord("translator", at(0))
			r.ChatID = c
			return tx.Audit(r)
		})
	}
	erased := chat.AuditRecord{At: chat.Time(at(1)), What: chat.AuditErased, Tenant: "acme", App: "translator",
		By: chat.Actor{Kind: chat.ActorCaller}, Node: "node_1"}
	if err := s.Delete(t.Context(), ref("c"), time.Time{}, erased); err != nil {
		t.Fatal(err)
	}
	wantError(t, "Delete again", s.Delete(t.Context(), ref("c"), time.Time{}, erased), store.ErrNotFound)
	got := audit(t, s, store.AuditSpan{})
	if len(got) != 2 || got[0].ChatID != "stays" {
		t.Fatalf("left: %+v", got)
	}
	erased.ID = got[1].ID
	equal(t, "the record of the erasure", got[1], erased)
	newest := erased.ID
	update(t, s, ref("new"), func(tx store.Tx) error { return tx.Audit(auditRecord("translator", at(2))) })
	if list := audit(t, s, store.AuditSpan{Since: at(2)}); len(list) != 1 || list[0].ID <= newest {
		t.Errorf("after %d comes %+v", newest, list)
	}
	// Whatever was in the chat by then: it is gone, and ids are not given again.
	ids := func() (ids []int64) {
		for _, r := range audit(t, s, store.AuditSpan{}) {
			ids = append(ids, r.ID)
		}
		return ids
	}
	before := ids()
	if err := s.Delete(t.Context(), ref("new"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	update(t, s, ref("newer"), func(tx store.Tx) error { return tx.Audit(auditRecord("translator", at(3))) })
	if after := ids(); len(after) != 3 || slices.Contains(before, after[2]) {
		t.Errorf("ids %v, before %v", after, before)
	}
}
