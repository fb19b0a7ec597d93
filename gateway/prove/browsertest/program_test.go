//go:build browser

package browsertest

import (
	"reflect"
	"testing"
)

// ci returns a question outside of a turn, as a program asks it.
func ci(id, text string) object {
	c := asked(question("text", text, nil))
	delete(c, "turnId")
	c["clarificationId"], c["toolCallId"] = id, "call_"+id
	c["clarificationNumber"], c["maxClarifications"] = 0, 0
	c["askedBy"] = object{"kind": "program", "name": "deploy", "title": "CI #4711", "version": "2.1"}
	return c
}

// said returns the event of a message from a program.
func said(id, text string) [2]any {
	return [2]any{"asker.message", object{"chatId": "c", "messageId": id, "content": text, "askedBy": object{"kind": "program", "name": "deploy"}}}
}

// Questions and lines of programs in a chat leave its turn unchanged.
func TestTheReducerTakesWhatProgramsAsk(t *testing.T) {
	t.Parallel()
	p, _ := openClient(t)
	p.js("end()")
	type event = [2]any
	start, resumed := event{"turn.start", object{"chatId": "c", "turnId": "t"}}, event{"turn.start", object{"chatId": "c", "turnId": "t", "resumed": true}}
	user := event{"user.message", object{"messageId": "m", "content": "q"}}
	chunk := func(s string) event { return event{"chunk", object{"content": s}} }
	failed := event{"error", object{"code": "model_timeout", "message": "late", "retryable": true}}
	done := func(why string) event {
		return event{"done", object{"turnId": "t", "finishReason": why, "usage": object{"inputTokens": 7}}}
	}
	told := func(why string) event {
		return event{"done", object{"finishReason": why, "usage": object{"inputTokens": 0}}}
	}
	asks := func(id string) event { return event{"clarification", ci(id, "Deploy?")} }
	model := event{"clarification", with(asked(question("text", "Who?", nil)), "turnId", "t")}
	for _, tt := range []struct {
		name   string
		events []event
		want   []string
		check  string
	}{
		{"in a chat without a turn", []event{asks("a"), told("clarification")}, []string{"clarification | pending | "},
			"s.status === 'awaiting_input' && s.finishReason === '' && s.pending.length === 1 && s.clarifications.max === 0"},
		{"and its answer", []event{asks("a"), told("clarification"), closes("a", "answered", false), told("stop")}, []string{"clarification | answered | "},
			"s.status === 'idle' && s.finishReason === '' && s.usage === null"},
		{"several", []event{asks("a"), told("clarification"), asks("b"), told("clarification"), closes("a", "declined", false), told("stop")},
			[]string{"clarification | declined | ", "clarification | pending | "}, "s.status === 'awaiting_input' && s.pending[0].clarificationId === 'b'"},
		{"a line", []event{said("l", "Deployed."), told("stop")}, []string{"assistant | Deployed. | "}, "s.status === 'idle' && s.items[0].askedBy.name === 'deploy' && !s.items[0].open"},
		{"during a turn that waits", []event{start, user, model, done("clarification"), asks("a"), told("clarification"), closes("a", "answered", false), told("stop")},
			[]string{"user | q | ", "clarification | pending | ", "clarification | answered | "},
			"s.status === 'awaiting_input' && s.finishReason === 'clarification' && s.pending[0].clarificationId === 'clr_1' && s.clarifications.used === 1 && s.usage.inputTokens === 7"},
		{"open while a turn runs, and after it", []event{asks("a"), told("clarification"), start, user, chunk("x"), done("stop")},
			[]string{"clarification | pending | ", "user | q | ", "assistant | x | "}, "s.status === 'awaiting_input' && s.finishReason === 'stop'"},
		{"behind a turn that failed, and goes on", []event{start, user, chunk("wro"), failed, done("error"), asks("a"), told("clarification"), said("l", "Well?"), told("stop"),
			resumed, {"step.restart", object{"turnId": "t"}}, chunk("right"), done("stop")},
			[]string{"user | q | ", "clarification | pending | ", "assistant | Well? | ", "assistant | right | "}, "!s.resumable && s.finishReason === 'stop'"},
		{"behind one that may go on", []event{start, user, chunk("wro"), failed, done("error"), asks("a"), told("clarification")},
			[]string{"user | q | ", "assistant | wro | ", "error | model_timeout | ", "clarification | pending | "}, "s.resumable && s.finishReason === 'error'"},
	} {
		got := eval[[]string](p, `(() => { globalThis.s = %s.reduce((s, [type, data], i) => gate.reduce(s, {id: String(i + 1), type, data}), gate.initialState); return brief(s); })()`, tt.events)
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if !eval[bool](p, tt.check) {
			t.Errorf("%s: not %s", tt.name, tt.check)
		}
	}
}

func TestTheReducerOfWhatWaits(t *testing.T) {
	t.Parallel()
	p, _ := openClient(t)
	p.js("end()")
	waits := func(id string) object {
		return with(with(ci(id, "Deploy "+id+"?"), "app", "assistant"), "chatId", "c-"+id)
	}
	resolved := object{"app": "assistant", "chatId": "c-a", "clarificationId": "a", "outcome": "answered", "answer": object{"value": "yes"}, "answeredAt": "2026-11-23T10:00:00.000Z", "by": object{"subject": "bob", "channel": "api"}}
	got := eval[[]string](p, `(() => {
		const told = (s) => s.pending.map((c) => c.clarificationId).join("") + "|" + s.closed.map((c) => c.clarificationId + " " + c.state + " " + c.answeredBy?.subject).join();
		let s = gate.initialInbox;
		return %s.map(([id, type, data]) => told(s = gate.reduceInbox(s, {id, type, data})));
	})()`, []any{
		[]any{"1", "snapshot", object{"pending": []object{waits("a"), waits("b")}, "lastEventId": "1"}},
		[]any{"2", "clarification", waits("c")}, []any{"3", "clarification", waits("c")}, []any{"3", "clarification", waits("d")},
		[]any{"4", "clarification.resolved", resolved}, []any{"5", "clarification", waits("a")}, []any{"6", "clarification.resolved", resolved},
		[]any{"7", "done", object{"app": "assistant", "chatId": "c-a", "finishReason": "stop"}},
		[]any{"8", "snapshot", object{"pending": []object{waits("c")}, "lastEventId": "8"}},
	})
	want := []string{"ab|", "abc|", "abc|", "abc|", "bc|a answered bob", "bc|a answered bob", "bc|a answered bob", "bc|a answered bob", "c|a answered bob"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
