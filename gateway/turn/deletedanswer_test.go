package turn_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// deleteAnswer deletes the answer to a call's question.
func (h *house) deleteAnswer(callID string) {
	h.t.Helper()
	for _, m := range h.snapshot().Messages {
		for _, c := range m.ToolCalls {
			if c.ToolCallID == callID {
				if err := h.engine.DeleteAnswer(h.t.Context(), h.engine.Setup(), c.Clarification.ClarificationID, chat.Actor{}); err != nil {
					h.t.Fatal(err)
				}
			}
		}
	}
}

// inJSON returns a value as JSON.
func inJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// beforeUpdates runs a function once, before the next update of a run.
type beforeUpdates struct {
	store.Store
	then *func()
}

func (m beforeUpdates) UpdateAs(ctx context.Context, held store.Held, lazy bool, fn func(store.RunTx) error) error {
	if then := *m.then; then != nil {
		*m.then = nil
		then()
	}
	return m.Store.UpdateAs(ctx, held, lazy, fn)
}

// An answer that is deleted after the run has read it, and before it is the call's result, becomes no
// result: neither the store nor the model has it.
func TestAnAnswerDeletedBeforeItIsAResult(t *testing.T) {
	then := func() {}
	h := build(t, `{}`, func(s store.Store) store.Store { return beforeUpdates{s, &then} }, asks("call_1"), says("Done."), says("More."))
	h.drive(h.message("hi"))
	then = func() { h.deleteAnswer("call_1") }
	c := h.drive(h.answer("call_1", "zebra"))
	if got := h.model.last().Content; got != "[deleted]" {
		t.Errorf("the model reads %q", got)
	}
	if got := inJSON(t, h.snapshot()); strings.Contains(got, "zebra") || !strings.Contains(got, `"result":"[deleted]"`) {
		t.Errorf("the snapshot: %s", got)
	}
	for _, ev := range c.events(t) {
		if ev.Name == string(chat.EventToolCallEnd) && strings.Contains(string(ev.Data), "zebra") {
			t.Errorf("the run shows %s", ev.Data)
		}
	}
	h.drive(h.message("and"))
	if got := inJSON(t, h.model.sent[2].Messages); strings.Contains(got, "zebra") {
		t.Errorf("the next turn reads %s", got)
	}
}

// An answer that is deleted while the turn waits for another is not read when the turn goes on, on
// any node, and viewers see the deletion at once.
func TestAnAnswerDeletedWhileTheTurnWaits(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1", "call_2"), says("Done."))
	h.drive(h.message("hi"))
	h.drive(h.answer("call_1", "zebra"))
	before := h.snapshot()
	viewer := h.follow(t.Context(), before.LastEventID)
	other := h.node(stream.NewLocal())
	h.deleteAnswer("call_1")
	waitFor(t, func() bool { return strings.Contains(viewer.names(t), string(chat.EventClarificationResolved)) })
	if s := h.snapshot(); s.Status != chat.StatusAwaitingInput || len(s.Pending) != 1 || s.LastEventID == before.LastEventID {
		t.Errorf("the turn: %s, %d pending", s.Status, len(s.Pending))
	}
	other.drive(other.answer("call_2", "fine"))
	if got := inJSON(t, other.model.sent[1].Messages); strings.Contains(got, "zebra") || !strings.Contains(got, "[deleted]") || !strings.Contains(got, "fine") {
		t.Errorf("the model reads %s", got)
	}
}

// An answer that is deleted while the turn runs is announced when the turn is over, and the model reads
// it no more from the next turn on.
func TestAnAnswerDeletedWhileTheTurnRuns(t *testing.T) {
	reached := make(chan struct{})
	h := build(t, `{}`, nil, asks("call_1"), hangs("Well", reached), says("More."))
	h.drive(h.message("hi"))
	_, _, ended := h.start(h.answer("call_1", "zebra"))
	<-reached
	h.deleteAnswer("call_1")
	last := h.snapshot().LastEventID
	viewer := h.follow(t.Context(), last)
	if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	<-ended
	waitFor(t, func() bool { return strings.Contains(viewer.names(t), string(chat.EventClarificationResolved)) })
	for _, ev := range viewer.events(t) {
		if strings.Contains(string(ev.Data), "zebra") {
			t.Errorf("the viewer sees %s", ev.Data)
		}
	}
	h.drive(h.message("and"))
	if got := inJSON(t, h.model.sent[2].Messages); strings.Contains(got, "zebra") || !strings.Contains(got, "[deleted]") {
		t.Errorf("the next turn reads %s", got)
	}
}

// whereupon is a step during whose request something happens.
func whereupon(do func(), then answer) answer {
	return func(ctx context.Context, yield func(model.Delta, error) bool) {
		do()
		then(ctx, yield)
	}
}

