package turn

import (
	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
)

// hooks are the webhooks that are told of an event.
func (e *Engine) hooks(app, event string) (hooks []chat.Hook) {
	all := e.Setup().Config.Gateway.Webhooks
	for i := range all {
		if all[i].Wants(event, app) {
			hooks = append(hooks, chat.Hook{Webhook: all[i].ID, Event: event})
		}
	}
	return hooks
}

// unseen are those that are told if no screen shows a question, and the one that is counted.
func (e *Engine) unseen(app string) []chat.Hook {
	g := &e.Setup().Config.Gateway
	hooks := []chat.Hook{{Event: config.WebhookUndelivered, Unseen: g.UndeliveredAfter()}}
	for i := range g.Webhooks {
		if w := &g.Webhooks[i]; w.Wants(config.WebhookUndelivered, app) {
			hooks = append(hooks, chat.Hook{Webhook: w.ID, Event: config.WebhookUndelivered, Unseen: w.UndeliveredAfter.Std()})
		}
	}
	return hooks
}
