package follow_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// The bytes in one snapshot are bounded: the newest results contain theirs, older ones only their
// address.
func TestASnapshotHasTheBytesOfTheNewestResults(t *testing.T) {
	s := newStage(t)
	const room, over = 8, 2 // results of the maximum size
	err := s.store.Update(t.Context(), ref, func(tx store.Tx) error {
		for n := range room + over {
			id := fmt.Sprint("call_", n)
			m := chat.Message{ID: "msg_" + id, TurnID: s.turn.ID, Fence: 1, Role: chat.RoleAssistant, CreatedAt: s.now, ToolCalls: []chat.ToolCall{{ID: id, Name: "draw", Arguments: "{}"}}}
			if err := tx.AppendMessage(m); err != nil {
				return err
			}
			// The declared size counts; one byte is enough to see whether the content is there.
			part := tools.Content{Part: json.RawMessage(`{"type":"image","mimeType":"image/png"}`), Media: "image/png", Size: tools.MaxInline, ID: fmt.Sprint("cnt_", n), Bytes: []byte{1}}
			if err := tx.SetResult(id, chat.ToolResult{Content: "drawn", Fence: 1, Shown: []tools.Content{part}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := (&follow.Reader{Store: s.store}).Snapshot(t.Context(), ref, 10, 100, "")
	if err != nil {
		t.Fatal(err)
	}
	messages := snapshot.Messages[1:] // after the user's
	for n, m := range messages {
		data, err := json.Marshal(m.ToolCalls[0].Content)
		if err != nil || !bytes.Contains(data, []byte(`"url":"`)) || bytes.Contains(data, []byte(`"data":`)) != (n >= over) {
			t.Errorf("result %d shows %s, %v", n, data, err)
		}
	}
	if len(messages) != room+over {
		t.Errorf("%d results", len(messages))
	}
}
