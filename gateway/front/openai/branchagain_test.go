package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// A branch asks for an approval again, with its code: the history continues there, even if the
// question had another code, or none, when it was asked first.
func TestADecisionIsMadeWhereItIsAskedAgain(t *testing.T) {
	g := fronttest.Start(t, nil)
	c := newClient(t, g)
	first := c.say("approve trip")
	c.say("no").has(t, "stop")
	c.history = c.history[:2]
	again := c.say("no")
	if !codes.MatchString(again.text) || codes.MatchString(first.text) {
		t.Fatalf("%q, then %q", first.text, again.text)
	}
	last := c.say("yes")
	last.has(t, "stop", "20")
	if last.chat != again.chat || stateOf(g, again.chat) != "answered" {
		t.Errorf("asked again in %s, decided in %s", again.chat, last.chat)
	}
}

// Once a branch has its decision, the same message after the first question begins another branch,
// over both APIs; while it waits and is sent again, it is the same branch.
func TestEachBranchAsksForItself(t *testing.T) {
	g := fronttest.Start(t, nil)
	t.Run("behind a history", func(t *testing.T) {
		c := newClient(t, g)
		c.say("approve chat")
		c.say("no")
		history := c.history[:2]
		again := func(headers ...string) reply {
			other := newClient(t, g, headers...)
			other.history = append([]said{}, history...)
			return other.say("no")
		}
		one := again()
		if same := again("X-Stainless-Retry-Count", "1"); same.chat != one.chat {
			t.Errorf("the repeat is in %s, not %s", same.chat, one.chat)
		}
		decided := newClient(t, g, "X-Chat-Id", one.chat)
		decided.history = append([]said{}, history...)
		decided.history = append(decided.history, user("no"), assistant(one.text))
		if r := decided.say("yes"); r.chat != one.chat || stateOf(g, one.chat) != "answered" {
			t.Fatalf("%s is decided in %s", one.chat, r.chat)
		}
		if two := again(); two.chat == one.chat || stateOf(g, two.chat) != "pending" {
			t.Errorf("asked in %s, and again in %s, which is %v", one.chat, two.chat, stateOf(g, two.chat))
		}
	})
	t.Run("behind a response", func(t *testing.T) {
		first := respond(t, g, object{"input": "approve response"})
		no := func(behind string) *got {
			return respond(t, g, object{"input": "no", "previous_response_id": behind})
		}
		no(first.ID)
		one := no(first.ID)
		no(one.ID)
		if two := no(first.ID); two.ChatID == one.ChatID || stateOf(g, one.ChatID) != "answered" || stateOf(g, two.ChatID) != "pending" {
			t.Errorf("asked in %s, and again in %s", one.ChatID, two.ChatID)
		}
	})
}

// A truncated history begins with the assistant's question: its sender has seen that.
func TestADecisionBehindACutHistory(t *testing.T) {
	g := fronttest.Start(t, nil)
	ask(t, g, "call", "approve")
	id := g.Snapshot(fronttest.App, "call")["pending"].([]any)[0].(map[string]any)["clarificationId"]
	shown := object{"type": "mcp_approval_request", "id": id, "name": "clock", "arguments": "{}", "server_label": "work"}
	respond(t, g, object{"input": []object{shown, user2("yes")}}, "X-Chat-Id", "call").says(t, "20")

	c := newClient(t, g, "X-Chat-Id", "words")
	c.say("approve")
	c.history = c.history[1:]
	c.say("yes").has(t, "stop", "20")

	other := newClient(t, g, "X-Chat-Id", "unseen")
	other.say("approve")
	other.history = []said{assistant("Good morning, dear.")}
	free(t, g, "an approval that was not seen", func() { other.say("yes").has(t, "stop", "yes or no") })
}

// A branch has an answer in another's place: a client that shows the question as a call continues
// there, and repeats the newest message there.
func TestABranchOfACall(t *testing.T) {
	g := fronttest.Start(t, nil)
	c := newClient(t, g, "X-Chat-Id", "call")
	c.tools = []string{"ask_user"}
	c.say("ask")
	c.say("Rome").has(t, "stop", "Rome")
	c.history = c.history[:2]
	branch := c.say("Oslo")
	next := c.say("approve")
	if next.chat != branch.chat || len(next.calls) != 1 {
		t.Fatalf("the branch is %s, then %+v", branch.chat, next)
	}
	c.history = c.history[:len(c.history)-2]
	if again := c.say("approve"); again.chat == branch.chat || len(again.calls) != 1 || again.calls[0].ID == next.calls[0].ID {
		t.Errorf("said again: %+v", again)
	}
}

