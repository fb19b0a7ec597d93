package storetest

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// crowd is the number of goroutines that do the same at once.
const crowd = 32

// together runs fn in a crowd and returns the results, in no order.
func together(fn func(i int) error) []error {
	errs := make([]error, crowd)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range crowd {
		wg.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

var errLost = errors.New("another one won")

// oneWins fails unless one error is nil and all others are errLost.
func oneWins(t *testing.T, errs []error) {
	t.Helper()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, errLost):
			t.Errorf("neither won nor lost: %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d of %d won, want 1", won, len(errs))
	}
}

func testOneAnswerWins(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error {
		return errors.Join(begin(tx, at(0)), tx.Turn().Move(chat.TurnPaused), tx.AddClarification(question("clr_1", 1, at(0))))
	})
	oneWins(t, together(func(i int) error {
		return s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
			c, err := tx.Clarifications().Find("clr_1")
			if err != nil {
				return err
			}
			if c.State != tools.StatePending {
				return errLost
			}
			c.State, c.Answer, c.AnsweredAt = tools.StateAnswered, &tools.Answer{Note: fmt.Sprint(i)}, at(i)
			tx.Conversation().Fence++
			tx.Conversation().Language = fmt.Sprint(i)
			return all(
				func() error { return tx.Clarifications().Save(c) },
				func() error {
					return tx.Audit(chat.AuditRecord{What: chat.AuditResolved, App: "a", By: chat.Actor{Subject: c.Answer.Note}})
				},
				func() error { return tx.Turn().Move(chat.TurnRunning) },
				func() error { return tx.SaveRun(chat.Run{Fence: tx.Conversation().Fence, TurnID: fmt.Sprint(i)}) },
			)
		})
	}))
	v := view(t, s, ref("c"))
	c := v.Clarifications[0]
	if v.Conversation.Fence != 2 || v.Turn.State != chat.TurnRunning || c.State != tools.StateAnswered || c.Answer.Note != v.Conversation.Language {
		t.Errorf("the winner's update is not whole: %+v", v)
	}
	if run, err := s.Run(t.Context(), v.Conversation.ID, 2); err != nil || run.TurnID != c.Answer.Note {
		t.Errorf("the run is not the winner's: %+v, %v", run, err)
	}
	if records := audit(t, s, store.AuditSpan{}); len(records) != 1 || records[0].By.Subject != c.Answer.Note {
		t.Errorf("the audit has a loser's record: %+v", records)
	}
}

func testCapIsExact(t *testing.T, s store.Store) {
	const limit = 7
	refused := 0
	for _, err := range together(func(i int) error {
		return s.Update(t.Context(), ref("c"), func(tx store.Tx) error { // the first one creates the chat
			asked, err := tx.Clarifications().Pending()
			if err != nil {
				return err
			}
			if len(asked) >= limit {
				return errLost
			}
			return tx.AddClarification(question(fmt.Sprint("clr_", i), len(asked)+1, at(0)))
		})
	}) {
		if errors.Is(err, errLost) {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	list := view(t, s, ref("c")).Clarifications
	if len(list) != limit || refused != crowd-limit {
		t.Errorf("%d questions were stored and %d refused, want %d and %d", len(list), refused, limit, crowd-limit)
	}
	for i, c := range list {
		if c.Number != i+1 {
			t.Errorf("question %d has number %d", i+1, c.Number)
		}
	}
}

func testFences(t *testing.T, s store.Store) {
	fences := make([]int64, crowd)
	ids := make([]string, crowd)
	for _, err := range together(func(i int) error {
		return s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
			err := begin(tx, at(i))
			fences[i], ids[i] = tx.Conversation().Fence, tx.Conversation().ID
			return err
		})
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	slices.Sort(fences)
	for i, f := range fences {
		if f != int64(i+1) {
			t.Fatalf("fences %v, want 1 to %d once each", fences, crowd)
		}
	}
	v := view(t, s, ref("c"))
	if v.Conversation.Fence != crowd || len(v.Messages) != crowd || v.Turn.ID != fmt.Sprintf("trn_%d", crowd) {
		t.Errorf("after %d turns the chat is %+v", crowd, v)
	}
	for i, id := range ids {
		if id != v.Conversation.ID {
			t.Errorf("update %d saw the conversation %s, not %s: it was made twice", i, id, v.Conversation.ID)
		}
	}
	for i, m := range v.Messages {
		if m.Fence != int64(i+1) {
			t.Errorf("message %d is of run %d", i+1, m.Fence)
		}
	}
}

func testOneResult(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error {
		return tx.AppendMessage(chat.Message{ID: "msg_1", Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{ID: "call_1", Name: "n"}}})
	})
	oneWins(t, together(func(i int) error {
		return s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
			tx.Conversation().Language = fmt.Sprint(i)
			if err := tx.SetResult("call_1", chat.ToolResult{Content: fmt.Sprint(i)}); err != nil {
				return errors.Join(err, errLost)
			}
			return nil
		})
	}))
	v := view(t, s, ref("c"))
	if got := v.Messages[0].ToolCalls[0].Result; got == nil || got.Content != v.Conversation.Language {
		t.Errorf("the result is %+v, the winner %s", got, v.Conversation.Language)
	}
}

