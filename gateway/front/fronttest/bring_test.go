package fronttest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// open is an app whose clients bring tools.
var open = map[string]string{
	"apps/open.json": `{"id": "open", "name": "Open", "tools": ["ask_user", "calculator", "clock", "locate", "chart"], "clientTools": "on"}`,
	"apps/open/tools.json": `[{"id": "chart", "type": "client", "description": "Draws a chart.", "client": {"resolve": "rendered"},
		"parameters": {"type": "object", "properties": {"values": {"type": "array", "items": {"type": "number"}}}}}]`,
}

const (
	schema   = `{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": false}`
	readFile = `{"type": "function", "function": {"name": "read_file", "description": "Reads a file.", "parameters": ` + schema + `}}`
	askUser  = `{"type": "function", "function": {"name": "ask_user", "parameters": {"type": "object"}}}`
)

// completion is a response of Chat Completions.
type completion struct {
	Choices []struct {
		Message struct {
			Content   string
			ToolCalls []called `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
	Error struct{ Message, Code, Param string }
}

type called struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// talk is a conversation over Chat Completions, as a program with tools has it.
type talk struct {
	t       *testing.T
	g       *fronttest.Gateway
	app     string
	tools   []string
	history []any
}

func (c *talk) send(messages ...any) (completion, sent) {
	c.t.Helper()
	c.history = append(c.history, messages...)
	history, err := json.Marshal(c.history)
	if err != nil {
		c.t.Fatal(err)
	}
	got := send(c.t, c.g, "POST", "/v1/chat/completions", fmt.Sprintf(`{"model": %q, "messages": %s, "tools": [%s]}`, c.app, history, strings.Join(c.tools, ",")))
	var v completion
	if err := json.Unmarshal([]byte(got.body), &v); err != nil {
		c.t.Fatalf("%s: %v", got.body, err)
	}
	if len(v.Choices) == 1 {
		m := v.Choices[0].Message
		said := map[string]any{"role": "assistant", "content": m.Content}
		if len(m.ToolCalls) > 0 {
			said["tool_calls"] = m.ToolCalls
		}
		c.history = append(c.history, said)
	}
	return v, got
}

func user(text string) any { return map[string]any{"role": "user", "content": text} }
func result(id, text string) any {
	return map[string]any{"role": "tool", "tool_call_id": id, "content": text}
}

// calls fails unless a completion consists of these calls, and returns their ids.
func (v *completion) calls(t *testing.T, names ...string) (ids []string) {
	t.Helper()
	var got []string
	if len(v.Choices) == 1 && v.Choices[0].FinishReason == "tool_calls" {
		for _, c := range v.Choices[0].Message.ToolCalls {
			got, ids = append(got, c.Function.Name), append(ids, c.ID)
		}
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Fatalf("calls %q, want %q: %+v", got, names, v)
	}
	return ids
}

func (v *completion) says(t *testing.T, words ...string) {
	t.Helper()
	if len(v.Choices) != 1 || v.Choices[0].FinishReason != "stop" {
		t.Fatalf("no text: %+v", v)
	}
	for _, w := range words {
		if !strings.Contains(v.Choices[0].Message.Content, w) {
			t.Errorf("%q is not in %q", w, v.Choices[0].Message.Content)
		}
	}
}

// offered lists the tools in the model's newest request.
func offered(g *fronttest.Gateway) string {
	all := g.Model.Requests()
	var names []string
	for _, tool := range all[len(all)-1].Body.Tools {
		names = append(names, tool.Function.Name)
	}
	return strings.Join(names, " ")
}

const own = "ask_user calculator clock locate chart"

// A tool that a request brings is offered after the app's own tools, and its client runs it.
func TestTheToolsOfARequest(t *testing.T) {
	g := fronttest.Start(t, open)
	t.Run("a call and its result", func(t *testing.T) {
		c := talk{t: t, g: g, app: "open", tools: []string{readFile}}
		v, got := c.send(user("bring it"))
		id := v.calls(t, "read_file")[0]
		if args := v.Choices[0].Message.ToolCalls[0].Function.Arguments; args != `{"path":"a.txt"}` || got.ignored != "" {
			t.Errorf("arguments %s, ignored %q", args, got.ignored)
		}
		if offered(g) != own+" read_file" {
			t.Errorf("offered: %s", offered(g))
		}
		v, _ = c.send(result(id, "the words of a.txt"))
		v.says(t, "So it is: the words of a.txt.")
		c.tools = nil
		c.send(user("plain"))
		if offered(g) != own {
			t.Errorf("the newest request brings no tools, offered: %s", offered(g))
		}
	})
	t.Run("arguments that are invalid", func(t *testing.T) {
		c := talk{t: t, g: g, app: "open", tools: []string{readFile}}
		v, _ := c.send(user("wrong"))
		v.says(t, "INVALID_ARGUMENTS")
	})
	t.Run("each call gets one result", func(t *testing.T) {
		c := talk{t: t, g: g, app: "open", tools: []string{readFile, askUser}}
		v, _ := c.send(user("mixed"))
		ids := v.calls(t, "read_file", "ask_user", "read_file")
		v, _ = c.send(result(ids[2], "bbb"), result(ids[0], "aaa"), result(ids[1], `{"answers": {"q1": "Rome"}}`))
		v.says(t, "aaa and 5 and", "Rome", "and bbb.")
		seen := map[string]int{}
		all := g.Model.Requests()
		for _, m := range all[len(all)-1].Body.Messages {
			if m.Role == "tool" {
				seen[m.ToolCallID]++
			}
		}
		if fmt.Sprint(seen) != "map[call_a:1 call_b:1 call_c:1 call_d:1]" {
			t.Errorf("results: %v", seen)
		}
	})
	t.Run("one result at a time", func(t *testing.T) {
		c := talk{t: t, g: g, app: "open", tools: []string{readFile, askUser}}
		v, _ := c.send(user("mixed now"))
		ids := v.calls(t, "read_file", "ask_user", "read_file")
		v, _ = c.send(result(ids[0], "aaa"))
		v.calls(t, "ask_user", "read_file")
		v, _ = c.send(result(ids[1], `{"answers": {"q1": "Rome"}}`))
		v.calls(t, "read_file")
		v, _ = c.send(result(ids[2], "bbb"))
		v.says(t, "aaa and 5 and", "Rome", "and bbb.")
	})
	t.Run("the person is asked in words", func(t *testing.T) {
		c := talk{t: t, g: g, app: "open", tools: []string{readFile}}
		v, _ := c.send(user("ask me"))
		v.says(t, "Which city?")
		v, _ = c.send(user("2"))
		v.says(t, "par")
	})
	t.Run("a name that is taken", func(t *testing.T) {
		c := talk{t: t, g: g, app: "open", tools: []string{strings.ReplaceAll(readFile, "read_file", "clock"), readFile, readFile, `{"type": "web_search"}`}}
		v, got := c.send(user("approve it, I say"))
		v.says(t, "clock", "yes or no") // the app's own, which needs approval
		if got.ignored != "tools" || offered(g) != own+" read_file" {
			t.Errorf("ignored %q, offered %s", got.ignored, offered(g))
		}
	})
	t.Run("a restart", func(t *testing.T) {
		c := talk{t: t, g: g, app: "open", tools: []string{readFile}}
		v, got := c.send(user("bring it here"))
		v.calls(t, "read_file")
		g.Crash()
		chat := got.header.Get("X-Chat-Id")
		native := send(t, g, "POST", "/v1/apps/open/chats/"+chat+"/messages", `{"answer": {"toolCallId": "call_1", "result": "by another"}}`, "Accept", "application/json")
		if native.status != 200 || !strings.Contains(native.body, "by another") {
			t.Errorf("an answer: %d %s", native.status, native.body)
		}
		if offered(g) != own+" read_file" {
			t.Errorf("after a restart, offered: %s", offered(g))
		}
	})
}

// An app that does not allow it accepts no tools, and reports which field it ignores.
func TestToolsAreOffByDefault(t *testing.T) {
	g := fronttest.Start(t, nil)
	c := talk{t: t, g: g, app: "work", tools: []string{readFile}}
	v, got := c.send(user("plain"))
	v.says(t, "Good morning")
	if got.ignored != "tools" || offered(g) != "ask_user calculator clock locate" {
		t.Errorf("ignored %q, offered %s", got.ignored, offered(g))
	}
	c = talk{t: t, g: g, app: "work", tools: []string{askUser, strings.ReplaceAll(readFile, "read_file", "locate")}}
	if _, got = c.send(user("plain one")); got.ignored != "" {
		t.Errorf("the tool that decides how people are asked is used: %q", got.ignored)
	}
}

// The tools that a request brings are limited in number and size, and have names and schemas that
// models accept.
func TestToolsThatNoModelTakes(t *testing.T) {
	g := fronttest.Start(t, open)
	many := make([]string, 129)
	for i := range many {
		many[i] = strings.ReplaceAll(readFile, "read_file", fmt.Sprint("tool_", i))
	}
	large := strings.ReplaceAll(readFile, "Reads a file.", strings.Repeat("x", 256<<10))
	for name, test := range map[string]struct {
		tools  []string
		status int
		param  string
	}{
		"most":       {many[:128], 200, ""},
		"many":       {many, 400, "tools"},
		"large":      {[]string{large}, 400, "tools"},
		"name":       {[]string{readFile, strings.ReplaceAll(readFile, "read_file", "read file")}, 400, "tools[1]"},
		"no schema":  {[]string{strings.ReplaceAll(readFile, schema, `{"type": "nothing"}`)}, 400, "tools[0]"},
		"no object":  {[]string{strings.ReplaceAll(readFile, schema, `7`)}, 400, "tools[0]"},
		"elsewhere":  {[]string{strings.ReplaceAll(readFile, schema, `{"type": "object", "$ref": "https://example.org/x"}`)}, 400, "tools[0]"},
		"parameters": {[]string{strings.ReplaceAll(readFile, `, "parameters": `+schema, "")}, 200, ""},
	} {
		c := talk{t: t, g: g, app: "open", tools: test.tools}
		v, got := c.send(user("plain " + name))
		if got.status != test.status || v.Error.Param != test.param || test.status != 200 && len(v.Error.Message) < 20 {
			t.Errorf("%s: %d %q %.300s", name, got.status, v.Error.Param, got.body)
		}
		if name == "most" && got.ignored != "tools" { // the app's own count among the 128 that models accept
			t.Errorf("%s: ignored %q", name, got.ignored)
		}
	}
}

// The other fronts accept them as well, each in its own format.
func TestToolsOfEachFront(t *testing.T) {
	g := fronttest.Start(t, open)
	calls := func(what string, got sent, want ...string) {
		t.Helper()
		if got.status != 200 || got.ignored != "" {
			t.Errorf("%s: %d %q %s", what, got.status, got.ignored, got.body)
		}
		for _, w := range want {
			if !strings.Contains(got.body, w) {
				t.Errorf("%s: %s is not in %s", what, w, got.body)
			}
		}
	}
	function := `{"type": "function", "name": "read_file", "parameters": ` + schema + `}`
	got := send(t, g, "POST", "/v1/responses", `{"model": "open", "input": "bring it", "tools": [`+function+`]}`)
	calls("Responses", got, `"type":"function_call"`, `"name":"read_file"`)
	var response struct {
		ID     string
		Output []struct {
			CallID string `json:"call_id"`
		}
	}
	if err := json.Unmarshal([]byte(got.body), &response); err != nil || len(response.Output) == 0 {
		t.Fatalf("%v: %s", err, got.body)
	}
	got = send(t, g, "POST", "/v1/responses", fmt.Sprintf(`{"model": "open", "previous_response_id": %q, "input": [{"type": "function_call_output", "call_id": %q, "output": "aaa"}], "tools": [%s]}`,
		response.ID, response.Output[0].CallID, function))
	calls("Responses, then", got, "So it is: aaa.")

	tool := `{"name": "read_file", "description": "Reads a file.", "parameters": ` + schema + `}`
	agui := `{"threadId": "g1", "runId": "r", "context": [], "state": {}, "forwardedProps": {}, "tools": [` + tool + `, {"name": "ask_user"}], "messages": [{"id": "m1", "role": "user", "content": "bring it"}%s]}`
	got = send(t, g, "POST", "/v1/apps/open/ag-ui", fmt.Sprintf(agui, ""))
	calls("AG-UI", got, `"toolCallName":"read_file"`, `"toolCallId":"call_1"`)
	got = send(t, g, "POST", "/v1/apps/open/ag-ui", fmt.Sprintf(agui, `, {"id": "m2", "role": "assistant", "content": "", "toolCalls": [{"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}]}, {"id": "m3", "role": "tool", "toolCallId": "call_1", "content": "aaa"}`))
	calls("AG-UI, then", got, "aaa")

	for i, tools := range []string{`[` + tool + `]`, `{"read_file": {"description": "Reads a file.", "inputSchema": {"jsonSchema": ` + schema + `}}}`} {
		chat := fmt.Sprint("s", i)
		said := `{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "bring it"}]}`
		got = send(t, g, "POST", "/v1/apps/open/ai-sdk", fmt.Sprintf(`{"id": %q, "messages": [%s], "tools": %s}`, chat, said, tools))
		calls("AI SDK", got, `"type":"tool-input-available","toolCallId":"call_1","toolName":"read_file"`)
		if strings.Contains(got.body, `"providerExecuted":true`) {
			t.Errorf("the client's call counts as the gateway's: %s", got.body)
		}
		got = send(t, g, "POST", "/v1/apps/open/ai-sdk", fmt.Sprintf(`{"id": %q, "tools": %s, "messages": [%s, {"id": "a1", "role": "assistant", "parts": [{"type": "tool-read_file", "toolCallId": "call_1", "state": "output-available", "output": "aaa"}]}]}`, chat, tools, said))
		calls("AI SDK, then", got, "aaa")
	}
	got = send(t, g, "POST", "/v1/apps/open/ai-sdk", `{"id": "s9", "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "x"}]}], "tools": {"a b": {}}}`)
	if got.status != 400 || got.header.Get("X-Error-Code") != "invalid_request" {
		t.Errorf("a bad name: %d %s", got.status, got.body)
	}
}

// A tool that only draws is sent, and closed at once.
func TestAToolThatOnlyDraws(t *testing.T) {
	g := fronttest.Start(t, open)
	got := send(t, g, "POST", "/v1/apps/open/ag-ui", `{"threadId": "d1", "runId": "r", "context": [], "state": {}, "forwardedProps": {}, "tools": [], "messages": [{"id": "m1", "role": "user", "content": "draw it"}]}`)
	for _, w := range []string{`"toolCallName":"chart"`, `\"values\":[1,2]`, `"content":"rendered"`, "RUN_FINISHED"} {
		if !strings.Contains(got.body, w) {
			t.Errorf("AG-UI: %s is not in %s", w, got.body)
		}
	}
	got = send(t, g, "POST", "/v1/apps/open/ai-sdk", `{"id": "d2", "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "draw it"}]}]}`)
	for _, w := range []string{`"toolName":"chart"`, `"output":"rendered"`, `"finishReason":"stop"`} {
		if !strings.Contains(got.body, w) {
			t.Errorf("AI SDK: %s is not in %s", w, got.body)
		}
	}
	c := talk{t: t, g: g, app: "open"}
	v, _ := c.send(user("draw it, please"))
	v.says(t, "So it is: rendered.")
}
