package openai_test

import (
	"net/http"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// Two chats have the same content up to their question: the answer goes to the one that waits.
func TestAnAnswerGoesToTheChatThatWaits(t *testing.T) {
	g := fronttest.Start(t, nil)
	a, b := newClient(t, g), newClient(t, g)
	first, second := a.say("ask trip"), b.say("ask trip")
	b.say("2").has(t, "stop", "Paris")
	b.headers["X-Stainless-Retry-Count"] = "1"
	if n := b.post(map[string]any{"messages": b.history[:3]}); n.chat != second.chat || stateOf(g, first.chat) != "pending" {
		t.Errorf("the repeated request went to %s, not %s", n.chat, second.chat)
	}
	r := a.say("Berlin, Germany")
	r.has(t, "stop", "Berlin")
	if r.chat != first.chat {
		t.Errorf("the answer went to %s, not %s", r.chat, first.chat)
	}
}

// The model of a request is the app of what it answers.
func TestACallOfAnotherApp(t *testing.T) {
	g := fronttest.Start(t, nil)
	c := newClient(t, g)
	c.tools = []string{"ask_user"}
	asked := c.say("ask x")
	output := said{"role": "tool", "tool_call_id": asked.calls[0].ID, "content": "ber"}
	free(t, g, "a call of another app", func() {
		for _, m := range [][]said{{output}, {output, user("plain")}} {
			other := newClient(t, g)
			other.app = fronttest.Brief
			if r := other.send(m...); r.status != http.StatusNotFound {
				t.Errorf("status %d: %s", r.status, r.text)
			}
		}
	})
	if state := stateOf(g, asked.chat); state != "pending" {
		t.Errorf("the question is %v", state)
	}
}

// A yes does not allow anything that its client has not seen.
func TestAnUnseenApprovalIsToldInResponses(t *testing.T) {
	g := fronttest.Start(t, nil)
	newClient(t, g, "X-Chat-Id", "seen").say("approve x")
	var told *got
	free(t, g, "an approval that was not seen", func() {
		told = respond(t, g, object{"input": "yes", "conversation": "seen"})
	})
	if state := stateOf(g, "seen"); state != "pending" {
		t.Fatalf("the approval is %v", state)
	}
	respond(t, g, object{"input": "yes", "previous_response_id": told.ID})
	if state := stateOf(g, "seen"); state != "answered" {
		t.Errorf("the approval is %v", state)
	}
}
