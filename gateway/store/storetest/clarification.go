package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

func testClarifications(t *testing.T, s store.Store) {
	var want []chat.Clarification
	for i, id := range []string{"clr_b", "clr_c", "clr_a"} {
		c := question(id, i, at(i))
		c.ExpiresAt = at(60)
		want = append(want, c)
	}
	want[2].Number = 1 // the same as clr_c: in order of id
	update(t, s, ref("c"), func(tx store.Tx) error {
		for i := range want {
			if err := tx.AddClarification(want[i]); err != nil {
				return err
			}
			want[i].ConversationID, want[i].Ref = tx.Conversation().ID, ref("c")
		}
		return nil
	})
	want[1], want[2] = want[2], want[1]
	check := func(what string) {
		t.Helper()
		equal(t, what, view(t, s, ref("c")).Clarifications, want)
		update(t, s, ref("c"), func(tx store.Tx) error {
			for _, c := range want {
				got, err := tx.Clarifications().Find(c.ID)
				if err != nil {
					return err
				}
				equal(t, what+", in an update", got, c)
			}
			return nil
		})
	}
	check("stored")

	want[0].State, want[0].DoneFence, want[0].AskedFence = tools.StateAnswered, 5, 4
	want[0].AskedAt, want[0].AnsweredAt, want[0].ExpiresAt = at(1), at(7), time.Time{}
	want[0].Remembered = true
	want[0].Answer = &tools.Answer{Note: "n", Other: "o", Answers: []tools.Answer{
		{Value: json.RawMessage(`"<b>&\u00e4ä"`)}, {Value: json.RawMessage(`-1.50e+3`)}, {Value: json.RawMessage(`true`)},
		{Values: []string{"a", "b"}}, {Skipped: true}, {Declined: true}, {},
	}}
	want[0].AnsweredBy = &chat.By{Subject: "élise@x", Channel: chat.ChannelAPI, ClientID: chat.ClientID("u1")}
	want[0].Decisions = []chat.Decision{
		{By: chat.By{Subject: "zoé", Channel: chat.ChannelAPI}, At: at(3), Fence: 4, Answer: tools.Answer{Value: json.RawMessage(`"yes"`), Note: "ä"}},
		{By: chat.By{Subject: "élise@x", Channel: chat.ChannelAPI}, At: at(7), Fence: 5, Answer: tools.Answer{Value: json.RawMessage(`"no"`)}},
	}
	want[1].State, want[1].Answer = tools.StateSkipped, &tools.Answer{Skipped: true}
	update(t, s, ref("c"), func(tx store.Tx) error {
		changed := want[0]
		changed.Question, changed.Number, changed.ToolName = tools.Question{}, 99, "other" // these stay
		return all(
			func() error { return tx.Clarifications().Save(changed) },
			func() error { return tx.Clarifications().Save(want[1]) },
		)
	})
	check("closed")
	want[0].Remembered = false
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.Clarifications().Save(want[0]) })
	check("no longer remembered")
	equal(t, "Pending", view(t, s, ref("c")).Pending(), want[2:])

	for what, fn := range map[string]func(tx store.Tx) error{
		"an unknown clarification":        func(tx store.Tx) error { return tx.Clarifications().Save(question("clr_x", 1, at(0))) },
		"a clarification of another chat": func(tx store.Tx) error { return tx.Clarifications().Save(want[2]) },
	} {
		wantError(t, "SaveClarification of "+what, s.Update(t.Context(), ref("other"), fn), store.ErrNotFound)
	}
	check("unchanged")
}

// testDecided: a view of runs has the questions about which one of them announced a decision, also if
// later ones announced more.
func testDecided(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error {
		var errs []error
		for i, id := range []string{"clr_1", "clr_2", "clr_3"} {
			c := question(id, i+1, at(i))
			c.AskedFence = 1
			errs = append(errs, tx.AddClarification(c))
			if id == "clr_2" {
				for _, fence := range []int64{4, 6} {
					c.Decisions = append(c.Decisions, chat.Decision{By: chat.By{Subject: fmt.Sprint("holder", fence), Channel: chat.ChannelAPI}, At: at(i), Fence: fence, Answer: tools.Answer{Value: json.RawMessage(`"yes"`)}})
				}
				errs = append(errs, tx.Clarifications().Save(c))
			}
		}
		return errors.Join(errs...)
	})
	for after, want := range map[int64]bool{3: true, 5: true, 6: false} {
		v, err := s.ViewRuns(t.Context(), ref("c"), after, after+1, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		var has bool
		for _, c := range v.Clarifications {
			has = has || c.ID == "clr_2" && len(c.Decisions) == 2
		}
		if has != want {
			t.Errorf("the view of run %d has the question: %t, want %t", after+1, has, want)
		}
	}
}

func testAsked(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error {
		var errs []error
		add := func(id string, kind tools.Kind, state tools.State, asker string) {
			c := question(id, 1, at(0))
			c.Question.Kind, c.State, c.Asker = kind, state, asker
			errs = append(errs, tx.AddClarification(c))
		}
		add("clr_1", tools.KindQuestion, tools.StateAnswered, "")
		add("clr_2", tools.KindQuestion, tools.StatePending, "")
		add("clr_3", tools.KindQuestion, tools.StateExpired, "")
		add("clr_4", tools.KindApproval, tools.StatePending, "")
		add("clr_5", tools.KindInput, tools.StatePending, "")
		add("clr_6", tools.KindQuestion, tools.StateRemembered, "")
		add("clr_7", tools.KindQuestion, tools.StatePending, "ci")
		return errors.Join(errs...)
	})
	if v, err := s.ViewPart(t.Context(), ref("c"), store.Part{Limit: 1, Bytes: 1}); err != nil || v.Questions != 3 {
		t.Errorf("%d questions, %v; want 3", v.Questions, err)
	}
}

