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
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// pending returns the calls that wait for a person.
func (h *house) pending() []string {
	h.t.Helper()
	var ids []string
	for _, c := range h.snapshot().Pending {
		ids = append(ids, c.ToolCallID)
	}
	return ids
}

func (h *house) wantPending(what string, want ...string) {
	h.t.Helper()
	if got := h.pending(); !slices.Equal(got, want) {
		h.t.Errorf("%s: pending %v, want %v", what, got, want)
	}
}

func (h *house) wantApprovals(what string, want ...string) {
	h.t.Helper()
	if got := h.snapshot().Approvals; !slices.Equal(got, want) {
		h.t.Errorf("%s: approvals %v, want %v", what, got, want)
	}
}

func (h *house) revoke(tool string) {
	h.t.Helper()
	if err := h.engine.Revoke(h.t.Context(), h.ref, tool); err != nil {
		h.t.Fatal(err)
	}
}

// resolved returns for each closed clarification whether it is remembered.
func (c *collector) resolved(t *testing.T) []bool {
	t.Helper()
	var list []bool
	for _, ev := range c.events(t) {
		if ev.Name != string(chat.EventClarificationResolved) {
			continue
		}
		var r struct{ Remembered bool }
		if err := json.Unmarshal(ev.Data, &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r.Remembered)
	}
	return list
}

func TestAToolThatWasAllowedIsNotAskedAboutAgainInItsChat(t *testing.T) {
	h := build(t, `{}`, nil, asks("keep_1"), says("Done."), asks("keep_2", "guard_3", "keep_4"), asks("keep_5"), says("Done."), asks("keep_6"))
	h.drive(h.message("hi"))
	if c := h.snapshot().Pending[0]; c.Remember != "chat" {
		t.Errorf("the event offers to remember %q", c.Remember)
	}
	h.wantApprovals("before the answer")
	if r := h.drive(h.allows("keep_1")).resolved(t); !slices.Equal(r, []bool{true}) {
		t.Errorf("resolved: %v", r)
	}
	h.wantApprovals("after the answer", "keep")
	other := h.node(stream.NewLocal())
	other.drive(other.message("more"))
	other.wantPending("in the next turn, on another node", "guard_3")
	if n := h.calls.Load(); n != 3 {
		t.Errorf("%d calls ran, want 3", n)
	}
	if r := other.drive(other.allows("guard_3")).resolved(t); !slices.Equal(r, []bool{false}) {
		t.Errorf("a call that is not to be remembered: %v", r)
	}
	other.wantApprovals("of that", "keep")
	if n := h.calls.Load(); n != 5 {
		t.Errorf("%d calls ran, want 5", n)
	}
	stranger := *h
	stranger.ref.ChatID = "c2"
	stranger.drive(stranger.message("hi"))
	stranger.wantPending("in another chat", "keep_6")
}

func TestTheNewestDecisionAboutAToolCounts(t *testing.T) {
	yes, no := json.RawMessage("true"), json.RawMessage("false")
	for name, test := range map[string]struct {
		answers []tools.Answer
		asks    bool
	}{
		"yes":                         {[]tools.Answer{{Value: yes}}, false},
		"yes with a note":             {[]tools.Answer{{Value: yes, Note: "fine"}}, false},
		"yes, for once":               {[]tools.Answer{{Value: yes, Once: true}}, true},
		"yes, then yes for once":      {[]tools.Answer{{Value: yes}, {Value: yes, Once: true}}, true},
		"no":                          {[]tools.Answer{{Value: no}}, true},
		"declined":                    {[]tools.Answer{{Declined: true}}, true},
		"yes, with changed arguments": {[]tools.Answer{{Value: yes, Arguments: json.RawMessage(`{"timezone":"CET"}`)}}, true},
		"no, then yes":                {[]tools.Answer{{Value: no}, {Value: yes}}, false},
		"yes, then no":                {[]tools.Answer{{Value: yes}, {Value: no}}, true},
		"yes twice":                   {[]tools.Answer{{Value: yes}, {Value: yes}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			ids := []string{"keep_1", "keep_2"}[:len(test.answers)]
			h := build(t, `{}`, nil, asks(ids...), says("Done."), asks("keep_9"), says("Done."))
			h.drive(h.message("hi"))
			for i, a := range test.answers {
				h.drive(h.replies(ids[i], a))
			}
			h.drive(h.message("more")) // in the same turn, a refused call would not be asked about
			if test.asks {
				h.wantPending("afterwards", "keep_9")
				h.wantApprovals("afterwards")
				return
			}
			h.wantPending("afterwards")
			h.wantApprovals("afterwards", "keep")
			h.revoke("keep")
			h.wantApprovals("revoked")
		})
	}
}

