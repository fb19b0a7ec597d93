package turn_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// BenchmarkLongChat: one more message to a chat of 100 or 10,000 turns, each of 800 bytes with a
// call, on SQLite with a model that responds at once: without contextTokens, where everything is
// read and sent, and with contextTokens.
func BenchmarkLongChat(b *testing.B) {
	for _, turns := range []int{100, 10_000} {
		for _, context := range []int{0, 8000} {
			b.Run(fmt.Sprintf("turns=%d/contextTokens=%d", turns, context), func(b *testing.B) {
				h := build(b, `{}`, nil)
				grown(h, turns)
				if context > 0 {
					h.configure(`"clarifications": {}`, withContext(context))
				}
				h.model.steps = []answer{says("ok")}
				h.submit(h.message("first")).Drive(b.Context(), nil) // leaves out what does not fit
				b.ReportAllocs()
				for b.Loop() {
					h.model.steps, h.model.sent = []answer{says("ok")}, nil
					h.submit(h.message("hi")).Drive(b.Context(), nil)
				}
			})
		}
	}
}

// grown is a chat that has had that many turns.
func grown(h *house, turns int) {
	h.t.Helper()
	const batch = 500
	for from := 0; from < turns; from += batch {
		err := h.store.Update(h.t.Context(), h.ref, func(tx store.Tx) error {
			c := tx.Conversation()
			c.Fence, c.Language = chat.FirstFence(time.Now())+int64(from), "en"
			for n := from; n < min(from+batch, turns); n++ {
				id := fmt.Sprint("turn_", n)
				if err := tx.BeginTurn(chat.Turn{ID: id, State: chat.TurnEnded, FinishReason: chat.FinishStop, StartedAt: time.Now()}); err != nil {
					return err
				}
				for i, m := range []chat.Message{
					{Role: chat.RoleUser, Content: strings.Repeat("word ", 60)},
					{Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{ID: fmt.Sprint("call_", n), Name: "calculator", Arguments: `{"expression":"1"}`, Result: &chat.ToolResult{Content: strings.Repeat("1 ", 100)}}}},
					{Role: chat.RoleAssistant, Content: strings.Repeat("word ", 60)},
				} {
					m.ID, m.TurnID, m.CreatedAt = fmt.Sprintf("msg_%d_%d", n, i), id, time.Now()
					if err := tx.AppendMessage(m); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
}
