package turn_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// changes is the command that answers a question of a chat again in the chat to, while a turn of the
// first may run.
func (h *house) changes(clarificationID, to string, answer any) turn.Command {
	cmd := h.fork(chat.Fork{ClarificationID: clarificationID}, nil, answer)
	cmd.Fork.Stop, cmd.Fork.From.ChatID, cmd.Ref.ChatID = true, h.ref.ChatID, to
	return cmd
}

// running waits until the model has been reached, and returns a channel that is closed when the run
// that the command begins has ended.
func (h *house) running(cmd turn.Command, reached <-chan struct{}) <-chan struct{} {
	h.t.Helper()
	_, _, ended := h.start(cmd)
	<-reached
	return ended
}

// Twice in a row: each fork stops the turn that runs, and each chat keeps its own answer.
func TestAnAnswerIsChangedWhileTheTurnRuns(t *testing.T) {
	first, second := make(chan struct{}), make(chan struct{})
	h := build(t, `{}`, nil, asks("call_1"), hangs("French", first), hangs("Spanish", second), says("German it is."))
	h.drive(h.message("translate"))
	ended := h.running(h.answer("call_1", "fr"), first)

	plain := h.changes(h.asked(0), "c2", "es")
	plain.Fork.Stop = false
	_, err := h.engine.Submit(t.Context(), plain)
	wantCode(t, err, chat.CodeTurnInProgress)

	change := h.changes(h.asked(0), "c2", "es")
	change.IdempotencyKey, change.Hash = "key", "hash"
	again := h.running(change, second)
	<-ended
	h.wantSaid("the old chat", "user: translate", "assistant:  ask_user=fr", "assistant: French")
	if s := h.snapshot(); s.Status != chat.StatusIdle || s.FinishReason != chat.FinishCancelled || !s.Resumable {
		t.Errorf("the old chat: %s, %s", s.Status, s.FinishReason)
	}
	if run, err := h.take(t.Context(), change); err != nil {
		t.Errorf("the same request again: %v", err)
	} else if _, same := run.accepted.(turn.Repeated); !same {
		t.Errorf("the same request again is a %T", run.accepted)
	}

	c2 := h.chat("c2")
	h.drive(c2.changes(c2.asked(0), "c3", "de"))
	<-again
	c2.wantSaid("the second chat", "user: translate", "assistant:  ask_user=es", "assistant: Spanish")
	h.chat("c3").wantSaid("the third chat", "user: translate", "assistant:  ask_user=de", "assistant: German it is.")
}

// What is refused stops nothing.
func TestAForkThatIsRefusedLetsTheTurnRun(t *testing.T) {
	reached := make(chan struct{})
	h := build(t, `{}`, nil, asks("guard_1", "call_2"), hangs("well", reached))
	h.drive(h.message("hi"))
	h.drive(h.replies("guard_1", tools.Answer{Value: []byte(`"no"`)}))
	ended := h.running(h.answer("call_2", "yes"), reached)
	taken := h.changes(h.asked(1), h.ref.ChatID, "x")
	for name, cmd := range map[string]turn.Command{
		"an answer that does not fit": h.changes(h.asked(1), "c2", []int{1}), "an approval": h.changes(h.asked(0), "c2", "yes"),
		"no such question": h.changes("clr_none", "c2", "x"), "a chat that exists": taken,
	} {
		var problem *chat.Error
		var invalid *tools.AnswerError
		if _, err := h.engine.Submit(t.Context(), cmd); !errors.As(err, &problem) && !errors.As(err, &invalid) || chat.CodeOf(err) == chat.CodeTurnInProgress {
			t.Errorf("%s: %v", name, err)
		}
		if s := h.snapshot(); s.Status != chat.StatusRunning {
			t.Fatalf("%s: the turn was stopped", name)
		}
	}
	if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	<-ended
}

// A call that the fork cut off may have taken effect, wherever it stands: it is asked about again.
func TestACallThatAForkCutOffIsAskedAboutAgain(t *testing.T) {
	for name, steps := range map[string][]answer{
		"in a later step":    {asks("call_1"), asks("count_2"), asks("count_3"), says("Done.")},
		"in the same step":   {asks("call_1", "guard_2"), asks("guard_3"), says("Done.")},
		"and was allowed to": {asks("call_1"), asks("guard_2"), asks("guard_3"), says("Done.")},
	} {
		t.Run(name, func(t *testing.T) {
			reached := make(chan struct{})
			h := build(t, `{}`, nil, steps...)
			tool := once{make(chan func(context.Context) (tools.Outcome, error), 2)}
			tool.runs <- func(ctx context.Context) (tools.Outcome, error) {
				close(reached)
				<-ctx.Done()
				return tools.Outcome{}, ctx.Err()
			}
			h.tool = tool
			h.drive(h.message("hi"))
			last := h.answer("call_1", "one")
			switch name {
			case "in the same step":
				h.drive(last)
				last = h.allows("guard_2")
			case "and was allowed to":
				h.drive(last)
				last = h.allows("guard_2")
			}
			ended := h.running(last, reached)
			h.drive(h.changes(h.asked(0), "c2", "two"))
			<-ended
			for _, r := range h.results() {
				if strings.Contains(r, "two") {
					t.Errorf("the old chat has the new answer: %q", r)
				}
			}
			c2 := h.chat("c2")
			pending := c2.snapshot().Pending
			if len(pending) != 1 || pending[0].Kind != tools.KindApproval || pending[0].Warning != "approval.ran" {
				t.Fatalf("the call is not asked about: %+v", pending)
			}
			if len(tool.runs) != 0 {
				t.Error("the call has not run")
			}
		})
	}
}

// A later turn is stopped as well, and no turn but that one: what waited behind it goes on in the
// old chat.
func TestAForkStopsOneTurnAndNotWhatWaitedBehindIt(t *testing.T) {
	reached := make(chan struct{})
	h := build(t, `{"onMessageWhileRunning": "queue"}`, nil, asks("call_1"), says("Fine."), hangs("well", reached), says("Done."), says("Done."))
	h.drive(h.message("hi"))
	h.drive(h.answer("call_1", "one"))
	ended := h.running(h.message("go on"), reached)
	waiting, waited := h.submit(h.message("and this")), make(chan struct{})
	go func() {
		defer close(waited)
		waiting.Drive(context.Background(), nil)
	}()
	h.drive(h.changes(h.asked(0), "c2", "two"))
	<-ended
	<-waited
	h.chat("c2").wantSaid("the new chat", "user: hi", "assistant:  ask_user=two", "assistant: Done.")
	if got := h.says(); len(got) != 7 || got[6] != "assistant: Done." {
		t.Errorf("the old chat: %q", got)
	}
}

// The node that drives the turn is another one, and cannot be reached.
func TestAForkStopsTheTurnOfAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		h := build(t, `{}`, nil, asks("call_1"), hangs("half", reached), says("Changed."))
		a, b := h.node(stream.NewPartial()), h.node(stream.NewPartial())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go a.engine.Sweep(ctx)
		a.drive(a.message("hi"))
		_, _, ended := a.start(a.answer("call_1", "one"))
		<-reached
		b.drive(b.changes(b.asked(0), "c2", "two"))
		if s := b.snapshot(); s.Status != chat.StatusIdle || s.FinishReason != chat.FinishCancelled {
			t.Errorf("the old chat: %s, %s", s.Status, s.FinishReason)
		}
		<-ended
		b.chat("c2").wantSaid("the new chat", "user: hi", "assistant:  ask_user=two", "assistant: Changed.")
	})
}
