package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// free fails if the step costs a request to the model.
func free(t *testing.T, g *fronttest.Gateway, what string, do func()) {
	t.Helper()
	before := g.Requests()
	do()
	if n := g.Requests() - before; n > 0 {
		t.Errorf("%s costs %d requests", what, n)
	}
}

// A client without tools is asked in texts, and its history alone identifies its chat.
func TestPeopleAnswerInText(t *testing.T) {
	g := fronttest.Start(t, nil)
	t.Run("a question", func(t *testing.T) {
		c := newClient(t, g)
		first := c.say("ask")
		first.has(t, "stop", "One moment. \n\nWhich city?\n\n1. Berlin, Germany\n2. Paris, France\n\nReply with the number", "your own words")
		second := c.say("2")
		second.has(t, "stop", "par")
		third := c.say("plain")
		third.has(t, "stop", "Good morning, dear.")
		if first.chat == "" || second.chat != first.chat || third.chat != first.chat || second.usage == 0 {
			t.Errorf("chats %q %q %q, usage %d", first.chat, second.chat, third.chat, second.usage)
		}
	})
	t.Run("a form", func(t *testing.T) {
		c := newClient(t, g)
		first := c.say("form")
		first.has(t, "stop", "Your name?", "Question 1 of 2.")
		var second reply
		free(t, g, "the next question of a form", func() { second = c.say("Ada") })
		second.has(t, "stop", "Your age?", "Question 2 of 2.", `reply "skip"`)
		third := c.say("36")
		third.has(t, "stop", "Ada", "36")
		if second.chat != first.chat || third.chat != first.chat {
			t.Errorf("chats %q %q %q", first.chat, second.chat, third.chat)
		}
		if again := c.say("plain"); again.chat != first.chat {
			t.Errorf("after a form the chat is %q, want %q", again.chat, first.chat)
		}
	})
	t.Run("a part that does not apply", func(t *testing.T) {
		c := newClient(t, g)
		c.say("hanging").has(t, "stop", "How?", "1. By train")
		free(t, g, "the next question of a form", func() { c.say("2").has(t, "stop", "Your address?", "Question 3 of 3.") })
		c.say("ada@example.org").has(t, "stop", "By car (car)", "not asked", "ada@example.org")
		c = newClient(t, g)
		c.say("hanging")
		c.say("train").has(t, "stop", "Which seat?", "Question 2 of 3.")
		c.say("12a").has(t, "stop", "Your address?")
	})
	t.Run("a part that is skipped", func(t *testing.T) {
		c := newClient(t, g)
		c.say("form")
		c.say("Ada")
		c.say("skip").has(t, "stop", "Ada", "skipped")
	})
	t.Run("a part that is not an answer", func(t *testing.T) { // as a message, to any question
		c := newClient(t, g)
		first := c.say("form")
		c.say("Ada")
		next := c.say("plain, please")
		next.has(t, "stop")
		if state := stateOf(g, first.chat); next.chat != first.chat || state != "superseded" {
			t.Errorf("the form is %s", state)
		}
	})
	t.Run("twice", func(t *testing.T) {
		c := newClient(t, g)
		c.say("twice").has(t, "stop", "Which city?")
		c.say("Rome").has(t, "stop", "And now: \n\nWhich day?", "2027-03-31")
		c.say("31.3.2027").has(t, "stop", "Rome", "2027-03-31")
	})
	t.Run("two at once", func(t *testing.T) {
		c := newClient(t, g)
		c.say("pair").has(t, "stop", "Which city?")
		free(t, g, "the next question of a step", func() { c.say("Rome").has(t, "stop", "Which day?") })
		c.say("2027-03-01").has(t, "stop", "Rome", "2027-03-01")
	})
	t.Run("an approval", func(t *testing.T) {
		for word, want := range map[string]string{"yes": "20", "no": "So it is: "} {
			c := newClient(t, g)
			c.say("approve").has(t, "stop", "clock", "timezone", "```", "yes or no")
			c.say(word).has(t, "stop", want)
		}
	})
	t.Run("a client's tool that it does not have", func(t *testing.T) {
		c := newClient(t, g)
		c.say("client").has(t, "stop", "locate")
		c.say("plain").has(t, "stop", "Good morning")
	})
	t.Run("in German", func(t *testing.T) {
		c := newClient(t, g, "Accept-Language", "de")
		first := c.say("ask")
		first.has(t, "stop", "Antworten Sie mit der Nummer")
		delete(c.headers, "Accept-Language") // a history is recognized in any language
		if next := c.say("1"); next.chat != first.chat {
			t.Errorf("another chat: %+v", next)
		}
	})
}

