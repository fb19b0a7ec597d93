package turn_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
)

const (
	titles    = `"titles": "model"`
	realModel = `"models": {"default": {"provider": "openai", "baseUrl": "http://127.0.0.1:1/v1", "model": "m"}}` // the demo generates no titles
)

// titling is a house whose model generates titles.
func titling(t testing.TB, steps ...answer) *house {
	t.Helper()
	h := buildApp(t, titles, nil, steps...)
	h.configure(titles, "{"+realModel+"}")
	return h
}

// head returns the chat's head, once all background work has ended.
func (h *house) head() *chat.Conversation {
	h.t.Helper()
	synctest.Wait()
	c, _, err := h.store.Conversation(h.t.Context(), h.ref)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

func (h *house) titled(what, want string) {
	h.t.Helper()
	if c := h.head(); c.Title != want || c.TitleBy != chat.TitleByModel {
		h.t.Errorf("%s: the title is %q, by %q; want %q", what, c.Title, c.TitleBy, want)
	}
}

// TestTheModelGivesAChatItsTitleOnce: after the first turn that it answered, from the texts of that
// turn, cleaned, and never again.
func TestTheModelGivesAChatItsTitleOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := titling(t, asks("call_1"), says("Three days, then."), says("**Title:** \"A weekend\u202e in  Lisbon.\"\nand more"), says("later"))
		h.drive(h.message("Plan my trip"))
		if c := h.head(); c.TitleBy != "" || len(h.model.sent) != 1 {
			t.Errorf("a turn that asks is titled: %+v", c)
		}
		h.drive(h.answer("call_1", "three"))
		h.titled("the first answer", "A weekend in Lisbon")
		req := h.model.sent[2]
		if said := req.Messages[0].Content; len(req.Messages) != 1 || len(req.Tools) != 0 || !strings.Contains(said, "Plan my trip") || !strings.Contains(said, "Three days, then.") || req.Language != "en" {
			t.Errorf("asked for a title with %+v", req)
		}
		if s := h.snapshot(); s.Title != "A weekend in Lisbon" {
			t.Errorf("the snapshot's title is %q", s.Title)
		}
		if n := h.counter("askgate_model_requests_total"); n != 3 {
			t.Errorf("%v requests are counted", n)
		}
		h.drive(h.message("more"))
		h.titled("a later answer", "A weekend in Lisbon")
		if len(h.model.sent) != 4 {
			t.Errorf("the model was asked %d times", len(h.model.sent))
		}
	})
}

// TestWithoutATitleTheFirstLineStays, and the model is not asked again.
func TestWithoutATitleTheFirstLineStays(t *testing.T) {
	fails := func(_ context.Context, yield func(model.Delta, error) bool) {
		yield(model.Delta{}, &model.Error{Kind: model.KindUnavailable})
	}
	for what, answer := range map[string]answer{
		"nothing": says(" "), "a call": asks("count_1"), "a failure": fails,
		"no end": func(ctx context.Context, yield func(model.Delta, error) bool) {
			<-ctx.Done()
			yield(model.Delta{}, ctx.Err())
		},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := titling(t, says("hello"), answer, says("again"))
				h.drive(h.message("Plan my trip"))
				time.Sleep(time.Minute)
				h.titled("no title", "")
				if s := h.snapshot(); s.Title != "" {
					t.Errorf("the snapshot's title is %q", s.Title)
				}
				h.drive(h.message("more"))
				synctest.Wait()
				if len(h.model.sent) != 3 {
					t.Errorf("the model was asked %d times", len(h.model.sent))
				}
			})
		})
	}
}

func TestAPersonsTitleStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		h := titling(t, says("hello"), func(ctx context.Context, yield func(model.Delta, error) bool) {
			close(reached)
			time.Sleep(time.Second)
			says("The model's")(ctx, yield)
		}, says("in another"))
		if _, err := h.engine.Rename(t.Context(), h.ref, "Mine"); !errors.Is(err, store.ErrNotFound) && !isCode(err, chat.CodeNotFound) {
			t.Errorf("a chat that does not exist: %v", err)
		}
		h.drive(h.message("Plan my trip"))
		<-reached
		before := h.head()
		if _, err := h.engine.Rename(t.Context(), h.ref, "Mine"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if c := h.head(); c.Title != "Mine" || c.TitleBy != chat.TitleByPerson || !c.UpdatedAt.Equal(before.UpdatedAt) {
			t.Errorf("%+v", c)
		}
		news, _, err := h.store.Feed().AllNews(t.Context(), 0, 100)
		if err != nil || news[len(news)-1].Type != chat.EventTitle {
			t.Errorf("the last news is %+v, %v", news, err)
		}
		other := h.in("c2")
		other.drive(other.message("Plan my trip"))
		if _, err := h.engine.Rename(t.Context(), other.ref, "Two"); err != nil {
			t.Fatal(err)
		}
		if h.head().Title != "Mine" {
			t.Error("another chat was renamed")
		}
	})
}

func isCode(err error, code chat.Code) bool {
	var e *chat.Error
	return errors.As(err, &e) && e.Code == code
}

func TestATitleCostsTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := titling(t, uses(3, 2, says("hello")), uses(1, 1, says("A title")), uses(2, 2, says("hello")))
		h.configure(titles, `{`+realModel+`, "limits": {"tokens": {"perPrincipal": {"max": 10, "window": "1h"}}}}`)
		c := h.drive(h.message("hi"))
		h.titled("within the budget", "A title")
		if n := h.used("tokens_principal", store.Principal("t", "s")); n != 7 {
			t.Errorf("%d tokens are charged, want 7", n)
		}
		if !strings.Contains(c.b.String(), `"usage":{"inputTokens":3,"outputTokens":2,"cachedInputTokens":0,"reasoningTokens":0}`) {
			t.Errorf("the turn's own usage changed: %s", c.b.String())
		}
		other := h.in("c2")
		h.configure(titles, `{`+realModel+`, "limits": {"tokens": {"perPrincipal": {"max": 11, "window": "1h"}}}}`)
		other.drive(other.message("hi"))
		if c := other.head(); c.TitleBy != "" || len(h.model.sent) != 3 {
			t.Errorf("beyond the budget the model was asked: %+v", c)
		}
	})
}

// TestShutdownWaitsForTitles as for turns, and then gives them up.
func TestShutdownWaitsForTitles(t *testing.T) {
	for what, patience := range map[string]time.Duration{"A title": time.Minute, "": time.Second} {
		synctest.Test(t, func(t *testing.T) {
			h := titling(t, says("hello"), func(ctx context.Context, yield func(model.Delta, error) bool) {
				select {
				case <-time.After(10 * time.Second):
					says("A title")(ctx, yield)
				case <-ctx.Done():
					yield(model.Delta{}, ctx.Err())
				}
			})
			h.drive(h.message("hi"))
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			h.engine.Shutdown(ctx)
			h.titled("after "+patience.String(), what)
		})
	}
}
