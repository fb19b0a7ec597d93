package prompt

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/contextwindow"
	"github.com/askgate/askgate/gateway/store"
)

// fitting is the part of the run's chat that a model is sent.
type fitting struct {
	chat.Fit
	room    contextwindow.Room
	changed bool // since it was stored
}

// settingsOf identifies the settings for which a fit was found.
func settingsOf(m *config.Model) string {
	h := fnv.New64a() // hashed, because an address may contain a password
	fmt.Fprintln(h, m.Provider, m.BaseURL, m.Model, m.MaxTokens, m.ContextTokens)
	return fmt.Sprintf("%x", h.Sum64())
}

// fitting returns a model's fit as the chat remembers it, unless the model's settings have changed.
func (b *Builder) fitting(name string, stored []chat.Fit) *fitting {
	if w := b.fits[name]; w != nil {
		return w
	}
	m := b.Config.Gateway.Models[name]
	w := &fitting{
		Fit:  chat.Fit{Model: name, Settings: settingsOf(&m)},
		room: contextwindow.Room{Context: int64(m.ContextTokens), Answer: int64(m.MaxTokens)},
	}
	for _, s := range stored {
		switch {
		case s.Model != name:
		case s.Settings == w.Settings:
			w.Fit = s
		default: // which state is sent depends on the chat, and on the model that made it
			w.StateFrom, w.Prefix = s.StateFrom, s.Prefix
		}
	}
	if b.fits == nil {
		b.fits = map[string]*fitting{}
	}
	b.fits[name] = w
	return w
}

// Span returns how much of the chat a run has to read: what the app's model may be sent.
func (b *Builder) Span(stored []chat.Fit) store.Span {
	for _, name := range append([]string{b.App.Model}, b.Config.Fallbacks(b.App.Model)...) {
		b.fitting(name, stored)
	}
	w := b.fits[b.App.Model]
	return store.Span{From: w.From, Bytes: w.room.Most(&w.Fit), PerMessage: contextwindow.PerMessage, ClientTools: b.App.ClientTools == config.ClientToolsOn, Caller: len(b.Config.Claims(b.App.ID)) > 0}
}

// Save stores where the prompts begin and what was learnt about models, if that has changed.
func (b *Builder) Save(tx store.RunTx) error {
	if err := b.saveBasis(tx); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(b.fits)) {
		if w := b.fits[name]; w.changed {
			if err := tx.SaveFit(w.Fit); err != nil {
				return err
			}
		}
	}
	return nil
}

// Saved is called after Save was committed.
func (b *Builder) Saved() {
	b.savedBasis()
	for _, w := range b.fits {
		w.changed = false
	}
}

// Sent describes a request and its size.
type Sent struct {
	of    *fitting
	from  int64 // position of the first message in the request
	fixed int64 // bytes that do not depend on the messages
	bytes int64 // of the request
	least bool  // nothing more can be left out

	system  string // how the request begins, see beginning
	tools   []model.Definition
	dropped []string // ids of files for which there is no more room
	prefix  string   // identifies the beginning; "": not computed yet
}

// fit leaves out what does not fit into a request to a model. The request has everything but the
// messages.
func (b *Builder) fit(name string, req *model.Request) (Sent, error) {
	w := b.fitting(name, nil)
	sent := Sent{of: w, fixed: contextwindow.Fixed(req)}
	m := b.Config.Gateway.Models[name]
	sent.fixed += b.files.bytes(&m)
	most, unread := w.room.Most(&w.Fit), name == b.App.Model && b.history.First > max(w.From, 1)
	sent.from = w.From
	if b.App.LastTurnOnly { // what is left out for its length does not change
		sent.from, unread = b.shown.beginning(b.Turn.ID), false
	}
	sent.bytes = sent.fixed + b.shown.bytes(sent.from)
	if most > 0 && !b.App.LastTurnOnly && (unread || sent.bytes > most) {
		b.trim(&sent, contextwindow.Slack(most, sent.fixed))
		sent.from = w.From
	}
	sent.least = b.shown.nextTurn(sent.from) == 0
	if w.room.Hopeless(sent.bytes) && sent.least {
		return sent, &model.Error{Kind: model.KindTooLong, Detail: fmt.Sprintf(
			"what cannot be left out has about %d tokens, contextTokens of the model is %d", contextwindow.Tokens(sent.bytes), w.room.Context)}
	}
	return sent, nil
}

// Counted learns from the number of tokens that the server counted in a request.
func (s *Sent) Counted(tokens int64) {
	if s.of.room.Counted(&s.of.Fit, s.bytes, tokens) {
		s.of.changed = true
	}
}

// Shrink leaves out turns after a refusal, the refusals-th among the step's requests. It returns
// false if no other request is worth sending.
func (b *Builder) Shrink(sent Sent, refused *model.Error, refusals int) bool {
	target := contextwindow.Refused(&sent.of.Fit, sent.bytes, sent.fixed, refused.Tokens, refused.MaxTokens, refusals > 1)
	sent.of.changed = true
	if sent.least || refusals >= contextwindow.MaxRequests {
		return false
	}
	if refusals == contextwindow.MaxRequests-1 {
		target = 0
	}
	b.trim(&sent, target)
	return true
}

// trim leaves out turns, the oldest first, until the request has at most target bytes or only the
// newest turn is left.
func (b *Builder) trim(sent *Sent, target int64) {
	w, first := sent.of, b.history.First
	old := max(w.From, 1)
	from, turns, bytes := max(old, first), int64(0), int64(0)
	kept := b.shown.messageBytes(from)
	for next := b.shown.nextTurn(from); next > 0 && sent.bytes > target; next = b.shown.nextTurn(from) {
		for i := from - first; i < next-first; i++ {
			n := b.shown.size(&b.history.View.Messages[i])
			bytes, kept = bytes+n, kept-n
		}
		from, turns = next, turns+1
		sent.bytes = sent.fixed + kept + contextwindow.BlockBytes(b.shown.answers, from)
	}
	if old < first { // these were never read; they are counted only once in a chat's life
		ctx, cancel := context.WithTimeout(context.Background(), store.Timeout)
		defer cancel()
		more, size, err := b.Extent(ctx, b.Conversation.ID, old, first)
		if err != nil {
			b.Log.Warn("cannot count the turns that are left out", "error", err)
		}
		turns, bytes = turns+more, bytes+size
	}
	if from == old {
		return
	}
	w.From, w.changed = from, true
	b.LeftOut(turns, contextwindow.Tokens(bytes))
	b.Log.Info("older turns are left out of requests to the model", "model", w.Model, "turns", turns)
}