func stateOf(g *fronttest.Gateway, chat string) any {
	messages := g.Snapshot(fronttest.App, chat)["messages"].([]any)
	for _, m := range messages {
		calls, _ := m.(map[string]any)["toolCalls"].([]any)
		for _, c := range calls {
			if of, ok := c.(map[string]any)["clarification"].(map[string]any); ok {
				return of["state"]
			}
		}
	}
	return nil
}

// An approval that was never seen is shown before a word decides it.
func TestAnApprovalIsSeenFirst(t *testing.T) {
	g := fronttest.Start(t, nil)
	newClient(t, g, "X-Chat-Id", "c").say("approve")
	other := newClient(t, g, "X-Chat-Id", "c")
	free(t, g, "an approval that is shown", func() { other.say("yes").has(t, "stop", "clock") })
	other.say("yes").has(t, "stop", "20")
}

// Conversations are distinguished by their content, and by their owners.
func TestConversationsAreToldApart(t *testing.T) {
	g := fronttest.Start(t, nil)
	one, two := newClient(t, g), newClient(t, g)
	a, b := one.say("tool now"), two.say("tool now") // the same words
	if a.chat == b.chat {
		t.Fatal("two beginnings are one chat")
	}
	if next := one.say("plain"); next.chat != a.chat && next.chat != b.chat {
		t.Errorf("the chat is %q, want %q or %q", next.chat, a.chat, b.chat)
	}
	last := two.say("ask") // shorter than the chat that went on with plain
	if last.chat != b.chat && last.chat != a.chat {
		t.Errorf("the chat is %q", last.chat)
	}
	edited := newClient(t, g)
	edited.history = []said{user("tool now"), assistant("Something that was never said.")}
	if r := edited.say("plain"); r.chat == a.chat || r.chat == b.chat {
		t.Error("a history that never took place is assigned to a chat")
	}
	spaced := newClient(t, g)
	spaced.history = []said{{"role": "system", "content": "x"}, user(" tool  now\n"), assistant("Let me see.\n\nSo it is: 5. ")}
	if r := spaced.say("think"); r.status != 200 {
		t.Errorf("%+v", r)
	}
}

// If a client never got the end of an answer, its history still belongs to the conversation.
func TestAClientThatLeft(t *testing.T) {
	g := fronttest.Start(t, nil)
	c := newClient(t, g)
	first := c.say("tool")
	c.history[1] = assistant("Let me see. So")
	if next := c.say("plain"); next.chat != first.chat {
		t.Errorf("the chat is %q, want %q", next.chat, first.chat)
	}
	if next := c.say("think"); next.chat != first.chat {
		t.Errorf("then the chat is %q, want %q", next.chat, first.chat)
	}
}

