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
