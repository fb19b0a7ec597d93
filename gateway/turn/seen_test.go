package turn_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// held requires that a command was refused with that code, with the pending clarification, and that
// nothing has changed.
func (h *house) held(what string, cmd turn.Command, code chat.Code) {
	h.t.Helper()
	before := h.snapshot()
	_, err := h.engine.Submit(h.t.Context(), cmd)
	wantCode(h.t.(*testing.T), err, code)
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || e.Clarification == nil || e.Clarification.ID != before.Pending[0].ClarificationID {
		h.t.Errorf("%s: the refusal is not about the pending clarification: %v", what, err)
	}
	if after := h.snapshot(); after.LastEventID != before.LastEventID || len(after.Pending) != len(before.Pending) {
		h.t.Errorf("%s: something happened", what)
	}
}

// idsOf returns those of a stream's events of a type.
func (c *collector) idsOf(t *testing.T, name string) []string {
	t.Helper()
	var list []string
	for _, ev := range c.events(t) {
		if ev.Name == name {
			list = append(list, ev.ID)
		}
	}
	return list
}

func TestAPlainWordApprovesOnlyWhatItsSenderHasSeen(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), asks("guard_2"), says("Done."))
	h.drive(h.message("hi"))
	first := h.snapshot()
	other := h.in("c2")
	other.model.steps = append([]answer{says("Hello.")}, other.model.steps...)
	other.drive(other.message("hi"))
	foreign := other.snapshot().LastEventID
	run := h.drive(h.answer("call_1", "one"))
	approval := run.idsOf(t, "clarification")[0]
	before := run.idsOf(t, "tool.call.start")[0]

	for what, id := range map[string]string{
		"nothing was seen": "", "the question was": first.LastEventID, "the call was, not the approval": before,
		"a malformed id": "abc", "an id of another chat": foreign, "an id yet to come": "99999999999999999999999",
	} {
		for _, word := range []string{"Yes", "yes", " NO. "} {
			cmd := h.message(word)
			cmd.LastEventID = id
			h.held(what, cmd, chat.CodeClarificationPending)
		}
	}
	named := h.message("Yes")
	named.ClarificationID, named.LastEventID = first.Pending[0].ClarificationID, run.idsOf(t, "done")[0]
	h.held("it names the question before", named, chat.CodeClarificationPending)

	seen := h.message("Yes")
	seen.LastEventID = approval
	h.drive(seen)
	if n := h.calls.Load(); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
}

func TestWordsForYesApproveNothing(t *testing.T) {
	for _, word := range []string{"1", "ok", "sure", "true", "y", "Ja", "yes please"} {
		h := build(t, `{}`, nil, asks("guard_1"), says("I see."))
		h.drive(h.message("hi"))
		cmd := h.message(word)
		cmd.LastEventID = h.snapshot().LastEventID
		if got := h.drive(cmd).names(t); !strings.HasPrefix(got, "turn.start clarification.resolved user.message") {
			t.Errorf("%s: %s", word, got)
		}
		if h.calls.Load() != 0 {
			t.Errorf("%s was read as a yes", word)
		}
	}
}

func TestAQuestionTakesNoWordFromASenderWhoHasNotSeenIt(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), asks("call_2"), says("Done."))
	h.drive(h.message("hi"))
	first := h.snapshot()
	h.drive(h.answer("call_1", "one"))
	for what, id := range map[string]string{"the question before": first.LastEventID, "malformed": "1"} {
		cmd := h.message("two")
		cmd.LastEventID = id
		h.held(what, cmd, chat.CodeClarificationPending)
		h.held(what, turn.Command{Ref: h.ref, LastEventID: id, Answer: &turn.Answer{Answer: tools.Answer{Value: json.RawMessage(`"two"`)}}}, chat.CodeClarificationPending)
	}
	named := h.message("two")
	named.ClarificationID, named.LastEventID = h.snapshot().Pending[0].ClarificationID, first.LastEventID
	if got := h.drive(named).names(t); !strings.Contains(got, "clarification.resolved tool.call.end") {
		t.Errorf("a message that names its question: %s", got)
	}
}