// A repeated request gets the result of the first, or is refused; anything new costs a request.
func TestTheSameAgain(t *testing.T) {
	g := fronttest.Start(t, nil)
	for _, headers := range [][]string{nil, {"X-Chat-Id", "known"}} {
		c := newClient(t, g, headers...)
		first := c.say("tool")
		second := c.say("plain")
		c.history = c.history[:3]
		var again reply
		c.headers["X-Stainless-Retry-Count"] = "1"
		free(t, g, "a message that is sent again", func() { again = c.post(map[string]any{"messages": c.history}) })
		delete(c.headers, "X-Stainless-Retry-Count")
		again.has(t, "stop", "Good morning, dear.")
		if again.chat != first.chat || second.chat != first.chat {
			t.Errorf("chats %q %q %q", first.chat, second.chat, again.chat)
		}
		if n := len(g.Snapshot(fronttest.App, first.chat)["messages"].([]any)); n != 5 {
			t.Errorf("the chat has %d messages", n)
		}
		c.history = append(c.history, assistant("Good morning, dear.")) // now it was seen
		c.say("plain").has(t, "stop", "Good morning, dear.")
		if n := len(g.Snapshot(fronttest.App, first.chat)["messages"].([]any)); n != 7 {
			t.Errorf("the same words later: the chat has %d messages", n)
		}
	}
	c := newClient(t, g, "X-Chat-Id", "first")
	c.say("plain")
	c.history = nil
	before := g.Requests()
	if c.say("plain").has(t, "stop", "Good morning"); g.Requests() == before { // the response came through
		t.Error("the same words without a history do not count as a new message")
	}
	c.history, c.headers["X-Stainless-Retry-Count"] = nil, "2"
	free(t, g, "a message that its library sends again", func() { c.say("plain").has(t, "stop", "Good morning") })

	keyed := newClient(t, g, "Idempotency-Key", "k1")
	a := keyed.say("plain")
	keyed.history = nil
	free(t, g, "a key that is sent again", func() {
		if b := keyed.say("plain"); b.chat != a.chat {
			t.Errorf("another chat: %q, %q", a.chat, b.chat)
		}
	})

	later := newClient(t, g, "X-Chat-Id", "later")
	later.say("plain")
	later.history, later.headers["Idempotency-Key"] = nil, "k2"
	later.say("tool")
	later.history = nil
	free(t, g, "a later key that is sent again", func() { later.say("tool").has(t, "stop", "So it is: 5.") })

	answered := newClient(t, g)
	answered.tools = []string{"ask_user"}
	asked := answered.say("ask")
	result := said{"role": "tool", "tool_call_id": asked.calls[0].ID, "content": `{"answers":{"city":"par"}}`}
	answered.send(result)
	answered.history = answered.history[:3]
	free(t, g, "an answer that is sent again", func() {
		r := answered.post(map[string]any{"messages": answered.history})
		if r.status != http.StatusConflict || r.code != "already_answered" || r.refusal == "" || r.header.Get("X-Should-Retry") != "false" {
			t.Errorf("%+v", r)
		}
	})
	worded := newClient(t, g)
	first := worded.say("ask worded")
	worded.say("2")
	worded.history = worded.history[:3]
	worded.headers["X-Stainless-Retry-Count"] = "1"
	free(t, g, "an answer in words that is sent again", func() {
		if r := worded.post(map[string]any{"messages": worded.history}); r.chat != first.chat || !strings.Contains(r.text, "par") {
			t.Errorf("%+v", r)
		}
	})
}

// Another device answers, or asks, between two messages.
func TestOthersAnswerMeanwhile(t *testing.T) {
	g := fronttest.Start(t, nil)
	native := func(chat, body string) {
		t.Helper()
		resp, err := http.Post(g.URL+"/v1/apps/work/chats/"+chat+"/messages", "application/json", strings.NewReader(body))
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%v %v", resp, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	t.Run("the whole form", func(t *testing.T) {
		c := newClient(t, g)
		first := c.say("form")
		c.say("Ada")
		native(first.chat, `{"answer":{"answers":[{"value":"Bob"},{"value":7}]}}`)
		next := c.say("plain") // the form is over: a message like any other
		next.has(t, "stop", "Good morning")
		if next.chat != first.chat {
			t.Errorf("another chat: %+v", next)
		}
	})
	t.Run("the draft", func(t *testing.T) {
		c := newClient(t, g)
		first := c.say("form")
		c.say("Ada")
		pending := g.Snapshot(fronttest.App, first.chat)["clarification"].(map[string]any)
		req, _ := http.NewRequest(http.MethodPut, g.URL+"/v1/clarifications/"+pending["clarificationId"].(string)+"/draft", strings.NewReader(`{"draft":{"card":1}}`))
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil || resp.StatusCode != 204 {
			t.Fatalf("%v %v", resp, err)
		}
		resp.Body.Close()
		c.say("36").has(t, "stop", "Your name?") // what was answered is gone
		c.say("Eve").has(t, "stop", "Your age?")
		c.say("36").has(t, "stop", "Eve", "36")
	})
	t.Run("and are asked the next", func(t *testing.T) {
		c := newClient(t, g)
		first := c.say("twice")
		native(first.chat, `{"answer":{"value":"Rome"}}`)
		free(t, g, "the question that waits now", func() { c.say("2027-03-01").has(t, "stop", "Which day?") })
		c.say("2027-03-01").has(t, "stop", "Rome", "2027-03-01")
	})
}

