package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/budget"
)

// uses is an answer for which the model's server counts that many tokens.
func uses(input, output int64, a answer) answer {
	return func(ctx context.Context, yield func(model.Delta, error) bool) {
		if yield(model.Delta{Usage: &model.Usage{InputTokens: input, OutputTokens: output}}, nil) {
			a(ctx, func(d model.Delta, err error) bool { d.Usage = nil; return yield(d, err) })
		}
	}
}

// with gives a house budgets of tokens.
func (h *house) with(tokens string) *house {
	h.t.Helper()
	h.configure(`"maxSteps": 10`, `{"limits": {"tokens": `+tokens+`}}`)
	return h
}

// in is the house as seen from another chat.
func (h *house) in(chatID string) *house {
	other := *h
	other.ref.ChatID = chatID
	return &other
}

// of is the house as seen by another principal.
func (h *house) of(tenant, subject string) *house {
	other := *h
	other.ref.Tenant, other.ref.Subject = tenant, subject
	return &other
}

// used returns the count of a meter in the current hour.
func (h *house) used(scope, holder string) (n int64) {
	h.t.Helper()
	start := time.Now().UTC().Truncate(time.Hour)
	err := h.store.Update(h.t.Context(), chat.Ref{Tenant: "x", ChatID: "looks"}, func(tx store.Tx) (err error) {
		n, err = tx.Meters().Used(store.Meter{Name: scope, Holder: holder, Start: start})
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}

// spent requires that a command is refused because of a budget.
func (h *house) spent(cmd turn.Command, scope string) *budget.SpentError {
	h.t.Helper()
	_, err := h.engine.Submit(h.t.Context(), cmd)
	var spent *budget.SpentError
	if !errors.As(err, &spent) || spent.Scope != scope {
		h.t.Fatalf("got %v, want %s used up", err, scope)
	}
	return spent
}

// pictured is the chat as JSON.
func (h *house) pictured() string {
	h.t.Helper()
	b, err := json.Marshal(h.snapshot())
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

const hourly = `{"perPrincipal": {"max": 10, "window": "1h"}}`

func TestSpentBudgetRefusesMessagesAndAnswersUntilItIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, uses(6, 2, asks("call_1")), uses(1, 0, asks("call_2")), uses(4, 1, says("done")), uses(1, 1, says("other")), uses(5, 6, says("whole"))).with(hourly)
		time.Sleep(20 * time.Minute)
		run := h.submit(h.message("hi"))
		if got, want := run.Budgets(), (budget.Budget{Scope: "tokens_principal", Max: 10, Left: 10, Window: time.Hour, Reset: 40 * time.Minute}); len(got) != 1 || got[0] != want {
			t.Errorf("%+v", got)
		}
		run.Drive(t.Context(), nil)
		if run = h.submit(h.answer("call_1", "blue")); run.Budgets()[0].Left != 2 {
			t.Errorf("%+v", run.Budgets())
		}
		run.Drive(t.Context(), nil)
		h.in("c2").drive(h.in("c2").message("a turn that begins is finished")) // 1 is left, 5 are used
		before, asked := h.pictured(), len(h.model.sent)
		for _, cmd := range []turn.Command{h.message("more"), h.in("new").message("more"), h.answer("call_2", "blue")} {
			if spent := h.spent(cmd, "tokens_principal"); spent.Left != -4 || spent.Reset != 40*time.Minute {
				t.Errorf("%+v", spent)
			}
		}
		if after := h.pictured(); after != before || len(h.model.sent) != asked {
			t.Errorf("a refused command changed something: %s", after)
		}
		h.of("t", "another").drive(h.of("t", "another").message("hi"))
		time.Sleep(40 * time.Minute)
		if got := h.drive(h.answer("call_2", "blue")).text(t); got != "whole" {
			t.Errorf("after the window: %q", got)
		}
		if n := h.used("tokens_principal", "t\x00s"); n != 11 {
			t.Errorf("the new window counts %d", n)
		}
	})
}

func TestRefusedKeyIsNotBurntAndARepeatedOneIsNotRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, uses(9, 9, says("one")), says("two")).with(hourly)
		one, two := h.message("1"), h.message("2")
		one.IdempotencyKey, one.Hash, two.IdempotencyKey, two.Hash = "a", "1", "b", "2"
		h.drive(one)
		h.spent(two, "tokens_principal")
		if got := h.drive(one).text(t); got != "one" {
			t.Errorf("repeated: %q", got)
		}
		time.Sleep(time.Hour)
		if got := h.drive(two).text(t); got != "two" {
			t.Errorf("after the window: %q", got)
		}
	})
}