func TestAnApprovalIsOfWhatItsDigestSays(t *testing.T) {
	h := build(t, `{}`, nil, asks("guard_1"), says("Done."))
	h.drive(h.message("hi"))
	c := h.snapshot().Pending[0]
	if !strings.HasPrefix(c.Digest, "sha256:") || len(c.Digest) != len("sha256:")+64 || c.ArgumentsText != "{\n  \"timezone\": \"UTC\"\n}" {
		t.Fatalf("%+v", c)
	}
	yes := tools.Answer{Value: json.RawMessage("true")}
	answer := func(a turn.Answer) turn.Command { return turn.Command{Ref: h.ref, Answer: &a} }
	h.held("another digest", answer(turn.Answer{ToolCallID: "guard_1", Digest: "sha256:0", Answer: yes}), chat.CodeApprovalChanged)
	h.held("nothing that says what it is about", answer(turn.Answer{Answer: yes}), chat.CodeClarificationPending)
	h.drive(answer(turn.Answer{Digest: c.Digest, Answer: yes}))
	if h.calls.Load() != 1 {
		t.Error("the call did not run")
	}
	decided := h.snapshot().Messages[1].ToolCalls[0].Approval
	if decided == nil || decided.Outcome != "allowed" || decided.By != "s" || decided.Digest != c.Digest {
		t.Errorf("%+v", decided)
	}
}

func TestOfSeveralThatWaitADigestOrAnIDSaysWhichIsMeant(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1", "guard_2", "guard_3"), says("Done."))
	h.drive(h.message("hi"))
	pending := h.snapshot().Pending
	yes := tools.Answer{Value: json.RawMessage("true")}
	byDigest := turn.Command{Ref: h.ref, Answer: &turn.Answer{Digest: pending[2].Digest, Answer: yes}}
	_, err := h.engine.Submit(t.Context(), byDigest) // two calls are the same
	wantCode(t, err, chat.CodeInvalidRequest)
	h.held("of none", turn.Command{Ref: h.ref, Answer: &turn.Answer{Digest: "sha256:0", Answer: yes}}, chat.CodeApprovalChanged)

	named := h.message("Yes")
	named.ClarificationID = pending[1].ClarificationID
	if got := h.drive(named).names(t); got != "turn.start clarification.resolved done" {
		t.Errorf("a message that names one of several: %s", got)
	}
	h.drive(byDigest)
	if left := h.snapshot().Pending; len(left) != 1 || left[0].ToolCallID != "call_1" {
		t.Errorf("%+v", left)
	}
	h.drive(h.answer("call_1", "one"))
	if n := h.calls.Load(); n != 2 {
		t.Errorf("%d calls were made", n)
	}
}

func TestEveryQuestionSaysWhoAsks(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1", "guard_2", "pick_3"))
	h.drive(h.message("hi"))
	var got []tools.Asker
	for _, c := range h.snapshot().Pending {
		got = append(got, *c.AskedBy)
	}
	want := []tools.Asker{{Kind: tools.AskerModel, Name: "default"}, {Kind: tools.AskerTool, Name: "clock"}, {Kind: tools.AskerTool, Name: "picker"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// An answer to an approval that names neither the call nor its digest is told which field is missing.
func TestAnApprovalAnsweredWithoutItsCallNamesTheField(t *testing.T) {
	h := build(t, `{}`, nil, asks("guard_2"), says("Done."))
	h.drive(h.message("hi"))
	_, err := h.engine.Submit(t.Context(), turn.Command{Ref: h.ref, Answer: &turn.Answer{Answer: tools.Answer{Value: json.RawMessage("true")}}})
	if e := wantCode(t, err, chat.CodeClarificationPending); e.Detail != "unnamed_approval" || e.Params["Field"] != "answer.toolCallId" {
		t.Errorf("%v, %v", e, e.Params)
	}
	if n := h.calls.Load(); n != 0 {
		t.Errorf("%d calls were made", n)
	}
}