// Calls of the client's: several at once, answered together, one by one, and with a message.
func TestCalls(t *testing.T) {
	g := fronttest.Start(t, nil)
	result := func(id, text string) said { return said{"role": "tool", "tool_call_id": id, "content": text} }
	c := newClient(t, g)
	c.tools = []string{"ask_user"}
	r := c.say("pair")
	r.has(t, "tool_calls")
	if len(r.calls) != 2 || r.calls[0].ID == r.calls[1].ID || r.calls[0].Type != "function" || !strings.Contains(r.calls[0].Function.Arguments, `"questions"`) {
		t.Fatalf("calls %+v", r.calls)
	}
	c.send(result(r.calls[0].ID, `{"answers":{"q1":"Rome"}}`), result(r.calls[1].ID, "2027-03-01")).has(t, "stop", "Rome", "2027-03-01")

	r = c.say("pair")
	rest := c.send(result(r.calls[0].ID, `{"answers":{"q1":"Oslo"}}`))
	rest.has(t, "tool_calls")
	if len(rest.calls) != 1 || rest.calls[0].ID != r.calls[1].ID {
		t.Fatalf("what waits still: %+v", rest.calls)
	}
	c.send(result(r.calls[1].ID, "2027-03-02")).has(t, "stop", "Oslo")

	r = c.say("ask")
	c.send(result(r.calls[0].ID, `{"answers":{"city":"par"}}`), user("by train")).has(t, "stop", "par", "by train")

	elsewhere := newClient(t, g) // the call alone says which chat it is of
	r = c.say("ask")
	if got := elsewhere.send(result(r.calls[0].ID, "Berlin, Germany")); got.chat != r.chat || !strings.Contains(got.text, "ber") {
		t.Errorf("%+v", got)
	}
	if got := elsewhere.send(result("clr_nobody", "x")); got.status != 404 || got.refusal == "" {
		t.Errorf("a call that was never made: %+v", got)
	}
	choice := newClient(t, g)
	choice.tools = []string{"ask_user"}
	if got := choice.post(map[string]any{"messages": []said{user("ask")}, "tool_choice": "none"}); len(got.calls) > 0 || !strings.Contains(got.text, "Which city?") {
		t.Errorf("tool_choice none: %+v", got)
	}
}

// If the process dies, no question is lost, not even one that is asked in text.
func TestACrashBetweenQuestionAndText(t *testing.T) {
	g := fronttest.Start(t, nil)
	c := newClient(t, g)
	first := c.say("form")
	c.say("Ada").has(t, "stop", "Your age?")
	g.Crash()
	if last := c.say("36"); last.chat != first.chat || !strings.Contains(last.text, "Ada") || !strings.Contains(last.text, "36") {
		t.Errorf("%+v", last)
	}
}

