package turn_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// fork is the command that begins the chat "c2" with part of "c1".
func (h *house) fork(at chat.Fork, message *string, answer any) turn.Command {
	to := h.ref
	to.ChatID = "c2"
	at.ChatID = "c1"
	f := &turn.Fork{From: at, Message: message}
	if answer != nil {
		raw, err := json.Marshal(answer)
		if err != nil {
			h.t.Fatal(err)
		}
		f.Answer = &tools.Answer{Value: raw}
	}
	return turn.Command{Ref: to, Fork: f, Interactive: true}
}

// in is the house with another chat.
func (h *house) chat(chatID string) *house {
	other := *h
	other.ref.ChatID = chatID
	return &other
}

// told returns the texts of a chat, as its snapshot shows them.
func (h *house) says() []string {
	h.t.Helper()
	var list []string
	for _, m := range h.snapshot().Messages {
		line := string(m.Role) + ": " + m.Content
		for _, c := range m.ToolCalls {
			line += " " + c.ToolName + "=" + *c.Result
		}
		list = append(list, line)
	}
	return list
}

func (h *house) wantSaid(what string, want ...string) {
	h.t.Helper()
	if got := h.says(); !slices.Equal(got, want) {
		h.t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// asked returns the id of the n-th question of the chat, from 0.
func (h *house) asked(n int) string {
	h.t.Helper()
	var ids []string
	for _, m := range h.snapshot().Messages {
		for _, c := range m.ToolCalls {
			if c.Clarification != nil {
				ids = append(ids, c.Clarification.ClarificationID)
			}
		}
	}
	if n >= len(ids) {
		h.t.Fatalf("only %d questions", len(ids))
	}
	return ids[n]
}

func TestAnAnswerIsChangedInANewChat(t *testing.T) {
	h := build(t, `{}`, nil, says("Hello."), asks("call_1", "count_2"), asks("call_3"), says("French it is."), says("Spanish it is."), says("More."))
	h.drive(h.message("hi"))
	h.drive(h.message("translate"))
	h.drive(h.answer("call_1", "French"))
	h.drive(h.answer("call_3", "formal"))
	before := h.says()

	got := h.drive(h.fork(chat.Fork{ClarificationID: h.asked(0)}, nil, "Spanish"))
	if names := got.names(t); names != "turn.start clarification.resolved tool.call.end chunk done" {
		t.Errorf("events: %s", names)
	}
	for _, ev := range got.events(t) {
		if !strings.Contains(string(ev.Data), `"chatId":"c2"`) {
			t.Errorf("an event of another chat: %s", ev.Data)
		}
	}
	c2 := h.chat("c2")
	c2.wantSaid("the new chat", "user: hi", "assistant: Hello.", "user: translate",
		`assistant:  ask_user=Spanish calculator=counted`, "assistant: Spanish it is.")
	if got := h.says(); !slices.Equal(got, before) {
		t.Errorf("the old chat became %q", got)
	}
	s := c2.snapshot()
	if s.ForkedFrom == nil || *s.ForkedFrom != (chat.Fork{ChatID: "c1", ClarificationID: h.asked(0), TurnID: s.ForkedFrom.TurnID, Own: s.ForkedFrom.Own, Known: "c2"}) {
		t.Errorf("forked from %+v", s.ForkedFrom)
	}
	if s.Clarifications.Used != 1 || s.Status != chat.StatusIdle || len(s.Pending) != 0 {
		t.Errorf("%+v, %s, %d pending", s.Clarifications, s.Status, len(s.Pending))
	}
	if c2.asked(0) == h.asked(0) {
		t.Error("two questions have one id")
	}
	if n := h.calls.Load(); n != 1 {
		t.Errorf("%d calls ran, want the one that the old chat made", n)
	}
	c2.drive(c2.message("go on"))
	if sent := h.model.sent[len(h.model.sent)-1].Messages; len(sent) != 8 || sent[4].Content != "Spanish" {
		t.Errorf("the model was sent %+v", sent)
	}
}

func TestAMessageIsEditedOrSaidAgain(t *testing.T) {
	h := build(t, `{"onMessageWhilePending": "supersede"}`, nil, says("Hello."), asks("call_1"), says("Bye."), says("Other."), says("Again."))
	h.drive(h.message("hi"))
	h.drive(h.message("ask me"))
	h.drive(h.message("never mind")) // supersedes the question
	messages := h.snapshot().Messages
	edited := "tell me"
	if names := h.drive(h.fork(chat.Fork{MessageID: messages[2].ID}, &edited, nil)).names(t); names != "turn.start user.message chunk done" {
		t.Errorf("events: %s", names)
	}
	c2 := h.chat("c2")
	c2.wantSaid("edited", "user: hi", "assistant: Hello.", "user: tell me", "assistant: Other.")

	again := h.fork(chat.Fork{MessageID: messages[4].ID}, nil, nil)
	again.Ref.ChatID = "c3"
	h.drive(again)
	c3 := h.chat("c3")
	old := h.says()
	c3.wantSaid("said again", old[0], old[1], old[2], old[3], "user: never mind", "assistant: Again.")
	if id := c3.snapshot().Messages[4].ID; id == messages[4].ID {
		t.Error("the repeated text is another message")
	}

	// The first message of a chat, of a fork.
	first := h.fork(chat.Fork{MessageID: c3.snapshot().Messages[0].ID}, &edited, nil)
	first.Fork.From.ChatID, first.Ref.ChatID = "c3", "c4"
	h.model.steps = []answer{says("Fresh.")}
	h.drive(first)
	h.chat("c4").wantSaid("from the beginning", "user: tell me", "assistant: Fresh.")
}

func TestTheOtherQuestionsOfAStepStayAsTheyAre(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1", "call_2", "guard_3", "guard_4", "call_5"), says("Done."))
	h.drive(h.message("hi"))
	h.drive(h.answer("call_1", "one"))
	h.drive(h.answer("call_2", "two"))
	h.drive(h.allows("guard_3"))
	h.drive(h.replies("guard_4", tools.Answer{Value: json.RawMessage(`"no"`)}))
	// call_5 is open. The allowed call has not run yet: allowed once, it must not run in both
	// chats.
	got := h.drive(h.fork(chat.Fork{ClarificationID: h.asked(0)}, nil, "uno"))
	if names := got.names(t); names != "turn.start clarification.resolved clarification clarification done" {
		t.Errorf("events: %s", names)
	}
	c2 := h.chat("c2")
	c2.wantPending("the new chat", "guard_3", "call_5")
	c2.drive(c2.answer("call_5", "five"))
	c2.drive(c2.replies("guard_3", tools.Answer{Value: json.RawMessage(`"no"`)}))
	if n := h.calls.Load(); n != 0 {
		t.Errorf("%d calls ran", n)
	}
	results := c2.results()
	if results[0] != "uno" || results[1] != "two" || !strings.Contains(results[3], `"declined":true`) || results[4] != "five" {
		t.Errorf("results %q", results)
	}
	h.wantPending("the old chat", "call_5")
	h.model.steps = []answer{says("Done.")}
	h.drive(h.answer("call_5", "five"))
	if n := h.calls.Load(); n != 1 {
		t.Errorf("%d calls ran, want the one that was allowed in the old chat", n)
	}
}

func TestWhatRanAlreadyDoesNotRunAgainByItself(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), asks("count_2"), says("Sent."), // the old chat
		asks("count_3"), says("Sent again."), asks("count_4", "call_5"), says("No.")) // the new one
	h.drive(h.message("hi"))
	h.drive(h.answer("call_1", "one"))
	if n := h.calls.Load(); n != 1 {
		t.Fatalf("%d calls ran", n)
	}
	h.drive(h.fork(chat.Fork{ClarificationID: h.asked(0)}, nil, "two"))
	c2 := h.chat("c2")
	c2.wantPending("the call that ran before", "count_3")
	if p := c2.snapshot().Pending[0]; p.Kind != tools.KindApproval || p.Warning != "approval.ran" {
		t.Errorf("%s, %q", p.Kind, p.Warning)
	}
	if n := h.calls.Load(); n != 1 {
		t.Fatalf("%d calls ran before they were allowed", n)
	}
	c2.drive(c2.allows("count_3"))
	if n := h.calls.Load(); n != 2 {
		t.Errorf("%d calls ran, want also the one that was allowed", n)
	}
	c2.drive(c2.message("and again"))
	c2.wantPending("the same arguments, in a later turn", "count_4", "call_5")

	// A fork of the fork still knows.
	h.model.steps = []answer{asks("count_6")}
	again := h.fork(chat.Fork{MessageID: c2.snapshot().Messages[0].ID}, nil, nil)
	again.Fork.From.ChatID, again.Ref.ChatID = "c2", "c3"
	h.drive(again)
	h.chat("c3").wantPending("a fork of the fork", "count_6")

	// If no one can answer, it does not run either.
	h.model.steps = []answer{asks("count_7"), says("Not done.")}
	alone := h.fork(chat.Fork{MessageID: h.snapshot().Messages[0].ID}, nil, nil)
	alone.Ref.ChatID, alone.Interactive = "c4", false
	h.drive(alone)
	if results := h.chat("c4").results(); !strings.Contains(results[0], tools.CodeNoUser) || h.calls.Load() != 2 {
		t.Errorf("%q, %d calls", results, h.calls.Load())
	}
}

