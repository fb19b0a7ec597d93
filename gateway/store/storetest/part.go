package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// testViewPart: the parts of a chat, one before the other, are the whole chat.
func testViewPart(t *testing.T, s store.Store) {
	const messages = 11
	update(t, s, ref("c"), func(tx store.Tx) error {
		for i := range messages {
			m := chat.Message{ID: fmt.Sprint("msg_", i), Role: chat.RoleUser, Content: strings.Repeat("é", 50), CreatedAt: at(i)} // 100 bytes
			if i%2 == 1 {
				m.Role = chat.RoleAssistant
				m.ToolCalls = []chat.ToolCall{
					{ID: fmt.Sprint("call_", i), Name: "t", Arguments: `{"a":1}`, Result: &chat.ToolResult{Content: strings.Repeat("x", 93)}}, // 100 bytes
					{ID: fmt.Sprint("more_", i), Name: "t", Arguments: `{}`},
				}
			}
			if err := tx.AppendMessage(m); err != nil {
				return err
			}
		}
		return nil
	})
	update(t, s, ref("other"), func(tx store.Tx) error {
		return tx.AppendMessage(chat.Message{ID: "msg_other", Role: chat.RoleUser, Content: "hello"})
	})
	whole := view(t, s, ref("c"))
	for _, part := range []store.Part{{Limit: 1, Bytes: 1 << 20}, {Limit: 4, Bytes: 1 << 20}, {Limit: messages, Bytes: 1 << 20}, {Limit: 200, Bytes: 1}, {Limit: 200, Bytes: 450}} {
		var all []chat.Message
		for {
			v, err := s.ViewPart(t.Context(), ref("c"), part)
			if err != nil {
				t.Fatalf("%+v: %v", part, err)
			}
			if n := len(v.Messages); n == 0 || n > part.Limit || n > 1 && v.Size() > part.Bytes {
				t.Fatalf("%+v: %d messages of %d bytes", part, n, v.Size())
			}
			equal(t, "the head", v.Conversation, whole.Conversation)
			all = append(append([]chat.Message(nil), v.Messages...), all...)
			if v.More != (len(all) < messages) || v.Older != messages-len(all) {
				t.Fatalf("%+v: more is %v, and %d are older, with %d of %d messages", part, v.More, v.Older, len(all), messages)
			}
			if !v.More {
				break
			}
			part.Before = v.Messages[0].ID
		}
		equal(t, fmt.Sprintf("all parts, by %d messages and %d bytes", part.Limit, part.Bytes), all, whole.Messages)
	}
	first, err := s.ViewPart(t.Context(), ref("c"), store.Part{Limit: 5, Bytes: 1 << 20, Before: "msg_0"})
	if err != nil || len(first.Messages) != 0 || first.More {
		t.Errorf("before the first message there are %+v, %v", first, err)
	}
	for _, unknown := range []string{"msg_other", "msg", "\x00"} {
		_, err = s.ViewPart(t.Context(), ref("c"), store.Part{Limit: 5, Bytes: 1 << 20, Before: unknown})
		wantError(t, "before a message of no or another chat", err, store.ErrCursor)
	}
	_, err = s.ViewPart(t.Context(), ref("unknown"), store.Part{Limit: 1})
	wantError(t, "a part of no chat", err, store.ErrNotFound)
}
