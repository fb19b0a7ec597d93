package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// kib returns some KiB of text.
func kib(n int) string { return strings.Repeat("x", n<<10) }

// testStored: the data stored for a principal is counted in the update that changes it, over all
// chats, and subtracted when it is deleted.
func testStored(t *testing.T, s store.Store) {
	of := func(subject string) (bytes int64) {
		t.Helper()
		update(t, s, ref("meter"), func(tx store.Tx) (err error) { bytes, err = tx.Stored(subject); return err })
		return bytes
	}
	owner := ref("c").Subject
	// grows checks how much a change adds, apart from the JSON around it.
	grows := func(what string, subject string, kibs int64, change func()) {
		t.Helper()
		before := of(subject)
		change()
		if got := of(subject) - before; got < kibs<<10-2<<10 || got > kibs<<10+2<<10 {
			t.Errorf("%s: %s has %d bytes more, want about %d KiB", what, subject, got, kibs)
		}
	}
	in := func(chatID string, fn func(tx store.Tx) error) func() {
		return func() { t.Helper(); update(t, s, ref(chatID), fn) }
	}
	grows("a new chat's message, call and content", owner, 10+20+30, in("c", func(tx store.Tx) error {
		tx.Conversation().Fence = 1
		if _, err := tx.Keys().Find("k", at(0)); err != nil && chat.CodeOf(err) != chat.CodeNotFound {
			return err
		}
		return tx.AppendMessage(chat.Message{
			ID: "msg_1", TurnID: "trn_1", Role: chat.RoleAssistant, Content: kib(10), CreatedAt: at(1),
			ToolCalls: []chat.ToolCall{{ID: "call_1", Name: "t", Arguments: `"` + kib(20) + `"`, Result: &chat.ToolResult{
				Content: "x", Shown: []tools.Content{{ID: "ctn_1", Media: "text/plain", Size: 30 << 10, Bytes: []byte(kib(30))}},
			}}},
		})
	}))
	grows("another's", owner, 0, func() {
		other := ref("c")
		other.Subject = "another"
		update(t, s, other, func(tx store.Tx) error {
			tx.Conversation().Fence = 1
			return tx.AppendMessage(chat.Message{ID: "msg_o", TurnID: "trn_o", Role: chat.RoleUser, Content: kib(10), CreatedAt: at(1)})
		})
	})
	grows("a queued message", owner, 40, in("c", func(tx store.Tx) error {
		return tx.Enqueue(chat.Queued{ID: "msg_q", Content: kib(40), CreatedAt: at(2)})
	}))
	grows("a message that leaves the queue", owner, -40, in("c", func(tx store.Tx) error { return tx.Dequeue("msg_q") }))
	ask := func(id, asker string) func(tx store.Tx) error {
		return func(tx store.Tx) error {
			c := question(id, 1, at(3))
			if asker != "" {
				c = asked(id, "", at(3))
			}
			c.Arguments = `"` + kib(50) + `"`
			return tx.AddClarification(c)
		}
	}
	grows("a model's question", owner, 50, in("c", ask("clr_m", "")))
	grows("a program's question is not its person's", owner, 0, func() {
		grows("a program's question", "ci", 50, in("c", ask("clr_p", "ci")))
	})
	say := in("c", func(tx store.Tx) error {
		if err := tx.CountSaid("ci", 9<<10); err != nil {
			return err
		}
		return tx.AppendMessage(chat.Message{ID: "msg_p", Role: chat.RoleAssistant, Content: kib(9), CreatedAt: at(3), AskedBy: &tools.Asker{Kind: tools.AskerProgram, Name: "ci"}})
	})
	grows("what a program says is not its person's", owner, 0, func() { grows("what a program says", "ci", 9, say) })
	grows("a file that is begun", owner, 0, in("c", func(tx store.Tx) error {
		return tx.Files().Add(chat.File{ID: "file_1", CreatedAt: at(4)})
	}))
	grows("a file that is whole", owner, 60, in("c", func(tx store.Tx) error {
		return tx.Files().Save(chat.File{ID: "file_1", Attachment: tools.Attachment{Size: 60 << 10}, UsedBy: "clr_m", CreatedAt: at(4)})
	}))
	grows("a fork: its texts, and not its files", owner, 10+20+30, in("fork", func(tx store.Tx) error {
		tx.Conversation().Fence = 1
		o, err := tx.Forks().Origin(chat.Fork{ChatID: "c", MessageID: "msg_p"})
		if err != nil {
			return err
		}
		return all(func() error { return tx.Forks().Copy(o, "trn_f") }, func() error { return tx.Forks().CopyFiles(o, "clr_m", "clr_f") })
	}))
	unsent := ref("later").Unsent()
	grows("a file of a chat that has not begun", owner, 70, func() {
		update(t, s, unsent, func(tx store.Tx) error { return tx.Files().Add(chat.File{ID: "file_2", CreatedAt: at(5)}) })
		update(t, s, unsent, func(tx store.Tx) error {
			return tx.Files().Save(chat.File{ID: "file_2", Attachment: tools.Attachment{Size: 70 << 10}, CreatedAt: at(5)})
		})
	})
	grows("a file that its chat adopts", owner, 0, in("later", func(tx store.Tx) error {
		tx.Conversation().Fence = 1
		return tx.Files().Adopt(unsent, "file_2")
	}))
	remove := func(chatID string) func() {
		return func() {
			t.Helper()
			if err := s.Delete(t.Context(), ref(chatID), time.Time{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	grows("the chat that was forked goes, its file stays", owner, -(10 + 20 + 30 + 50), func() {
		grows("its program's question and words", "ci", -59, remove("c"))
	})
	grows("the fork goes, with the file", owner, -(10 + 20 + 30 + 60), remove("fork"))
	grows("the last chat goes", owner, -70, remove("later"))
	for subject, want := range map[string]int64{owner: 0, "ci": 0, "another": 10 << 10} {
		if got := of(subject); got != want {
			t.Errorf("%s has %d bytes at the end, want %d", subject, got, want)
		}
	}
}
