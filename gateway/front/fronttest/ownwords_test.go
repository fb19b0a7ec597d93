package fronttest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// Where own words are always taken, each front takes them for a number and a date, and says so: in
// words, in a tool's result, and in a schema. The model reads them as own words.
func TestOwnWordsOverEachFront(t *testing.T) {
	g := fronttest.Start(t, map[string]string{"apps/work.json": `{"id": "work", "name": "Work", "tools": ["ask_user"], "clarifications": {"allowOther": "always"}}`})
	const answers = `{"answers": {"name": "Ada", "age": "about forty"}}`
	told := func(got sent) {
		t.Helper()
		said := strings.NewReplacer(`","content":"`, "", `"}`, "").Replace(got.body)
		if got.status != 200 || !strings.Contains(said, "Other: about forty") {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	waits := func(chat string) string {
		t.Helper()
		list := pending(g, "work", chat)
		if len(list) != 1 {
			t.Fatalf("%s waits for %v", chat, list)
		}
		return list[0]["toolCallId"].(string)
	}

	c := &talk{t: t, g: g, app: "work"} // asked in words
	c.send(user("form of words"))
	if v, _ := c.send(user("Ada")); !strings.Contains(v.Choices[0].Message.Content, "Reply with a number. You can also answer in your own words.") {
		t.Errorf("%+v", v)
	}
	_, got := c.send(user("about forty"))
	told(got)
	v, _ := (&talk{t: t, g: g, app: "work"}).send(user("form of numbers"))
	c = &talk{t: t, g: g, app: "work", history: []any{user("form of numbers"), map[string]any{"role": "assistant", "content": v.Choices[0].Message.Content}}}
	c.send(user("Ada"))
	if v, got = c.send(user("40")); !strings.Contains(v.Choices[0].Message.Content, "40") || strings.Contains(v.Choices[0].Message.Content, "Other") {
		t.Errorf("a number: %s", got.body)
	}

	c = &talk{t: t, g: g, app: "work", tools: []string{askUser}} // asked as a call
	v, _ = c.send(user("form of calls"))
	v, got = c.send(result(v.calls(t, "ask_user")[0], answers))
	told(got)

	var first struct{ ID string }
	asked := send(t, g, "POST", "/v1/responses", `{"model": "work", "input": "form of responses"}`)
	for _, said := range []string{"Ada", "about forty"} {
		if err := json.Unmarshal([]byte(asked.body), &first); err != nil {
			t.Fatalf("%s: %v", asked.body, err)
		}
		asked = send(t, g, "POST", "/v1/responses", fmt.Sprintf(`{"model": "work", "previous_response_id": %q, "input": %q}`, first.ID, said))
	}
	told(asked)

	const run = `{"threadId": "agui", "runId": "r", "protocolVersion": "1.0", "tools": [], "context": [], "state": {}, "forwardedProps": {}, "messages": [{"id": "m1", "role": "user", "content": "form"}]`
	asked = send(t, g, "POST", "/v1/apps/work/ag-ui", run+`}`)
	if !strings.Contains(asked.body, `"anyOf":[{"type":"number","minimum":1,"maximum":150},{"type":"string"}]`) {
		t.Errorf("the schema lacks own words: %s", asked.body)
	}
	told(send(t, g, "POST", "/v1/apps/work/ag-ui", fmt.Sprintf(`%s, "resume": [{"interruptId": %q, "status": "resolved", "payload": %s}]}`, run, waits("agui"), answers)))

	send(t, g, "POST", "/v1/apps/work/ai-sdk", `{"id": "sdk", "messages": [{"id": "u1", "role": "user", "parts": [{"type": "text", "text": "form"}]}]}`)
	told(send(t, g, "POST", "/v1/apps/work/ai-sdk", fmt.Sprintf(`{"id": "sdk", "messageId": "a1", "messages": [{"id": "a1", "role": "assistant", "parts": [
		{"type": "tool-ask_user", "toolCallId": %q, "state": "output-available", "output": %s}]}]}`, waits("sdk"), answers)))
}
