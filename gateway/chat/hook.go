package chat

import "time"

// Hook is a webhook that is told of News.
type Hook struct {
	Webhook string // its id in the configuration; "": nobody is told, it is only counted
	Event   string // config.WebhookAsked and the like
	// Unseen, where it is not 0: only if the question is then still pending, and no screen
	// has shown it.
	Unseen time.Duration
}
