package turn_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// together returns answers by call, with texts as values.
func (h *house) together(pairs ...string) turn.Command {
	cmd := turn.Command{Ref: h.ref}
	for i := 0; i < len(pairs); i += 2 {
		raw, _ := json.Marshal(pairs[i+1])
		cmd.Answers = append(cmd.Answers, turn.Answer{ToolCallID: pairs[i], Answer: tools.Answer{Value: raw}})
	}
	return cmd
}

// Several answers are one change: all ends are announced in one run, in the order in which the
// questions were asked, also to readers of the run; the turn continues once.
func TestSeveralAnswersAreTakenTogether(t *testing.T) {
	h := build(t, `{}`, nil, asks("ask_1", "ask_2", "guard_3"), says("Done."))
	h.drive(h.message("hi"))
	cmd := h.together("ask_2", "two", "ask_1", "one")
	cmd.Answers = append(cmd.Answers, turn.Answer{ToolCallID: "guard_3", Answer: tools.Answer{Value: json.RawMessage(`true`)}})
	cmd.IdempotencyKey, cmd.Hash = "k", "h"
	got := h.drive(cmd)
	if names := got.names(t); names != "turn.start clarification.resolved clarification.resolved clarification.resolved tool.call.end tool.call.end tool.call.end chunk done" {
		t.Errorf("told %s", names)
	}
	var order []string
	for _, ev := range got.events(t)[1:4] {
		var end struct{ ToolCallID string }
		if err := json.Unmarshal(ev.Data, &end); err != nil {
			t.Fatal(err)
		}
		order = append(order, end.ToolCallID)
	}
	if so := strings.Join(order, " "); so != "ask_1 ask_2 guard_3" {
		t.Errorf("in the order %s", so)
	}
	if results := h.results(); results[0] != "one" || results[1] != "two" || h.calls.Load() != 1 {
		t.Errorf("results %q, %d runs of the tool", results, h.calls.Load())
	}
	again := h.node(stream.NewLocal()).drive(cmd)
	for i, ev := range got.events(t) {
		if other := again.events(t)[i]; ev.ID != other.ID && ev.Name != "chunk" || ev.Name != other.Name || string(ev.Data) != string(other.Data) {
			t.Errorf("repeated, event %d is %s %s %s, was %s %s %s", i, other.ID, other.Name, other.Data, ev.ID, ev.Name, ev.Data)
		}
	}
}

// Readers of a run get an approved call after the answers, unchanged.
func TestARunThatIsMadeAgainTellsAnswersBeforeCalls(t *testing.T) {
	h := build(t, `{}`, nil, asks("guard_1", "ask_2", "ask_3"), says("Done."))
	h.drive(h.message("hi"))
	cmd := h.together("ask_2", "two", "ask_3", "three")
	cmd.Answers = append(cmd.Answers, turn.Answer{ToolCallID: "guard_1", Answer: tools.Answer{Value: json.RawMessage(`true`)}})
	cmd.IdempotencyKey, cmd.Hash = "k", "h"
	got := h.drive(cmd).events(t)
	for i, other := range h.node(stream.NewLocal()).drive(cmd).events(t) {
		if ev := got[i]; ev.ID != other.ID || ev.Name != other.Name || ev.Name == "tool.call.end" && string(ev.Data) != string(other.Data) {
			t.Errorf("repeated, event %d is %s %s %s, was %s %s %s", i, other.ID, other.Name, other.Data, ev.ID, ev.Name, ev.Data)
		}
	}
}

// Part of the waiting questions may be answered: the others stay open.
func TestSomeOfSeveralAnswersLeaveTheRestOpen(t *testing.T) {
	h := build(t, `{}`, nil, asks("ask_1", "ask_2", "ask_3"), says("Done."))
	h.drive(h.message("hi"))
	if names := h.drive(h.together("ask_3", "three", "ask_1", "one")).names(t); names != "turn.start clarification.resolved clarification.resolved done" {
		t.Errorf("told %s", names)
	}
	if p := h.snapshot().Pending; len(p) != 1 || p[0].ToolCallID != "ask_2" {
		t.Fatalf("%d are open", len(p))
	}
	h.drive(h.together("ask_2", "two"))
	if results := strings.Join(h.results(), " "); results != "one two three" {
		t.Errorf("results %s", results)
	}
}