func TestTenantsShareABudgetAndTheOneThatLastsLongestIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, uses(4, 4, says("a")), uses(4, 4, says("b")), says("c")).
			with(`{"perPrincipal": {"max": 8, "window": "1h"}, "perTenant": {"max": 16, "window": "7d"}}`)
		h.drive(h.message("hi"))
		h.spent(h.message("hi"), "tokens_principal")
		bob := h.of("t", "bob")
		bob.drive(bob.message("hi"))
		// A week in UTC begins on Monday; the test's time is on Saturday, 1 January 2000.
		if spent := h.spent(h.message("hi"), "tokens_tenant"); spent.Reset != 48*time.Hour {
			t.Errorf("%+v", spent)
		}
		carol := h.of("t", "carol")
		carol.spent(carol.message("hi"), "tokens_tenant")
		other := h.of("other", "s")
		other.drive(other.message("hi"))
	})
}

// sentTokens is the rule of thumb for request n, with that many bytes in the response.
func (h *house) sentTokens(n, back int) int64 {
	req := h.model.sent[n]
	bytes := len(req.System) + back
	for _, m := range req.Messages {
		bytes += len(m.Content)
		for _, c := range m.ToolCalls {
			bytes += len(c.Name) + len(c.Arguments)
		}
	}
	for _, d := range req.Tools {
		bytes += len(d.Name) + len(d.Description) + len(d.Parameters)
	}
	return int64(math.Ceil(float64(bytes) / 4))
}

func TestWhatEndsEarlyIsChargedToo(t *testing.T) {
	cut := &model.Error{Kind: model.KindCut}
	half, thought := model.Delta{Text: []byte("Half of an answer")}, model.Delta{Thinking: []byte("Hmm, well")}
	for name, c := range map[string]struct {
		steps []answer
		want  func(h *house) int64
	}{
		"cut, and begun again": {[]answer{fails(cut, half), uses(7, 2, says("whole"))}, func(h *house) int64 { return h.sentTokens(0, 17) + 9 }},
		"cut twice":            {[]answer{fails(cut, half), fails(cut, half, thought)}, func(h *house) int64 { return h.sentTokens(0, 17) + h.sentTokens(1, 26) }},
		"failed after a while": {[]answer{fails(&model.Error{Kind: model.KindTimeout}, thought)}, func(h *house) int64 { return h.sentTokens(0, 9) }},
		"cut, and counted":     {[]answer{uses(5, 1, fails(cut, half)), uses(5, 1, fails(cut))}, func(*house) int64 { return 12 }},
		"refused":              {[]answer{fails(&model.Error{Kind: model.KindRateLimited})}, func(*house) int64 { return 0 }},
		"not counted":          {[]answer{uses(0, 0, says("12345"))}, func(h *house) int64 { return h.sentTokens(0, 5) }},
		"calls, not counted":   {[]answer{asks("count_1"), uses(1, 1, says("1"))}, func(h *house) int64 { return h.sentTokens(0, len(`calculator{"expression":"1"}`)) + 2 }},
		"counted badly":        {[]answer{uses(-5, 3, says("x"))}, func(*house) int64 { return 3 }},
		"counted beyond sense": {[]answer{uses(math.MaxInt64, math.MaxInt64, says("x"))}, func(*house) int64 { return 2_000_000_000 }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := build(t, `{}`, nil, c.steps...).with(`{"perPrincipal": {"max": 10, "window": "1h"}, "perTenant": {"max": 10, "window": "1h"}}`)
				h.drive(h.message("hi"))
				want := c.want(h)
				if a, b := h.used("tokens_principal", "t\x00s"), h.used("tokens_tenant", "t"); a != want || b != want {
					t.Errorf("%d and %d are counted, want %d", a, b, want)
				}
			})
		})
	}
}

func TestStoppedAndHandedOverStreamsAreCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := make(chan struct{}), make(chan struct{})
		h := build(t, `{}`, nil, hangs("half", first), hangs("some", second), uses(1, 1, says("whole"))).with(`{"perPrincipal": {"max": 100000, "window": "1h"}}`)
		_, _, ended := h.start(h.message("hi"))
		<-first
		if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
			t.Fatal(err)
		}
		<-ended
		want := h.sentTokens(0, 4)
		if n := h.used("tokens_principal", "t\x00s"); n != want {
			t.Errorf("a stopped stream counts %d, want %d", n, want)
		}
		_, _, ended = h.start(h.message("again"))
		<-second
		limit, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		h.engine.Shutdown(limit)
		<-ended
		want += h.sentTokens(1, 4)
		if n := h.used("tokens_principal", "t\x00s"); n != want {
			t.Errorf("with a takeover: %d, want %d", n, want)
		}
	})
}

func TestMessageWhoseTimeComesTooLateEndsWithAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		h := build(t, `{}`, nil, func(ctx context.Context, yield func(model.Delta, error) bool) {
			close(reached)
			time.Sleep(time.Minute)
			uses(10, 1, says("one"))(ctx, yield)
		}, says("three"))
		h.configure(`"clarifications": {"onMessageWhileRunning": "queue"}`, `{"limits": {"tokens": `+hourly+`}}`)
		_, _, ended := h.start(h.message("one"))
		<-reached
		_, queued, endedQueued := h.start(h.message("two"))
		<-ended
		<-endedQueued
		if got := queued.names(t); got != "turn.start user.message turn.error error done" {
			t.Errorf("events: %s", got)
		}
		for _, ev := range queued.events(t) {
			var f chat.Failure
			if ev.Name == "error" && (json.Unmarshal(ev.Data, &f) != nil || f.Code != "rate_limited" || !f.Retryable || f.RetryAfter == nil || *f.RetryAfter != 59*60) {
				t.Errorf("%s", ev.Data)
			}
		}
		if len(h.model.sent) != 1 {
			t.Errorf("the model was asked %d times", len(h.model.sent))
		}
		time.Sleep(time.Hour)
		if got := h.drive(h.message("three")).text(t); got != "three" {
			t.Errorf("after the window: %q", got)
		}
	})
}

