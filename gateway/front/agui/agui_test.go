package agui_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// post sends a body, and returns the response.
func post(t *testing.T, g *fronttest.Gateway, app, body string) (status int, text string) {
	t.Helper()
	resp, err := http.Post(g.URL+"/v1/apps/"+app+"/ag-ui", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// input is a request of a client that supports interrupts; more are further members after the
// messages.
func input(thread, messages, more string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":"r","protocolVersion":"1.0","tools":[],"context":[],"state":{},"forwardedProps":{},"messages":[%s]%s}`, thread, messages, more)
}

func user(id, text string) string {
	return fmt.Sprintf(`{"id":%q,"role":"user","content":%q}`, id, text)
}

// events lists the events of a stream by type.
func events(t *testing.T, stream string) (list []map[string]any) {
	t.Helper()
	if strings.ContainsAny(stream, "\r") || strings.Contains(stream, "[DONE]") {
		t.Errorf("clients crash on it: %q", stream)
	}
	for _, block := range strings.Split(stream, "\n\n") {
		data, ok := strings.CutPrefix(block, "data: ")
		if !ok {
			continue
		}
		var e map[string]any
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		list = append(list, e)
	}
	return list
}

func types(list []map[string]any) string {
	var names []string
	for _, e := range list {
		names = append(names, e["type"].(string))
	}
	return strings.Join(names, " ")
}

func interrupts(t *testing.T, stream string) (ids []string) {
	t.Helper()
	list := events(t, stream)
	outcome, _ := list[len(list)-1]["outcome"].(map[string]any)
	of, _ := outcome["interrupts"].([]any)
	for _, i := range of {
		ids = append(ids, i.(map[string]any)["id"].(string))
	}
	return ids
}

// All open interrupts are answered at once, each exactly once, and only the run of the last answer
// is streamed.
func TestAllInterruptsAtOnce(t *testing.T) {
	g := fronttest.Start(t, nil)
	_, stream := post(t, g, fronttest.App, input("c", user("m1", "two"), ""))
	ids := interrupts(t, stream)
	if len(ids) != 2 {
		t.Fatalf("interrupts %v: %s", ids, stream)
	}
	before := g.Requests()
	resume := func(entries ...string) string {
		return input("c", user("m1", "two")+`,{"id":"a","role":"assistant"}`, `,"resume":[`+strings.Join(entries, ",")+`]`)
	}
	approve := fmt.Sprintf(`{"interruptId":%q,"status":"resolved","payload":{"approved":true}}`, ids[0])
	answer := fmt.Sprintf(`{"interruptId":%q,"status":"resolved","payload":{"answers":{"q1":"Rome"}}}`, ids[1])
	status, text := post(t, g, fronttest.App, resume(approve))
	if status != 422 || !strings.Contains(text, ids[1]) || strings.Contains(text, ids[0]) || !strings.Contains(text, `"code":"invalid_answer"`) {
		t.Errorf("one is missing: %d %s", status, text)
	}
	wrong := fmt.Sprintf(`{"interruptId":%q,"status":"resolved","payload":{"answers":{"town":"Rome"}}}`, ids[1])
	if status, text := post(t, g, fronttest.App, resume(approve, wrong)); status != 422 {
		t.Errorf("one is wrong: %d %s", status, text)
	}
	if n := len(g.Snapshot(fronttest.App, "c")["pending"].([]any)); n != 2 || g.Requests() != before {
		t.Errorf("after refusals %d questions wait, %d further requests", n, g.Requests()-before)
	}
	status, stream = post(t, g, fronttest.App, resume(answer, approve, answer))
	list := events(t, stream)
	if want := "RUN_STARTED TOOL_CALL_RESULT TOOL_CALL_RESULT TEXT_MESSAGE_START"; status != 200 || !strings.HasPrefix(types(list), want) {
		t.Fatalf("%d %s", status, stream)
	}
	if list[1]["toolCallId"] != ids[1] || list[1]["content"] != `{"outcome":"answered","answers":{"q1":"Rome"}}` || list[2]["toolCallId"] != "call_a" {
		t.Errorf("results %v %v", list[1], list[2])
	}
	if g.Requests() != before+1 {
		t.Errorf("%d requests", g.Requests()-before)
	}
	for _, again := range []string{resume(answer, approve), resume(answer), resume(approve)} {
		if status, text := post(t, g, fronttest.App, again); status != 409 || !strings.Contains(text, "already_answered") {
			t.Errorf("again: %d %s", status, text)
		}
	}
	cancelled := fmt.Sprintf(`{"interruptId":%q,"status":"cancelled"}`, ids[0])
	if status, stream := post(t, g, fronttest.App, resume(cancelled)); status != 200 || types(events(t, stream)) != "RUN_STARTED RUN_FINISHED" {
		t.Errorf("a client that withdraws: %d %s", status, stream)
	}
	if g.Requests() != before+1 {
		t.Errorf("the repeated request cost %d requests", g.Requests()-before-1)
	}
}

// In tool mode the same two are two calls, each of which may be answered alone.
func TestTwoCallsOneAfterTheOther(t *testing.T) {
	g := fronttest.Start(t, nil)
	ask := func(messages string) (int, string) {
		t.Helper()
		return post(t, g, fronttest.App, fmt.Sprintf(`{"threadId":"c","runId":"r","messages":[%s],"tools":[{"name":"ask_user"}]}`, messages))
	}
	_, stream := ask(user("m1", "two"))
	var calls []string
	for _, e := range events(t, stream) {
		if e["toolCallName"] == "ask_user" {
			calls = append(calls, e["toolCallId"].(string))
		}
	}
	if len(calls) != 2 {
		t.Fatalf("calls %v: %s", calls, stream)
	}
	history := user("m1", "two") + `,{"id":"a","role":"assistant"}`
	history += fmt.Sprintf(`,{"id":"t1","role":"tool","toolCallId":%q,"content":"Rome"}`, calls[1])
	if status, stream := ask(history); status != 200 || types(events(t, stream)) != "RUN_STARTED RUN_FINISHED" {
		t.Errorf("the first: %d %s", status, stream)
	}
	// A call that waits for approval goes out as the gateway's question, not as the call itself.
	if status, text := ask(history + `,{"id":"t2","role":"tool","toolCallId":"call_a","content":"{\"approved\":true}"}`); status != 409 {
		t.Errorf("a result in place of a decision: %d %s", status, text)
	}
	history += fmt.Sprintf(`,{"id":"t2","role":"tool","toolCallId":%q,"content":"yes"}`, calls[0])
	if status, stream := ask(history); status != 200 || !strings.Contains(stream, `"toolCallId":"call_a"`) {
		t.Errorf("the second: %d %s", status, stream)
	}
}

// The same message again asks for another reply, and an edited message is another one: see
// TestBranches.
func TestTheSameMessageAgain(t *testing.T) {
	g := fronttest.Start(t, nil)
	post(t, g, fronttest.App, input("c", user("m1", "plain"), ""))
	post(t, g, fronttest.App, input("c", user("m1", "plain, please"), ""))
	post(t, g, fronttest.App, input("c", `{"role":"user","content":[{"type":"text","text":"plain"}]}`, ""))
	if g.Requests() != 3 {
		t.Errorf("%d requests", g.Requests())
	}
}

// A client that keeps sending the same gets an explanation, and the model is not asked.
func TestNothingNew(t *testing.T) {
	g := fronttest.Start(t, nil)
	post(t, g, fronttest.App, input("c", user("m1", "tool"), ""))
	before := g.Requests()
	for _, messages := range []string{
		"",
		user("m1", "tool") + `,{"id":"a","role":"assistant","content":"So it is: 5."}`,
		user("m1", "tool") + `,{"id":"a","role":"assistant"},{"id":"result_x-1","role":"tool","toolCallId":"call_1","content":"5"}`,
		user("m1", "tool") + `,{"id":"a","role":"assistant"},{"id":"r","role":"reasoning","content":"hm"},{"id":"s","role":"system","content":"do"}`,
	} {
		status, text := post(t, g, fronttest.App, input("c", messages, ""))
		if status != 409 || !strings.Contains(text, `"type":"RUN_ERROR"`) || !strings.Contains(text, "nothing new") || !strings.Contains(text, "nothing_to_resume") {
			t.Errorf("%s: %d %s", messages, status, text)
		}
	}
	for messages, want := range map[string]int{
		`{"id":"a","role":"assistant"},{"id":"t","role":"tool","toolCallId":"call_x","content":"5"}`: 404,
	} {
		if status, text := post(t, g, fronttest.App, input("c", messages, "")); status != want {
			t.Errorf("%s: %d %s", messages, status, text)
		}
	}
	if status, text := post(t, g, fronttest.App, input("c", user("m1", "tool"), `,"resume":[{"interruptId":"clr_x","status":"resolved"}]`)); status != 404 {
		t.Errorf("an interrupt that never existed: %d %s", status, text)
	}
	if g.Requests() != before {
		t.Errorf("%d requests", g.Requests()-before)
	}
}

// A body that is not a RunAgentInput is refused in the format's own shape, with the field.
func TestBadInput(t *testing.T) {
	g := fronttest.Start(t, nil)
	for body, want := range map[string]string{
		``:                             "400 invalid_request",
		`x`:                            "400 invalid_request",
		`{"threadId":"c","runId":"r"}`: "400 messages",
		`{"threadId":"c","runId":"r","messages":null}`:                                                          "400 messages",
		`{"threadId":"c","runId":"r","messages":{}}`:                                                            "400 messages",
		`{"threadId":"c","messages":[]}`:                                                                        "400 runId",
		`{"runId":"r","messages":[]}`:                                                                           "400 threadId",
		`{"threadId":7,"runId":"r","messages":[]}`:                                                              "400 threadId",
		`{"threadId":"` + strings.Repeat("x", 201) + `","runId":"r","messages":[]}`:                             "400 not valid",
		`{"threadId":"c","runId":"` + strings.Repeat("x", 201) + `","messages":[]}`:                             "400 not valid",
		`{"threadId":"c","runId":"r","messages":[],"tools":7}`:                                                  "400 tools",
		`{"threadId":"c","runId":"r","messages":[],"resume":7}`:                                                 "400 resume",
		`{"threadId":"c","runId":"r","messages":[],"resume":[{}]}`:                                              "400 resume[0].interruptId",
		`{"threadId":"c","runId":"r","messages":[],"resume":[{"interruptId":"x"}]}`:                             "400 resume[0].status",
		`{"threadId":"c","runId":"r","messages":[],"resume":[{"interruptId":"x","status":"maybe"}]}`:            "400 resume[0].status",
		`{"threadId":"c","runId":"r","messages":[],"resume":[` + strings.Repeat(`{},`, 200) + `{}]}`:            "400 200",
		`{"threadId":"c","runId":"r","messages":[{"id":"m","role":"user","content":""}]}`:                       "400 empty",
		`{"threadId":"c","runId":"r","messages":[{"id":"m","role":"user","content":[{"type":"image"}]}]}`:       "400 messages[0].content[0]",
		`{"threadId":"c","runId":"r","messages":[` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `]}`: "400 nested",
	} {
		status, text := post(t, g, fronttest.App, body)
		var p struct{ Type, Message, Code string }
		if err := json.Unmarshal([]byte(text), &p); err != nil || p.Type != "RUN_ERROR" || p.Message == "" || p.Code != "invalid_request" && p.Code != "attachments_off" {
			t.Errorf("%.80s: %d %s", body, status, text)
		}
		if code, word, _ := strings.Cut(want, " "); fmt.Sprint(status) != code || !strings.Contains(text, word) {
			t.Errorf("%.80s: %d %s, want %s", body, status, text, want)
		}
	}
	if status, text := post(t, g, "nobodys", input("c", "", "")); status != 404 || !strings.Contains(text, "RUN_ERROR") {
		t.Errorf("an app that does not exist: %d %s", status, text)
	}
	if g.Requests() > 0 {
		t.Errorf("%d requests", g.Requests())
	}
}

// A thousand old messages are the client's own business.
func TestALongHistory(t *testing.T) {
	g := fronttest.Start(t, nil)
	var history []string
	for i := range 1000 {
		history = append(history, fmt.Sprintf(`{"id":"m%d","role":"%s","content":"%s","toolCalls":[{"id":"call_%d"}],"toolCallId":"call_%d"}`,
			i, []string{"user", "assistant", "tool", "activity", "wizard"}[i%5], strings.Repeat("x", 900), i, i))
	}
	status, stream := post(t, g, fronttest.App, input("c", strings.Join(append(history, user("new", "plain")), ","), ""))
	if status != 200 || !strings.Contains(stream, "dear.") {
		t.Fatalf("%d %s", status, stream)
	}
	if n := len(g.Snapshot(fronttest.App, "c")["messages"].([]any)); n != 2 {
		t.Errorf("%d messages", n)
	}
	tools := strings.Repeat(`{"id":"t","role":"tool","toolCallId":"x","content":"1"},`, 5000)
	if status, text := post(t, g, fronttest.App, input("c", tools+`{"id":"t","role":"tool","toolCallId":"y","content":"1"}`, "")); status != 404 {
		t.Errorf("%d %s", status, text)
	}
}

// A question can also be answered in the other mode, and in the way that CopilotKit used earlier.
func TestModes(t *testing.T) {
	g := fronttest.Start(t, nil)
	for name, test := range map[string]struct {
		app, more string
		want      string // how the run ends
	}{
		"a tool":                              {"work", `,"tools":[{"name":"ask_user"}],"protocolVersion":"1.0"`, ""},
		"an old client":                       {"work", ``, ""},
		"1.0":                                 {"work", `,"protocolVersion":"1.0"`, "interrupt"},
		"declared by the request":             {"work", `,"forwardedProps":{"interrupts":true}`, "interrupt"},
		"it says no":                          {"work", `,"forwardedProps":{"interrupts":false}`, ""},
		"the app says interrupt":              {"keyed", `,"tools":[{"name":"ask_user"}]`, "interrupt"},
		"the app says tool":                   {"tooled", `,"protocolVersion":"1.0"`, ""},
		"forwarded props of an unknown shape": {"work", `,"forwardedProps":7`, ""},
	} {
		g := g
		if test.app == "tooled" {
			g = fronttest.Start(t, map[string]string{"apps/tooled.json": `{"id": "tooled", "name": "T", "tools": ["ask_user"], "agUi": {"mode": "tool"}}`})
		}
		status, stream := post(t, g, test.app, fmt.Sprintf(`{"threadId":%q,"runId":"r","messages":[%s]%s}`, name, user("m1", "ask"), test.more))
		if status != 200 {
			t.Errorf("%s: %d %s", name, status, stream)
			continue
		}
		list := events(t, stream)
		last := list[len(list)-1]
		outcome, _ := last["outcome"].(map[string]any)
		if got, _ := outcome["type"].(string); got != test.want || last["type"] != "RUN_FINISHED" {
			t.Errorf("%s: ends with %v", name, last)
		}
		if _, told := last["outcome"]; told != (test.want != "") {
			t.Errorf("%s: %v", name, last)
		}
		if _, told := list[0]["protocolVersion"]; told != strings.Contains(test.more, "protocolVersion") {
			t.Errorf("%s: begins with %v", name, list[0])
		}
	}
}

// A client that answered an interrupt gets the chat's later questions as interrupts as well, unless
// it declares that it has the tool.
func TestAChatGoesOnWithInterrupts(t *testing.T) {
	g := fronttest.Start(t, nil)
	bare := func(thread, messages, more string) (ids []string) {
		t.Helper()
		status, stream := post(t, g, fronttest.App, fmt.Sprintf(`{"threadId":%q,"runId":"r","messages":[%s]%s}`, thread, messages, more))
		if status != 200 {
			t.Fatalf("%d %s", status, stream)
		}
		return interrupts(t, stream)
	}
	_, stream := post(t, g, fronttest.App, input("c", user("m1", "ask"), ""))
	ids := interrupts(t, stream)
	if len(ids) != 1 {
		t.Fatalf("interrupts %v: %s", ids, stream)
	}
	if ids := bare("other", user("m1", "ask"), ""); ids != nil {
		t.Errorf("a client that declared nothing: %v", ids)
	}
	bare("c", user("m1", "ask")+`,{"id":"a","role":"assistant"}`, fmt.Sprintf(`,"resume":[{"interruptId":%q,"status":"resolved","payload":{"answers":{"city":"par"}}}]`, ids[0]))
	if ids := bare("c", user("m2", "ask"), ""); len(ids) != 1 {
		t.Errorf("the next question: interrupts %v", ids)
	}
	if ids := bare("c", user("m3", "ask"), `,"tools":[{"name":"ask_user"}]`); ids != nil {
		t.Errorf("a client with the tool: interrupts %v", ids)
	}
}

// A gateway that shuts down does not end a stream as if it were complete.
func TestAGatewayThatLeaves(t *testing.T) {
	g := fronttest.Start(t, map[string]string{"gateway.json": `{"models": {"default": {"provider": "openai", "baseUrl": "MODEL_URL", "model": "scripted"}}, "shutdownTimeout": "1s"}`})
	done := make(chan string, 1)
	go func() {
		_, stream := post(t, g, fronttest.App, input("c", user("m1", "slow"), ""))
		done <- stream
	}()
	for g.Requests() < 2 {
		time.Sleep(10 * time.Millisecond)
	}
	g.Leave()
	list := events(t, <-done)
	if last := list[len(list)-1]; last["type"] != "RUN_ERROR" || last["code"] != "goes_on" {
		t.Errorf("ends with %v", last)
	}
}