// A link decides only its question: a yes by link counts for its call alone.
func TestAYesByALinkIsNotRemembered(t *testing.T) {
	for channel, want := range map[chat.Channel]bool{chat.ChannelLink: false, chat.ChannelAPI: true} {
		h := build(t, `{}`, nil, asks("keep_1"), says("Done."))
		h.drive(h.message("hi"))
		closed, err := h.engine.AnswerByID(t.Context(), nil, h.snapshot().Pending[0].ClarificationID, yes(), actor("s"), channel)
		if err != nil || !closed.Approved() || closed.Remembered != want {
			t.Errorf("%s: allowed %t, remembered %t, %v", channel, closed.Approved(), closed.Remembered, err)
		}
	}
}

// Words are about one call: the question does not say that a yes could reach further.
func TestNeitherAPlainYesNorASupersedingMessageIsRemembered(t *testing.T) {
	h := build(t, `{}`, nil, asks("keep_1"), says("I see."), asks("keep_2"), asks("keep_3"), says("Done."))
	h.drive(h.message("hi"))
	h.drive(h.message("what is that?"))
	h.wantApprovals("superseded")
	h.drive(h.message("go on"))
	h.wantPending("afterwards", "keep_2")
	yes := h.message("Yes")
	yes.LastEventID = h.snapshot().LastEventID
	h.drive(yes)
	h.wantApprovals("a plain yes")
	h.wantPending("a plain yes", "keep_3")
}

func TestARevokedApprovalIsAskedForAgain(t *testing.T) {
	h := build(t, `{}`, nil, asks("keep_1"), says("Done."), asks("keep_2"), says("Done."), asks("keep_3"), says("Done."))
	h.drive(h.message("hi"))
	h.drive(h.allows("keep_1"))
	h.revoke("clock")
	h.wantApprovals("another tool was revoked", "keep")
	before := h.snapshot().LastEventID
	h.revoke("keep")
	h.revoke("keep")
	h.wantApprovals("revoked")
	if after := h.snapshot().LastEventID; after != before {
		t.Errorf("the last event was %s and is %s", before, after)
	}
	h.drive(h.message("more"))
	h.wantPending("revoked", "keep_2")
	h.revoke("keep") // the question stays
	h.drive(h.allows("keep_2"))
	h.wantApprovals("allowed again", "keep")
	h.drive(h.message("more"))
	h.wantPending("allowed again")

	unknown := h.ref
	unknown.ChatID = "none"
	wantCode(t, h.engine.Revoke(t.Context(), unknown, "keep"), chat.CodeNotFound)
	if _, _, err := h.store.Conversation(t.Context(), unknown); err == nil {
		t.Error("revoking has made a chat")
	}
}

// thinks sends nothing until it may, and then calls.
func thinks(reached chan<- struct{}, on <-chan struct{}, then answer) answer {
	return func(ctx context.Context, yield func(model.Delta, error) bool) {
		close(reached)
		<-on
		then(ctx, yield)
	}
}

func TestRevokingCountsForEachCallThatHasNotBegun(t *testing.T) {
	reached, on := make(chan struct{}), make(chan struct{})
	h := build(t, `{}`, nil, asks("keep_1"), says("Done."), thinks(reached, on, asks("keep_2")), asks("keep_3"), asks("keep_4"), says("Done."))
	h.drive(h.message("hi"))
	h.drive(h.allows("keep_1"))

	_, _, ended := h.start(h.message("more"))
	<-reached // the run read the memory when it began
	h.node(stream.NewLocal()).revoke("keep")
	close(on)
	<-ended
	h.wantPending("revoked on another node while the model thinks", "keep_2")
	if n := h.calls.Load(); n != 1 {
		t.Errorf("%d calls ran, want 1", n)
	}

	var ran []string
	h.tool = does(func(c tools.Call) {
		if ran = append(ran, c.ID); c.ID == "keep_3" {
			h.revoke("keep")
		}
	})
	h.drive(h.allows("keep_2"))
	h.wantPending("revoked while a call runs", "keep_4")
	if got := strings.Join(ran, " "); got != "keep_2 keep_3" {
		t.Errorf("ran %s", got)
	}
}

