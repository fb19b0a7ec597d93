package turn_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
)

// astray is a store as seen by a node whose clock is ahead.
type astray struct {
	store.Store
	mu   sync.Mutex
	skew store.Skew
}

func (a *astray) Now() time.Time { return time.Now().Add(-a.Skew().Ahead) }

func (a *astray) Skew() store.Skew {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.skew
}

// set changes the error of the clock.
func (a *astray) set(skew store.Skew) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.skew = skew
}

// misset builds a house on such a node.
func misset(t *testing.T, settings string, ahead time.Duration, steps ...answer) (*house, *astray) {
	t.Helper()
	var clock *astray
	h := buildApp(t, settings, func(s store.Store) store.Store {
		clock = &astray{Store: s, skew: store.Skew{Ahead: ahead}}
		return clock
	}, steps...)
	return h, clock
}

// waiting returns the waiting questions of the chat, as stored.
func (h *house) waiting() []chat.Clarification {
	h.t.Helper()
	view, err := h.store.View(h.t.Context(), h.ref)
	if err != nil {
		h.t.Fatal(err)
	}
	return view.Pending()
}

// wrong lists clocks that are ahead of the store's, or behind it.
var wrong = []time.Duration{40 * 24 * time.Hour, 5 * time.Minute, -5 * time.Minute, 25 * time.Hour, 50 * time.Second, 0}

// Whatever the node's clock shows, a question expires by the store's, to the second. A node whose
// clock is far off leaves it to others to close questions and delete old chats.
func TestWhatIsDueIsDueByTheStoresClock(t *testing.T) {
	for _, ahead := range wrong {
		t.Run(fmt.Sprint(ahead), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, clock := misset(t, `"retention": "10m", "clarifications": {"expiresIn": "2m"}`, ahead, asks("call_1"), says("Thanks."), asks("call_2"), says("Late."))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go h.engine.Sweep(ctx)
				asked := clock.Now()
				h.drive(h.message("hi"))
				c := h.waiting()[0]
				if !c.AskedAt.Equal(asked.Truncate(time.Millisecond)) || !c.ExpiresAt.Equal(c.AskedAt.Add(2*time.Minute)) {
					t.Errorf("asked at %v, until %v; the store's clock showed %v", c.AskedAt, c.ExpiresAt, asked)
				}
				time.Sleep(2*time.Minute - 2*time.Second)
				synctest.Wait()
				if got := h.drive(h.answer("call_1", "here")).text(t); got != "Thanks." {
					t.Errorf("answered in time: %q", got)
				}

				h.drive(h.message("again"))
				time.Sleep(2 * time.Minute)
				if _, err := h.engine.Submit(ctx, h.answer("call_2", "late")); err == nil {
					t.Error("a late answer was accepted")
				} else if e := wantCode(t, err, chat.CodeClarificationClosed); e.Clarification.State != "expired" {
					t.Errorf("late: %+v", e)
				}
				time.Sleep(5 * time.Second)
				synctest.Wait()
				left := len(h.waiting())
				if far := clock.Skew().Beyond(time.Minute); far != (left == 1) {
					t.Errorf("%d left open", left)
				}

				time.Sleep(9*time.Minute + 50*time.Second)
				synctest.Wait()
				if s := h.snapshot(); len(s.Messages) == 0 {
					t.Error("deleted before its retention was over")
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				list, _, err := h.store.Conversations(ctx, h.ref.Tenant, h.ref.Subject, h.ref.App, store.Page{Limit: 10})
				if far := clock.Skew().Beyond(time.Minute); err != nil || far != (len(list) == 1) {
					t.Errorf("after its retention: %d chats, %v", len(list), err)
				}
			})
		})
	}
}

// Budgets, and the windows of questions, use the store's time; keys last their day by it.
func TestBudgetsAndKeysGoByTheStoresClock(t *testing.T) {
	for _, ahead := range wrong {
		t.Run(fmt.Sprint(ahead), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, clock := misset(t, `"maxSteps": 10`, ahead, uses(3, 4, asks("call_1")), uses(1, 1, says("Thanks.")))
				h.configure(`"clarifications": {"perPrincipalPerDay": 5}`, `{"limits": {"tokens": {"perPrincipal": {"max": 100, "window": "1d"}}}}`)
				window := clock.Now().UTC().Truncate(24 * time.Hour)
				cmd := h.message("hi")
				cmd.IdempotencyKey, cmd.Hash = "key", "hash"
				h.drive(cmd)
				for name, want := range map[string]int64{"tokens_principal": 7, "asked_principal": 1} {
					var used int64
					err := h.store.Update(t.Context(), h.ref, func(tx store.Tx) (err error) {
						used, err = tx.Meters().Used(store.Meter{Name: name, Holder: "t\x00s", Start: window, End: window.Add(24 * time.Hour)})
						return err
					})
					if err != nil || used != want {
						t.Errorf("%s has %d in the store's day, %v", name, used, err)
					}
				}
				time.Sleep(24*time.Hour - time.Second)
				if _, again := h.submit(cmd).accepted.(turn.Repeated); !again {
					t.Error("the key was forgotten within its day")
				}
			})
		})
	}
}

// A machine whose clock is the store's, and was set, deletes nothing; questions expire.
func TestAfterAJumpOfTheStoresOwnClockNothingIsDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, clock := misset(t, `"retention": "10m", "clarifications": {"expiresIn": "1h"}`, 0, says("hello"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		h.drive(h.message("hi"))
		clock.set(store.Skew{Jumped: true})
		time.Sleep(time.Hour)
		synctest.Wait()
		if s := h.snapshot(); len(s.Messages) != 2 {
			t.Error("deleted")
		}
		if n := strings.Count(h.log.String(), "the machine's clock was changed"); n != 1 {
			t.Errorf("logged %d times:\n%s", n, h.log)
		}
		if fault, since := h.engine.Clock(); fault != turn.ClockJumped || time.Since(since) < 59*time.Minute {
			t.Errorf("clock: %v since %v", fault, since)
		}
	})
}

// The error of a clock can be read as soon as it changes, and is logged once.
func TestTheFaultOfAClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, clock := misset(t, `"maxSteps": 10`, 0)
		for _, test := range []struct {
			ahead time.Duration
			want  turn.ClockFault
		}{
			{2 * time.Second, turn.ClockRight},
			{2001 * time.Millisecond, turn.ClockOff},
			{-2001 * time.Millisecond, turn.ClockOff},
			{10 * time.Second, turn.ClockOff},
			{10001 * time.Millisecond, turn.ClockBad},
			{-time.Minute, turn.ClockBad},
			{-60001 * time.Millisecond, turn.ClockUnusable},
			{0, turn.ClockRight},
		} {
			clock.set(store.Skew{Ahead: test.ahead})
			h.engine.Clock()
			time.Sleep(time.Second)
			if fault, _ := h.engine.Clock(); fault != test.want {
				t.Errorf("ahead by %v: %v, want %v", test.ahead, fault, test.want)
			}
		}
		if n := strings.Count(h.log.String(), "\n"); n != 4 {
			t.Errorf("%d lines:\n%s", n, h.log)
		}
	})
}
