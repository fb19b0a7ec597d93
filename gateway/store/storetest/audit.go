package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// auditRecord returns a record that uses every field.
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

// placed returns a record at the place of another.
func placed(r, at chat.AuditRecord) chat.AuditRecord {
	r.ID, r.Chain, r.Seq, r.Prev, r.Hash = at.ID, at.Chain, at.Seq, at.Prev, at.Hash
	return r
}

func audit(t *testing.T, s store.Store, span store.AuditSpan) []chat.AuditRecord {
	t.Helper()
	list, next, err := s.Audit().AuditRecords(t.Context(), span, store.Page{Limit: 1000})
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
			want[i] = placed(want[i], got[i])
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
			r := auditRecord("a", at(i/4)) // four at the same time
			r.TurnID = want[i]
			return tx.Audit(r)
		})
	}
	for limit := 1; limit <= 12; limit++ {
		got := pages(t, limit, func(p store.Page) ([]chat.AuditRecord, string, error) {
			return s.Audit().AuditRecords(t.Context(), store.AuditSpan{App: "a"}, p)
		}, func(r chat.AuditRecord) string { return r.TurnID })
		equal(t, fmt.Sprint("limit ", limit), got, want)
	}
	_, cursor, err := s.Audit().AuditRecords(t.Context(), store.AuditSpan{App: "a"}, store.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Audit().AuditRecords(t.Context(), store.AuditSpan{App: "b"}, store.Page{Limit: 1, Cursor: cursor})
	wantError(t, "another app's list after the cursor", err, store.ErrCursor)
	_, _, err = s.Audit().AuditRecords(t.Context(), store.AuditSpan{}, store.Page{Limit: 1, Cursor: "x"})
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
	erased = placed(erased, got[1])
	erased.Places = map[string]string{erased.Chain: "1"}
	equal(t, "the record of the erasure", got[1], erased)
	newest := erased.ID
	update(t, s, ref("new"), func(tx store.Tx) error { return tx.Audit(auditRecord("translator", at(2))) })
	if list := audit(t, s, store.AuditSpan{Since: at(2)}); len(list) != 1 || list[0].ID <= newest {
		t.Errorf("after %d follows %+v", newest, list)
	}
	// Everything that was in the chat by then is gone, and ids are not reused.
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
	if after := ids(); len(after) != 4 || slices.Contains(before, after[2]) || slices.Contains(before, after[3]) {
		t.Errorf("ids %v, before %v", after, before)
	}
}

// wantWhole fails unless the chains are intact, with that many records.
func wantWhole(t *testing.T, s store.Store, records, erased int64) store.AuditVerdict {
	t.Helper()
	v, err := s.Audit().VerifyAudit(t.Context())
	if err != nil || v.Broken != nil || v.Records != records || v.Erased != erased {
		t.Fatalf("VerifyAudit: %+v, broken at %+v, %v; want %d records, %d erased", v, v.Broken, err, records, erased)
	}
	return v
}

func testAuditChain(t *testing.T, s store.Store) {
	wantWhole(t, s, 0, 0)
	if head, err := s.Audit().AuditHead(t.Context()); err != nil || head != (store.AuditHead{}) {
		t.Errorf("the head of nothing: %+v, %v", head, err)
	}
	for i := range 7 {
		update(t, s, ref(fmt.Sprint("c", i%3)), func(tx store.Tx) error {
			return all(func() error { return tx.Audit(auditRecord("a", at(i))) }, func() error { return tx.Audit(auditRecord("a", at(i))) })
		})
	}
	failed := errors.New("no")
	wantError(t, "Update", s.Update(t.Context(), ref("c0"), func(tx store.Tx) error {
		return all(func() error { return tx.Audit(auditRecord("a", at(9))) }, func() error { return failed })
	}), failed)
	update(t, s, ref("c1"), func(tx store.Tx) error { return tx.Audit(auditRecord("a", at(10))) })
	list := audit(t, s, store.AuditSpan{})
	for i, r := range list {
		var before chat.AuditRecord
		if i > 0 {
			before = list[i-1]
		}
		if r.Chain == "" || i > 0 && r.Chain != before.Chain || r.Seq != before.Seq+1 || r.Prev != before.Hash || len(r.Hash) != len("sha256:")+64 || r.Hash == r.Prev {
			t.Fatalf("%+v follows %+v", r, before)
		}
	}
	v := wantWhole(t, s, 15, 0)
	head, err := s.Audit().AuditHead(t.Context())
	if err != nil || head != v.Head || head.Hash != list[14].Hash || head.ID != list[14].ID || v.Chains != 1 {
		t.Errorf("head %+v, %v; %+v", head, err, v)
	}

	// The first, last and middle chats are deleted; their hashes stay, and each leaves a record with
	// its places.
	erased := chat.AuditRecord{At: chat.Time(at(20)), What: chat.AuditErased, Tenant: "acme", App: "a", By: chat.Actor{Kind: chat.ActorCaller}}
	if err := s.Delete(t.Context(), ref("c1"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	wantWhole(t, s, 11, 5)
	if err := s.Delete(t.Context(), ref("c0"), time.Time{}, erased); err != nil {
		t.Fatal(err)
	}
	wantWhole(t, s, 6, 11)
	if err := s.Delete(t.Context(), ref("c2"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	v = wantWhole(t, s, 3, 15)
	list = audit(t, s, store.AuditSpan{})
	var places []chat.ActorKind
	for _, r := range list {
		if r.What != chat.AuditErased || r.Subject != "" || r.ChatID != "" {
			t.Errorf("a record of an erasure names the owner: %+v", r)
		}
		places = append(places, r.By.Kind+" "+chat.ActorKind(r.Places[r.Chain]))
	}
	slices.Sort(places)
	equal(t, "places that went", places, []chat.ActorKind{"caller 1-2,7-8,13-14", "gateway 3-4,9-10,15", "gateway 5-6,11-12"})
	update(t, s, ref("c0"), func(tx store.Tx) error { return tx.Audit(auditRecord("a", at(30))) })
	if head, err := s.Audit().AuditHead(t.Context()); err != nil || head == v.Head {
		t.Errorf("%+v, %v", head, err)
	}
	wantWhole(t, s, 4, 15)
}

func testAuditChains(t *testing.T, s store.Store) {
	const writers, each = 8, 25
	failed := errors.New("no")
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				err := s.Update(t.Context(), ref(fmt.Sprint("c", w)), func(tx store.Tx) error {
					if err := tx.Audit(auditRecord("a", at(i))); err != nil || i%5 > 0 {
						return err
					}
					return failed
				})
				if err != nil && !errors.Is(err, failed) {
					t.Error(err)
				}
			}
			if w%2 == 0 {
				if err := s.Delete(t.Context(), ref(fmt.Sprint("c", w)), time.Time{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 { // while others write
		if v, err := s.Audit().VerifyAudit(t.Context()); err != nil || v.Broken != nil {
			t.Errorf("%+v, %+v, %v", v, v.Broken, err)
		}
	}
	group.Wait()
	wantWhole(t, s, writers*each*4/5/2+writers/2, writers*each*4/5/2) // and one of each deletion
}
