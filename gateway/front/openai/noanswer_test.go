package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// counted is the value of a metric.
func counted(t *testing.T, g *fronttest.Gateway, series string) bool {
	t.Helper()
	resp, err := http.Get(g.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all, _ := io.ReadAll(resp.Body)
	return strings.Contains(string(all), "\n"+series+"\n")
}

// An error that a client's library sends as the result of a question does not answer it: the person
// is asked in words, and the next message is the answer.
func TestAnErrorOfAClientsToolIsNoAnswer(t *testing.T) {
	g := fronttest.Start(t, nil)
	result := func(c toolCall, text string) said {
		return said{"role": "tool", "tool_call_id": c.ID, "content": text}
	}
	asking := func(t *testing.T, headers ...string) *client {
		c := newClient(t, g, headers...)
		c.tools = []string{"ask_user"}
		return c
	}
	for what, text := range map[string]string{
		"a sentence": "An error occurred while running the tool. Please try again. Error: no window", "an object": `{"error":"no window"}`, "nothing": "", "a status": `{"status":"timeout"}`,
	} {
		t.Run(what, func(t *testing.T) {
			c := asking(t)
			first := c.say("ask")
			var second reply
			free(t, g, "a result that is not an answer", func() { second = c.send(result(first.calls[0], text)) })
			second.has(t, "stop", "Which city?", "1. Berlin, Germany", "Reply with the number")
			if state := stateOf(g, first.chat); state != "pending" || len(second.calls) > 0 || second.chat != first.chat {
				t.Errorf("the question is %v: %+v", state, second)
			}
			c.say("2").has(t, "stop", "par")
		})
	}
	if !counted(t, g, `askgate_answers_refused_total{front="openai-chat",reason="status"} 1`) {
		t.Error("it is not counted")
	}
	t.Run("from then on, the chat is asked in words", func(t *testing.T) {
		c := asking(t, "X-Chat-Id", "words")
		first := c.say("ask")
		c.send(result(first.calls[0], "Error: x"))
		c.say("par").has(t, "stop", "par")
		again := c.say("ask")
		again.has(t, "stop", "Which city?")
		if len(again.calls) > 0 {
			t.Errorf("a call again: %+v", again)
		}
		c.history = nil // and by a client that has lost its history
		if fresh := c.say("form"); len(fresh.calls) > 0 || fresh.finish != "stop" {
			t.Errorf("a call again: %+v", fresh)
		}
	})
	t.Run("a message after it counts by itself", func(t *testing.T) {
		c := asking(t)
		first := c.say("ask")
		c.send(result(first.calls[0], "Error: x"), user("2")).has(t, "stop", "par")
	})
	t.Run("a form", func(t *testing.T) {
		c := asking(t)
		first := c.say("form")
		c.send(result(first.calls[0], "Error: x")).has(t, "stop", "Your name?", "Question 1 of 2.")
		free(t, g, "the next question of a form", func() { c.say("Ada").has(t, "stop", "Your age?") })
		c.say("36").has(t, "stop", "Ada", "36")
	})
	t.Run("one of two", func(t *testing.T) {
		c := asking(t)
		first := c.say("pair")
		if len(first.calls) != 2 {
			t.Fatalf("%+v", first)
		}
		second := c.send(result(first.calls[0], `{"answers":{"q1":"Rome"}}`), result(first.calls[1], "Error: x"))
		second.has(t, "stop", "Which day?")
		if len(second.calls) > 0 {
			t.Errorf("a call again: %+v", second)
		}
		c.say("2027-03-01").has(t, "stop", "Rome", "2027-03-01")
	})
	t.Run("an approval", func(t *testing.T) {
		c := asking(t)
		first := c.say("approve")
		c.send(result(first.calls[0], "Tool execution was not approved.")).has(t, "stop", "clock", "timezone", "yes or no")
		c.say("yes").has(t, "stop", "20")
	})
	t.Run("a stream", func(t *testing.T) {
		c := asking(t)
		first := c.say("ask")
		c.history = append(c.history, result(first.calls[0], "Error: x"))
		body, _ := json.Marshal(map[string]any{"model": c.app, "messages": c.history, "stream": true, "tools": []any{map[string]any{"type": "function", "function": map[string]any{"name": "ask_user"}}}})
		resp, err := http.Post(g.URL+"/v1/chat/completions", "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		out, _ := io.ReadAll(resp.Body)
		if s := string(out); resp.StatusCode != 200 || !strings.Contains(s, "Which city?") || !strings.HasSuffix(s, "data: [DONE]\n\n") || strings.Contains(s, "tool_calls") {
			t.Errorf("%d %s", resp.StatusCode, s)
		}
	})
	t.Run("an invalid answer is refused", func(t *testing.T) {
		c := asking(t)
		first := c.say("form")
		if r := c.send(result(first.calls[0], `{"answers":{"name":"Ada","age":999}}`)); r.status != http.StatusUnprocessableEntity {
			t.Errorf("%+v", r)
		}
	})
	t.Run("an explicit decline counts", func(t *testing.T) {
		c := asking(t)
		first := c.say("ask")
		c.send(result(first.calls[0], `{"action":"decline"}`)).has(t, "stop")
		if state := stateOf(g, first.chat); state != "declined" {
			t.Errorf("the question is %v", state)
		}
	})
	t.Run("a client's own tool may fail", func(t *testing.T) {
		c := asking(t)
		c.tools = append(c.tools, "locate")
		first := c.say("client")
		c.send(result(first.calls[0], `{"error":"no GPS"}`)).has(t, "stop", "no GPS")
	})
}

// A question goes out as a call only where the request's ask_user supports it.
func TestACallGoesOutWhereTheClientCanTakeIt(t *testing.T) {
	g := fronttest.Start(t, nil)
	for what, test := range map[string]struct {
		parameters string
		call       bool
	}{
		"any":                       {`{"type":"object","properties":{}}`, true},
		"questions":                 {`{"type":"object","properties":{"questions":{"type":"array","items":{"required":["question"]}}},"required":["questions"]}`, true},
		"Open WebUI":                {`{"type":"object","properties":{"questions":{"type":"array"},"allow_other":{"type":"boolean"},"timeout_ms":{"type":"integer"}},"required":["questions"]}`, false},
		"options with descriptions": {`{"type":"object","properties":{"questions":{"items":{"properties":{"options":{"minItems":2,"maxItems":3,"items":{"required":["label","description"]}}}}}}}`, false},
	} {
		t.Run(what, func(t *testing.T) {
			function := map[string]any{"name": "ask_user", "parameters": json.RawMessage(test.parameters)}
			c := newClient(t, g)
			r := c.post(map[string]any{"messages": []said{user("ask")}, "tools": []any{map[string]any{"type": "function", "function": function}}})
			if call := len(r.calls) == 1 && r.finish == "tool_calls"; call != test.call || !call && !strings.Contains(r.text, "Which city?") {
				t.Errorf("%+v", r)
			}
			function["type"], function["strict"] = "function", false
			seen := respond(t, g, object{"input": "ask", "tools": []any{function}})
			if call := strings.Contains(seen.types(), "function_call"); call != test.call || !call && !strings.Contains(seen.text(), "Which city?") {
				t.Errorf("Responses: %+v", seen)
			}
		})
	}
}

func (g *got) types() string {
	var all []string
	for _, o := range g.Output {
		all = append(all, o.Type)
	}
	return strings.Join(all, " ")
}

// The same for Responses, whose clients send outputs of calls.
func TestAnErrorOfAClientsFunctionIsNoAnswer(t *testing.T) {
	g := fronttest.Start(t, nil)
	tools := []any{object{"type": "function", "name": "ask_user", "parameters": object{"type": "object"}}}
	ask := func(t *testing.T, say, output string) (first, second *got) {
		t.Helper()
		first = respond(t, g, object{"input": say, "tools": tools})
		call := first.Output[len(first.Output)-1]
		free(t, g, "an output that is not an answer", func() {
			second = respond(t, g, object{"tools": tools, "previous_response_id": first.ID, "input": []any{object{"type": "function_call_output", "call_id": call.CallID, "output": output}}})
		})
		if second.Status != http.StatusOK || strings.Contains(second.types(), "function_call") || second.State != "completed" {
			t.Fatalf("%+v", second)
		}
		return first, second
	}
	for what, output := range map[string]string{
		"a sentence": "Tool 'ask_user' timed out after 30000ms.", "an object": `{"error":{"message":"x"}}`, "nothing": "", "cancelled": `{"status":"cancelled"}`,
	} {
		t.Run(what, func(t *testing.T) {
			first, second := ask(t, "ask", output)
			if !strings.Contains(second.text(), "Which city?") || !strings.Contains(second.text(), "2. Paris, France") {
				t.Errorf("the question is not asked in words: %+v", second)
			}
			third := respond(t, g, object{"tools": tools, "previous_response_id": second.ID, "input": "2"})
			if !strings.Contains(third.text(), "par") || third.ChatID != first.ChatID {
				t.Errorf("the message did not answer: %+v", third)
			}
			if again := respond(t, g, object{"tools": tools, "previous_response_id": third.ID, "input": "ask"}); strings.Contains(again.types(), "function_call") || !strings.Contains(again.text(), "Which city?") {
				t.Errorf("a call again: %+v", again)
			}
		})
	}
	t.Run("a form", func(t *testing.T) {
		_, second := ask(t, "form", "Error: x")
		third := respond(t, g, object{"tools": tools, "previous_response_id": second.ID, "input": "Ada"})
		if !strings.Contains(third.text(), "Your age?") {
			t.Fatalf("%+v", third)
		}
		if last := respond(t, g, object{"tools": tools, "previous_response_id": third.ID, "input": "36"}); !strings.Contains(last.text(), "Ada") {
			t.Errorf("%+v", last)
		}
	})
	t.Run("own words need the form", func(t *testing.T) {
		first := respond(t, g, object{"input": "ask", "tools": tools})
		call := first.Output[len(first.Output)-1]
		second := respond(t, g, object{"tools": tools, "previous_response_id": first.ID, "input": []any{object{"type": "function_call_output", "call_id": call.CallID, "output": `{"answers":{"city":"Rome"}}`}}})
		if !strings.Contains(second.text(), "Rome") {
			t.Errorf("%+v", second)
		}
	})
	if !counted(t, g, `askgate_answers_refused_total{front="openai-responses",reason="text"} 2`) {
		t.Error("it is not counted")
	}
}
