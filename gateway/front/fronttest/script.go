package fronttest

import (
	"strings"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// The model does what the newest message says by its first word:
//
//	plain    a text in three pieces
//	think    its reasoning, then a text
//	ask      asks which city, then says what was answered
//	form     asks for a name and an age, likewise
//	twice    asks for a city, then for a day
//	both     calls the calculator and asks in one step
//	two      calls the clock, which needs approval, and asks in one step
//	pair     asks for a city and for a day, in two calls of one step
//	tool     calls the calculator, then says the result
//	approve  calls the clock, which needs approval
//	far      in the app Remote, calls the MCP server's tool, then says the result
//	guarded  the same, of a tool that needs approval
//	client   calls the client's tool locate
//	bring    calls read_file, a tool that the client brought
//	wrong    the same, without the argument that it needs
//	mixed    calls read_file, the calculator, ask_user and read_file again, in one step
//	draw     calls chart, which only draws, then says the result
//	length   a text that a limit cuts off
//	fail     an error of the model
//	cut      a call, then a text that breaks off, once for each message
//	slow     a text and a call; the second request waits for Gateway.Release
func (g *Gateway) play(_ int, r modeltest.Request) modeltest.Response {
	messages := r.Body.Messages
	word, at, message := "", 0, ""
	for i, m := range messages {
		if m.Role == "user" {
			message, at = m.Text(), i
			word, _, _ = strings.Cut(message, " ")
		}
	}
	var results []string
	for _, m := range messages[at:] {
		if m.Role == "tool" {
			results = append(results, m.Text())
		}
	}
	said := func() modeltest.Response { return text("So it is: ", strings.Join(results, " and "), ".") }
	n := len(results)
	switch {
	case word == "plain":
		return text("Good ", "morning", ", dear.")
	case word == "think":
		return append(modeltest.Response{{Reasoning: "The person "}, {Reasoning: "greets."}}, text("Good morning.")...)
	case word == "fail":
		return modeltest.Response{{Status: 400, Body: `{"error":{"message":"no"}}`}}
	case word == "length":
		return modeltest.Response{{Text: "It was a dark and"}, {Finish: "length"}, {Usage: &modeltest.Usage{Input: 7, Output: 5}}, {Done: true}}
	case word == "ask" && n == 0:
		return call("One moment. ", "ask_user", `{"questions":[{"id":"city","question":"Which city?","input_type":"select","options":[{"label":"Berlin, Germany","value":"ber"},{"label":"Paris, France","value":"par"}],"allow_other":true}]}`)
	case word == "form" && n == 0:
		return call("", "ask_user", `{"questions":[{"id":"name","question":"Your name?","input_type":"text"},{"id":"age","question":"Your age?","input_type":"number","validation":{"min":1,"max":150},"allow_skip":true}]}`)
	case word == "hanging" && n == 0:
		return call("", "ask_user", `{"questions":[{"id":"how","question":"How?","input_type":"select","options":[{"label":"By train","value":"train"},{"label":"By car","value":"car"}]},{"id":"seat","question":"Which seat?","input_type":"text","when":{"question":"how","is":["train"]}},{"id":"mail","question":"Your address?","input_type":"text","format":"email"}]}`)
	case word == "twice" && n == 0:
		return call("", "ask_user", `{"question":"Which city?","input_type":"text"}`)
	case word == "twice" && n == 1:
		return call("And now: ", "ask_user", `{"question":"Which day?","input_type":"date"}`)
	case word == "both" && n == 0:
		return modeltest.Response{
			{Call: fragment(0, "call_a", "calculator", `{"expression":"2+3"}`)}, {Call: fragment(1, "call_b", "ask_user", `{"question":"Which city?","input_type":"text"}`)},
			{Finish: "tool_calls"}, {Usage: &modeltest.Usage{Input: 7, Output: 5}}, {Done: true},
		}
	case word == "two" && n == 0:
		return modeltest.Response{
			{Call: fragment(0, "call_a", "clock", `{"timezone":"UTC"}`)}, {Call: fragment(1, "call_b", "ask_user", `{"question":"Which city?","input_type":"text"}`)},
			{Finish: "tool_calls"}, {Usage: &modeltest.Usage{Input: 7, Output: 5}}, {Done: true},
		}
	case word == "cut" && n == 1 && g.first(message):
		return modeltest.Response{{Text: "So it "}, {Text: "bre"}, {Cut: true}}
	case word == "pair" && n == 0:
		return modeltest.Response{
			{Call: fragment(0, "call_a", "ask_user", `{"question":"Which city?","input_type":"text"}`)}, {Call: fragment(1, "call_b", "ask_user", `{"question":"Which day?","input_type":"date"}`)},
			{Finish: "tool_calls"}, {Usage: &modeltest.Usage{Input: 7, Output: 5}}, {Done: true},
		}
	case (word == "tool" || word == "slow" || word == "cut") && n == 0:
		return call("Let me see. ", "calculator", `{"expression":"2+3"}`)
	case word == "approve" && n == 0:
		return call("", "clock", `{"timezone":"UTC"}`)
	case (word == "far" || word == "guarded") && n == 0:
		return call("Let me see. ", map[string]string{"far": "remote", "guarded": "guarded"}[word]+"__count", `{}`)
	case word == "client" && n == 0:
		return call("", "locate", `{"precise":true}`)
	case word == "bring" && n == 0:
		return call("", "read_file", `{"path":"a.txt"}`)
	case word == "wrong" && n == 0:
		return call("", "read_file", `{}`)
	case word == "draw" && n == 0:
		return call("", "chart", `{"values":[1,2]}`)
	case word == "mixed" && n == 0:
		return modeltest.Response{
			{Call: fragment(0, "call_a", "read_file", `{"path":"a.txt"}`)}, {Call: fragment(1, "call_b", "calculator", `{"expression":"2+3"}`)},
			{Call: fragment(2, "call_c", "ask_user", `{"question":"Which city?","input_type":"text"}`)}, {Call: fragment(3, "call_d", "read_file", `{"path":"b.txt"}`)},
			{Finish: "tool_calls"}, {Usage: &modeltest.Usage{Input: 7, Output: 5}}, {Done: true},
		}
	case word == "slow":
		<-g.gate
	}
	return said()
}

// first reports whether the gateway's model has not yet broken off at a message.
func (g *Gateway) first(message string) bool {
	_, again := g.cuts.LoadOrStore(message, true)
	return !again
}

func text(pieces ...string) modeltest.Response {
	var r modeltest.Response
	for _, p := range pieces {
		if p != "" {
			r = append(r, modeltest.Step{Text: p})
		}
	}
	return append(r, modeltest.Step{Finish: "stop"}, modeltest.Step{Usage: &modeltest.Usage{Input: 7, Output: 5}}, modeltest.Step{Done: true})
}

// call writes something and calls a tool. The call's id is one that the model repeats in each chat.
func call(before, tool, arguments string) modeltest.Response {
	var r modeltest.Response
	if before != "" {
		r = append(r, modeltest.Step{Text: before})
	}
	return append(r, modeltest.Step{Call: fragment(0, "call_1", tool, arguments)}, modeltest.Step{Finish: "tool_calls"},
		modeltest.Step{Usage: &modeltest.Usage{Input: 7, Output: 5}}, modeltest.Step{Done: true})
}

func fragment(index int, id, tool, arguments string) *modeltest.Fragment {
	return &modeltest.Fragment{Index: &index, ID: id, Name: tool, Arguments: arguments}
}
