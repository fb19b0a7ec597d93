package turn

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/fit"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// fitting is what a model is sent of the run's chat.
type fitting struct {
	chat.Fit
	room    fit.Room
	changed bool // since it was stored
}

// fits are those of the models that the run asks, by name.
type fittings map[string]*fitting

// settingsOf identifies what a fit was found out for.
func settingsOf(m *config.Model) string {
	h := fnv.New64a() // an address may hold a password
	fmt.Fprintln(h, m.Provider, m.BaseURL, m.Model, m.MaxTokens, m.ContextTokens)
	return fmt.Sprintf("%x", h.Sum64())
}

// fitting is that of a model, as the chat remembers it, unless the model is another now.
func (r *Run) fitting(name string, stored []chat.Fit) *fitting {
	if w := r.fits[name]; w != nil {
		return w
	}
	m := r.setup.Config.Gateway.Models[name]
	w := &fitting{
		Fit:  chat.Fit{Model: name, Settings: settingsOf(&m)},
		room: fit.Room{Context: int64(m.ContextTokens), Answer: int64(m.MaxTokens)},
	}
	for _, s := range stored {
		if s.Model == name && s.Settings == w.Settings {
			w.Fit = s
		}
	}
	if r.fits == nil {
		r.fits = fittings{}
	}
	r.fits[name] = w
	return w
}

// span is how much of the chat the run reads: what the app's model may be sent.
func (r *Run) span(stored []chat.Fit) store.Span {
	for _, name := range append([]string{r.app.Model}, r.setup.Config.Fallbacks(r.app.Model)...) {
		r.fitting(name, stored)
	}
	w := r.fits[r.app.Model]
	return store.Span{From: w.From, Bytes: w.room.Most(&w.Fit), PerMessage: fit.PerMessage}
}

