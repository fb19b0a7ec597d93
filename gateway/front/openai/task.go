package openai

import "strings"

// Open WebUI makes a model write titles, tags, follow-ups and queries without a person: it sends
// one message that says what to do and contains the chat, with the same headers as the person's
// messages. The person has not said it and sees no chat for it. So it is answered in a chat of
// its own that is deleted with its turn, and asks no one.

// These are how its messages begin, and what else they contain, and the text before that in a
// person's message, which begins in the same way when documents are sent with it.
const (
	taskBegins = "### Task:"
	taskHas    = "<chat_history>"
	documents  = "<context>"
)

// task reports whether the message is one of Open WebUI's own.
func (s *sought) task() bool {
	before, _, has := strings.Cut(s.message, taskHas)
	return has && s.said.answer() == nil && strings.HasPrefix(before, taskBegins) && !strings.Contains(before, documents)
}
