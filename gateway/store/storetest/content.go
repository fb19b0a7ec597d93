package storetest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// testContents: the parts of results that are shown to people are returned to the owner of the
// chat, with their contents, and are deleted with the chat.
func testContents(t *testing.T, s store.Store) {
	picture := []byte("\x00\xff\xfepicture\x89")
	shown := func(id string) []tools.Content {
		return []tools.Content{
			{Part: json.RawMessage(`{"type":"text","text":"<a> & \u0000"}`)},
			{Part: json.RawMessage(`{"type":"image","mimeType":"image/png"}`), Media: "image/png", Size: len(picture), ID: id, Bytes: picture},
			{Part: json.RawMessage(`{"type":"image"}`), Media: "image/gif", Size: 9}, // not kept
		}
	}
	for _, id := range []string{"c", "other"} {
		update(t, s, ref(id), func(tx store.Tx) error {
			return tx.AppendMessage(chat.Message{ID: "msg_1", Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{
				{ID: "call_1", Name: "n", Arguments: "{}"},
				{ID: "call_2", Name: "n", Arguments: "{}", Result: &chat.ToolResult{Fence: 1, Shown: shown("cnt_2")}},
			}})
		})
		update(t, s, ref(id), func(tx store.Tx) error {
			return tx.SetResult("call_1", chat.ToolResult{Content: "x", Fence: 1, Shown: shown("cnt_1")})
		})
	}
	wantError(t, "a second result", s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		if tx.SetResult("call_1", chat.ToolResult{Shown: shown("cnt_3")}) == nil {
			t.Error("it was taken")
		}
		return nil
	}), nil)
	v := view(t, s, ref("c"))
	part, err := s.ViewPart(t.Context(), ref("c"), store.Part{Limit: 1, Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "a part of the chat", part.Messages, v.Messages)
	for i, c := range v.Messages[0].ToolCalls {
		want := shown([]string{"cnt_1", "cnt_2"}[i])
		want[1].Bytes = nil // contents are read separately
		equal(t, "what "+c.ID+" shows", c.Result.Shown, want)
	}
	found, err := s.Contents(t.Context(), ref("c"), []string{"cnt_1", "cnt_2", "cnt_3", "cnt_4"})
	if err != nil {
		t.Fatal(err)
	}
	held := chat.Bytes{Media: "image/png", Bytes: picture}
	equal(t, "the bytes", found, map[string]chat.Bytes{"cnt_1": held, "cnt_2": held})
	size := func() int64 {
		n, err := s.ContentSize(t.Context(), v.Conversation.ID)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	equal(t, "their size", size(), int64(2*len(picture)))
	stranger := ref("c")
	stranger.Subject = "bob"
	_, err = s.Contents(t.Context(), stranger, []string{"cnt_1"})
	wantError(t, "a stranger", err, store.ErrNotFound)
	if err := s.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "the size after the end of the chat", size(), int64(0))
	_, err = s.Contents(t.Context(), ref("c"), []string{"cnt_1"})
	wantError(t, "an erased chat", err, store.ErrNotFound)
	found, err = s.Contents(t.Context(), ref("other"), []string{"cnt_1"})
	if err != nil || len(found) != 1 {
		t.Errorf("of another chat: %v %v", found, err)
	}
}
