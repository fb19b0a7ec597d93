package agui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// said returns the text of a stream.
func said(t *testing.T, stream string) (text string) {
	t.Helper()
	for _, e := range events(t, stream) {
		if e["type"] == "TEXT_MESSAGE_CONTENT" {
			text += e["delta"].(string)
		}
	}
	return text
}

// tooled is input with a tool ask_user.
func tooled(thread, parameters, messages string) string {
	return strings.Replace(input(thread, messages, ""), `"tools":[]`, fmt.Sprintf(`"tools":[{"name":"ask_user","description":"","parameters":%s}]`, parameters), 1)
}

// A client whose tool cannot ask the question gets it in words, part by part; nothing is declined,
// and the model is not asked.
func TestAToolMessageWithAnErrorIsNoAnswer(t *testing.T) {
	g := fronttest.Start(t, nil)
	for what, result := range map[string]string{
		"an error": `"content":"","error":"no window"`, "a content": `"content":"{\"error\":\"no window\"}"`, "a status": `"content":"{\"status\":\"timed_out\"}"`, "nothing": `"content":" "`,
	} {
		t.Run(what, func(t *testing.T) {
			thread := "c-" + strings.ReplaceAll(what, " ", "-")
			history := user("m1", "form")
			_, stream := post(t, g, fronttest.App, tooled(thread, `{"type":"object"}`, history))
			call := ""
			for _, e := range events(t, stream) {
				if e["type"] == "TOOL_CALL_START" {
					call = e["toolCallId"].(string)
				}
			}
			history += fmt.Sprintf(`,{"id":"a1","role":"assistant","toolCalls":[{"id":%q,"type":"function","function":{"name":"ask_user","arguments":"{}"}}]},{"id":"t1","role":"tool","toolCallId":%q,%s}`, call, call, result)
			before := g.Requests()
			status, stream := post(t, g, fronttest.App, tooled(thread, `{"type":"object"}`, history))
			if text := said(t, stream); status != 200 || !strings.Contains(text, "Your name?") || g.Requests() != before {
				t.Fatalf("%d %s", status, stream)
			}
			if list := events(t, stream); types(list) != "RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED" {
				t.Errorf("%s", types(list))
			}
			history += `,{"id":"a2","role":"assistant","content":"Your name?"},` + user("m2", "Ada")
			if _, stream = post(t, g, fronttest.App, tooled(thread, `{"type":"object"}`, history)); !strings.Contains(said(t, stream), "Your age?") {
				t.Fatalf("%s", stream)
			}
			history += `,{"id":"a3","role":"assistant","content":"Your age?"},` + user("m3", "36")
			_, stream = post(t, g, fronttest.App, tooled(thread, `{"type":"object"}`, history))
			if text := said(t, stream); !strings.Contains(text, "Ada") || !strings.Contains(text, "36") {
				t.Errorf("%s", stream)
			}
		})
	}
}

// An ask_user of the client's own is not called with the gateway's questions.
func TestAClientsOwnAskUserIsNotCalled(t *testing.T) {
	g := fronttest.Start(t, map[string]string{})
	for what, test := range map[string]struct {
		parameters string
		call       bool
	}{
		"ours":               {`{"type":"object","properties":{"questions":{"type":"array"}}}`, true},
		"its own":            {`{"type":"object","properties":{"question":{"type":"string"}}}`, false},
		"one that is choosy": {`{"properties":{"questions":{"items":{"required":["preview"]}}}}`, false},
	} {
		t.Run(what, func(t *testing.T) {
			thread := "o-" + strings.ReplaceAll(what, " ", "-")
			body := strings.Replace(tooled(thread, test.parameters, user("m1", "ask")), `"protocolVersion":"1.0",`, "", 1)
			_, stream := post(t, g, fronttest.App, body)
			if strings.Contains(types(events(t, stream)), "TOOL_CALL_START") != test.call || strings.Contains(said(t, stream), "Which city?") == test.call {
				t.Fatalf("%s", stream)
			}
			if test.call {
				return
			}
			body = strings.Replace(tooled(thread, test.parameters, user("m1", "ask")+`,{"id":"a","role":"assistant","content":"Which city?"},`+user("m2", "2")), `"protocolVersion":"1.0",`, "", 1)
			if _, stream = post(t, g, fronttest.App, body); !strings.Contains(said(t, stream), "par") {
				t.Errorf("%s", stream)
			}
		})
	}
}
