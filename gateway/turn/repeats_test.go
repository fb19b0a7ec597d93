package turn_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

const (
	askFormat = `{"question":"Which format?","options":["pdf","csv"],"allow_skip":true}`
	askAnew   = `{"question":"which format","options":["csv","pdf"],"allow_skip":true,"again":true}`
	askOther  = `{"question":"Which colour?"}`
)

// step is a step with calls of ask_user: their ids and arguments, alternating.
func step(pairs ...string) answer {
	return func(_ context.Context, yield func(model.Delta, error) bool) {
		var calls []model.ToolCall
		for i := 0; i < len(pairs); i += 2 {
			name := "ask_user"
			switch {
			case strings.HasPrefix(pairs[i], "guard"):
				name = "clock"
			case strings.HasPrefix(pairs[i], "count"):
				name = "calculator"
			case strings.HasPrefix(pairs[i], "remember"):
				name = "remember"
			}
			calls = append(calls, model.ToolCall{ID: pairs[i], Name: name, Arguments: pairs[i+1]})
		}
		yield(model.Delta{ToolCalls: calls, Finish: model.FinishToolCalls}, nil)
	}
}

// came returns the results of the chat's calls, in order, each with its call; for a repeated call,
// the call whose result it has.
func (h *house) came() string {
	h.t.Helper()
	var list []string
	for _, m := range h.snapshot().Messages {
		for _, c := range m.ToolCalls {
			text := "open"
			if c.Result != nil {
				text = *c.Result
			}
			text, note, repeated := strings.Cut(text, "\n\n[gateway] ")
			if repeated {
				of, _, _ := strings.Cut(strings.TrimPrefix(note, "This is the result of the call "), ",")
				text += " (" + of + ")"
			}
			list = append(list, c.ToolCallID+": "+text)
		}
	}
	return strings.Join(list, "\n")
}

func (h *house) wantResults(want ...string) {
	h.t.Helper()
	if got := h.came(); got != strings.Join(want, "\n") {
		h.t.Errorf("results:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

// closes sends the command that ends the pending question of a call.
func (h *house) closes(call, answer string) turn.Command {
	var a tools.Answer
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		h.t.Fatal(err)
	}
	return turn.Command{Ref: h.ref, Answer: &turn.Answer{ToolCallID: call, Answer: a}}
}

func (h *house) wantRepeats(want string) {
	h.t.Helper()
	if err := testutil.GatherAndCompare(h.engine.Options.Registry.(prometheus.Gatherer), strings.NewReader(
		"# HELP askgate_clarification_repeats_total Questions that repeat one of their turn, by what became of them: returned, waited, again.\n"+
			"# TYPE askgate_clarification_repeats_total counter\n"+want), "askgate_clarification_repeats_total"); err != nil {
		h.t.Error(err)
	}
}

const noAnswer = `{"userAnswer":null,"`

// The waiting call gets the result of the first, whatever that is, on any node. After a question
// without an answer, the same question is asked again.
func TestTheSecondOfTwoEqualQuestionsWaitsForTheFirst(t *testing.T) {
	for name, c := range map[string]struct {
		ends   func(h *house)
		result string
		again  bool // it is asked where the model asks again
	}{
		"answered": {func(h *house) { h.drive(h.closes("call_1", `{"value":"csv"}`)) }, "csv", false},
		"skipped":  {func(h *house) { h.drive(h.closes("call_1", `{"skipped":true}`)) }, noAnswer + `skipped":true`, false},
		"declined": {func(h *house) { h.drive(h.closes("call_1", `{"declined":true}`)) }, noAnswer + `declined":true`, false},
		"expired": {func(h *house) {
			ctx, cancel := context.WithCancel(h.t.Context())
			defer cancel()
			time.Sleep(time.Hour)
			h = h.node(stream.NewPartial()) // one that slept has no lease: its own run may be taken over
			go h.engine.Sweep(ctx)
			time.Sleep(5 * time.Second)
			synctest.Wait()
		}, noAnswer + `timedOut":true`, true},
		"superseded": {func(h *house) { h.drive(h.message("something else")) }, noAnswer + `superseded":true`, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := build(t, `{"expiresIn":"1h","onMessageWhilePending":"supersede"}`, nil,
					step("call_1", askFormat, "call_2", askOther, "call_3", askFormat, "guard_1", `{"timezone":"UTC"}`, "call_4", askFormat), step("call_5", askFormat), says("done"))
				if got := h.drive(h.message("hi")).names(t); got != "turn.start user.message"+strings.Repeat(" tool.call.start", 5)+strings.Repeat(" clarification", 3)+" done" {
					t.Fatalf("events: %s", got)
				}
				if s := h.snapshot(); len(s.Pending) != 3 || s.Clarifications.Used != 2 {
					t.Fatalf("%d pending, %d used", len(s.Pending), s.Clarifications.Used)
				}
				h.drive(h.closes("call_2", `{"value":"blue"}`))
				h.drive(h.closes("guard_1", `{"value":false}`))
				h = h.node(stream.NewPartial())
				c.ends(h)
				got := h.came()
				for _, call := range []string{"call_3", "call_4"} {
					if _, result, ok := strings.Cut(got, "\n"+call+": "+c.result); !ok || !strings.HasSuffix(strings.SplitN(result, "\n", 2)[0], "(call_1)") {
						t.Errorf("%s: want %s\n%s", call, c.result, got)
					}
				}
				if !strings.Contains(got, "call_1: "+c.result) || strings.Contains(got, "call_5: open") != c.again || strings.Count(got, "open") > 1 {
					t.Errorf("results:\n%s", got)
				}
				if s := h.snapshot(); (s.Status == "awaiting_input") != c.again || (len(s.Pending) == 1) != c.again || (s.Clarifications.Used == 3) != c.again {
					t.Errorf("%s, %d pending, %d used", s.Status, len(s.Pending), s.Clarifications.Used)
				}
			})
		})
	}
}