// Two nodes, many chats at once: all use is counted, and once the budget is used up, only what was
// admitted before continues.
func TestBudgetIsExactOverNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in virtual time: no window ends meanwhile
		const each, most, callers, rounds = 4, 100, 8, 10
		var steps []answer
		for range callers * rounds {
			steps = append(steps, uses(3, 1, says("x")))
		}
		a := build(t, `{}`, nil, steps...).with(fmt.Sprintf(`{"perPrincipal": {"max": %d, "window": "1h"}}`, most))
		nodes := []*house{a, a.node(stream.NewPartial())}
		var mu sync.Mutex
		var all sync.WaitGroup
		taken, refused := 0, 0
		for i := range callers {
			all.Go(func() {
				h := nodes[i%2].in(fmt.Sprint("c", i))
				for range rounds {
					run, err := h.take(t.Context(), h.message("hi"))
					if err == nil {
						run.Drive(t.Context(), nil)
					}
					mu.Lock()
					var spent *budget.SpentError
					switch {
					case err == nil:
						taken++
					case errors.As(err, &spent):
						refused++
					default:
						t.Error(err)
					}
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if n := a.used("tokens_principal", "t\x00s"); n != int64(taken)*each {
			t.Errorf("%d turns are counted as %d tokens, want %d", taken, n, taken*each)
		}
		if taken < most/each || taken > most/each+callers-1 || taken+refused != callers*rounds {
			t.Errorf("%d accepted and %d refused", taken, refused)
		}
		restarted := a.node(stream.NewPartial())
		restarted.spent(restarted.message("hi"), "tokens_principal")
	})
}

// noMeters fails a test in which meters are read.
type noMeters struct {
	store.Store
	t *testing.T
}

func (n noMeters) Update(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	return n.Store.Update(ctx, ref, func(tx store.Tx) error { return fn(meterless{tx, metersUnused{n.t}}) })
}

func (n noMeters) UpdateLazily(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	return n.Store.UpdateLazily(ctx, ref, func(tx store.Tx) error { return fn(meterless{tx, metersUnused{n.t}}) })
}

func (n noMeters) UpdateAs(ctx context.Context, held store.Held, lazy bool, fn func(store.RunTx) error) error {
	return n.Store.UpdateAs(ctx, held, lazy, func(tx store.RunTx) error { return fn(meterlessRun{tx, metersUnused{n.t}}) })
}

type meterless struct {
	store.Tx
	meters metersUnused
}

type meterlessRun struct {
	store.RunTx
	meters metersUnused
}

func (m meterless) Meters() store.Meters    { return m.meters }
func (m meterlessRun) Meters() store.Meters { return m.meters }

type metersUnused struct{ t *testing.T }

func (m metersUnused) Used(store.Meter) (int64, error) {
	m.t.Error("a meter was read")
	return 0, nil
}

func (m metersUnused) Use(store.Meter, int64) error {
	m.t.Error("a meter was used")
	return nil
}

func (m metersUnused) UseUpTo(store.Meter, int64, int64) (bool, error) {
	m.t.Error("a meter was used")
	return true, nil
}

func TestWithoutBudgetsAndCapsNoMeterIsTouched(t *testing.T) {
	h := build(t, `{}`, func(s store.Store) store.Store { return noMeters{s, t} }, asks("call_1"), says("done"))
	h.drive(h.message("hi"))
	if got := h.drive(h.answer("call_1", "x")).text(t); got != "done" {
		t.Error(got)
	}
	if run := h.submit(h.message("bye")); run.Budgets() != nil {
		t.Errorf("%+v", run.Budgets())
	} else {
		run.Drive(t.Context(), nil)
	}
}

func TestOldMetersAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, uses(3, 1, says("x"))).with(hourly)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		begun := time.Now().UTC().Truncate(time.Hour)
		h.drive(h.message("hi"))
		count := func() (n int64) {
			err := h.store.Update(ctx, h.ref, func(tx store.Tx) (err error) {
				n, err = tx.Meters().Used(store.Meter{Name: "tokens_principal", Holder: "t\x00s", Start: begun})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		time.Sleep(time.Until(begun.Add(2 * time.Hour)))
		if n := count(); n != 4 {
			t.Errorf("an hour after its window the meter counts %d", n)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := count(); n != 0 {
			t.Errorf("later it counts %d", n)
		}
	})
}
