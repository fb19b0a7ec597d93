package clients

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

// does is a gateway whose model makes the calls that stand in the newest message, one list
// of them, as name and arguments, for each step.
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

// Whatever arguments a model writes, the client reads the stream, and can send what it read
// back with the next message.
func TestArgumentsEndNoChat(t *testing.T) {
	g := does(t)
	for name, client := range map[string]fronttest.New{"ai-sdk": AISDK, "ag-ui": AGUI} {
		for i, arguments := range []string{
			`{"__proto__":{"x":1}}`, `{"\u005f_proto__":1}`, `{"a":[{"constructor":{"prototype":{}}}]}`, `{"constructor":null}`,
			`{"a":"\u0000"}`, `{"a":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}`,
		} {
			c, chat := client(g, fronttest.App, ""), name+string(rune('a'+i))
			if seen := c.Say(t, chat, script([][2]string{{"calculator", arguments}})); seen.Finish != fronttest.Stop || len(seen.Results) != 1 {
				t.Errorf("%s: %s: %+v", name, arguments, seen)
			}
			if seen := c.Say(t, chat, "[]"); seen.Finish != fronttest.Stop {
				t.Errorf("%s: behind %s: %+v", name, arguments, seen)
			}
		}
	}
}

// A text that somebody types to a question which was answered elsewhere meanwhile is not
// taken for the next one, which they have not seen.
func TestATypedAnswerIsForTheQuestionThatWasShown(t *testing.T) {
	g := does(t)
	asker, other := AISDK(g, fronttest.App, ""), Native(g, fronttest.App, "")
	asked := asker.Say(t, "typed", script(
		[][2]string{{"ask_user", `{"question":"Which city?","input_type":"text"}`}},
		[][2]string{{"ask_user", `{"question":"Delete which file?","input_type":"text"}`}},
	)).Asked
	if len(asked) != 1 {
		t.Fatalf("asked: %+v", asked)
	}
	if seen := other.Answer(t, "typed", asked[0], json.RawMessage(`{"answers":{"q1":"Rome"}}`)); seen.Finish != fronttest.Question {
		t.Fatalf("answered: %+v", seen)
	}
	if late := asker.Say(t, "typed", "Paris"); late.Status != 409 || late.Code != "clarification_pending" {
		t.Errorf("a text for another question: %+v", late)
	}
	if status := g.Snapshot(fronttest.App, "typed")["status"]; status != "awaiting_input" {
		t.Errorf("the chat is %v", status)
	}
}

// Each of several approvals is shown as it was decided, whatever came first.
func TestARefusalAmongSeveralIsShown(t *testing.T) {
	g := does(t)
	two := script([][2]string{{"clock", `{"timezone":"UTC"}`}, {"clock", `{"timezone":"Europe/Berlin"}`}})
	for _, elsewhere := range []bool{false, true} {
		chat := map[bool]string{false: "together", true: "elsewhere"}[elsewhere]
		c := AISDK(g, fronttest.Keyed, "").(*aiSDK)
		asked := c.Say(t, chat, two).Asked
		if len(asked) != 2 {
			t.Fatalf("asked: %+v", asked)
		}
		if elsewhere {
			Native(g, fronttest.Keyed, "").Decide(t, chat, asked[0], false)
		}
		c.change(chat, asked[0].ID, func(p *uiPart) { p.State, p.Approval.Approved = "approval-responded", new(false) })
		seen := c.Decide(t, chat, asked[1], true)
		if len(seen.Results) != 2 || !seen.Results[0].Failed || seen.Results[0].Output != "" || seen.Results[1].Failed {
			t.Errorf("%s: the calls came to %+v", chat, seen)
		}
	}
}
