package turn_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// calling is a step with a call of each tool, alternating with its arguments.
func calling(pairs ...string) answer {
	return func(_ context.Context, yield func(model.Delta, error) bool) {
		var calls []model.ToolCall
		for i := 0; i < len(pairs); i += 2 {
			calls = append(calls, model.ToolCall{ID: pairs[i] + "_" + string('1'+rune(i/2)), Name: pairs[i], Arguments: pairs[i+1]})
		}
		yield(model.Delta{ToolCalls: calls, Finish: model.FinishToolCalls}, nil)
	}
}

// A person sees the repaired form before they allow a call, and that form is stored and run,
// for ask_user and for other tools alike.
func TestSpoiledArgumentsAreRepairedForAllThatFollows(t *testing.T) {
	h := build(t, `{}`, nil, calling(
		"clock", "{}{\"timezone\": \"Europe/\nParis\"}<|im_end|>",
		"ask_user", `{"question":"Which?","context":"a\d"}{"context":"a\\d","question":"Which?"}`,
		"calculator", `"{\"expression\": \"1\"}"`), says("Done."))
	ran := map[string]string{}
	h.tool = does(func(c tools.Call) { ran[c.Name] = c.Arguments })
	const clock, asked, sum = `{"timezone":"Europe/\nParis"}`, `{"question":"Which?","context":"a\\d"}`, `{"expression":"1"}`
	var told []string
	for _, ev := range h.drive(h.message("hi")).events(t) {
		if ev.Name == string(chat.EventToolCallStart) {
			var start struct{ Arguments json.RawMessage }
			if err := json.Unmarshal(ev.Data, &start); err != nil {
				t.Fatal(err)
			}
			told = append(told, string(start.Arguments))
		}
	}
	if !slices.Equal(told, []string{clock, asked, sum}) {
		t.Errorf("events tell %q", told)
	}
	s := h.snapshot()
	if len(s.Pending) != 2 || string(s.Pending[0].Arguments) != clock || !strings.Contains(s.Pending[0].ArgumentsText, `"Europe/\nParis"`) {
		t.Fatalf("asked %+v", s.Pending)
	}
	if got := s.Pending[1].Questions[0]; got.Question != "Which?" || got.Context != `a\d` {
		t.Errorf("the question is %+v", got)
	}
	for i, want := range []string{clock, asked, sum} {
		if got := s.Messages[1].ToolCalls[i].Arguments; string(got) != want {
			t.Errorf("call %d is stored with %s", i, got)
		}
	}
	h.drive(h.allows("clock_1"))
	h.drive(h.answer("ask_user_2", "this"))
	if len(ran) != 2 || ran["clock"] != clock || ran["calculator"] != sum {
		t.Errorf("ran with %q", ran)
	}
	for i, want := range []string{clock, asked, sum} {
		if got := h.sent(-1).Messages[1].ToolCalls[i].Arguments; got != want {
			t.Errorf("the model is sent call %d with %s", i, got)
		}
	}
}

// A call that cannot be read is not run, not even as {}, and the model reads what is wrong with it.
func TestArgumentsThatCannotBeReadDoNotRun(t *testing.T) {
	h := build(t, `{}`, nil, calling(
		"calculator", `{"expression":"C:\temp\data"}`, "clock", `{"timezone":"UTC"}{"timezone":"CET"}`,
		"ask_user", `{}{"question":"Whi`, "calculator", `{"n":1}{}`), says("Sorry."))
	h.drive(h.message("hi"))
	if n := h.calls.Load(); n != 0 {
		t.Errorf("%d calls ran", n)
	}
	for i, want := range []string{
		`INVALID_ARGUMENTS","message":"arguments are not valid JSON`, `INVALID_ARGUMENTS","message":"arguments are not valid JSON`,
		`INVALID_CLARIFICATION_PARAMS","message":"The arguments are not valid JSON near byte 2`,
		`INVALID_ARGUMENTS","message":"arguments do not match`, // repaired, they must be valid like any others
	} {
		if got := h.results()[i]; !strings.Contains(got, want) {
			t.Errorf("call %d resulted in %s", i, got)
		}
	}
}

// The process dies between a step and its calls: the run that takes over knows only that the
// arguments could not be read.
func TestArgumentsThatCouldNotBeReadDoNotRunAfterACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, calling(
			"calculator", `{"expression":"1"}`, "calculator", `{"expression":`, "clock", `{}{"timezone":`, "ask_user", `{"question":`), says("I see."))
		reached, dead := make(chan struct{}), make(chan struct{})
		tool := once{make(chan func(context.Context) (tools.Outcome, error), 1)}
		tool.runs <- func(context.Context) (tools.Outcome, error) {
			close(reached)
			<-dead // the process never comes back from here
			return tools.Outcome{}, nil
		}
		h.tool = tool
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, _, ended := h.start(h.message("hi"))
		<-reached
		synctest.Wait()
		other := h.node(stream.NewLocal())
		h.tool = does(func(c tools.Call) { t.Errorf("%s ran with %s", c.Name, c.Arguments) })
		viewer := other.follow(ctx, "")
		go other.engine.Sweep(ctx)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if got := viewer.names(t); got != "snapshot step.restart tool.call.end tool.call.end tool.call.end tool.call.end chunk done" {
			t.Errorf("after the crash: %s", got)
		}
		for i, want := range []string{tools.CodeInterrupted, tools.CodeInvalidArguments, tools.CodeInvalidArguments, tools.CodeInvalidClarification} {
			if got := other.results()[i]; !strings.Contains(got, want) {
				t.Errorf("call %d resulted in %s", i, got)
			}
		}
		close(dead)
		<-ended
	})
}