func TestModels(t *testing.T) {
	g := fronttest.Start(t, nil)
	get := func(path string) (int, string) {
		resp, err := http.Get(g.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		out, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(out)
	}
	if status, body := get("/v1/models"); status != 200 || !strings.Contains(body, `"object":"list"`) || !strings.Contains(body, `{"id":"work","object":"model","created":0,"owned_by":"askgate"}`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := get("/v1/models/work"); status != 200 || !strings.Contains(body, `"id":"work"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := get("/v1/models/gpt-5"); status != 404 || !strings.Contains(body, `"type":"not_found_error","code":"model_not_found"`) {
		t.Errorf("%d %s", status, body)
	}
}

// An invalid request is refused, with a sentence and the field; what no client should send in a
// history is ignored.
func TestBadRequests(t *testing.T) {
	g := fronttest.Start(t, nil)
	c := newClient(t, g)
	many := make([]said, 101)
	for i := range many {
		many[i] = said{"role": "tool", "tool_call_id": fmt.Sprint(i), "content": "x"}
	}
	tools, _ := json.Marshal(many)
	free(t, g, "what is refused", func() {
		for _, test := range []struct {
			body, param, code string
			status            int
		}{
			{`{`, "", "invalid_request", 400},
			{`[]`, "", "invalid_request", 400},
			{`{"messages":[{"role":"user","content":"x"}]}`, "model", "invalid_request", 400},
			{`{"model":7,"messages":[{"role":"user","content":"x"}]}`, "model", "invalid_request", 400},
			{`{"model":"unknown","messages":[{"role":"user","content":"x"}]}`, "model", "model_not_found", 404},
			{`{"model":"work"}`, "messages", "invalid_request", 400},
			{`{"model":"work","messages":{}}`, "messages", "invalid_request", 400},
			{`{"model":"work","messages":[]}`, "messages", "invalid_request", 400},
			{`{"model":"work","messages":[{"role":"system","content":"x"}]}`, "messages", "invalid_request", 400},
			{`{"model":"work","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`, "messages", "invalid_request", 400},
			{`{"model":"work","stream":"yes","messages":[{"role":"user","content":"x"}]}`, "stream", "invalid_request", 400},
			{`{"model":"work","n":2,"messages":[{"role":"user","content":"x"}]}`, "n", "invalid_request", 400},
			{`{"model":"work","messages":[{"role":"user","content":" "}]}`, "messages", "invalid_request", 400},
			{`{"model":"work","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}`, "messages[0].content[0]", "attachments_off", 400},
			{`{"model":"work","messages":[{"role":"tool","content":"x"}]}`, "", "not_found", 404},
			{`{"model":"work","messages":` + string(tools) + `}`, "messages", "invalid_request", 400},
			{`{"model":"work","messages":[{"role":"user","content":"` + strings.Repeat("x", 32_001) + `"}]}`, "messages", "too_large", 413},
			{`{"model":"work","messages":[{"role":"user","content":"` + strings.Repeat("x", 1<<20) + `"}]}`, "", "too_large", 413},
		} {
			r := c.raw("POST", "/v1/chat/completions", []byte(test.body))
			if r.status != test.status || r.code != test.code || r.param != test.param || len(r.refusal) < 10 || strings.Contains(r.refusal, "<no value>") {
				t.Errorf("%.90s: %d %q %q %q", test.body, r.status, r.code, r.param, r.refusal)
			}
		}
		for _, name := range []string{"X-Chat-Id", "Idempotency-Key", "Thread-Id", "Session-Id"} {
			if r := newClient(t, g, name, strings.Repeat("x", 201), "Originator", "codex_exec").say("plain"); r.status != 400 || r.refusal == "" || r.param != name {
				t.Errorf("%s: %+v", name, r)
			}
		}
	})
	history := make([]said, 0, 1003)
	for i := range 500 {
		history = append(history, user(strings.Repeat("old ", 200)), said{
			"role": "assistant", "content": strings.Repeat("older ", 100), "tool_calls": []any{map[string]any{"id": fmt.Sprint("clr_", i)}, 7},
		})
	}
	history = append(history, said{"role": 7}, said{"role": "tool", "tool_call_id": []int{1}}, said{"content": said{}}, user("plain"))
	c.post(map[string]any{"messages": history}).has(t, "stop", "Good morning, dear.")
	whole := c.post(map[string]any{"messages": []said{{"role": "user", "content": []any{map[string]any{"type": "text", "text": "plain"}}}}, "temperature": 7})
	whole.has(t, "stop", "Good morning, dear.")
	if r := c.say("fail"); r.status != 502 || r.code != "model_error" || r.refusal == "" {
		t.Errorf("a model that fails: %+v", r)
	}
}

// A request that is answered without the model is limited like any other.
func TestQuestionsThatAreToldAreLimited(t *testing.T) {
	g := fronttest.Start(t, map[string]string{"apps/work.json": `{"id": "work", "name": "Work", "tools": ["ask_user"], "limits": {"requestsPerMinute": 1, "burst": 3}}`})
	c := newClient(t, g, "X-Chat-Id", "c")
	c.say("form")
	c.say("Ada")
	c.history = c.history[:3]
	again := func() reply { return c.post(map[string]any{"messages": c.history}) }
	again().has(t, "stop", "Your age?")
	if r := again(); r.status != http.StatusTooManyRequests || r.code != "rate_limited" || r.header.Get("Retry-After") == "" || r.header.Get("X-Should-Retry") != "" {
		t.Errorf("beyond the limit: %+v", r)
	}
}
