package storetest

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// texts are those that stores tend to change.
func texts() map[string]string {
	var all strings.Builder
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if r >= 0x10000 && r%61 != 0 && r&0xffff < 0xfff0 { // above the first plane, some of each plane, and its end
			continue
		}
		if utf8.ValidRune(r) {
			all.WriteRune(r)
		}
	}
	return map[string]string{
		"empty": "", "all of Unicode": all.String(), "NUL": "\x00", "NUL inside": "a\x00b\x00", "spaces": "  \t\r\n ",
		"quotes": `'";--\`, "half JSON": `{"a": [`, "JSON with escapes": `{"a":"\u0000\ud800","b":1.0e400}`, "null": "null",
		"a number": "007", "decomposed": "e\u0301", "composed": "\u00e9", "BOM": "\ufeffx", "template": "{{.}} ${x} %s $1 ? :a @b",
		"lines": "a\r\nb\rc\u2028d", "HTML": "<script>&amp;</script>",
	}
}

func testTexts(t *testing.T, s store.Store) {
	for name, text := range texts() {
		r := ref("c " + name)
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		id := text // ids and keys are indexed: a store need not accept them that long
		if len(id) > 1000 {
			id = name
		}
		arguments := text // are valid JSON
		if !json.Valid([]byte(text)) {
			arguments = string(quoted)
		}
		m := chat.Message{ID: id, TurnID: id, Role: chat.RoleAssistant, Content: text, ToolCalls: []chat.ToolCall{
			{ID: id, Name: id, Arguments: arguments, Result: &chat.ToolResult{
				Content: text, Error: &tools.Error{Code: id, Message: text, Reason: id}}},
		}}
		c := question("clr_"+name, 1, at(0))
		c.ToolCallID, c.ToolName, c.Arguments = id, id, arguments
		c.Question.Parts[0].Question, c.Question.Parts[0].Options[0].Value = text, text
		c.Answer = &tools.Answer{Value: quoted, Note: text, Other: text, Values: []string{text, "x"}}
		update(t, s, r, func(tx store.Tx) error {
			return errors.Join(tx.AppendMessage(m), tx.AddClarification(c), tx.Keys().Save(chat.Key{Key: id, Hash: id, CreatedAt: at(0)}))
		})
		v := view(t, s, r)
		c.ConversationID, c.Ref = v.Conversation.ID, r
		if !reflect.DeepEqual(v.Messages, []chat.Message{m}) {
			t.Errorf("%s: the message came back changed", name)
		}
		if !reflect.DeepEqual(v.Clarifications, []chat.Clarification{c}) {
			t.Errorf("%s: the clarification came back changed", name)
		}
		update(t, s, r, func(tx store.Tx) error {
			i, err := tx.Keys().Find(id, at(0))
			if i.Hash != id {
				t.Errorf("%s: the idempotency key came back changed", name)
			}
			return err
		})
	}
}

func testLarge(t *testing.T, s store.Store) {
	large := strings.Repeat("0123456789abcdeß", 10<<20/17) // about 10 MB
	update(t, s, ref("c"), func(tx store.Tx) error {
		return tx.AppendMessage(chat.Message{ID: "msg_1", Role: chat.RoleAssistant, Content: large,
			ToolCalls: []chat.ToolCall{{ID: "call_1", Name: "n", Arguments: `"` + large + `"`}}})
	})
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.SetResult("call_1", chat.ToolResult{Content: large}) })
	m := view(t, s, ref("c")).Messages[0]
	if m.Content != large || m.ToolCalls[0].Arguments != `"`+large+`"` || m.ToolCalls[0].Result.Content != large {
		t.Error("a text of 10 MB came back changed")
	}
}

func testReopen(t *testing.T, b Backend) {
	s := b.Open(t)
	update(t, s, ref("c"), func(tx store.Tx) error {
		return all(
			func() error { return begin(tx, at(0)) },
			func() error { return tx.AddClarification(question("clr_1", 1, at(0))) },
			func() error { return tx.Keys().Save(chat.Key{Key: "k", Fence: 1, CreatedAt: at(0)}) },
		)
	})
	update(t, s, ref("gone"), func(tx store.Tx) error { return begin(tx, at(0)) })
	if err := s.Delete(t.Context(), ref("gone"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	before := view(t, s, ref("c"))

	s = b.Reopen(t, s)
	equal(t, "the chat", view(t, s, ref("c")), before)
	_, err := s.View(t.Context(), ref("gone"))
	wantError(t, "a deleted chat", err, store.ErrNotFound)
	if _, err := s.Run(t.Context(), before.Conversation.ID, 1); err != nil {
		t.Errorf("Run: %v", err)
	}
	update(t, s, ref("c"), func(tx store.Tx) error {
		if i, err := tx.Keys().Find("k", at(0)); err != nil || i.Fence != 1 {
			t.Errorf("the key: %+v, %v", i, err)
		}
		c := question("clr_1", 1, at(0))
		c.State = tools.StateAnswered
		return errors.Join(tx.Clarifications().Save(c), begin(tx, at(1)))
	})
	v := view(t, s, ref("c"))
	if len(v.Pending()) != 0 || len(v.Messages) != 2 || v.Conversation.Fence != 2 {
		t.Errorf("the chat does not go on after a restart: %+v", v)
	}
}
