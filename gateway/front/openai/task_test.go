package openai_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// ownWords are the requests that Open WebUI makes to a model for its own purposes, in the shape
// that its server sends: one message of the user, not streamed, that contains the chat. From its
// sources on 2026-11-27 (backend/open_webui/routers/tasks.py at 074d4883, headers of
// utils/headers.py at 0790441f, the default templates as docs.openwebui.com lists them), in words
// of our own.
var ownWords = map[string]string{
	"title":        "### Task:\nName the chat.\n### Output:\nJSON format: { \"title\": \"the name\" }\n### Chat History:\n<chat_history>\nUSER: ask\nASSISTANT: Which city?\n</chat_history>",
	"tags":         "### Task:\nTag the chat.\n### Output:\nJSON format: { \"tags\": [\"tag\"] }\n### Chat History:\n<chat_history>\nUSER: ask\nASSISTANT: Which city?\n</chat_history>",
	"follow-ups":   "### Task:\nWhat may follow?\n### Output:\nJSON format: { \"follow_ups\": [\"one\"] }\n### Chat History:\n<chat_history>\nUSER: ask\nASSISTANT: Which city?\n</chat_history>\"",
	"queries":      "### Task:\nWhat is searched for?\n### Output:\n{ \"queries\": [\"one\"] }\n### Chat History:\n<chat_history>\nUSER: ask\nASSISTANT: Which city?\nUSER: 2\n</chat_history>\n",
	"autocomplete": "### Task:\nComplete the text.\n### Context:\n<chat_history>\nUSER: ask\n</chat_history>\n<type>search query</type>\n<text>whi</text>\n#### Output:\n",
}

// chatsOf returns the ids of an app's chats and their titles, as the native API lists them.
func chatsOf(t *testing.T, g *fronttest.Gateway) string {
	t.Helper()
	resp, err := http.Get(g.URL + "/v1/apps/work/chats")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", resp, err)
	}
	defer resp.Body.Close()
	data, _ := io.ReadAll(resp.Body)
	return string(data)
}

// A request that Open WebUI makes for its own purposes is answered and leaves no trace: no chat, no
// answer to a waiting question, and no question to a person who has said nothing; however its chats
// are named.
func TestWhatOpenWebUIAsksByItself(t *testing.T) {
	g := fronttest.Start(t, nil)
	for how, headers := range map[string][]string{
		"by what was said":  nil,
		"with its chat id":  {"X-OpenWebUI-Chat-Id", "1", "X-OpenWebUI-Message-Id", "m1"},
		"by X-Chat-Id":      {"X-Chat-Id", "named"},
		"by X-Chat-Id, too": {"X-Chat-Id", "both", "X-OpenWebUI-Chat-Id", "2"},
	} {
		t.Run(how, func(t *testing.T) {
			c := newClient(t, g, headers...)
			first := c.say("ask")
			first.has(t, "stop", "Which city?")
			before, listed := messagesOf(g, first.chat), chatsOf(t, g)
			for what, prompt := range ownWords {
				said := newClient(t, g, headers...).post(map[string]any{"messages": []any{user(prompt)}, "stream": false, "max_completion_tokens": 1000})
				said.has(t, "stop", "So it is")
				requests := g.Model.Requests()
				if sent := string(requests[len(requests)-1].Raw); strings.Contains(sent, `"ask_user"`) {
					t.Errorf("%s: a person could be asked", what)
				}
				if stateOf(g, first.chat) != "pending" || messagesOf(g, first.chat) != before {
					t.Errorf("%s: the question is %v, the chat has %d messages", what, stateOf(g, first.chat), messagesOf(g, first.chat))
				}
				if said.chat == first.chat {
					t.Errorf("%s is in the chat", what)
				}
			}
			if now := chatsOf(t, g); now != listed {
				t.Errorf("the chats were\n%s\nand are\n%s", listed, now)
			}
			answered := c.say("2")
			answered.has(t, "stop", "par")
			if answered.chat != first.chat {
				t.Errorf("the answer is in %s, not %s", answered.chat, first.chat)
			}
		})
	}
	// The same over Responses, which a connection of Open WebUI may use.
	listed := chatsOf(t, g)
	respond(t, g, object{"input": []object{user2(ownWords["title"])}}).says(t, "So it is")
	if now := chatsOf(t, g); now != listed {
		t.Errorf("the chats were\n%s\nand are\n%s", listed, now)
	}
}

// A person's message with similar content is an ordinary message.
func TestAPersonsTask(t *testing.T) {
	g := fronttest.Start(t, nil)
	for _, text := range []string{
		"### Task:\nplain",
		"### Task:\nAnswer by the documents.\n<context>\n<source id=\"1\">on <chat_history></source>\n</context>\nplain", // as Open WebUI sends a message with documents
		"plain\n### Task:\n<chat_history></chat_history>",
	} {
		c := newClient(t, g)
		first := c.say(text)
		if n := messagesOf(g, first.chat); n != 2 {
			t.Errorf("%q: the chat has %d messages", text, n)
		}
		next := c.say(ownWords["title"]) // after a history it counts as the chat's user's
		if next.chat != first.chat || messagesOf(g, first.chat) != 4 {
			t.Errorf("%q: in %s, not %s", text, next.chat, first.chat)
		}
	}
}
