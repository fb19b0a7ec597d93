package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

const (
	manyLarge = 12
	largeSize = 1 << 20 // bytes of each
)

// askLarge makes a program ask more than may be read at once, in one chat and one list.
func askLarge(t *testing.T, s store.Store, change func(i int, c *chat.Clarification)) {
	t.Helper()
	update(t, s, ref("c"), func(tx store.Tx) error {
		head := tx.Conversation()
		head.Fence, head.Asking = 1, manyLarge
		for i := range manyLarge {
			c := asked(fmt.Sprintf("clr_%02d", i), "", at(i))
			c.ConversationID, c.Ref, c.ToolCallID, c.AskedFence = head.ID, ref("c"), fmt.Sprint("call_", i), int64(i+1)
			c.Question.Parts = append([]tools.Part(nil), c.Question.Parts...)
			c.Question.Parts[0].Context = strings.Repeat("x", largeSize)
			change(i, &c)
			stands := chat.Message{ID: fmt.Sprint("msg_", i), Fence: 1, Role: chat.RoleAssistant, CreatedAt: at(i), ClarificationID: c.ID, AskedBy: c.Question.AskedBy}
			if err := all(func() error { return tx.AddClarification(c) }, func() error { return tx.AppendMessage(stands) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// testOpenBounded: a view has as many pending questions as may be read at once, the first ones, and
// reports their size before it reads them.
func testOpenBounded(t *testing.T, s store.Store) {
	askLarge(t, s, func(int, *chat.Clarification) {})
	counted := int64(0)
	ctx := store.WithAdmission(t.Context(), func(bytes int64) error { counted += bytes; return nil })
	v, err := s.ViewPart(ctx, ref("c"), store.Part{Limit: 1, Bytes: 1})
	if err != nil || len(v.Clarifications) < 2 || len(v.Clarifications) > 2*store.MaxOpen/largeSize+1 || v.Clarifications[0].ID != "clr_00" {
		t.Errorf("%d questions of %d bytes are read, %v", len(v.Clarifications), v.Size(), err)
	}
	if counted < v.Size() {
		t.Errorf("%d bytes were counted, and %d read", counted, v.Size())
	}
	full := errors.New("full")
	refuse := store.WithAdmission(t.Context(), func(int64) error { return full })
	_, err = s.ViewPart(refuse, ref("c"), store.Part{Limit: 1, Bytes: 1})
	wantError(t, "a view that is not admitted", err, full)
	_, _, err = s.Clarifications(refuse, ref("c").Tenant, ref("c").Subject, store.Which{}, store.Page{Limit: 9})
	wantError(t, "a list that is not admitted", err, full)
	update(t, s, ref("c"), func(tx store.Tx) error {
		open, err := tx.OpenBytes()
		from, err2 := tx.OpenFrom("", "ci")
		none, err3 := tx.OpenFrom("", "another")
		few, err4 := tx.Clarifications().PendingAsync(2)
		if open < manyLarge*largeSize || from != open || none != 0 || len(few) != 2 {
			t.Errorf("%d bytes wait, %d of the asker, %d of another; %d are read of 2", open, from, none, len(few))
		}
		return errors.Join(err, err2, err3, err4)
	})
}

// testClosedBounded: a closed question counts at its place, and is read together with the rows that
// refer to it.
func testClosedBounded(t *testing.T, s store.Store) {
	askLarge(t, s, func(i int, c *chat.Clarification) {
		c.State, c.DoneFence, c.AnsweredAt = tools.StateAnswered, int64(i+1), at(i)
	})
	v, err := s.ViewPart(t.Context(), ref("c"), store.Part{Limit: 200, Bytes: 4 * largeSize})
	if err != nil || len(v.Clarifications) == 0 || len(v.Clarifications) > 4 || !v.More {
		t.Errorf("%d closed questions are read in a part of 4 MiB, %v", len(v.Clarifications), err)
	}
	_, tooLarge := s.ViewRuns(t.Context(), ref("c"), 0, 100, 2*largeSize)
	wantError(t, "more runs than may be read", tooLarge, store.ErrTooLarge)
	update(t, s, ref("c"), func(tx store.Tx) error {
		of, err := tx.Clarifications().OfCall("call_3")
		by, err2 := tx.Clarifications().AskedBy(5)
		newest, err3 := tx.Clarifications().Newest()
		if len(of) != 1 || of[0].ID != "clr_03" || len(by) != 1 || by[0].ID != "clr_04" || len(newest) != 1 || newest[0].ID != "clr_11" {
			t.Errorf("of the call %d, by the run %d, the newest %d", len(of), len(by), len(newest))
		}
		return errors.Join(err, err2, err3)
	})
}

// testPagesBounded: a page has as many bytes as may be read at once, and the pages together contain
// everything.
func testPagesBounded(t *testing.T, s store.Store) {
	askLarge(t, s, func(i int, c *chat.Clarification) {
		if i%2 == 1 {
			c.State, c.DoneFence, c.AnsweredAt = tools.StateAnswered, 1, at(i)
		}
	})
	for status, want := range map[store.Status]int{store.StatusPending: manyLarge / 2, store.StatusClosed: manyLarge / 2, store.StatusAll: manyLarge} {
		seen := map[string]bool{}
		for page := (store.Page{Limit: 100}); ; {
			list, next, err := s.Clarifications(t.Context(), ref("c").Tenant, ref("c").Subject, store.Which{Status: status}, page)
			if err != nil || len(list) == 0 || len(list) > store.MaxPageBytes/largeSize {
				t.Fatalf("status %d: a page of %d, %v", status, len(list), err)
			}
			for _, c := range list {
				seen[c.ID] = true
			}
			if page.Cursor = next; next == "" {
				break
			}
		}
		if len(seen) != want {
			t.Errorf("status %d: %d of %d are listed", status, len(seen), want)
		}
	}
}

// testReportBounded: the examples of a report together have as much as may be read at once, one
// that is too large does not displace another, and bytes are counted before they are read.
func testReportBounded(t *testing.T, s store.Store) {
	askLarge(t, s, func(i int, c *chat.Clarification) {
		c.Question.Parts[0].Question = fmt.Sprint("Which one of ", i, "?")
		if i == 3 {
			c.Question.Parts[0].Context = ""
		}
	})
	counted := int64(0)
	ctx := store.WithAdmission(t.Context(), func(bytes int64) error { counted += bytes; return nil })
	found, err := s.Overview().Questions(ctx, at(0), "", 100)
	if err != nil || len(found.Rows) != manyLarge {
		t.Fatalf("%d rows, %v", len(found.Rows), err)
	}
	read, small := 0, 0
	for _, row := range found.Rows {
		if row.Example != nil && row.Example.Parts[0].Question == "Which one of 3?" {
			small++
		}
		if row.Example != nil {
			read += len(row.Example.Parts[0].Context)
		}
	}
	if read > store.MaxPageBytes || small != 1 || counted < int64(read) || counted == 0 {
		t.Errorf("examples of %d bytes are read, %d were counted; %d is small", read, counted, small)
	}
	full := errors.New("full")
	_, err = s.Overview().Questions(store.WithAdmission(t.Context(), func(int64) error { return full }), at(0), "", 100)
	wantError(t, "a report that is not admitted", err, full)
}

// testDraftsBounded: the drafts of a chat are bounded together, and a draft that replaces another
// counts once.
func testDraftsBounded(t *testing.T, s store.Store) {
	askLarge(t, s, func(i int, c *chat.Clarification) { c.Question.Parts[0].Context = "" })
	draft := []byte(`"` + strings.Repeat("d", largeSize) + `"`)
	for range 2 {
		for i := range 3 {
			if err := s.SaveDraft(t.Context(), ref("c").Tenant, ref("c").Subject, fmt.Sprintf("clr_%02d", i), draft); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantError(t, "one draft too many", s.SaveDraft(t.Context(), ref("c").Tenant, ref("c").Subject, "clr_03", draft), store.ErrFull)
	if err := s.SaveDraft(t.Context(), ref("c").Tenant, ref("c").Subject, "clr_00", nil); err != nil {
		t.Error(err)
	}
}
