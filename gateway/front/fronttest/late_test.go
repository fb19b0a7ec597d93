package fronttest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

// does is a gateway whose model makes the calls that the newest message contains: one list of them,
// as name and arguments, for each step.
func does(t *testing.T) *fronttest.Gateway {
	t.Helper()
	model := modeltest.NewFunc(t, func(_ int, r modeltest.Request) modeltest.Response {
		var script [][][2]string
		var results []string
		step := 0
		for _, m := range r.Body.Messages {
			var s [][][2]string
			switch {
			case m.Role == "user" && json.Unmarshal([]byte(m.Text()), &s) == nil:
				script, results, step = s, nil, 0
			case m.Role == "tool":
				results = append(results, m.Text())
			case m.Role == "assistant":
				step++
			}
		}
		var response modeltest.Response
		if step < len(script) {
			for i, c := range script[step] {
				response = append(response, modeltest.Step{Call: &modeltest.Fragment{Index: &i, Name: c[0], Arguments: c[1]}})
			}
			response = append(response, modeltest.Step{Finish: "tool_calls"})
		} else {
			response = modeltest.Response{{Text: "So: " + strings.Join(results, " and ")}, {Finish: "stop"}}
		}
		return append(response, modeltest.Step{Done: true})
	})
	return fronttest.Start(t, map[string]string{"gateway.json": `{"models": {"default": {"provider": "openai", "baseUrl": "` + model.URL + `", "model": "scripted"}},
		"limits": {"requestsPerMinute": 100000, "burst": 100000}}`})
}

func script(steps ...[][2]string) string {
	data, _ := json.Marshal(steps)
	return string(data)
}

// pending lists the waiting questions of a chat.
func pending(g *fronttest.Gateway, app, chat string) (list []map[string]any) {
	for _, p := range g.Snapshot(app, chat)["pending"].([]any) {
		list = append(list, p.(map[string]any))
	}
	return list
}

// A text typed to a question that was answered elsewhere meanwhile is not taken as the answer to
// the next one, which the user has not seen.
func TestATypedAnswerIsForTheQuestionThatWasShown(t *testing.T) {
	g := does(t)
	const at = "/v1/apps/work/ai-sdk"
	said := fmt.Sprintf(`{"id": "m1", "role": "user", "parts": [{"type": "text", "text": %q}]}`, script(
		[][2]string{{"ask_user", `{"question":"Which city?","input_type":"text"}`}},
		[][2]string{{"ask_user", `{"question":"Delete which file?","input_type":"text"}`}},
	))
	send(t, g, "POST", at, `{"id": "typed", "messages": [`+said+`]}`)
	shown := fmt.Sprintf(`{"id": "a1", "role": "assistant", "parts": [{"type": "tool-ask_user", "toolCallId": %q, "state": "input-available", "input": {}}]}`, pending(g, "work", "typed")[0]["toolCallId"])
	if elsewhere := send(t, g, "POST", "/v1/apps/work/chats/typed/messages", `{"answer": {"value": "Rome"}}`); elsewhere.status != 200 {
		t.Fatalf("answered: %d %s", elsewhere.status, elsewhere.body)
	}
	late := send(t, g, "POST", at, `{"id": "typed", "messages": [`+said+`, `+shown+`, {"id": "m2", "role": "user", "parts": [{"type": "text", "text": "Paris"}]}]}`)
	if late.status != 409 || late.header.Get("X-Error-Code") != "clarification_pending" {
		t.Errorf("a text for another question: %d %s", late.status, late.body)
	}
	if waits := pending(g, "work", "typed"); len(waits) != 1 {
		t.Errorf("it waits for %v", waits)
	}
}

// Each of several approvals is shown with its own decision, in whatever order.
func TestARefusalAmongSeveralIsShown(t *testing.T) {
	g := does(t)
	two := script([][2]string{{"clock", `{"timezone":"UTC"}`}, {"clock", `{"timezone":"Europe/Berlin"}`}})
	said := fmt.Sprintf(`{"id": "m1", "role": "user", "parts": [{"type": "text", "text": %q}]}`, two)
	for _, chat := range []string{"together", "elsewhere"} {
		send(t, g, "POST", "/v1/apps/keyed/ai-sdk", `{"id": "`+chat+`", "messages": [`+said+`]}`)
		asked := pending(g, "keyed", chat)
		if len(asked) != 2 {
			t.Fatalf("asked: %v", asked)
		}
		if chat == "elsewhere" {
			send(t, g, "POST", "/v1/apps/keyed/chats/elsewhere/messages", fmt.Sprintf(`{"answer": {"clarificationId": %q, "value": "no"}}`, asked[0]["clarificationId"]))
		}
		decided := func(i int, approved bool) string {
			return fmt.Sprintf(`{"type": "tool-clock", "toolCallId": %q, "state": "approval-responded", "input": {}, "approval": {"id": %q, "approved": %v}}`,
				asked[i]["toolCallId"], asked[i]["clarificationId"], approved)
		}
		got := send(t, g, "POST", "/v1/apps/keyed/ai-sdk", `{"id": "`+chat+`", "messages": [`+said+`, {"id": "a1", "role": "assistant", "parts": [`+decided(0, false)+`, `+decided(1, true)+`]}]}`)
		for i, state := range []string{"tool-output-denied", "tool-output-available"} {
			if want := fmt.Sprintf(`{"type":%q,"toolCallId":%q`, state, asked[i]["toolCallId"]); got.status != 200 || !strings.Contains(got.body, want) {
				t.Errorf("%s: %s is not in %d %s", chat, want, got.status, got.body)
			}
		}
	}
}
