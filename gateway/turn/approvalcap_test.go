package turn_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// If a step has more calls than the cap has room for, the first are shown, in the order of the
// calls; the others get an error in the same commit, and calls that need no approval run.
func TestAStepThatTheCapOnApprovalsDivides(t *testing.T) {
	var ids []string
	for i := range 12 {
		ids = append(ids, fmt.Sprintf("%s_%d", []string{"guard", "keep", "count"}[i%3], i))
	}
	h := build(t, `{"approvalsPerTurn": 5}`, nil, asks(ids...), asks("guard_20"), says("done"), asks("guard_21"))
	got := h.drive(h.message("hi"))
	if names := got.names(t); names != "turn.start user.message"+strings.Repeat(" tool.call.start", 12)+strings.Repeat(" tool.call.end", 7)+strings.Repeat(" clarification", 5)+" done" {
		t.Errorf("events: %s", names)
	}
	h.wantPending("within the cap", "guard_0", "keep_1", "guard_3", "keep_4", "guard_6")
	other := h.node(stream.NewLocal())
	for _, id := range []string{"guard_6", "keep_4", "guard_3", "keep_1"} {
		other.drive(other.allows(id))
	}
	if text := other.drive(other.allows("guard_0")).text(t); text != "done" {
		t.Errorf("the turn continues: %q", text)
	}
	messages := h.snapshot().Messages
	for i, c := range messages[1].ToolCalls {
		over := slices.Contains([]int{7, 9, 10}, i)
		if over != (c.Error != nil && c.Error.Code == tools.CodeApprovalLimitReached) {
			t.Errorf("%s resulted in %s", c.ToolCallID, *c.Result)
		}
	}
	const told = `{"error":{"code":"APPROVAL_LIMIT_REACHED","message":"Maximum approval limit (5) reached for this turn; ` +
		`no one was asked about this call, and it was not made. Go on without it, and say what is left to do: the user's next message begins a new turn."}}`
	if got := *messages[2].ToolCalls[0].Result; got != told {
		t.Errorf("a later step of the turn: %s", got)
	}
	h.drive(h.message("more"))
	h.wantPending("the next turn", "guard_21")
}

// With 0, no one is asked, the tools are not offered, and no call that needs approval is made.
func TestWithoutApprovalsNoCallThatNeedsOneIsMade(t *testing.T) {
	h := build(t, `{"approvalsPerTurn": 0}`, nil, asks("guard_1", "count_2", "keep_3", "call_4"))
	h.drive(h.message("hi"))
	h.wantPending("a question is asked anyway", "call_4")
	if n := h.calls.Load(); n != 1 {
		t.Errorf("%d calls ran, want count_2", n)
	}
	for _, c := range h.snapshot().Messages[1].ToolCalls {
		if refused := c.Error != nil && c.Error.Code == tools.CodeApprovalLimitReached; refused != (c.ToolName == "clock" || c.ToolName == "keep") {
			t.Errorf("%s: %+v", c.ToolCallID, c.Error)
		}
	}
	var offered []string
	for _, d := range h.model.sent[0].Tools {
		offered = append(offered, d.Name)
	}
	if !slices.Equal(offered, []string{"ask_user", "calculator", "picker"}) {
		t.Errorf("offered: %v", offered)
	}
}

// Approvals that were shown count, however they ended; remembered ones do not.
func TestWhatCountsAgainstTheCapOnApprovals(t *testing.T) {
	t.Run("remembered", func(t *testing.T) {
		h := build(t, `{"approvalsPerTurn": 2}`, nil, asks("keep_1"), asks("keep_2", "keep_3", "keep_4"), asks("guard_5", "guard_6"), says("Done."), asks("guard_7", "guard_8"))
		h.drive(h.message("hi"))
		h.drive(h.allows("keep_1"))
		h.wantPending("one was shown, three were not", "guard_5")
		h.drive(h.allows("guard_5"))
		h.drive(h.message("more"))
		h.wantPending("an approval remembered in an earlier turn", "guard_7", "guard_8")
	})
	t.Run("refused", func(t *testing.T) {
		h := build(t, `{"approvalsPerTurn": 1}`, nil, asks("guard_1"), asks("keep_2"), says("Done."))
		h.drive(h.message("hi"))
		h.drive(h.refuses("guard_1"))
		if got := h.results(); !strings.Contains(got[0], tools.CodeApprovalLimitReached) {
			t.Errorf("results %q", got)
		}
	})
	t.Run("by a role", func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1", "guard_2"))
		h.ownTools(`{"approvalsPerTurn": 1}`, `[{"id": "clock", "needsApproval": {"by": {"role": "finance"}}}]`)
		h.drive(h.message("hi"))
		h.wantPending("anyone decides", "guard_1")
	})
	t.Run("inputs do not", func(t *testing.T) {
		h := build(t, `{"approvalsPerTurn": 1}`, nil, asks("pick_1", "pick_2", "guard_3"))
		h.drive(h.message("hi"))
		h.wantPending("all", "pick_1", "pick_2", "guard_3")
	})
}

// A fork counts the copied approvals once, and those it asks for because a call ran before.
func TestTheCapOnApprovalsInAFork(t *testing.T) {
	h := build(t, `{"approvalsPerTurn": 2}`, nil, asks("guard_1"), asks("call_2", "guard_3"), asks("keep_4"), says("Done."))
	h.drive(h.message("hi"))
	h.drive(h.allows("guard_1"))
	h.drive(h.answer("call_2", "one")) // guard_3 waits
	h.drive(h.fork(chat.Fork{ClarificationID: h.asked(1)}, nil, "other"))
	c2 := h.chat("c2")
	c2.wantPending("in both chats", "guard_3")
	c2.drive(c2.allows("guard_3"))
	if got := c2.results(); !strings.Contains(got[0], tools.CodeApprovalLimitReached) {
		t.Errorf("a third of the turn: %q", got)
	}

	h = build(t, `{"approvalsPerTurn": 1}`, nil, asks("call_1"), asks("count_2"), says("Sent."), asks("count_3", "count_4"))
	h.drive(h.message("hi"))
	h.drive(h.answer("call_1", "one"))
	h.drive(h.fork(chat.Fork{ClarificationID: h.asked(0)}, nil, "two"))
	h.chat("c2").wantPending("calls that ran before", "count_3")
}

// A call whose tool has changed between the yes and the run is shown again, and counts again.
func TestACallThatIsShownAgainCountsAgain(t *testing.T) {
	for most, again := range map[int][]string{1: nil, 2: {"guard_1"}} {
		caps := fmt.Sprintf(`{"approvalsPerTurn": %d}`, most)
		h := build(t, caps, nil, asks("guard_1"), says("Done."))
		h.drive(h.message("hi"))
		h.ownTools(caps, `[{"id": "clock", "needsApproval": true, "description": {"en": "Another one."}}]`)
		h.drive(h.allows("guard_1"))
		h.wantPending(caps, again...)
		if h.calls.Load() != 0 {
			t.Errorf("%s: the call ran for a yes to another tool", caps)
		}
	}
}
