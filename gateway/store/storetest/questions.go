package storetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// format is a question with a recommended option.
func format(text string) tools.Question {
	return tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{ID: "q1", Question: text, InputType: tools.Select, AllowOther: true,
		Options: []tools.Option{{Label: "PDF", Value: "pdf", Recommended: true}, {Label: "HTML", Value: "html"}}}}}
}

// fromTemplate is a question of a template, whose text differs with its values.
func fromTemplate(name, text string) tools.Question {
	q := format(text)
	q.Parts[0].Template = name
	return q
}

func value(v string) *tools.Answer {
	return &tools.Answer{Value: json.RawMessage(`"` + v + `"`)}
}

// asker asks and answers questions of one store.
type asker struct {
	t *testing.T
	s store.Store
	n int
}

// ask stores a pending question and returns it.
func (a *asker) ask(subject, app, model string, asked time.Time, q tools.Question) chat.Clarification {
	a.t.Helper()
	a.n++
	c := question(fmt.Sprintf("clr_q%d", a.n), 1, asked)
	c.Ref = chat.Ref{Tenant: "t", Subject: subject, App: app, ChatID: fmt.Sprint("c", a.n)}
	c.Model, c.Question, c.Copied = model, q, subject == "fork"
	update(a.t, a.s, c.Ref, func(tx store.Tx) error { return tx.AddClarification(c) })
	return c
}

// end closes a question after some time.
func (a *asker) end(c chat.Clarification, state tools.State, after time.Duration, answer *tools.Answer) {
	a.t.Helper()
	c.State, c.Answer, c.AnsweredAt = state, answer, c.AskedAt.Add(after)
	update(a.t, a.s, c.Ref, func(tx store.Tx) error { return tx.Clarifications().Save(c) })
}

func (a *asker) report(since time.Time, app string, limit int) store.Questions {
	a.t.Helper()
	found, err := a.s.Overview().Questions(a.t.Context(), since, app, limit)
	if err != nil {
		a.t.Fatal(err)
	}
	return found
}