// An answered, skipped or declined question counts until a call asks again; then the latest counts.
// A new turn begins without any.
func TestTheLatestAnswerOfTheTurnCounts(t *testing.T) {
	h := build(t, `{}`, nil, step("call_1", askFormat), step("call_2", askFormat), step("call_3", askAnew), step("call_4", askFormat), says("done"), step("call_5", askFormat), says("done"))
	h.drive(h.message("hi"))
	if got := h.drive(h.closes("call_1", `{"value":"csv"}`)).names(t); got != "turn.start clarification.resolved tool.call.end tool.call.start tool.call.end tool.call.start clarification done" {
		t.Errorf("events: %s", got)
	}
	h.drive(h.closes("call_3", `{"declined":true}`))
	h.drive(h.message("and now"))
	h.drive(h.closes("call_5", `{"value":"pdf"}`))
	declined := noAnswer + `declined":true,"message":"The user declined to answer. Do not ask this again."}`
	h.wantResults("call_1: csv", "call_2: csv (call_1)", "call_3: "+declined, "call_4: "+declined+" (call_3)", "call_5: pdf")
	h.wantRepeats(`askgate_clarification_repeats_total{app="helper",how="again"} 1
		askgate_clarification_repeats_total{app="helper",how="returned"} 2
	`)
}

// A repeated call needs no room under a cap; if the first of two has none, neither has the second.
func TestRepeatsAndCaps(t *testing.T) {
	h := build(t, `{"perTurn": 1}`, nil, step("call_1", askFormat), step("call_2", askFormat, "call_3", askOther), says("done"))
	h.drive(h.message("hi"))
	h.drive(h.closes("call_1", `{"value":"csv"}`))
	if got := h.came(); !strings.Contains(got, "call_2: csv (call_1)\ncall_3: {\"error\":{\"code\":\"CLARIFICATION_LIMIT_REACHED\"") {
		t.Errorf("results:\n%s", got)
	}
	synctest.Test(t, func(t *testing.T) { // in virtual time: no window ends meanwhile
		h := build(t, `{"perPrincipalPerDay": 1}`, nil, step("call_1", askOther, "call_2", askFormat, "call_3", askFormat), says("done"))
		h.drive(h.message("hi"))
		for _, call := range []string{"call_2", "call_3"} {
			if got := h.came(); !strings.Contains(got, call+`: {"error":{"code":"CLARIFICATION_LIMIT_REACHED"`) {
				t.Errorf("results:\n%s", got)
			}
		}
	})
}

// A model that endlessly asks the same asks once, and ends with its steps.
func TestAModelThatAsksTheSameForEverEnds(t *testing.T) {
	h := build(t, `{}, "maxSteps": 7`, nil)
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		h.model.add(step(id+"1", askFormat, id+"2", askFormat))
	}
	h.drive(h.message("hi"))
	if got := h.drive(h.closes("a1", `{"value":"pdf"}`)).names(t); !strings.HasSuffix(got, "chunk done") || strings.Contains(got, "clarification ") {
		t.Errorf("events: %s", got)
	}
	if s := h.snapshot(); s.Status != "idle" || s.FinishReason != "max_steps" || s.Clarifications.Used != 1 {
		t.Errorf("%s, %s, %d used", s.Status, s.FinishReason, s.Clarifications.Used)
	}
}

// An answer that breaks the new question's rule does not count for it.
func TestWhatIsAskedThoughItRepeats(t *testing.T) {
	h := build(t, `{}`, nil, step("call_1", askOther), step("call_2", `{"question":"Which colour?","validation":{"max":3}}`), step("call_3", askOther), says("done"))
	h.drive(h.message("hi"))
	h.drive(h.closes("call_1", `{"value":"blue"}`))
	h.drive(h.closes("call_2", `{"value":"red"}`))
	h.wantResults("call_1: blue", "call_2: red", "call_3: red (call_2)")
}

// If an answer is changed in a new chat, the calls that waited for it get the new one as well.
func TestWhatWaitedForAnAnswerIsForkedWithIt(t *testing.T) {
	h := build(t, `{}`, nil, step("call_1", askFormat, "call_2", askOther, "call_3", askFormat), says("done"), says("done otherwise"))
	h.drive(h.message("hi"))
	h.drive(h.closes("call_1", `{"value":"csv"}`))
	h.drive(h.closes("call_2", `{"value":"blue"}`))
	h.drive(h.fork(chat.Fork{ClarificationID: h.asked(0)}, nil, "pdf"))
	h.wantResults("call_1: csv", "call_2: blue", "call_3: csv (call_1)")
	h.chat("c2").wantResults("call_1: pdf", "call_2: blue", "call_3: pdf (call_1)")
}