// testViewIsOneMoment: each update adds one of everything, so a view must never show more of one
// than of another.
func testViewIsOneMoment(t *testing.T, s store.Store) {
	const writes = 30
	update(t, s, ref("c"), func(store.Tx) error { return nil })
	written := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < writes && err == nil; i++ {
			err = s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
				return all(
					func() error { return begin(tx, at(i)) },
					func() error { return tx.AddClarification(question(fmt.Sprint("clr_", i), i, at(i))) },
				)
			})
		}
		written <- err
	}()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for last := int64(0); last < writes; {
				v, err := s.View(t.Context(), ref("c"))
				if err != nil {
					t.Errorf("View: %v", err)
					return
				}
				n := v.Conversation.Fence
				if int64(len(v.Messages)) != n || int64(len(v.Clarifications)) != n || n > 0 && v.Turn.ID != fmt.Sprintf("trn_%d", n) || n < last {
					t.Errorf("a view after view %d shows fence %d, turn %+v, %d messages and %d clarifications",
						last, n, v.Turn, len(v.Messages), len(v.Clarifications))
					return
				}
				if last = n; t.Failed() {
					return
				}
			}
		})
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	wg.Wait()
}

func testWaitingCostsRows(t *testing.T, s store.Store) {
	const waiting, chats = 10_000, 20
	Ask(t, s, 0, chats, 2) // warm up: connections and statements
	before := measure()
	Ask(t, s, chats, chats, waiting/chats)
	after := measure()
	if after.goroutines > before.goroutines {
		t.Errorf("%d waiting questions hold %d goroutines", waiting, after.goroutines-before.goroutines)
	}
	if grown := int64(after.heap) - int64(before.heap); grown > waiting*20 { // bytes; one kept question is 1,000
		t.Errorf("%d waiting questions hold %d bytes of memory", waiting, grown)
	}
	counts, err := s.Due().Pending(t.Context())
	if err != nil || counts[0].Count != waiting+2*chats {
		t.Errorf("Pending = %v, %v", counts, err)
	}
}

// Ask stores each pending questions in each of chats new chats, which are numbered from first.
func Ask(t testing.TB, s store.Store, first, chats, each int) {
	t.Helper()
	for i := first; i < first+chats; i++ {
		if err := s.Update(t.Context(), ref(fmt.Sprint("waiting", i)), func(tx store.Tx) error {
			err := begin(tx, at(0))
			for n := 0; n < each && err == nil; n++ {
				c := question(fmt.Sprintf("clr_%d_%d", i, n), n, at(n))
				c.ExpiresAt = at(100 + n)
				err = tx.AddClarification(c)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

type use struct {
	goroutines int
	heap       uint64
}

// measure returns what is in use after garbage collection.
func measure() use {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return use{runtime.NumGoroutine(), m.HeapAlloc}
}
