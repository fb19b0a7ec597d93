package contextwindow

import (
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// heading begins the block of answers. noted is the assistant's message after it, since roles
// alternate.
const (
	heading = "[Earlier turns of this chat are left out, because they no longer fit. In them the user was asked these questions, and gave these answers, word for word:]"
	noted   = "[Noted.]"
)

// Answer is a question of a turn that may be left out, with the person's answer.
type Answer struct {
	position int64  // of the message that asked; 0: before the first message that was read
	text     string // its lines
}

// NewAnswer words a question that a person has closed. result is the result that the model read.
func NewAnswer(c *chat.Clarification, position int64, result string) Answer {
	var b strings.Builder
	b.WriteString("Question: ")
	for i := range c.Question.Parts {
		if i > 0 {
			b.WriteString(" / ")
		}
		b.WriteString(tools.Indented(c.Question.Parts[i].Question))
	}
	b.WriteString("\nAnswer: ")
	b.WriteString(tools.Indented(result))
	return Answer{position, b.String()}
}

// leftOut reports whether the answer's turn is before a position. The first position is 1.
func (a *Answer) leftOut(before int64) bool { return before > 1 && a.position < before }

// Block returns the messages that repeat the answers of all turns before a position, or none if
// there are no such answers.
func Block(answers []Answer, before int64) []model.Message {
	var b strings.Builder
	for i := range answers {
		if answers[i].leftOut(before) {
			b.WriteByte('\n')
			b.WriteString(answers[i].text)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return []model.Message{
		{Role: model.RoleUser, Content: heading + b.String()},
		{Role: model.RoleAssistant, Content: noted},
	}
}

// BlockBytes estimates the bytes of Block.
func BlockBytes(answers []Answer, before int64) int64 {
	n := int64(0)
	for i := range answers {
		if answers[i].leftOut(before) {
			n += int64(len(answers[i].text) + 1)
		}
	}
	if n > 0 {
		n += int64(len(heading)+len(noted)) + 2*PerMessage
	}
	return n
}