func testDue(t *testing.T, s store.Store) {
	for i, id := range []string{"never", "late", "soon", "closed", "asked"} {
		update(t, s, ref(id), func(tx store.Tx) error {
			c := question("clr_"+id, 1, at(i))
			switch id {
			case "late":
				c.ExpiresAt = at(20)
			case "soon":
				c.ExpiresAt = at(10)
			case "asked": // by a program
				c.Asker, c.TurnID, c.ExpiresAt = "ci", "", at(15)
			case "closed":
				c.ExpiresAt, c.State = at(5), tools.StateAnswered
			}
			return tx.AddClarification(c)
		})
	}
	for _, test := range []struct {
		now   time.Time
		limit int
		want  []string
	}{
		{at(10).Add(-time.Millisecond), 10, nil},
		{at(10), 10, []string{"clr_soon"}},
		{at(14), 10, []string{"clr_soon"}},
		{at(15), 10, []string{"clr_soon", "clr_asked"}},
		{at(30), 10, []string{"clr_soon", "clr_asked", "clr_late"}},
		{at(30), 2, []string{"clr_soon", "clr_asked"}},
		{at(30), 1, []string{"clr_soon"}},
	} {
		list, err := s.Due().Expired(t.Context(), test.now, test.limit)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range list {
			got = append(got, c.ID)
			if c.ExpiresAt.After(test.now) || c.Ref.ChatID != c.ID[len("clr_"):] || len(c.Question.Parts) != 0 || c.Question.Kind != tools.KindQuestion {
				t.Errorf("Expired lists %+v: not one of those, or with its texts", c)
			}
		}
		equal(t, "Expired at "+test.now.String(), got, test.want)
	}
}

func testGone(t *testing.T, s store.Store) {
	for i, id := range []string{"forever", "never waited", "waited", "closed", "of a turn"} {
		update(t, s, ref(id), func(tx store.Tx) error {
			c := question("clr_"+id, 1, at(i))
			c.Asker, c.TurnID, c.WithdrawAfter = "ci", "", 10*time.Minute
			switch id {
			case "forever":
				c.WithdrawAfter = 0
			case "closed":
				c.State = tools.StateAnswered
			case "of a turn":
				c.Asker, c.WithdrawAfter = "", 0
			}
			return tx.AddClarification(c)
		})
		if id != "waited" && id != "of a turn" {
			continue
		}
		if err := s.Due().SaveWaited(t.Context(), "clr_"+id, at(8)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		now   time.Time
		limit int
		want  []string
	}{
		{at(11).Add(-time.Millisecond), 10, nil},
		{at(11), 10, []string{"clr_never waited"}},
		{at(18).Add(-time.Millisecond), 10, []string{"clr_never waited"}},
		{at(18), 10, []string{"clr_never waited", "clr_waited"}},
		{at(99), 1, []string{"clr_never waited"}},
	} {
		list, err := s.Due().Gone(t.Context(), test.now, test.limit)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range list {
			got = append(got, list[i].ID)
		}
		equal(t, "Gone at "+test.now.String(), got, test.want)
	}
	if c, err := s.Clarification(t.Context(), "clr_of a turn"); err != nil || !c.WaitedAt.IsZero() {
		t.Errorf("what a turn asks has no asker who waits: %v, %v", c.WaitedAt, err)
	}
}

func testPendingCounts(t *testing.T, s store.Store) {
	counts := func(what string, want []store.PendingCount) {
		t.Helper()
		got, err := s.Due().Pending(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 2 && got[0].App > got[1].App {
			got[0], got[1] = got[1], got[0]
		}
		equal(t, what, got, want)
	}
	counts("an empty store", nil)
	for i, app := range []string{"b", "a", "b", "b"} {
		r := ref(string('a' + rune(i)))
		r.App = app
		update(t, s, r, func(tx store.Tx) error {
			c := question("clr_"+r.ChatID, 1, at(10-i))
			if i == 3 {
				c.State = tools.StateDeclined
			}
			return tx.AddClarification(c)
		})
	}
	counts("three pending", []store.PendingCount{{App: "a", Count: 1, Oldest: at(9)}, {App: "b", Count: 2, Oldest: at(8)}})
}

// testNewest: the newest question is the one asked by the newest run, whenever others were closed.
func testNewest(t *testing.T, s store.Store) {
	const older = 70
	update(t, s, ref("c"), func(tx store.Tx) error {
		tx.Conversation().Fence = 200
		for i := range older + 2 {
			c := question(fmt.Sprintf("clr_%02d", i), i+1, at(i))
			c.AskedFence = int64(i + 1)
			if i <= older { // all are closed after the newest of them
				c.State, c.AnsweredAt, c.DoneFence = tools.StateExpired, at(300-i), int64(200-i)
			} else {
				c.AskedFence = 1 // waits since the first run
			}
			if err := tx.AddClarification(c); err != nil {
				return err
			}
		}
		return nil
	})
	update(t, s, ref("c"), func(tx store.Tx) error {
		newest, err := tx.Clarifications().Newest()
		if len(newest) != 1 || newest[0].ID != fmt.Sprintf("clr_%02d", older) {
			t.Errorf("the newest: %+v", newest)
		}
		by, err2 := tx.Clarifications().AskedBy(1)
		if len(by) != 2 || by[0].ID != "clr_00" || by[1].ID != fmt.Sprintf("clr_%02d", older+1) {
			t.Errorf("asked by the first run: %+v", by)
		}
		none, err3 := tx.Clarifications().AskedBy(0)
		if len(none) != 0 {
			t.Errorf("asked by no run: %+v", none)
		}
		return errors.Join(err, err2, err3)
	})
}