// A run that has read an answer before its deletion stores nothing more of it: it neither repeats nor
// offers it.
func TestARunStoresNothingMoreOfADeletedAnswer(t *testing.T) {
	const asked = `{"question":"Where?","key":"place"}`
	for name, test := range map[string]struct{ asks, waits string }{
		"repeated":   {asked, ""},
		"again":      {`{"question":"Where?","key":"place","again":true}`, "call_2"},
		"by the key": {`{"question":"Which town, then?","key":"place"}`, "call_2"},
	} {
		t.Run(name, func(t *testing.T) {
			var h *house
			h = build(t, `{}`, nil, step("call_1", asked), whereupon(func() { h.deleteAnswer("call_1") }, step("call_2", test.asks)), says("Done."), says("More."))
			h.drive(h.message("hi"))
			c := h.drive(h.answer("call_1", "zebra"))
			if test.waits != "" {
				h.wantPending(name, test.waits)
				h.drive(h.answer(test.waits, "fine"))
			}
			if got := inJSON(t, h.snapshot()); strings.Contains(got, "zebra") {
				t.Errorf("the snapshot: %s", got)
			}
			for _, ev := range c.events(t) {
				if strings.Contains(string(ev.Data), "call_2") && strings.Contains(string(ev.Data), "zebra") {
					t.Errorf("the run shows %s", ev.Data)
				}
			}
			h.drive(h.message("and"))
			if got := inJSON(t, h.model.sent[len(h.model.sent)-1].Messages); strings.Contains(got, "zebra") {
				t.Errorf("the next turn reads %s", got)
			}
		})
	}
}

// The values of a prompt that are deleted while the model is first asked are not kept for the rest of
// the turn.
func TestADeletedValueIsNotKeptForTheTurn(t *testing.T) {
	var h *house
	form := ""
	h = filled(t, `{}`, whereupon(func() { h.deleteAnswer(form) }, asks("call_1")), says("Done."))
	h.drive(h.message("hi"))
	form = h.snapshot().Pending[0].ToolCallID
	h.drive(h.fills("zebra"))
	if b := h.basis(); b != nil && b.Values["language"] != "" {
		t.Errorf("kept: %+v", b)
	}
	other := h.node(stream.NewLocal())
	other.drive(other.answer("call_1", "fine"))
	if got := inJSON(t, h.model.sent[1].Messages); strings.Contains(got, "zebra") {
		t.Errorf("the model reads %s", got)
	}
}

// What was chosen is withdrawn from other chats, too, if their questions have the options in another order.
func TestADeletedChoiceAmongOptionsInAnotherOrder(t *testing.T) {
	for name, answer := range map[string]tools.Answer{
		"offered": {Values: []string{"zebra", "lion"}},
		"used":    {Values: []string{"zebra", "lion"}, DontAskAgain: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := buildApp(t, keeps, nil, step("call_1", `{"question":"Which?","input_type":"multiselect","options":["lion","zebra","ant"],"key":"format"}`), says("Done."),
				step("call_2", `{"question":"Which, then?","input_type":"multiselect","options":["zebra","ant","lion"],"key":"format"}`), says("Done."))
			h.drive(h.message("hi"))
			h.drive(h.replies("call_1", answer))
			other := h.chat("c2")
			other.drive(other.message("hi"))
			has := map[string]string{"offered": `"earlier":{"values"`, "used": `"answer":{"values"`}[name]
			if got := inJSON(t, other.snapshot()); !strings.Contains(got, has) {
				t.Fatalf("before: %s", got)
			}
			h.deleteAnswer("call_1")
			if got := inJSON(t, other.snapshot()); strings.Contains(got, has) || strings.Contains(got, `"result":"- zebra`) {
				t.Errorf("after: %s", got)
			}
		})
	}
}

// remarked is a tool that asks in the middle of its call, and repeats what was noted with the answer.
type remarked struct{}

func (remarked) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	if a := call.Asked; a != nil {
		return tools.Outcome{Result: "done", Note: a.Closing.Answer.Note}, nil
	}
	return tools.Outcome{Question: &tools.Question{Kind: tools.KindQuestion, State: json.RawMessage(`{}`), Parts: []tools.Part{{Question: "And?", InputType: tools.Text}}}}, nil
}

// The note with an answer to what a tool asks in its call is the person's words in the tool's result.
func TestADeletedNoteInAToolsOwnResult(t *testing.T) {
	h := build(t, `{}`, nil, asks("count_1"), says("Done."))
	h.tool = remarked{}
	h.drive(h.message("hi"))
	h.drive(h.replies("count_1", tools.Answer{Value: json.RawMessage(`"yes"`), Note: "zebra"}))
	if got := h.results()[0]; got != "done\nNote: zebra" {
		t.Fatalf("before: %q", got)
	}
	h.deleteAnswer("count_1")
	if got := h.results()[0]; got != "done\nNote: [deleted]" {
		t.Errorf("after: %q", got)
	}
}
