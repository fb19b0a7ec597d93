package storetest

import (
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

// asked returns a question of a program, to holders of a role or, for "", to the chat's owner.
func asked(id, role string, when time.Time) chat.Clarification {
	c := question(id, 0, when)
	c.TurnID, c.Asker, c.For, c.AskedFence = "", "ci", role, 0
	c.Question.AskedBy = &tools.Asker{Kind: tools.AskerProgram, Name: "deploy", Title: "CI #1", Version: "2"}
	return c
}

func testAsker(t *testing.T, s store.Store) {
	by := tools.Asker{Kind: tools.AskerProgram, Name: "deploy", Title: "CI <1>"}
	c := asked("clr_p", "oncall", at(1))
	said := chat.Message{ID: "msg_said", Fence: 7, Role: chat.RoleAssistant, Content: "Done.", CreatedAt: at(2), AskedBy: &by}
	stands := chat.Message{ID: "msg_asked", Fence: 7, Role: chat.RoleAssistant, CreatedAt: at(1), AskedBy: &by, ClarificationID: c.ID}
	update(t, s, ref("c"), func(tx store.Tx) error {
		head := tx.Conversation()
		head.Fence, head.Asking, head.Unpublished = 7, 1, true
		c.ConversationID, c.Ref = head.ID, ref("c")
		return all(
			func() error { return tx.AddClarification(c) },
			func() error { return tx.AppendMessage(stands) },
			func() error { return tx.AppendMessage(said) },
		)
	})
	v := view(t, s, ref("c"))
	equal(t, "the clarification", v.Clarifications, []chat.Clarification{c})
	equal(t, "the messages", v.Messages, []chat.Message{stands, said})
	part, err := s.ViewPart(t.Context(), ref("c"), store.Part{Limit: 1})
	if err != nil || len(part.Messages) != 1 || !part.More {
		t.Fatalf("a part: %+v, %v", part, err)
	}
	equal(t, "the pending ones of a part", part.Clarifications, []chat.Clarification{c})
	if v.Conversation.Asking != 1 || !v.Conversation.Unpublished {
		t.Errorf("the head: %+v", v.Conversation)
	}
	recent, err := s.Recent(t.Context(), ref("c"), func([]chat.Fit) store.Span { return store.Span{Bytes: 1} })
	if err != nil || len(recent.Questions) != 0 || len(recent.Clarifications) != 0 || recent.First != 1 {
		t.Errorf("a run reads %+v, %v", recent, err)
	}

	for _, want := range []bool{true, false} {
		if first, err := s.SaveSeen(t.Context(), c.ID, at(3)); first != want || err != nil {
			t.Errorf("SaveSeen: %v, %v, want %v", first, err, want)
		}
	}
	if err := s.SaveInWords(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	for _, waited := range []time.Time{at(3), at(5), at(4)} { // the latest counts
		if err := s.Due().SaveWaited(t.Context(), c.ID, waited); err != nil {
			t.Fatal(err)
		}
	}
	c.WaitedAt = at(5)
	c.SeenAt, c.AskedFence, c.State, c.DoneFence = at(3), 8, tools.StateAnswered, 8
	c.InWords = true // also when it is closed
	later := c
	later.SeenAt, later.InWords, later.WaitedAt = at(9), false, at(9) // all stay
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.Clarifications().Save(later) })
	equal(t, "closed, with the fence that it got later", view(t, s, ref("c")).Clarifications, []chat.Clarification{c})
	for limit, want := range map[int][]chat.Clarification{1: nil, 2: {c}} {
		part, err := s.ViewPart(t.Context(), ref("c"), store.Part{Limit: limit, Bytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprint("the closed ones of the newest ", limit), part.Clarifications, want)
	}
	if err := s.Due().SaveWaited(t.Context(), c.ID, at(20)); err != nil { // it is closed
		t.Fatal(err)
	}
	update(t, s, ref("c"), func(tx store.Tx) error {
		one, err := tx.Clarifications().Find(c.ID)
		equal(t, "Clarification", one, c)
		_, none := tx.Clarifications().Find("clr_x")
		wantError(t, "Clarification of another id", none, store.ErrNotFound)
		unpublished, err2 := tx.Clarifications().Unpublished()
		equal(t, "Unpublished once it is announced", len(unpublished), 0)
		return errors.Join(err, err2)
	})
	other := asked("clr_other", "", at(4))
	closed := asked("clr_q", "", at(5))
	closed.State, closed.AskedFence = tools.StateCancelled, 8
	update(t, s, ref("d"), func(tx store.Tx) error {
		_, none := tx.Clarifications().Find(c.ID)
		wantError(t, "Clarification of another chat", none, store.ErrNotFound)
		return all(
			func() error { return tx.AddClarification(other) },
			func() error { return tx.AddClarification(closed) },
			func() error {
				unpublished, err := tx.Clarifications().Unpublished()
				if len(unpublished) != 2 || unpublished[0].ID != other.ID || unpublished[1].ID != closed.ID {
					t.Errorf("Unpublished: %+v", unpublished)
				}
				return err
			},
			func() error { return tx.Clarifications().SavePublished(other.ID, 9, 0) },
			func() error { return tx.Clarifications().SavePublished(closed.ID, 8, 9) },
			func() error {
				unpublished, err := tx.Clarifications().Unpublished()
				equal(t, "Unpublished after SavePublished", len(unpublished), 0)
				return err
			},
		)
	})
	if first, err := s.SaveSeen(t.Context(), c.ID, at(4)); first || err != nil {
		t.Errorf("SaveSeen of what is closed: %v, %v", first, err)
	}

	refs, err := s.Due().Unpublished(t.Context(), 10)
	equal(t, "Unpublished", refs, []chat.Ref{ref("c")})
	update(t, s, ref("c"), func(tx store.Tx) error { return begin(tx, at(5)) })
	running, err2 := s.Due().Unpublished(t.Context(), 10)
	if err != nil || err2 != nil || len(running) != 0 {
		t.Errorf("Unpublished while a turn runs: %v, %v, %v", running, err, err2)
	}
}

func testPendingOfRoles(t *testing.T, s store.Store) {
	add := func(subject, chatID string, c chat.Clarification) {
		r := ref(chatID)
		r.Subject = subject
		update(t, s, r, func(tx store.Tx) error { return tx.AddClarification(c) })
	}
	approval := question("clr_4_approval", 3, at(4)) // of alice's own, for finance
	approval.For, approval.Question.Kind = "finance", tools.KindApproval
	mine := asked("clr_6_mine", "oncall", at(6))
	mine.Asker = "bob"
	add("alice", "a", question("clr_1", 1, at(1)))
	add(chat.RoleSubject("oncall"), "o", asked("clr_2_oncall", "oncall", at(2)))
	add("bob", "b", question("clr_3_bob", 1, at(3)))
	add("alice", "a", approval)
	add(chat.RoleSubject("oncall"), "o", asked("clr_5_oncall", "oncall", at(5)))
	add(chat.RoleSubject("oncall"), "o", mine)
	other := ref("x")
	other.Tenant, other.Subject = "other", chat.RoleSubject("oncall")
	update(t, s, other, func(tx store.Tx) error { return tx.AddClarification(asked("clr_7_other", "oncall", at(1))) })

	for _, test := range []struct {
		subject string
		roles   []string
		want    []string
	}{
		{"alice", nil, []string{"clr_1", "clr_4_approval"}},
		{"alice", []string{"finance", "oncall", "oncall"}, []string{"clr_1", "clr_2_oncall", "clr_4_approval", "clr_5_oncall", "clr_6_mine"}},
		{"bob", []string{"oncall", "finance"}, []string{"clr_2_oncall", "clr_3_bob", "clr_4_approval", "clr_5_oncall"}},
		{"ci", []string{"oncall"}, []string{"clr_6_mine"}},
		{"carol", []string{"admin", ""}, nil},
	} {
		for _, limit := range []int{1, 2, 10} {
			var got []string
			for page := (store.Page{Limit: limit}); ; {
				list, cursor, err := s.Clarifications(t.Context(), "acme", test.subject, store.Which{Roles: test.roles}, page)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range list {
					got = append(got, c.ID)
				}
				if page.Cursor = cursor; cursor == "" {
					break
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%s as %v, %d at a time: %v, want %v", test.subject, test.roles, limit, got, test.want)
			}
		}
	}
}

// testEscalated: a step is found when it is due, and from then on its role's holders list the question, in its
// place, until it is closed. The draft stays.
func testEscalated(t *testing.T, s store.Store) {
	steps := []tools.Escalation{{After: time.Minute, Role: "lead"}, {After: 3 * time.Minute, Role: "board"}}
	pay := question("clr_pay", 2, at(2))
	pay.For, pay.Question.Kind, pay.Question.Escalate = "finance", tools.KindApproval, steps
	closed := pay
	closed.ID, closed.State = "clr_closed", tools.StateAnswered
	owned := question("clr_owned", 1, at(0)) // an owner's is never escalated
	owned.Question.Escalate = steps
	lead := asked("clr_lead", "lead", at(3))
	update(t, s, ref("c"), func(tx store.Tx) error {
		return errors.Join(tx.AddClarification(owned), tx.AddClarification(pay), tx.AddClarification(closed), tx.AddClarification(lead))
	})
	if err := s.SaveDraft(t.Context(), "acme", ref("c").Subject, "clr_pay", []byte(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	ids := func(all []chat.Clarification, err error) (list []string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			list = append(list, all[i].ID)
		}
		return list
	}
	due := func(what string, now time.Time, want ...string) {
		t.Helper()
		equal(t, "due "+what, ids(s.Due().Escalating(t.Context(), now, 10)), want)
	}
	listed := func(what, role string, want ...string) {
		t.Helper()
		for _, limit := range []int{1, 10} {
			var got []string
			for page := (store.Page{Limit: limit}); ; {
				list, cursor, err := s.Clarifications(t.Context(), "acme", "holder", store.Which{Roles: []string{role, "none"}}, page)
				got = append(got, ids(list, err)...)
				if page.Cursor = cursor; cursor == "" {
					break
				}
			}
			equal(t, what+": listed for "+role, got, want)
		}
	}
	step := func(now time.Time, fence int64) {
		t.Helper()
		update(t, s, ref("c"), func(tx store.Tx) error {
			c, err := tx.Clarifications().Find("clr_pay")
			if err != nil {
				return err
			}
			if !c.Escalate(now, fence) {
				t.Errorf("nothing is due at %v", now)
			}
			return tx.Clarifications().SaveEscalated(c)
		})
	}
	due("too early", at(3).Add(-time.Millisecond))
	due("in time", at(3), "clr_pay")
	listed("before", "lead", "clr_lead")
	step(at(3), 5)
	due("after the first step", at(5).Add(-time.Millisecond))
	due("for the second", at(5), "clr_pay")
	listed("after the first step", "lead", "clr_pay", "clr_lead")
	listed("after the first step", "board")
	listed("after the first step", "finance", "clr_pay")
	step(at(7), 6)
	due("after the last step", at(99))
	listed("after the last step", "board", "clr_pay")
	c, err := s.Clarification(t.Context(), "clr_pay")
	if err != nil || string(c.Draft) != `{"a":1}` || !slices.Equal(c.Escalated, []chat.Escalated{{At: at(3), Fence: 5}, {At: at(7), Fence: 6}}) || !c.EscalatesAt.IsZero() {
		t.Errorf("stored %+v, draft %s, %v", c.Escalation, c.Draft, err)
	}
	for after, want := range map[int64]bool{4: true, 5: true, 6: false} {
		v, err := s.ViewRuns(t.Context(), ref("c"), after, after+1, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(v.Clarifications, func(c chat.Clarification) bool { return c.ID == "clr_pay" })
		if has != want {
			t.Errorf("the view of run %d has the question: %t, want %t", after+1, has, want)
		}
	}
	update(t, s, ref("c"), func(tx store.Tx) error {
		c.State, c.Answer = tools.StateDeclined, &tools.Answer{Declined: true}
		return tx.Clarifications().Save(c)
	})
	listed("closed", "lead", "clr_lead")
	listed("closed", "board")
}

func testClaims(t *testing.T, s store.Store) {
	claim := func(r chat.Ref, c chat.Key, notBefore time.Time) (kept chat.Key) {
		t.Helper()
		update(t, s, r, func(tx store.Tx) (err error) {
			kept, err = tx.Keys().Claim(c, notBefore)
			return err
		})
		return kept
	}
	first := chat.Key{Asker: "ci", Key: "k", Hash: "h", Of: "clr_1", CreatedAt: at(1)}
	second := chat.Key{Asker: "ci", Key: "k", Hash: "other", Of: "clr_2", CreatedAt: at(2)}
	equal(t, "the first", claim(ref("c"), first, at(0)), first)
	equal(t, "another, in another chat", claim(ref("d"), second, at(0)), first)
	app := ref("c")
	app.App = "other"
	equal(t, "in another app", claim(app, second, at(0)), second)
	asker := second
	asker.Asker = "cron"
	equal(t, "of another asker", claim(ref("c"), asker, at(0)), asker)
	equal(t, "after its time", claim(ref("d"), second, at(2)), second)
	if err := s.Delete(t.Context(), ref("d"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "after its chat", claim(ref("e"), first, at(0)), first)
	if err := s.Due().DropKeys(t.Context(), at(2)); err != nil {
		t.Fatal(err)
	}
	equal(t, "after it was dropped", claim(ref("e"), second, at(0)), second)

	waits := func(r chat.Ref, id, key string, state tools.State) {
		update(t, s, r, func(tx store.Tx) error {
			c := asked(id, "", at(1))
			c.State, c.ConversationID, c.Ref = state, tx.Conversation().ID, r
			if err := tx.AddClarification(c); err != nil {
				return err
			}
			_, err := tx.Keys().Claim(chat.Key{Asker: "ci", Key: key, Hash: "h", Of: id, CreatedAt: at(1)}, at(0))
			return err
		})
	}
	waits(ref("f"), "clr_f1", "s1/a_%/1", tools.StatePending)
	waits(ref("g"), "clr_g1", "s1/a_%/2", tools.StatePending)
	waits(ref("f"), "clr_f2", "s1/b/1", tools.StatePending)
	waits(ref("f"), "clr_f3", "s1/a_%/3", tools.StateCancelled)
	waits(ref("f"), "clr_f4", "S1/a_%/1", tools.StatePending)
	waits(app, "clr_o1", "s1/a_%/1", tools.StatePending)
	for prefix, want := range map[string][]string{
		"s1/a_%/": {"clr_f1", "clr_g1"}, "s1/": {"clr_f1", "clr_f2", "clr_g1"}, "s1/b/1": {"clr_f2"}, "s1/c": nil, "s1/axx": nil,
	} {
		got, err := s.Claimed(t.Context(), ref("f").Tenant, "ci", ref("f").App, prefix)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", prefix, got, err, want)
		}
	}
	if got, err := s.Claimed(t.Context(), ref("f").Tenant, "cron", ref("f").App, "s1/"); err != nil || len(got) > 0 {
		t.Errorf("of another asker: %v, %v", got, err)
	}

	rolled := errors.New("no")
	undone := chat.Key{Asker: "ci", Key: "undone", Hash: "h", Of: "clr_3", CreatedAt: at(1)}
	err := s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		_, err := tx.Keys().Claim(undone, at(0))
		return errors.Join(rolled, err)
	})
	wantError(t, "an update that failed", err, rolled)
	undone.Of = "clr_4"
	equal(t, "after an update that failed", claim(ref("d"), undone, at(0)), undone)

	const many = 8
	kept := make([]chat.Key, many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			id := string(rune('a' + i))
			kept[i] = claim(ref("race_"+id), chat.Key{Asker: "ci", Key: "race", Hash: "h", Of: id, CreatedAt: at(1)}, at(0))
		})
	}
	all.Wait()
	for _, c := range kept {
		if c != kept[0] {
			t.Errorf("two claimed one key: %+v and %+v", kept[0], c)
		}
	}
}

