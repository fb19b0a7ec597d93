package sqldb_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// A chat is marked as unreadable however its row was found first, and whatever ids its calls share
// with those of other chats.
func TestAnUnreadableRowMarksItsChat(t *testing.T) {
	for name, damage := range map[string]string{
		"messages":   `UPDATE messages SET role = 'observer'`,
		"tool_calls": `UPDATE tool_calls SET result_fence = 1, content = '{'`,
	} {
		t.Run(name, func(t *testing.T) {
			u := "sqlite:" + filepath.Join(t.TempDir(), "s.db")
			found := map[string]int{}
			d, err := sqldb.Open(t.Context(), u, sqldb.Options{Unreadable: func(table string) { found[table]++ }})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			chats := []string{"a", "b"}
			for _, id := range chats {
				if err := d.Update(t.Context(), ref(id), func(tx store.Tx) error {
					tx.Conversation().Fence++
					return tx.AppendMessage(chat.Message{ID: "msg_" + id, TurnID: "trn", Fence: 1, Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{ID: "call_1", Name: "clock", Arguments: "{}"}}})
				}); err != nil {
					t.Fatal(err)
				}
			}
			directly(t, u)(damage)
			for _, id := range chats {
				head, _, err := d.Conversation(t.Context(), ref(id))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := d.Message(t.Context(), head.ID, "msg_"+id); name == "messages" && !errors.Is(err, store.ErrUnreadable) {
					t.Errorf("%s: its message: %v", id, err)
				}
				if view, err := d.ViewPart(t.Context(), ref(id), store.Part{Limit: 1}); err != nil || !view.Unreadable {
					t.Errorf("%s: its view: %+v, %v", id, view, err)
				}
				if head, _, err = d.Conversation(t.Context(), ref(id)); err != nil || !head.Unreadable {
					t.Errorf("%s: its head is not marked, %v", id, err)
				}
			}
			if found[name] != len(chats) {
				t.Errorf("counted: %v, want %d of %s", found, len(chats), name)
			}
		})
	}
}
