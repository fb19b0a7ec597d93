package prompt

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/turn/history"
)

// Read takes the chat as read from the store. basis is the beginning of the turn's prompts; nil means
// that this run determines it.
func (b *Builder) Read(ctx context.Context, h *history.History, questions []chat.Clarification, basis *chat.Basis) {
	b.history = h
	b.basis, b.stored = basis, basis != nil
	b.shown = transcript{history: h}
	if !b.App.LastTurnOnly {
		b.shown.answers = b.answers(ctx, questions)
	}
	b.files = newAttachments(&b.Source, questions, h.View.Messages)
}

// Request returns the request to the model of that name: as much of the history as fits, and all
// calls with their results.
func (b *Builder) Request(ctx context.Context, name string) (model.Request, Sent, error) {
	if !b.settled {
		b.settle()
	}
	req := model.Request{
		System:      b.system() + b.basis.Words,
		Tools:       b.Catalog.DefinitionsKept(b.App.ID, b.basis.Language, b.basis.Interactive, b.kept()),
		Temperature: b.App.Temperature,
		Language:    b.basis.Language,
		CacheKey:    b.cacheKey(),
		Personal:    b.personal(),
	}
	sent, err := b.fit(name, &req)
	if err != nil {
		return req, sent, err
	}
	m := b.Config.Gateway.Models[name]
	var files map[string]bool
	files, sent.dropped = b.choose(&m, sent.from)
	b.opens(&sent, &req)
	b.attach(ctx, sent.from)
	req.Messages = b.shown.messages(sent.from, sent.of.StateFrom)
	req.Messages = b.noted(req.Messages)
	req.Messages = b.files.withFiles(ctx, req.Messages, files)
	return req, sent, nil
}
