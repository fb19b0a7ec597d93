package openai_test

import (
	"net/http"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// codex is a thread of Codex with an app as its model, as version 0.171.0 sends it (codex exec and
// codex exec resume, recorded on 2026-11-27): the whole input each time, never stored, with
// messages of the developer and of the user before the person's first one. session-id is the id of
// the thread that it was started in, if the thread belongs to a review or a subagent.
type codex struct {
	t               *testing.T
	g               *fronttest.Gateway
	session, thread string
	input           []object
}

func newCodex(t *testing.T, g *fronttest.Gateway, session, thread string) *codex {
	item := func(role, id, text string) object {
		return object{"type": "message", "id": id, "role": role, "content": []object{{"type": "input_text", "text": text}}}
	}
	return &codex{t: t, g: g, session: session, thread: thread, input: []object{
		item("developer", "msg_ed7e101a-3be2-59da-afce-31fa3d4ea630", "You are a coding agent."),
		item("developer", "msg_01a21bc8-35d2-7b92-a76f-7f6e4e964f4a", "<skills_instructions>none</skills_instructions>"),
		item("user", "msg_01a21bc8-35d2-7b92-a76f-7f7fb9815121", "<environment_context>\n  <cwd>/src</cwd>\n</environment_context>"),
	}}
}

func (c *codex) say(text string) *got {
	c.t.Helper()
	c.input = append(c.input, object{"type": "message", "id": "msg_01a21bc8-36ab-7f51-bec7-f20817dc6c7c", "role": "user", "content": []object{{"type": "input_text", "text": text}}})
	r := respond(c.t, c.g, object{
		"input": c.input, "store": false, "parallel_tool_calls": true, "reasoning": object{"summary": "auto"},
		"include": []string{"reasoning.encrypted_content"}, "prompt_cache_key": c.session, "client_metadata": object{"session_id": c.session},
		"tools": []object{{"type": "function", "name": "request_user_input", "parameters": object{"type": "object"}}, {"type": "namespace", "name": "multi_agent_v1"}, {"type": "web_search", "external_web_access": true}},
	}, "Originator", "codex_exec", "Session-Id", c.session, "Thread-Id", c.thread, "X-Client-Request-Id", c.thread)
	for _, o := range r.Output {
		if o.Type == "message" {
			c.input = append(c.input, object{"type": "message", "id": o.ID, "status": "completed", "role": "assistant", "content": []object{{"type": "output_text", "text": o.Content[0].Text, "annotations": []any{}}}})
		}
	}
	return r
}

// A thread of Codex is one chat, by its own id: a review or a subagent, which has the session of
// the thread that started it, neither writes there nor answers its question.
func TestThreadsOfCodex(t *testing.T) {
	g := fronttest.Start(t, nil)
	c := newCodex(t, g, "01a21bc8-2b7c-7660-bc6f-60bb82d124c9", "01a21bc8-2b7c-7660-bc6f-60bb82d124c9")
	asked := c.say("ask")
	asked.says(t, "Which city?")
	if asked.ChatID != c.thread {
		t.Errorf("the chat is %s", asked.ChatID)
	}
	review := newCodex(t, g, c.session, "01a21bc9-0000-7660-bc6f-60bb82d124c9")
	if r := review.say("2"); r.ChatID == asked.ChatID {
		t.Errorf("a thread of the same session is in the chat: %s", r.text())
	}
	if state := stateOf(g, asked.ChatID); state != "pending" {
		t.Errorf("the question is %v", state)
	}
	c.say("2").says(t, "par")
	if again := c.say("plain"); again.ChatID != asked.ChatID || messagesOf(g, asked.ChatID) != 5 {
		t.Errorf("in %s, which has %d messages", again.ChatID, messagesOf(g, asked.ChatID))
	}
	resp, err := http.Get(g.URL + "/v1/apps/work/chats/" + review.thread)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("the review's chat: %v %v", resp, err)
	}
	// Earlier versions do not send a thread id, and spelled the session's header differently.
	for _, name := range []string{"Session-Id", "Session_id"} {
		session := "old-" + name
		first := respond(t, g, object{"input": "ask", "store": false}, "Originator", "codex_cli_rs", name, session)
		second := respond(t, g, object{"input": "1", "store": false}, "Originator", "codex_cli_rs", name, session)
		if second.says(t, "ber"); first.ChatID != session || second.ChatID != session {
			t.Errorf("%s: in %s and %s", name, first.ChatID, second.ChatID)
		}
	}
}
