package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
)

// FuzzTexts: whatever a chat contains, the server reads the texts that encoding/json would have sent.
func FuzzTexts(f *testing.F) {
	f.Add("hi", `{"a":"b\n"}`, "plain")
	f.Add("", "{}", "\x00\x1f \"quoted\" \\ back\nslash\ttab\x7f")
	f.Add("1234567\"", `{"question":"é"}`, "seven bytes, then an accent: é, 漢字, 🙂, \u2028\u2029")
	f.Add("\xff\xfe", "{}", "half a rune \xe2\x80 and its rest \xa8")
	f.Fuzz(func(t *testing.T, said, arguments, result string) {
		s := &scripted{}
		req := model.Request{System: result, Messages: []model.Message{
			{Role: model.RoleUser, Content: said},
			{Role: model.RoleAssistant, Content: result, ToolCalls: []model.ToolCall{{ID: said, Name: "f", Arguments: arguments}, {ID: "b", Name: "g", Arguments: result}},
				Made: model.Made{By: model.Maker("openai", "chat", "http://x/v1", "m")}}, // which gets its ids back
			{Role: model.RoleTool, ToolCallID: said, Content: result},
			{Role: model.RoleTool, ToolCallID: "b", Content: said},
			{Role: model.RoleUser, Content: arguments},
		}}
		claims.Read(t, s.client("m"), req)
		var got struct {
			Model    string
			Stream   bool
			Messages []struct {
				Role      model.Role
				Content   string
				ToolCalls []struct {
					ID, Type string
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
				ToolCallID string `json:"tool_call_id"`
			}
		}
		if err := json.Unmarshal([]byte(s.sent[0]), &got); err != nil {
			t.Fatalf("%v: %s", err, s.sent[0])
		}
		if got.Model != "m" || !got.Stream {
			t.Errorf("sent %s", s.sent[0])
		}
		list := got.Messages
		if result != "" { // of a system prompt that is empty, nothing is sent
			if list[0].Role != "system" || list[0].Content != decoded(t, result) {
				t.Errorf("system: %q, want %q", list[0].Content, result)
			}
			list = list[1:]
		}
		if len(list) != len(req.Messages) {
			t.Fatalf("%d messages: %s", len(list), s.sent[0])
		}
		for i, m := range req.Messages {
			if list[i].Role != m.Role || list[i].Content != decoded(t, m.Content) || len(list[i].ToolCalls) != len(m.ToolCalls) {
				t.Errorf("message %d: %+v, want %+v", i, list[i], m)
			}
			for j, call := range m.ToolCalls {
				c := list[i].ToolCalls[j]
				if c.Type != "function" || c.Function.Name != call.Name || c.Function.Arguments != decoded(t, call.Arguments) || c.ID != decoded(t, call.ID) {
					t.Errorf("call %d: %+v, want %+v", j, c, call)
				}
			}
			if list[i].ToolCallID != decoded(t, m.ToolCallID) {
				t.Errorf("result %d is for %q", i, list[i].ToolCallID)
			}
		}
	})
}

// decoded returns a text as it arrives if encoding/json writes it.
func decoded(t *testing.T, text string) (back string) {
	t.Helper()
	raw, err := json.Marshal(text)
	if err == nil {
		err = json.Unmarshal(raw, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}
