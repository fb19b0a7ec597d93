package openai_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// A client that sends all items each time, and names no chat, keeps its chat: by the content, and
// by the ids of its items.
func TestResponsesWithTheWholeInput(t *testing.T) {
	g := fronttest.Start(t, nil)
	for _, how := range []string{"texts", "ids", "references"} {
		t.Run(how, func(t *testing.T) {
			var input []object
			chat := ""
			say := func(text string) *got {
				t.Helper()
				input = append(input, user2(text))
				r := respond(t, g, object{"input": input})
				if chat == "" {
					chat = r.ChatID
				}
				if r.ChatID != chat || r.Conversation.ID != chat || !strings.Contains(r.ID, chat) {
					t.Errorf("%q is in %s (conversation %s, response %s), not %s", text, r.ChatID, r.Conversation.ID, r.ID, chat)
				}
				for _, o := range r.Output {
					if o.Type != "message" {
						continue
					}
					item := said2(o.Content[0].Text)
					switch how {
					case "ids":
						item["id"] = o.ID
					case "references":
						item = object{"type": "item_reference", "id": o.ID}
					}
					input = append(input, item)
				}
				return r
			}
			say("plain").says(t, "Good morning")
			say("ask").says(t, "Which city?")
			say("2").says(t, "par")
			say("form").says(t, "Your name?")
			say("Ada").says(t, "Your age?")
			say("36").says(t, "Ada", "36")
			if n := len(g.Snapshot(fronttest.App, chat)["messages"].([]any)); n != 8 {
				t.Errorf("the chat has %d messages", n)
			}
			input = input[:2]
			first := chat
			chat = ""
			if say("think").says(t, "Good morning."); chat == first {
				t.Errorf("an edit is in %s, the chat that it leaves", chat)
			}
			say("tool").says(t, "So it is: 5.")
		})
	}
}

// Ids distinguish two chats with the same content, and unknown ids find nothing.
func TestIDsOfItems(t *testing.T) {
	g := fronttest.Start(t, nil)
	var chats, ids []string
	for range 3 {
		r := respond(t, g, object{"input": "plain"})
		chats, ids = append(chats, r.ChatID), append(ids, r.Output[0].ID)
	}
	history := func(id string) []object {
		m := said2("Good morning, dear.")
		m["id"] = id
		return []object{user2("plain"), m, user2("tool")}
	}
	if r := respond(t, g, object{"input": history(ids[1])}); r.ChatID != chats[1] {
		t.Errorf("the id's chat is %s, not %s", r.ChatID, chats[1])
	}
	if r := respond(t, g, object{"input": history(strings.Replace(ids[0], chats[0], "chat-of-no-one", 1))}); strings.Contains(strings.Join(chats, " "), r.ChatID) {
		t.Errorf("an unknown id is in %s", r.ChatID)
	}
	if r := respond(t, g, object{"input": history("msg_68af0123")}); !strings.Contains(strings.Join(chats, " "), r.ChatID) {
		t.Errorf("an id of another maker hides the chat: %s", r.ChatID)
	}
}

// The form in which a client sends calls does not hide its chat: all items unchanged, as LangChain
// does, or texts by reference and calls without the ids of their items, as the AI SDK does. A
// failed tool comes after a text of the run that called it, and before another one that asks in
// words.
func TestCallsInTheWholeInput(t *testing.T) {
	g := fronttest.Start(t, nil)
	for _, how := range []string{"items", "references"} {
		t.Run(how, func(t *testing.T) {
			var input []object
			send := func(items ...object) *got {
				t.Helper()
				input = append(input, items...)
				r := respond(t, g, object{"input": input, "tools": askUser})
				for _, o := range r.Output {
					item := object{"type": o.Type, "id": o.ID}
					switch {
					case o.Type == "message" && how == "items":
						item = said2(o.Content[0].Text)
						item["id"] = o.ID
					case o.Type == "function_call":
						item["call_id"], item["name"], item["arguments"] = o.CallID, o.Name, o.Arguments
						if how == "references" {
							delete(item, "id")
						}
					default:
						item["type"] = "item_reference"
					}
					input = append(input, item)
				}
				return r
			}
			call := func(r *got) string { return r.Output[len(r.Output)-1].CallID }
			first := send(user2("ask"))
			send(answer(call(first), "par")...).says(t, "par")
			send(user2("think")).says(t, "Good morning.")
			form := send(user2("form"))
			send(answer(call(form), `{"answers":{"name":"Ada","age":36}}`)...).says(t, "Ada")
			last := send(user2("plain"))
			if last.ChatID != first.ChatID || form.ChatID != first.ChatID {
				t.Errorf("in %s, %s and %s", first.ChatID, form.ChatID, last.ChatID)
			}
			asked := send(user2("ask"))
			send(answer(call(asked), "Error: no window")...).says(t, "Which city?")
			send(user2("2")).says(t, "par")
			again := send(user2("plain"))
			if again.ChatID != first.ChatID {
				t.Errorf("after a failed tool it is in %s", again.ChatID)
			}
			if n := messagesOf(g, first.ChatID); n != 15 {
				t.Errorf("the chat has %d messages", n)
			}
			// Another answer in words, and onward: the client names the question as first asked.
			input = input[:len(input)-4]
			other := send(user2("1"))
			other.says(t, "ber")
			if next := send(user2("plain")); other.ChatID == first.ChatID || next.ChatID != other.ChatID {
				t.Errorf("the branch of %s is %s, and continues in %s", first.ChatID, other.ChatID, next.ChatID)
			}
		})
	}
}