// save stores the fits that have changed.
func (s fittings) save(tx store.RunTx) error {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if w := s[name]; w.changed {
			if err := tx.SaveFit(w.Fit); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s fittings) saved() {
	for _, w := range s {
		w.changed = false
	}
}

// measured is a request in bytes.
type measured struct {
	of    *fitting
	fixed int64 // bytes that do not depend on the messages
	bytes int64 // of the request
	least bool  // nothing more can be left out
}

// askFitting has the model that writes the draft answer, of a request that fits: turns that do
// not are left out, the oldest first, and again where the server refuses it for its length.
func (r *Run) askFitting(m model.Model) (answer, error) {
	for {
		req, sent, err := r.request()
		if err != nil {
			return answer{}, err
		}
		a, err := r.generate(m.Stream(r.ctx, req))
		r.used(&req, &a, err)
		if err == nil && sent.of.room.Counted(&sent.of.Fit, sent.bytes, a.usage.InputTokens) {
			sent.of.changed = true
		}
		if refused := tooLong(err); refused == nil || a.begun() || !r.shrink(sent, refused) {
			return a, err
		}
	}
}

// request is what the model is asked: of the history what fits, all calls with their results.
func (r *Run) request() (model.Request, measured, error) {
	req := model.Request{
		System:      r.app.System.In(r.turn.Language) + r.rememberedWords(),
		Tools:       r.setup.Catalog.Definitions(r.app.ID, r.turn.Language, r.turn.Interactive),
		Temperature: r.app.Temperature,
		Language:    r.turn.Language,
	}
	w := r.fitting(r.draft.model, nil)
	sent := measured{of: w, fixed: fit.Fixed(&req) + r.imagesBytes()}
	most, unread := w.room.Most(&w.Fit), r.draft.model == r.app.Model && r.history.first > max(w.From, 1)
	sent.bytes = sent.fixed + r.history.bytes(w.From)
	if most > 0 && (unread || sent.bytes > most) {
		r.trim(&sent, fit.Slack(most, sent.fixed))
	}
	sent.least = r.history.nextTurn(w.From) == 0
	if w.room.Hopeless(sent.bytes) && sent.least {
		return req, sent, &model.Error{Kind: model.KindTooLong, Detail: fmt.Sprintf(
			"what cannot be left out has about %d tokens, contextTokens of the model is %d", fit.Tokens(sent.bytes), w.room.Context)}
	}
	r.attached(w.From)
	req.Messages = r.withImages(r.told(r.history.messages(w.From)))
	return req, sent, nil
}

// shrink leaves turns out after a refusal. False: there is no other request worth sending.
func (r *Run) shrink(sent measured, refused *model.Error) bool {
	r.draft.refused++
	target := fit.Refused(&sent.of.Fit, sent.bytes, sent.fixed, refused.Tokens, refused.MaxTokens, r.draft.refused > 1)
	sent.of.changed = true
	if sent.least || r.draft.refused >= fit.MaxRequests {
		return false
	}
	if r.draft.refused == fit.MaxRequests-1 {
		target = 0
	}
	r.trim(&sent, target)
	return true
}

// trim leaves out turns, the oldest first, until a request has at most target bytes or only
// the newest turn is left.
func (r *Run) trim(sent *measured, target int64) {
	w, h := sent.of, r.history
	old := max(w.From, 1)
	from, turns, bytes := max(old, h.first), int64(0), int64(0)
	kept := h.messageBytes(from)
	for next := h.nextTurn(from); next > 0 && sent.bytes > target; next = h.nextTurn(from) {
		for i := from - h.first; i < next-h.first; i++ {
			n := fit.Message(&h.view.Messages[i])
			bytes, kept = bytes+n, kept-n
		}
		from, turns = next, turns+1
		sent.bytes = sent.fixed + kept + fit.BlockBytes(h.answers, from)
	}
	if old < h.first { // never read: this is found out once in a chat's life
		ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
		defer cancel()
		more, size, err := r.engine.Store.Extent(ctx, r.conversation.ID, old, h.first)
		if err != nil {
			r.log.Warn("turns that are left out not counted", "error", err)
		}
		turns, bytes = turns+more, bytes+size
	}
	if from == old {
		return
	}
	w.From, w.changed = from, true
	r.engine.metrics.trimmed.WithLabelValues(r.app.ID).Add(float64(turns))
	r.engine.metrics.leftOut.WithLabelValues(r.app.ID).Add(float64(fit.Tokens(bytes)))
	r.log.Info("older turns are left out of what the model is sent", "model", w.Model, "turns", turns)
}

// tooLong is the error of a request that was refused for its length, nil for another.
func tooLong(err error) *model.Error {
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.KindTooLong {
		return e
	}
	return nil
}

// answers words the questions that a person has closed, for when their turns are left out.
// Those that a tool asked for itself were never told to the model.
func (r *Run) answers(recent *store.Recent) []fit.Answer {
	positions := map[string]int64{}
	for i := range recent.Messages {
		for _, c := range recent.Messages[i].ToolCalls {
			positions[c.ID] = recent.First + int64(i)
		}
	}
	var list []fit.Answer
	for i := range recent.Questions {
		c := &recent.Questions[i]
		switch c.State {
		case tools.StateAnswered, tools.StateSkipped, tools.StateDeclined, tools.StateRemembered:
		default:
			continue
		}
		resumer := r.setup.Catalog.Resumer(r.app.ID, "", tools.KindQuestion)
		if c.Question.State != nil || resumer == nil {
			continue
		}
		out, err := resumer.Resume(r.ctx, tools.Call{ID: c.ToolCallID, Name: c.ToolName, Language: r.turn.Language}, c.Question, tools.Closing{State: c.State, Answer: c.Answer})
		if err == nil && out.Question == nil {
			list = append(list, fit.NewAnswer(c, positions[c.ToolCallID], out.Result))
		}
	}
	return list
}

// knownCalls are those of the ids that calls have which were not read.
func (r *Run) knownCalls(calls []model.ToolCall) (map[string]bool, error) {
	if r.history.first <= 1 {
		return nil, nil
	}
	ids := make([]string, 0, len(calls))
	for _, c := range calls {
		if len(c.ID) <= maxCallID {
			ids = append(ids, c.ID)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	known, err := r.engine.Store.KnownCalls(ctx, r.conversation.ID, ids)
	set := map[string]bool{}
	for _, id := range known {
		set[id] = true
	}
	return set, err
}

// The part of history that says what is sent.

// nextTurn is the position of the first turn that begins behind a position; 0: none does.
func (h *history) nextTurn(after int64) int64 {
	list := h.view.Messages
	turn := ""
	for i := max(after-h.first, 0); i < int64(len(list)); i++ {
		if list[i].AskedBy != nil { // belongs to no turn
			continue
		}
		if turn != "" && list[i].TurnID != turn {
			return h.first + i
		}
		turn = list[i].TurnID
	}
	return 0
}

// bytes is how many the messages have from a position on, with the answers of before.
func (h *history) bytes(from int64) int64 {
	return fit.BlockBytes(h.answers, max(from, h.first)) + h.messageBytes(from)
}

func (h *history) messageBytes(from int64) (n int64) {
	for i := max(from-h.first, 0); i < int64(len(h.view.Messages)); i++ {
		n += fit.Message(&h.view.Messages[i])
	}
	return n
}

// messages are the history from a position on as a model is sent it.
func (h *history) messages(from int64) []model.Message {
	from = max(from, h.first)
	if h.promptFrom != from {
		h.promptFrom, h.prompt, h.prompted = from, fit.Block(h.answers, from), int(from-h.first)
	}
	h.prompt = prompt(h.prompt, h.view.Messages[h.prompted:])
	h.prompted = len(h.view.Messages)
	return answerable(h.prompt)
}
