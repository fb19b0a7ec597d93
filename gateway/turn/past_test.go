package turn_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// pastReads counts which chats runs read.
type pastReads struct {
	store.Store
	of map[string]int
}

func (r *pastReads) Recent(ctx context.Context, ref chat.Ref, span func([]chat.Fit) store.Span) (*store.Recent, error) {
	r.of[ref.ChatID]++
	return r.Store.Recent(ctx, ref, span)
}

// about is a step that asks for something in the user's own words.
func about(call, what string) answer {
	return step(call, fmt.Sprintf(`{"question":"Which %s?","input_type":"text"}`, what))
}

// forksAt forks a chat at its n-th question, with another answer.
func (h *house) forksAt(n int, to, value string) *house {
	h.t.Helper()
	cmd := h.fork(chat.Fork{ClarificationID: h.asked(n)}, nil, value)
	cmd.Fork.From.ChatID, cmd.Ref.ChatID = h.ref.ChatID, to
	h.drive(cmd)
	return h.chat(to)
}

func (h *house) wantEarlier(what, want string) {
	h.t.Helper()
	pending := h.snapshot().Pending
	if len(pending) != 1 {
		h.t.Fatalf("%s: %d questions wait", what, len(pending))
	}
	e, got := pending[0].Questions[0].Earlier, ""
	if e != nil {
		got = e.Label
	}
	if got != want || e != nil && e.Memory {
		h.t.Errorf("%s: offers %+v, want %q", what, e, want)
	}
}

// trip is a chat with three answers: to Rome, by train, for a week.
func trip(t *testing.T, wrap func(store.Store) store.Store, steps ...answer) *house {
	t.Helper()
	first := []answer{about("call_1", "city"), about("call_2", "way"), about("call_3", "time"), says("Done.")}
	h := build(t, `{"perTurn": 20, "perConversation": 20}`, wrap, append(first, steps...)...)
	h.drive(h.message("hi"))
	for i, said := range []string{"Rome", "by train", "a week"} {
		h.drive(h.closes(fmt.Sprintf("call_%d", i+1), `{"value":"`+said+`"}`))
	}
	return h
}

// After a change of an answer, what the person answered later in the old chat is offered again. What
// they answer in the new chat comes first, also over several changes, and no matter how calls are named.
func TestLaterAnswersAreOfferedAfterAChange(t *testing.T) {
	reads := &pastReads{of: map[string]int{}}
	h := trip(t, func(s store.Store) store.Store { reads.Store = s; return reads },
		about("call_2", "way"), says("Done."), about("call_5", "city"), about("call_6", "way"), says("Done."), // in c2
		about("call_7", "way"), about("call_8", "time"), about("call_9", "colour"), // in c3
	)
	before := reads.of["c1"]
	c2 := h.forksAt(0, "c2", "Oslo")
	c2.wantEarlier("a later question", "by train")
	c2.drive(c2.closes("call_2", `{"value":"by ship"}`))
	c2.drive(c2.message("again"))
	c2.wantEarlier("the changed question", "Oslo")
	c2.drive(c2.closes("call_5", `{"value":"Bergen"}`))
	c2.wantEarlier("a question of both chats", "by ship")
	if got := reads.of["c1"] - before; got != 1 {
		t.Errorf("the old chat was read %d times, want once: only one run needed it", got)
	}
	c2.drive(c2.closes("call_6", `{"value":"by bus"}`))
	c3 := c2.forksAt(0, "c3", "Paris")
	c3.wantEarlier("a question of both older chats", "by bus")
	c3.drive(c3.closes("call_7", `{"value":"on foot"}`))
	c3.wantEarlier("a question of the oldest chat", "a week")
	c3.drive(c3.closes("call_8", `{"value":"a day"}`))
	c3.wantEarlier("a new question", "")
}

// Nothing is offered of a chat that is erased, of another person's of the same name, or after a change
// of a message. A chat that was not forked reads no other.
func TestWhichChatsOfferNoLaterAnswers(t *testing.T) {
	reads := &pastReads{of: map[string]int{}}
	wrap := func(s store.Store) store.Store { reads.Store = s; return reads }
	h := trip(t, wrap, about("call_4", "sort"), about("call_6", "time"))
	c2 := h.forksAt(0, "c2", "Oslo")
	if err := h.store.Delete(t.Context(), h.ref, time.Time{}); err != nil {
		t.Fatal(err)
	}
	other := h.of("t", "eve")
	other.model.steps = append([]answer{about("call_3", "time"), says("Done.")}, h.model.steps...)
	other.drive(other.message("hi"))
	other.drive(other.closes("call_3", `{"value":"always"}`))
	c2.drive(c2.closes("call_4", `{"value":"any"}`))
	c2.wantEarlier("of an erased chat", "")

	h = trip(t, wrap, about("call_4", "time"), about("call_5", "time"), says("Done."), about("call_6", "colour"))
	clear(reads.of)
	edited := "hello"
	h.drive(h.fork(chat.Fork{MessageID: h.snapshot().Messages[0].ID}, &edited, nil))
	h.chat("c2").wantEarlier("after a change of a message", "")
	clear(reads.of)
	alone := h.in("c9")
	alone.drive(alone.message("hi"))
	alone.wantEarlier("in a separate chat", "")
	alone.drive(alone.closes("call_5", `{"value":"a day"}`))
	alone.drive(alone.message("go on"))
	alone.wantEarlier("what was never asked", "")
	if len(reads.of) != 1 || reads.of["c9"] == 0 {
		t.Errorf("a chat that was not forked reads %v", reads.of)
	}
}

// A skipped answer of the old chat is not offered.
func TestASkippedLaterAnswerIsNotOffered(t *testing.T) {
	const skippable = `{"question":"Which %s?","input_type":"text","allow_skip":true}`
	h := build(t, `{}`, nil, step("call_1", fmt.Sprintf(skippable, "city")), step("call_2", fmt.Sprintf(skippable, "way")), says("Done."), step("call_3", fmt.Sprintf(skippable, "way")))
	h.drive(h.message("hi"))
	h.drive(h.closes("call_1", `{"value":"Rome"}`))
	h.drive(h.closes("call_2", `{"skipped":true}`))
	h.forksAt(0, "c2", "Oslo").wantEarlier("skipped", "")
}
