package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// shortTurn does the store's work for a turn of one message and one answer: an update that begins
// it and one that ends it.
func shortTurn(ctx context.Context, s store.Store, chatID string) error {
	begun := time.Now()
	var turn chat.Turn
	var head chat.Conversation
	key := chat.NewID("key")
	if err := s.UpdateLazily(ctx, ref(chatID), func(tx store.Tx) error {
		if _, err := tx.Keys().Find(key, begun.Add(-24*time.Hour)); !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("the key is known: %w", err)
		}
		defer func() { head = *tx.Conversation() }()
		head := tx.Conversation()
		head.Fence++
		head.Language, head.UpdatedAt, head.LastEvent = "en", begun, chat.EventID{Fence: head.Fence, Seq: 2}
		turn = chat.Turn{ID: chat.NewID("turn"), State: chat.TurnRunning, Interactive: true, LeaseOwner: "node-1", StartedAt: begun}
		if err := tx.BeginTurn(turn); err != nil {
			return err
		}
		if err := tx.AppendMessage(chat.Message{ID: chat.NewID("msg"), TurnID: turn.ID, Fence: head.Fence,
			Role: chat.RoleUser, Content: strings.Repeat("Translate this. ", 10), CreatedAt: begun}); err != nil {
			return err
		}
		return tx.Keys().Save(chat.Key{Key: key, Hash: strings.Repeat("h", 44), Fence: head.Fence, CreatedAt: begun})
	}); err != nil {
		return err
	}
	ended := time.Now()
	turn.State, turn.LeaseOwner, turn.Steps, turn.FinishReason, turn.EndedAt = chat.TurnEnded, "", 1, chat.FinishStop, ended
	known := head.LastEvent
	head.UpdatedAt, head.LastEvent.Seq = ended, 25
	held := store.Held{
		Ref: head.Ref, ConversationID: head.ID, Fence: head.Fence, Known: known, LastEvent: head.LastEvent, UpdatedAt: ended, Turn: turn,
	}
	return s.UpdateAs(ctx, held, true, func(tx store.RunTx) error {
		if err := tx.AppendMessage(chat.Message{ID: chat.NewID("msg"), TurnID: turn.ID, Fence: head.Fence,
			Role: chat.RoleAssistant, Content: strings.Repeat("Some text. ", 20), CreatedAt: ended}); err != nil {
			return err
		}
		if err := tx.SaveRun(chat.Run{Fence: head.Fence, TurnID: turn.ID, FinishReason: chat.FinishStop, LastSeq: 25, StartedAt: begun, EndedAt: ended}); err != nil {
			return err
		}
		if err := tx.DropInstructions(""); err != nil {
			return err
		}
		return tx.AddNews(chat.News{At: ended, Type: chat.EventDone, TurnID: turn.ID, FinishReason: chat.FinishStop})
	})
}

// BenchmarkShortTurn: short turns of new chats, and of a thousand chats by turns, by that many clients at once.
func BenchmarkShortTurn(b *testing.B) {
	for _, test := range []struct{ clients, chats int64 }{{1, 1_000_003}, {100, 1_000_003}, {2, 1000}} {
		clients, chats := test.clients, test.chats
		b.Run(fmt.Sprintf("clients=%d,chats=%d", clients, chats), func(b *testing.B) {
			s := open(b, "sqlite:"+filepath.Join(b.TempDir(), "chats.db"))
			b.ReportAllocs()
			var next atomic.Int64
			var wg sync.WaitGroup
			before := processorTime()
			b.ResetTimer()
			for range clients {
				wg.Go(func() {
					for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
						if err := shortTurn(context.Background(), s, fmt.Sprint("c", i*7919%chats)); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(b.N), "CPU-µs/op")
		})
	}
}

// processorTime returns the time that the process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
