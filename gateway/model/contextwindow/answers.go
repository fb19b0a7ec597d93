package contextwindow

import (
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// heading begins the block of answers, noted stands behind it: roles alternate.
const (
	heading = "[Earlier turns of this chat are left out, because they no longer fit. In them the user was asked these questions, and gave these answers, word for word:]"
	noted   = "[Noted.]"
)

// Answer is a question of a turn that may be left out, with what the person answered.
type Answer struct {
	position int64  // of the message that asked it; 0: older than what was read
	text     string // its lines
}

// NewAnswer words a question that a person has closed; result is what the model read.
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

// leftOut says that its turn is one of those before a position, the first of which is 1.
func (a *Answer) leftOut(before int64) bool { return before > 1 && a.position < before }

// Block is the messages that tell the answers of all turns before a position; none where
// there is no such answer.
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

// BlockBytes is about how many bytes Block has.
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