func testDeferred(t *testing.T, s store.Store) {
	by := tools.Asker{Kind: tools.AskerProgram, Name: "deploy"}
	want := []chat.Message{
		{ID: "msg_z", Role: chat.RoleAssistant, Content: "first", CreatedAt: at(2), AskedBy: &by},
		{ID: "msg_a", Role: chat.RoleAssistant, Content: "second", CreatedAt: at(1), AskedBy: &by},
	}
	update(t, s, ref("c"), func(tx store.Tx) error {
		return all(func() error { return tx.Defer(want[0]) }, func() error { return tx.Defer(want[1]) })
	})
	if got := view(t, s, ref("c")).Messages; len(got) != 0 {
		t.Errorf("the chat has %v", got)
	}
	for _, want := range [][]chat.Message{want, nil} {
		update(t, s, ref("c"), func(tx store.Tx) error {
			got, err := tx.TakeDeferred()
			equal(t, "TakeDeferred", got, want)
			return err
		})
	}
}

func testLastRun(t *testing.T, s store.Store) {
	runs := []chat.Run{
		{Fence: 1, TurnID: "trn_1", FinishReason: chat.FinishClarification, LastSeq: 4, StartedAt: at(0), EndedAt: at(1)},
		{Fence: 2, TurnID: "trn_1", Resumed: true, FinishReason: chat.FinishError, LastSeq: 2, StartedAt: at(2), EndedAt: at(3),
			Failure: &chat.Failure{ChatID: "c", Code: "internal"}},
		{Fence: 3, FinishReason: chat.FinishStop, LastSeq: 2, StartedAt: at(4), EndedAt: at(4)},
	}
	var conversation string
	update(t, s, ref("c"), func(tx store.Tx) error {
		tx.Conversation().Fence, conversation = 3, tx.Conversation().ID
		for i := range runs {
			if err := tx.SaveRun(runs[i]); err != nil {
				return err
			}
		}
		return nil
	})
	runs[1].ConversationID = conversation
	got, err := s.LastRun(t.Context(), conversation, "trn_1")
	equal(t, "LastRun", got, runs[1])
	if err != nil {
		t.Fatal(err)
	}
	update(t, s, ref("c"), func(tx store.Tx) error {
		got, err := tx.LastRun("trn_1")
		equal(t, "LastRun in an update", got, runs[1])
		_, none := tx.LastRun("trn_2")
		wantError(t, "LastRun of another turn", none, store.ErrNotFound)
		return err
	})
}