// If one answer is invalid, none is accepted: nothing is stored.
func TestOfSeveralAnswersAllAreTakenOrNone(t *testing.T) {
	closed := func(h *house) { h.drive(h.answer("ask_2", "first")) }
	for name, c := range map[string]struct {
		before  func(*house)
		answers []turn.Answer
		code    chat.Code
		detail  string
	}{
		"answered before":   {before: closed, answers: []turn.Answer{{ToolCallID: "ask_1"}, {ToolCallID: "ask_2"}}, code: chat.CodeAlreadyAnswered},
		"unknown":           {answers: []turn.Answer{{ToolCallID: "ask_1"}, {ToolCallID: "ask_9"}}, code: chat.CodeNotFound, detail: "no_such_call"},
		"twice":             {answers: []turn.Answer{{ToolCallID: "ask_1"}, {ToolCallID: "ask_1"}}, code: chat.CodeInvalidRequest, detail: "answered_twice"},
		"something else":    {answers: []turn.Answer{{ToolCallID: "ask_1"}, {ToolCallID: "guard_3", Digest: "sha256:0"}}, code: chat.CodeApprovalChanged},
		"the last is wrong": {answers: []turn.Answer{{ToolCallID: "ask_1"}, {ToolCallID: "ask_2", Answer: tools.Answer{Values: []string{"x"}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, `{}`, nil, asks("ask_1", "ask_2", "guard_3"), says("Done."))
			h.drive(h.message("hi"))
			if c.before != nil {
				c.before(h)
			}
			open := len(h.snapshot().Pending)
			for i := range c.answers {
				if c.answers[i].Values == nil {
					c.answers[i].Value = json.RawMessage(`"x"`)
				}
			}
			_, err := h.engine.Submit(t.Context(), turn.Command{Ref: h.ref, Answers: c.answers})
			if c.code == "" {
				var wrong *turn.AnswersError
				if !errors.As(err, &wrong) || len(wrong.Refused) != 1 || wrong.Refused[0].ToolCallID != "ask_2" {
					t.Fatalf("got %v", err)
				}
			} else if e := wantCode(t, err, c.code); e.Detail != c.detail {
				t.Errorf("detail %q", e.Detail)
			} else if c.code == chat.CodeAlreadyAnswered && string(e.Clarification.Answer.Value) != `"first"` {
				t.Errorf("the answer that counts is %s", e.Clarification.Answer.Value)
			}
			if now := len(h.snapshot().Pending); now != open {
				t.Errorf("%d are open, not %d", now, open)
			}
		})
	}
}

// Each invalid answer is named, with all its fields.
func TestEveryAnswerOfSeveralThatDoesNotFitIsNamed(t *testing.T) {
	h := build(t, `{}`, nil, asks("ask_1", "ask_2", "ask_3"), says("Done."))
	h.drive(h.message("hi"))
	cmd := h.together("ask_3", " ", "ask_2", "fits", "ask_1", "")
	var wrong *turn.AnswersError
	if _, err := h.engine.Submit(t.Context(), cmd); !errors.As(err, &wrong) || len(wrong.Refused) != 2 {
		t.Fatalf("got %v", err)
	}
	for i, call := range []string{"ask_3", "ask_1"} {
		if of := wrong.Refused[i]; of.ToolCallID != call || of.ClarificationID == "" || len(of.Err.Fields) != 1 || of.Err.Fields[0].Code != "blank" {
			t.Errorf("%d: %+v", i, of)
		}
	}
}

// If one question expired meanwhile, all answers are refused.
func TestSeveralAnswersAfterTheTimeAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"expiresIn": "1h"}`, nil, asks("ask_1", "ask_2"), says("Done."))
		h.drive(h.message("hi"))
		time.Sleep(2 * time.Hour)
		_, err := h.engine.Submit(t.Context(), h.together("ask_1", "one", "ask_2", "two"))
		wantCode(t, err, chat.CodeClarificationClosed)
	})
}

// A program's question does not belong to the turn, and is answered alone.
func TestSeveralAnswersAreForTheTurn(t *testing.T) {
	h := build(t, `{}`, nil, asks("ask_1"), says("Done."))
	h.drive(h.message("hi"))
	c := h.ask(h.asking("k"))
	cmd := h.together("ask_1", "one")
	cmd.Answers = append(cmd.Answers, turn.Answer{ClarificationID: c.ID, Answer: tools.Answer{Value: json.RawMessage(`"yes"`)}})
	_, err := h.engine.Submit(t.Context(), cmd)
	if e := wantCode(t, err, chat.CodeInvalidRequest); e.Detail != "answers_of_turn" || e.Params["Field"] != "answers[1]" {
		t.Errorf("%q %v", e.Detail, e.Params)
	}
	if names := h.drive(h.together("ask_1", "one")).names(t); names != "turn.start clarification.resolved tool.call.end chunk done" {
		t.Errorf("together with a program's question: %s", names)
	}
}