func TestWhereNobodyCanAnswerNothingIsRemembered(t *testing.T) {
	h := build(t, `{}`, nil, asks("keep_1"), says("Done."), asks("keep_2"), says("Done."))
	h.drive(h.message("hi"))
	h.drive(h.allows("keep_1"))
	text := "more"
	h.drive(turn.Command{Ref: h.ref, Message: &text})
	if got := h.results(); len(got) != 1 || !strings.Contains(got[0], tools.CodeNoUser) {
		t.Errorf("results %q", got)
	}
}

func TestARememberedApprovalOutlivesANodeAndItsCallDoesNotRunTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("keep_1"), says("Done."), asks("keep_2"), asks("keep_3"), says("I see."))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.drive(h.message("hi"))
		h.drive(h.allows("keep_1"))
		reached, dead := make(chan struct{}), make(chan struct{})
		tool := once{make(chan func(context.Context) (tools.Outcome, error), 2)}
		tool.runs <- func(context.Context) (tools.Outcome, error) {
			close(reached)
			<-dead // the process never comes back from here
			return tools.Outcome{Result: "too late"}, nil
		}
		tool.runs <- func(context.Context) (tools.Outcome, error) { return tools.Outcome{Result: "quick"}, nil }
		h.tool = tool
		_, _, ended := h.start(h.message("more"))
		<-reached
		other := h.node(stream.NewLocal())
		go other.engine.Sweep(ctx)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		var got []string
		for _, m := range other.snapshot().Messages {
			for _, c := range m.ToolCalls {
				got = append(got, c.ToolCallID+" "+*c.Result)
			}
		}
		if len(got) != 3 || !strings.Contains(got[1], tools.CodeInterrupted) || got[2] != "keep_3 quick" {
			t.Errorf("results %q", got)
		}
		close(dead)
		<-ended
	})
}

// An approval applies to the version of the tool that was approved, and as long as tools.json allows it.
func TestAnApprovalHoldsForTheToolAsItWas(t *testing.T) {
	for name, test := range map[string]struct {
		more string
		asks bool
	}{
		"unchanged":           {`"approvalRemember": "chat"`, false},
		"another description": {`"approvalRemember": "chat", "description": {"en": "Deletes it all."}`, true},
		"other parameters":    {`"approvalRemember": "chat", "parameters": {"type": "object", "properties": {"all": {"type": "boolean"}}}`, true},
		"never again":         {`"approvalRemember": "never"`, true},
	} {
		t.Run(name, func(t *testing.T) {
			tool := func(more string) string {
				return `[{"id": "keep", "type": "http", "needsApproval": true, "editable": true, ` + more + `, "http": {"url": "http://127.0.0.1:1/"}}]`
			}
			h := build(t, `{}`, nil, asks("keep_1"), says("Done."), asks("keep_2"), says("Done."))
			h.ownTools(`{}`, tool(`"approvalRemember": "chat"`))
			h.drive(h.message("hi"))
			h.drive(h.allows("keep_1"))
			h.wantApprovals("after the answer", "keep")
			h.ownTools(`{}`, tool(test.more))
			h.drive(h.message("more"))
			if test.asks {
				h.wantPending("afterwards", "keep_2")
				return
			}
			h.wantPending("afterwards")
		})
	}
}

// A fork is another chat: what was allowed permanently in the first is asked about there.
func TestAForkIsAskedAboutWhatWasAllowedForGood(t *testing.T) {
	h := build(t, `{}`, nil, asks("keep_1"), says("Done."), says("Well."), asks("keep_2"), says("Done."))
	h.drive(h.message("hi"))
	h.drive(h.allows("keep_1"))
	h.drive(h.message("more"))
	messages := h.snapshot().Messages
	edited := "something else"
	h.drive(h.fork(chat.Fork{MessageID: messages[len(messages)-2].ID}, &edited, nil))
	fork := h.chat("c2")
	fork.wantApprovals("in the fork")
	fork.wantPending("in the fork", "keep_2")
	h.wantApprovals("in the first chat", "keep")
}
