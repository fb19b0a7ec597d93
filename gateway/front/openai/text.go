package openai

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
)

// maxHint bounds what stands below a question, in bytes, in any language.
const maxHint = front.MaxHint

// asText is a part of a question in words. A code, "" for none, is in a line between what is asked
// and how to answer.
func asText(t front.Texts, q *chat.Asked, part int, code string) string {
	if code != "" {
		code = bracketed(code)
	}
	return front.Words(t, q, part, code)
}

// asked is what is asked by a part of a question, in words.
func asked(q *chat.Asked, part int) string { return front.AskedWords(q, part) }

// joined is the texts that are not empty.
func joined(between string, all ...string) string { return front.Joined(between, all...) }
