package chat

import "time"

// Hook is a webhook that is sent News.
type Hook struct {
	Webhook string // its id in the configuration; "": nothing is sent, the event is only counted
	Event   string // config.WebhookAsked and the like
	// Unseen, unless it is 0, is how long the question must have been pending without any screen showing
	// it.
	Unseen time.Duration
}

// Recipient is a person of the chat's tenant, whom a channel tells of a question.
type Recipient struct {
	Channel string // its id in the configuration
	Subject string
}
