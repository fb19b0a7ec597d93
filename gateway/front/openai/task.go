package openai

import "strings"

// Open WebUI has a model write titles, tags, follow-ups and queries by itself: it sends one message,
// which says what to do and has the chat in it, with the same headers as the person's messages. The
// person has not said it and sees no chat of it: it is answered in a chat of its own that is deleted
// with its turn, and asks nobody.

// What its messages begin with, and what they have besides; and what comes before that in a message
// of the person's, which begins alike where documents go with it.
const (
	taskBegins = "### Task:"
	taskHas    = "<chat_history>"
	documents  = "<context>"
)

// task says that the message is one of Open WebUI's own.
func (s *sought) task() bool {
	before, _, has := strings.Cut(s.message, taskHas)
	return has && s.said.answer() == nil && strings.HasPrefix(before, taskBegins) && !strings.Contains(before, documents)
}