func testQuestions(t *testing.T, s store.Store) {
	a := &asker{t: t, s: s}
	if got := a.report(time.Time{}, "", 10); len(got.Rows) != 0 || len(got.Models) != 0 || got.Others != 0 {
		t.Errorf("an empty store: %+v", got)
	}
	for i, state := range []tools.State{tools.StateAnswered, tools.StateAnswered, tools.StateAnswered, tools.StateSkipped, tools.StateDeclined,
		tools.StateExpired, tools.StateSuperseded, tools.StateCancelled, tools.StateRemembered, tools.StatePending} {
		// The same question, however it is written.
		c := a.ask(fmt.Sprint("s", i), "b", []string{"small", "large"}[i%2], at(i), format([]string{"Which format?", "which  FORMAT"}[i%2]))
		if state == tools.StatePending {
			continue
		}
		answer := []*tools.Answer{value("pdf"), value("html"), {Other: "a poster"}}
		if state != tools.StateAnswered {
			answer = []*tools.Answer{3: {Skipped: true}, 4: {Declined: true}, 9: nil}
		}
		a.end(c, state, time.Duration(i+1)*time.Second, answer[min(i, len(answer)-1)])
		if i == 0 {
			if _, err := s.SaveSeen(t.Context(), a.ask("seen", "b", "small", at(20), format("Which format?")).ID, at(21)); err != nil {
				t.Fatal(err)
			}
		}
	}
	other := format("Which format?")
	other.Parts[0].Options[1].Value = "svg"
	a.ask("s", "b", "small", at(5), other)
	for i := range 3 {
		a.end(a.ask(fmt.Sprint("s", i), "a", "", at(i), fromTemplate("report_format", fmt.Sprint("Format of report ", i, "?"))),
			tools.StateAnswered, time.Minute, value("pdf"))
	}
	a.end(a.ask("fork", "b", "small", at(1), format("Which format?")), tools.StateAnswered, time.Second, value("pdf"))
	approval := format("May it?")
	approval.Kind = tools.KindApproval
	a.end(a.ask("s", "b", "small", at(1), approval), tools.StateAnswered, time.Second, value("yes"))

	counts := store.QuestionCounts{Asked: 11, Pending: 2, Answered: 3, Skipped: 1, Declined: 1, Expired: 1, Superseded: 1, Cancelled: 1,
		Remembered: 1, Shown: 1, Recommended: 3, Taken: 1, Other: 1}
	seconds := func(count, p50, p90 int) store.Waits {
		return store.Waits{Count: count, P50: time.Duration(p50) * time.Second, P90: time.Duration(p90) * time.Second}
	}
	templated := store.QuestionRow{App: "a", Template: "report_format", Models: map[string]int{},
		QuestionCounts: store.QuestionCounts{Asked: 3, Answered: 3, Recommended: 3, Taken: 3}, Waits: seconds(3, 60, 60)}
	first := store.QuestionRow{App: "b", Shape: format("which format").Shape(), QuestionCounts: counts, Waits: seconds(5, 3, 5),
		Models: map[string]int{"small": 6, "large": 5}}
	rare := store.QuestionRow{App: "b", Shape: other.Shape(), QuestionCounts: store.QuestionCounts{Asked: 1, Pending: 1}, Models: map[string]int{"small": 1}}

	whole := a.report(time.Time{}, "", 10)
	for i := range whole.Rows {
		row := &whole.Rows[i]
		if example := row.Example; row.Template != "" {
			equal(t, "no example where a template defines the question", example == nil, true)
		} else if example == nil {
			t.Fatalf("no example of %+v", *row)
		} else if example.Shape() != row.Shape {
			t.Errorf("the example is %+v", example)
		}
		row.Example = nil
	}
	equal(t, "all", whole.Rows, []store.QuestionRow{first, templated, rare})
	equal(t, "none is left out", whole.Others, 0)
	large := store.QuestionCounts{Asked: 5, Pending: 1, Answered: 1, Skipped: 1, Expired: 1, Cancelled: 1, Recommended: 1}
	small := counts
	small.Asked, small.Pending, small.Answered, small.Skipped, small.Expired, small.Cancelled, small.Recommended = 7, 2, 2, 0, 0, 0, 2
	equal(t, "by model", whole.Models, []store.ModelRow{{App: "b", Model: "large", QuestionCounts: large}, {App: "b", Model: "small", QuestionCounts: small}})

	app := a.report(time.Time{}, "a", 10)
	equal(t, "of an app", app.Rows, []store.QuestionRow{templated})
	few := a.report(time.Time{}, "", 2)
	equal(t, "rows at most", len(few.Rows), 2)
	equal(t, "rows left out", few.Others, 1)
	equal(t, "the most frequently asked comes first", few.Rows[0].Asked, 11)
	since := a.report(at(9), "", 10)
	equal(t, "asked since", []int{len(since.Rows), since.Rows[0].Asked, since.Rows[0].Pending, since.Rows[0].Waits.Count}, []int{1, 2, 2, 0})

	if err := s.Delete(t.Context(), chat.Ref{Tenant: "t", Subject: "s0", App: "b", ChatID: "c1"}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	left := a.report(time.Time{}, "b", 10).Rows[0]
	equal(t, "a deleted chat is not counted", []int{left.Asked, left.Answered, left.Taken, left.Waits.Count}, []int{10, 2, 0, 4})
}

func testAgain(t *testing.T, s store.Store) {
	a := &asker{t: t, s: s}
	answered := func(subject, app string, minute int, q tools.Question, answer *tools.Answer) {
		a.end(a.ask(subject, app, "m", at(minute), q), tools.StateAnswered, time.Second, answer)
	}
	again := func(what string, same, another int) {
		t.Helper()
		var got [2]int
		for _, row := range a.report(time.Time{}, "", 10).Rows {
			got[0] += row.AgainSame
			got[1] += row.AgainOther
		}
		equal(t, what, got, [2]int{same, another})
	}
	q := format("Which format?")
	answered("ann", "b", 1, q, value("pdf"))
	again("the first answer", 0, 0)
	answered("ann", "b", 2, format("WHICH FORMAT"), value("pdf"))
	again("the same answer", 1, 0)
	answered("ann", "b", 3, q, &tools.Answer{Value: json.RawMessage(` "pdf"`), Note: "as always"})
	again("a note changes nothing", 2, 0)
	a.end(a.ask("ann", "b", "m", at(4), q), tools.StateSkipped, time.Second, &tools.Answer{Skipped: true})
	again("a skip does not count as an answer", 2, 0)
	answered("ann", "b", 5, q, value("html"))
	again("another answer than the last one that counted", 2, 1)
	answered("ann", "b", 6, q, value("pdf"))
	again("the one before the last does not count", 2, 2)
	answered("bob", "b", 7, q, value("pdf"))
	answered("ann", "c", 7, q, value("pdf"))
	again("neither other people's answers, nor those in other apps", 2, 2)
	answered("ann", "b", 8, fromTemplate("f", "Which format of A?"), value("pdf"))
	answered("ann", "b", 9, fromTemplate("f", "Which format of B?"), value("html"))
	again("a template's questions count as one", 2, 3)
	for range 2 {
		answered("cem", "b", 10, q, &tools.Answer{Values: []string{"a", "b"}})
	}
	answered("cem", "b", 11, q, &tools.Answer{Values: []string{"ab"}})
	answered("cem", "b", 12, q, &tools.Answer{Answers: []tools.Answer{{Value: json.RawMessage("1")}, {Skipped: true}}})
	again("values are compared one by one", 3, 5)
}
