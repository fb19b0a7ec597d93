package turn

import (
	"context"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/title"
)

// Rename gives a chat a title, which stays whatever a model would call it.
func (e *Engine) Rename(_ context.Context, ref chat.Ref, title string) (renamed chat.Conversation, err error) {
	err = e.update(ref, "title", false, func(tx store.Tx) error {
		c := tx.Conversation()
		if c.Fence == 0 {
			return &chat.Error{Code: chat.CodeNotFound}
		}
		c.Title, c.TitleBy = title, chat.TitleByPerson
		renamed = *c
		return tx.Tell(chat.News{Type: chat.EventTitle})
	})
	if err == nil {
		e.Hub.Nudge()
	}
	return renamed, err
}

// title has the model give the chat a title, after the first turn that it answered.
func (r *Run) title() {
	c := &r.conversation
	if r.app.Titles != config.TitlesModel || r.turn.State != chat.TurnEnded || r.turn.FinishReason != chat.FinishStop ||
		c.TitleBy != "" || c.Passing || r.setup.Config.Demo(r.app) || r.history == nil || r.engine.draining.Load() {
		return
	}
	m, ok := r.setup.Models[r.draft.model]
	if !ok {
		return
	}
	r.engine.titles.Name(&title.Chat{
		Ref: c.Ref, ID: c.ID, Budgets: &r.setup.Config.Gateway.Limits.Tokens, Model: m, ModelName: r.draft.model,
		Language: r.turn.Language, Said: r.history.FirstSaid(), Replied: r.result.Text, Log: r.log,
	})
}
