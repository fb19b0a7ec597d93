package fronttest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// A person may give a result in place of a call over each front, in the form of its answers.
func TestAResultInPlaceOfTheCallOverEachFront(t *testing.T) {
	const entries = `[{"id": "ask_user", "type": "ask_user"}, {"id": "calculator", "type": "builtin"}, {"id": "locate", "type": "client"},
		{"id": "clock", "type": "builtin", "respond": true, "needsApproval": true}]`
	g := fronttest.Start(t, map[string]string{"tools.json": entries, "apps/remote.json": `{"id": "remote", "name": "Remote", "tools": []}`})
	const result = `{"value": false, "result": "It is noon."}`
	quoted, _ := json.Marshal(result)
	for front, replies := range map[string]func(chat string, waits map[string]any, first string) (path, body string){
		"AI SDK": func(chat string, waits map[string]any, _ string) (string, string) {
			return "/v1/apps/work/ai-sdk", fmt.Sprintf(`{"id": %q, "messageId": "a1", "messages": [{"id": "a1", "role": "assistant", "parts": [
				{"type": "tool-ask_user", "toolCallId": %q, "state": "output-available", "output": %s}]}]}`, chat, waits["clarificationId"], result)
		},
		"AG-UI": func(chat string, waits map[string]any, _ string) (string, string) {
			return "/v1/apps/work/ag-ui", fmt.Sprintf(`{"threadId": %q, "runId": "r", "protocolVersion": "1.0", "tools": [], "context": [], "state": {}, "forwardedProps": {},
				"messages": [{"id": "m1", "role": "user", "content": "approve"}], "resume": [{"interruptId": %q, "status": "resolved", "payload": %s}]}`, chat, waits["clarificationId"], result)
		},
		"Chat Completions": func(_ string, _ map[string]any, first string) (string, string) {
			var r struct {
				Choices []struct{ Message json.RawMessage }
			}
			var m struct {
				Calls []struct{ ID string } `json:"tool_calls"`
			}
			if err := json.Unmarshal([]byte(first), &r); err != nil || json.Unmarshal(r.Choices[0].Message, &m) != nil || len(m.Calls) != 1 {
				t.Fatalf("%v: %s", err, first)
			}
			return "/v1/chat/completions", fmt.Sprintf(`{"model": "work", "tools": [{"type": "function", "function": {"name": "ask_user"}}], "messages": [
				{"role": "user", "content": "approve"}, %s, {"role": "tool", "tool_call_id": %q, "content": %s}]}`, r.Choices[0].Message, m.Calls[0].ID, quoted)
		},
	} {
		t.Run(front, func(t *testing.T) {
			chat := strings.ToLower(strings.Fields(front)[0])
			first := map[string][2]string{
				"AI SDK":           {"/v1/apps/work/ai-sdk", `{"id": "` + chat + `", "messages": [{"id": "u1", "role": "user", "parts": [{"type": "text", "text": "approve"}]}]}`},
				"AG-UI":            {"/v1/apps/work/ag-ui", `{"threadId": "` + chat + `", "runId": "r", "protocolVersion": "1.0", "tools": [], "context": [], "state": {}, "forwardedProps": {}, "messages": [{"id": "m1", "role": "user", "content": "approve"}]}`},
				"Chat Completions": {"/v1/chat/completions", `{"model": "work", "tools": [{"type": "function", "function": {"name": "ask_user"}}], "messages": [{"role": "user", "content": "approve"}]}`},
			}[front]
			asked := send(t, g, "POST", first[0], first[1], "X-Chat-Id", chat)
			waits := pending(g, "work", chat)
			if asked.status != 200 || len(waits) != 1 || waits[0]["respond"] != true {
				t.Fatalf("%d %s; waits %v", asked.status, asked.body, waits)
			}
			path, body := replies(chat, waits[0], asked.body)
			told := send(t, g, "POST", path, body, "X-Chat-Id", chat)
			if told.status != 200 || !strings.Contains(told.body, "So it is") || !strings.Contains(told.body, "It is noon.") {
				t.Errorf("%d %s", told.status, told.body)
			}
			var kept struct {
				Approval struct{ Outcome string }
			}
			at := send(t, g, "GET", fmt.Sprint("/v1/clarifications/", waits[0]["clarificationId"]), "")
			if err := json.Unmarshal([]byte(at.body), &kept); err != nil || kept.Approval.Outcome != "responded" {
				t.Errorf("%v %s", err, at.body)
			}
		})
	}
}
