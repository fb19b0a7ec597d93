package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

// If this version cannot read a row, only that row is missing: the rest of its chat is shown, other chats
// and lists are unchanged, and the chat can be stopped and deleted. It accepts nothing that would continue
// a turn.
func TestARowThatCannotBeReadCostsThatRow(t *testing.T) {
	for name, damage := range map[string]string{
		"a question":              `UPDATE clarifications SET question = '{"kind":' WHERE chat_id = 'bad'`,
		"an answer":               `UPDATE clarifications SET answer = '[' WHERE chat_id = 'bad'`,
		"a state of later":        `UPDATE clarifications SET state = 'delegated' WHERE chat_id = 'bad'`,
		"an input of later":       `UPDATE clarifications SET question = replace(question, '"text"', '"drawing"') WHERE chat_id = 'bad'`,
		"a role of later":         `UPDATE messages SET role = 'observer' WHERE position = 2 AND conversation_id = (SELECT id FROM conversations WHERE chat_id = 'bad')`,
		"files of a message":      `UPDATE messages SET files = '{' WHERE position = 2 AND conversation_id = (SELECT id FROM conversations WHERE chat_id = 'bad')`,
		"what a result shows":     `UPDATE tool_calls SET result_fence = 1, content = '{' WHERE conversation_id = (SELECT id FROM conversations WHERE chat_id = 'bad')`,
		"a question's call":       `UPDATE clarifications SET arguments = '{' WHERE chat_id = 'bad'`,
		"a call":                  `UPDATE tool_calls SET arguments = '{' WHERE conversation_id = (SELECT id FROM conversations WHERE chat_id = 'bad')`,
		"where it was forked":     `UPDATE conversations SET forked_from = '{' WHERE chat_id = 'bad'`,
		"a turn's state of later": `UPDATE conversations SET turn_state = 'dreaming' WHERE chat_id = 'bad'`,
	} {
		t.Run(name, func(t *testing.T) {
			asks := modeltest.Calls(model.ToolCall{ID: "call_1", Name: "ask_user", Arguments: `{"question":"Which?","input_type":"text"}`})
			server := modeltest.New(t, asks, asks, modeltest.Answer("Good."))
			p := start(t, server.URL, map[string]string{
				"gateway.json":     `{"models": {"default": {"provider": "openai", "baseUrl": "$MODEL_URL", "model": "scripted"}}}`,
				"apps/helper.json": `{"id": "helper", "tools": ["ask_user"]}`,
			})
			p.send("helper", "bad", `{"message": "first words"}`)
			p.send("helper", "good", `{"message": "hi"}`)
			p.past(damage)
			want := func(method, path, body string, status int, has string) {
				t.Helper()
				resp := p.do(method, path, body)
				text, err := io.ReadAll(resp.Body)
				if err != nil || resp.StatusCode != status || !strings.Contains(string(text), has) {
					t.Errorf("%s %s: %s %s, want %d with %s", method, path, resp.Status, text, status, has)
				}
			}
			const bad = "/v1/apps/helper/chats/bad"
			// This process wrote the chat, and does not look at it again until something shows the row.
			want("GET", bad, ``, http.StatusOK, `"unreadable":true`)
			want("POST", bad+"/messages", `{"message": "more"}`, http.StatusConflict, `"not_readable"`)
			for range 2 {
				p.restart()
				want("POST", bad+"/messages", `{"message": "more"}`, http.StatusConflict, `"not_readable"`)
				want("POST", bad+"/messages", `{"answer": {"toolCallId": "call_1", "value": "x"}}`, http.StatusConflict, `"not_readable"`)
				want("POST", bad+"/resume", `{}`, http.StatusConflict, `"not_readable"`)
				want("GET", bad, ``, http.StatusOK, `"unreadable":true`)
				if !strings.Contains(damage, "conversations SET") && !strings.Contains(damage, "position = 1") {
					want("GET", bad, ``, http.StatusOK, `first words`)
				}
				want("GET", "/v1/apps/helper/chats", ``, http.StatusOK, `"bad"`)
				want("GET", "/v1/clarifications", ``, http.StatusOK, `"chatId":"good"`)
				want("GET", "/v1/clarifications?status=all", ``, http.StatusOK, `"chatId":"good"`)
			}
			want("POST", "/v1/apps/helper/chats/good/messages", `{"answer": {"toolCallId": "call_1", "value": "x"}}`, http.StatusOK, `Good.`)
			if n := strings.Count(p.log.String(), "this version cannot read a row, which is left out"); n != 3 {
				t.Errorf("it is logged %d times\n%s", n, p.log.String())
			}
			want("GET", "/metrics", ``, http.StatusOK, `askgate_unreadable_rows_total{table="`+strings.Fields(damage)[1]+`"} 1`)
			want("POST", bad+"/stop", ``, http.StatusNoContent, "")
			want("DELETE", bad, ``, http.StatusNoContent, "")
			want("GET", bad, ``, http.StatusNotFound, "")
		})
	}
}