// The same key is the same request: the response to a call's result or to a named code is repeated,
// and a note that went with a result is not a new message.
func TestAnAnswerIsRepeatedByItsKey(t *testing.T) {
	g := fronttest.Start(t, nil)
	t.Run("the result of a call", func(t *testing.T) {
		for _, note := range [][]said{nil, {user("Thanks.")}} {
			c := newClient(t, g)
			c.tools = []string{"ask_user"}
			asked := c.say("ask")
			result := said{"role": "tool", "tool_call_id": asked.calls[0].ID, "content": "par"}
			history := append(append(append([]said{}, c.history...), result), note...)
			c.headers["Idempotency-Key"] = asked.chat
			one := c.post(map[string]any{"messages": history})
			one.has(t, "stop", "par")
			free(t, g, "the same key", func() {
				if two := c.post(map[string]any{"messages": history}); two.text != one.text || two.chat != one.chat {
					t.Errorf("%+v is repeated as %+v", one, two)
				}
			})
			delete(c.headers, "Idempotency-Key")
			if r := c.post(map[string]any{"messages": history}); r.status != http.StatusConflict || r.code != "already_answered" {
				t.Errorf("without the key it is %+v", r)
			}
		}
	})
	t.Run("a code", func(t *testing.T) {
		ask(t, g, "one", "ask code")
		ask(t, g, "two", "ask code")
		history := []object{user2("ask code"), said2("One moment. Which city? 1. Berlin, Germany 2. Paris, France"), user2("Rome")}
		list := respond(t, g, object{"input": history})
		named := codes.FindStringSubmatch(list.text())[1] + " Rome"
		send := func() *got {
			return respond(t, g, object{"input": named, "previous_response_id": list.ID}, "Idempotency-Key", "code")
		}
		one := send()
		one.says(t, "Rome")
		free(t, g, "the same key", func() {
			if two := send(); two.ChatID != one.ChatID || !strings.Contains(two.text(), "Rome") {
				t.Errorf("%+v is repeated as %+v", one, two)
			}
		})
	})
}

// A message that is repeated after the same response begins another branch each time, even where
// the previous branch continued; a resend is matched to the last one, whichever of them the client
// names.
func TestEachRegenerateIsItsOwnBranch(t *testing.T) {
	g := fronttest.Start(t, nil)
	t.Run("behind a response", func(t *testing.T) {
		first := respond(t, g, object{"input": "plain"})
		respond(t, g, object{"input": "think", "previous_response_id": first.ID})
		say := func(headers ...string) *got {
			return respond(t, g, object{"input": "ask", "previous_response_id": first.ID}, headers...)
		}
		one := say()
		respond(t, g, object{"input": "2", "previous_response_id": one.ID}).says(t, "par")
		two := say()
		three := say()
		again := say("X-Stainless-Retry-Count", "1")
		if one.ChatID == two.ChatID || two.ChatID == three.ChatID || again.ChatID != three.ChatID {
			t.Errorf("sent in %s, %s and %s; repeated in %s", one.ChatID, two.ChatID, three.ChatID, again.ChatID)
		}
	})
	t.Run("by a branch's name", func(t *testing.T) {
		c := newClient(t, g, "X-Chat-Id", "named")
		c.say("plain")
		c.say("think")
		c.history = c.history[:2]
		one := c.say("tool")
		history := c.history[:3]
		c.headers["X-Chat-Id"] = one.chat
		two := c.post(map[string]any{"messages": history})
		c.headers["X-Stainless-Retry-Count"] = "1"
		if again := c.post(map[string]any{"messages": history}); one.chat == two.chat || again.chat != two.chat {
			t.Errorf("sent in %s and %s, repeated in %s", one.chat, two.chat, again.chat)
		}
	})
}

// A form that was answered part by part after a truncated history is repeated by its key.
func TestAFormBehindACutHistoryIsRepeated(t *testing.T) {
	g := fronttest.Start(t, nil)
	c := newClient(t, g, "X-Chat-Id", "form")
	c.say("plain")
	c.history = nil
	c.say("form")
	c.say("Ada")
	c.headers["Idempotency-Key"] = "form"
	one := c.say("36")
	c.history = c.history[:len(c.history)-1]
	free(t, g, "the same key", func() {
		if two := c.post(map[string]any{"messages": c.history}); two.status != http.StatusOK || two.text != one.text {
			t.Errorf("%+v is repeated as %+v", one, two)
		}
	})
}

// A call of the chat that a branch was made from is not the branch's own: what is said after it
// begins another branch.
func TestACallOfTheChatBefore(t *testing.T) {
	g := fronttest.Start(t, nil)
	c := newClient(t, g, "X-Chat-Id", "before")
	c.tools = []string{"ask_user"}
	c.say("approve")
	c.say("yes")
	history := c.history[:2]
	c.history = history[:2:2]
	one := c.say("no")
	result := said{"role": "tool", "tool_call_id": one.calls[0].ID, "content": "Error: no window"}
	c.send(result).has(t, "stop", "yes or no")
	if r := c.say("yes"); r.chat != one.chat || stateOf(g, one.chat) != "answered" {
		t.Errorf("asked again in %s, decided in %s", one.chat, r.chat)
	}
	c.history = history[:2:2]
	if two := c.say("no"); two.chat == one.chat || stateOf(g, two.chat) != "pending" {
		t.Errorf("asked in %s, and again in %s", one.chat, two.chat)
	}
}
