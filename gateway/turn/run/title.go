package run

import (
	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn/title"
)

// title has the model give the chat a title, after the first turn that it answered.
func (r *Run) title() {
	c := &r.Conversation
	if r.App.Titles != config.TitlesModel || r.Turn.State != chat.TurnEnded || r.Turn.FinishReason != chat.FinishStop ||
		c.TitleBy != "" || c.Passing || r.Setup.Config.Demo(r.App) || r.history == nil || r.node.Draining.Load() {
		return
	}
	m, ok := r.Setup.Models[r.draft.model]
	if !ok {
		return
	}
	r.node.Titles.Name(&title.Chat{
		Ref: c.Ref, ID: c.ID, Budgets: &r.Setup.Config.Gateway.Limits.Tokens, Model: m, ModelName: r.draft.model,
		Language: r.Turn.Language, Said: r.history.FirstSaid(), Replied: r.result.Text, Log: r.Log,
	})
}
