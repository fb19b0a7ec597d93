package prompt

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/turn/history"
)

// Read takes the chat, as it was read.
func (b *Builder) Read(ctx context.Context, h *history.History, questions []chat.Clarification) {
	b.history = h
	b.shown = transcript{history: h, answers: b.answers(ctx, questions)}
	b.files = newAttachments(questions, h.View.Messages)
}

// Request is what the model of that name is asked: of the history what fits, all calls with
// their results.
func (b *Builder) Request(ctx context.Context, name string) (model.Request, Sent, error) {
	b.fillIn()
	req := model.Request{
		System:      b.system() + b.remembered(),
		Tools:       b.Catalog.Definitions(b.App.ID, b.Turn.Language, b.Turn.Interactive),
		Temperature: b.App.Temperature,
		Language:    b.Turn.Language,
		CacheKey:    b.cacheKey(),
	}
	sent, err := b.fit(name, &req)
	if err != nil {
		return req, sent, err
	}
	b.opens(&sent, &req)
	b.attach(ctx, sent.of.From)
	req.Messages = b.shown.messages(sent.of.From, sent.of.StateFrom)
	req.Messages = b.noted(req.Messages)
	if b.sees(name) {
		req.Messages = b.withImages(ctx, req.Messages)
	}
	return req, sent, nil
}
