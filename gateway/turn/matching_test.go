package turn_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// entered is a store that records whether a transaction is running.
type entered struct {
	store.Store
	inside atomic.Int64
}

func (s *entered) Update(ctx context.Context, ref chat.Ref, f func(store.Tx) error) error {
	return s.Store.Update(ctx, ref, func(tx store.Tx) error {
		s.inside.Add(1)
		defer s.inside.Add(-1)
		return f(tx)
	})
}

// watched is ask_user, and records which patterns are matched in a transaction.
type watched struct {
	*askuser.Tool
	store           *entered
	outside, inside *atomic.Int64
}

func (w watched) noted(q tools.Question, asked func()) {
	was := len(q.Matches)
	asked()
	switch {
	case !q.HasPattern():
	case w.store.inside.Load() == 0:
		w.outside.Add(1)
	case q.Matches == nil || len(q.Matches) > was:
		w.inside.Add(1)
	}
}

func (w watched) Check(q tools.Question, a tools.Answer) (checked tools.Answer, err error) {
	w.noted(q, func() { checked, err = w.Tool.Check(q, a) })
	return checked, err
}

func (w watched) Read(q tools.Question, text, language string) (a tools.Answer, ok bool) {
	w.noted(q, func() { a, ok = w.Tool.Read(q, text, language) })
	return a, ok
}

// asksTwice asks for two texts that have to match patterns.
func asksTwice(_ context.Context, yield func(model.Delta, error) bool) {
	yield(model.Delta{Finish: model.FinishToolCalls, ToolCalls: []model.ToolCall{
		{ID: "ask_1", Name: "ask_user", Arguments: `{"question":"Which one?","validation":{"pattern":"[a-z]{3}"}}`},
		{ID: "ask_2", Name: "ask_user", Arguments: `{"question":"And then?","validation":{"pattern":"[0-9]{3}"}}`},
	}}, nil)
}

// Patterns, which may take seconds, are matched before the store's transaction: for answers, single
// and combined, and for messages.
func TestPatternsAreMatchedBeforeTheTransaction(t *testing.T) {
	for name, steps := range map[string][]func(*house) turn.Command{
		"an answer":        {answers("ask_1", "abc"), answers("ask_2", "123")},
		"answers together": {func(h *house) turn.Command { return h.together("ask_1", "abc", "ask_2", "123") }},
		"a message":        {answers("ask_1", "abc"), func(h *house) turn.Command { return h.message("123") }},
	} {
		t.Run(name, func(t *testing.T) {
			s := &entered{}
			h := build(t, `{}`, func(of store.Store) store.Store { s.Store = of; return s }, asksTwice, says("Done."))
			w := watched{askuser.New(askuser.Limits{}, func(string) askuser.Words { return askuser.Words{} }), s, &atomic.Int64{}, &atomic.Int64{}}
			h.factories[config.TypeAskUser] = func(*config.App, *config.Tool) (tools.Tool, error) { return w, nil }
			setup := *h.engine.Setup()
			var err error
			if setup.Catalog, err = toolexec.NewCatalog(setup.Config, h.factories); err != nil {
				t.Fatal(err)
			}
			h.engine.Setup = func() *turn.Setup { return &setup }
			h.drive(h.message("hi"))
			for _, bad := range []turn.Command{h.answer("ask_1", "ABC"), h.together("ask_1", "abc", "ask_2", "abc")} {
				if _, err := h.take(t.Context(), bad); err == nil {
					t.Error("an answer of another form was accepted")
				} else if e := new(tools.AnswerError); !errors.As(err, &e) && !errors.As(err, new(*turn.AnswersError)) {
					t.Error(err)
				}
			}
			for _, step := range steps {
				h.drive(step(h))
			}
			if results := h.results(); len(results) != 2 || results[0] != "abc" || results[1] != "123" {
				t.Errorf("results %q", results)
			}
			if w.inside.Load() > 0 || w.outside.Load() == 0 {
				t.Errorf("patterns were matched %d times in a transaction, %d times outside", w.inside.Load(), w.outside.Load())
			}
		})
	}
}

func answers(call, value string) func(*house) turn.Command {
	return func(h *house) turn.Command { return h.answer(call, value) }
}