// In later turns, the same call must not run again; another call of the tool may.
func TestOtherCallsOfAToolThatRanNeedNoApprovalLater(t *testing.T) {
	ids := func(id, expression string) answer {
		return func(_ context.Context, yield func(model.Delta, error) bool) {
			call := model.ToolCall{ID: id, Name: "calculator", Arguments: `{"expression":"` + expression + `"}`}
			yield(model.Delta{ToolCalls: []model.ToolCall{call}, Finish: model.FinishToolCalls}, nil)
		}
	}
	h := build(t, `{}`, nil, ids("a", "1"), says("."), ids("b", "2"), says("."), ids("c", "2"), says("."), ids("d", "1"))
	h.drive(h.message("hi"))
	h.drive(h.fork(chat.Fork{MessageID: h.snapshot().Messages[0].ID}, nil, nil))
	c2 := h.chat("c2")
	c2.wantPending("in the first turn, the tool", "b")
	c2.drive(c2.allows("b"))
	c2.drive(c2.message("other"))
	c2.wantPending("later, other arguments")
	c2.drive(c2.message("same"))
	c2.wantPending("later, the same arguments", "d")
}

func TestWhereAChatCannotBeForked(t *testing.T) {
	reached := make(chan struct{})
	h := build(t, `{}`, nil, asks("guard_1"), says("Hello."), asks("call_2"), hangs("well", reached))
	h.drive(h.message("hi"))
	h.drive(h.allows("guard_1"))
	approval := h.asked(0)
	h.drive(h.message("ask"))
	pending := h.asked(1)
	messages := h.snapshot().Messages
	text := "x"
	for name, c := range map[string]struct {
		cmd  turn.Command
		code chat.Code
	}{
		"an approval":        {h.fork(chat.Fork{ClarificationID: approval}, nil, "no"), chat.CodeNotForkable},
		"a question waits":   {h.fork(chat.Fork{ClarificationID: pending}, nil, "x"), chat.CodeNotForkable},
		"no question":        {h.fork(chat.Fork{ClarificationID: "clr_none"}, nil, "x"), chat.CodeNotFound},
		"no message":         {h.fork(chat.Fork{MessageID: "msg_none"}, &text, nil), chat.CodeNotFound},
		"a model's message":  {h.fork(chat.Fork{MessageID: messages[1].ID}, &text, nil), chat.CodeNotForkable},
		"a chat that exists": {turn.Command{Ref: h.ref, Fork: &turn.Fork{From: chat.Fork{ChatID: "other", MessageID: "m"}}}, chat.CodeChatExists},
	} {
		_, err := h.engine.Submit(t.Context(), c.cmd)
		t.Log(name)
		wantCode(t, err, c.code)
	}
	_, _, ended := h.start(h.answer("call_2", "yes"))
	<-reached
	for id, code := range map[string]chat.Code{messages[3].ID: chat.CodeTurnInProgress, messages[0].ID: ""} { // the turn that runs, and the previous one
		h.model.steps = []answer{says("Fine.")}
		cmd := h.fork(chat.Fork{MessageID: id}, &text, nil)
		cmd.Ref.ChatID = "fork-of-" + id
		run, err := h.take(t.Context(), cmd)
		if code != "" {
			wantCode(t, err, code)
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		run.Drive(t.Context(), nil)
	}
	if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	<-ended
	bad := h.fork(chat.Fork{ClarificationID: h.asked(1)}, nil, []int{1})
	bad.Ref.ChatID = "c3"
	if _, err := h.engine.Submit(t.Context(), bad); err == nil {
		t.Error("a list answers a question for a text")
	}
	if _, _, err := h.store.Conversation(t.Context(), bad.Ref); chat.CodeOf(err) != chat.CodeNotFound {
		t.Errorf("a refused fork left a chat: %v", err)
	}
}

// Of two forks into one chat, one wins; and a repeated fork counts as the same one.
func TestAForkHappensOnce(t *testing.T) {
	h := build(t, `{}`, nil, says("Hello."))
	h.drive(h.message("hi"))
	at := chat.Fork{MessageID: h.snapshot().Messages[0].ID}
	h.model.steps = []answer{says("A."), says("B.")}
	var wait sync.WaitGroup
	codes := make([]chat.Code, 2)
	for i := range codes {
		wait.Go(func() {
			run, err := h.take(context.Background(), h.fork(at, nil, nil))
			if err != nil {
				codes[i] = chat.CodeOf(err)
				return
			}
			run.Drive(context.Background(), nil)
		})
	}
	wait.Wait()
	if slices.Sort(codes); codes[0] != "" || codes[1] != chat.CodeChatExists {
		t.Errorf("%q", codes)
	}
	cmd := h.fork(at, nil, nil)
	cmd.Ref.ChatID, cmd.IdempotencyKey, cmd.Hash = "c3", "key", "hash"
	h.model.steps = []answer{says("C."), says("D.")}
	first, second := h.drive(cmd), h.drive(cmd)
	if first.text(t) != "C." || second.text(t) != "C." {
		t.Errorf("%q, then %q", first.text(t), second.text(t))
	}
	cmd.Hash = "other"
	_, err := h.engine.Submit(t.Context(), cmd)
	wantCode(t, err, chat.CodeIdempotencyConflict)
}

// The process dies once the fork is stored: another node continues it.
func TestAForkIsNotLostWithItsNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), says("One."), says("Two."))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.drive(h.message("hi"))
		h.drive(h.answer("call_1", "one"))
		h.submit(h.fork(chat.Fork{ClarificationID: h.asked(0)}, nil, "two"))
		other := h.chat("c2").node(stream.NewLocal())
		go other.engine.Sweep(ctx)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		other.wantSaid("the new chat", "user: hi", "assistant:  ask_user=two", "assistant: Two.")
	})
}
