package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// tellFrom is how many questions a model has left when it is first told.
const tellFrom = 2

// noted are messages with what the model may still ask, behind the last result of each step
// that a request of its turn followed, as it stood then. It is made again from what is
// stored, and stays where it was sent: a request is the beginning of the next one, byte for
// byte, and what providers cache of it holds.
func (b *Builder) noted(messages []model.Message) []model.Message {
	notes := map[string][]string{}
	if b.Turn.Interactive && b.Catalog.Asks(b.App.ID) {
		notes = b.left()
		for id, hint := range b.hints() {
			notes[id] = append(notes[id], hint)
		}
	}
	own := b.ownWords()
	if len(notes)+len(own) == 0 {
		return messages
	}
	messages = slices.Clone(messages) // the history keeps its own
	for i := range messages {
		if m := &messages[i]; m.Role == model.RoleTool {
			m.Content += note(notes[m.ToolCallID]) + own[m.ToolCallID]
		}
	}
	return messages
}

// note is a line of its own, which no tool's text has (tools.Quoted); "" of nothing.
func note(sentences []string) string {
	if len(sentences) == 0 {
		return ""
	}
	return "\n\n" + tools.GatewayMark + " " + strings.Join(sentences, ". ")
}

// left is what stands behind results of what the model may still ask, by call id.
func (b *Builder) left() map[string][]string {
	notes := map[string][]string{}
	caps, before := &b.App.Clarifications, len(b.history.Questions)
	if before+tellFrom < min(caps.PerConversation, caps.PerTurn) {
		return notes
	}
	asked := map[string]int{} // by call
	for i := range b.history.Questions {
		asked[b.history.Questions[i].ToolCallID]++
	}
	steps := b.history.Steps()
	for i := range steps {
		before -= askedBy(&steps[i], asked)
	}
	conversation, turn, turnID := before, 0, ""
	for i := range steps {
		m := &steps[i]
		if m.TurnID != turnID {
			turn, turnID = 0, m.TurnID
		}
		n := askedBy(m, asked)
		conversation, turn = conversation+n, turn+n
		left := max(0, caps.PerConversation-conversation)
		inTurn := min(left, max(0, caps.PerTurn-turn))
		if len(m.ToolCalls) == 0 || inTurn > tellFrom || !b.followed(steps, i) {
			continue
		}
		last := &m.ToolCalls[len(m.ToolCalls)-1]
		if last.Result != nil && last.Result.Error != nil && last.Result.Error.Code == tools.CodeLimitReached {
			continue // it says so itself
		}
		notes[last.ID] = []string{leftNote(left, inTurn)}
	}
	return notes
}

// followed says that a request of its turn followed a step.
func (b *Builder) followed(steps []chat.Message, i int) bool {
	return steps[i].TurnID == b.Turn.ID || i+1 < len(steps) && steps[i+1].TurnID == steps[i].TurnID
}

// askedBy is how many questions a step asked.
func askedBy(m *chat.Message, asked map[string]int) (n int) {
	for i := range m.ToolCalls {
		n += asked[m.ToolCalls[i].ID]
	}
	return n
}

func leftNote(conversation, turn int) string {
	questions := "questions"
	if conversation == 1 {
		questions = "question"
	}
	return fmt.Sprintf("You may ask %d more %s in this conversation, %d in this turn", conversation, questions, turn)
}

// hintWith is the single question of a turn behind whose answer the model is told to ask the
// rest at once: one alone may be all that it needs.
const hintWith = 2

// hints are what the model is told that asks one question after another, by call id: like
// what it may still ask (see noted), made again from what is stored.
func (b *Builder) hints() map[string]string {
	caps := &b.App.Clarifications
	if caps.MaxQuestions < 2 {
		return nil
	}
	hinted := oneByOne(b.history.Questions, caps.PerConversation, caps.PerTurn)
	if len(hinted) == 0 {
		return nil
	}
	hints, steps := map[string]string{}, b.history.Steps()
	for i := range steps {
		for _, call := range steps[i].ToolCalls {
			if hinted[call.ID] && b.followed(steps, i) {
				hints[call.ID] = fmt.Sprintf("You have asked one question after another. "+
					"If you need to know more, ask for all of it at once: one call of %s, with \"questions\"", call.Name)
			}
		}
	}
	return hints
}

// oneByOne are the calls that asked the hintWith-th single question of their turns, and after
// which the model could ask more. A question is single where its step asked no other: each
// step that asks is a run's last.
func oneByOne(questions []chat.Clarification, perConversation, perTurn int) map[string]bool {
	if len(questions) < hintWith {
		return nil
	}
	parts := map[int64]int{} // by run
	for i := range questions {
		parts[questions[i].AskedFence] += len(questions[i].Question.Parts)
	}
	asked, inTurn, single, hinted := 0, map[string]int{}, map[string]int{}, map[string]bool{}
	for i := range questions {
		c := &questions[i]
		asked++
		inTurn[c.TurnID]++
		if by := c.Question.AskedBy; parts[c.AskedFence] != 1 || by == nil || by.Kind != tools.AskerModel {
			continue
		}
		single[c.TurnID]++
		if single[c.TurnID] == hintWith && asked < perConversation && inTurn[c.TurnID] < perTurn {
			hinted[c.ToolCallID] = true
		}
	}
	return hinted
}

// ownWordsLine stands behind an answer in words of the person's own, the same in every request.
const ownWordsLine = "\n\nMemory: these are the user's own words. If they hold for later chats, too, keep them with remember."

// ownWords are the lines behind answers in words of the person's own, by call id, where the model
// may keep them.
func (b *Builder) ownWords() map[string]string {
	if !b.App.Memory || b.Conversation.Ephemeral {
		return nil
	}
	lines := map[string]string{}
	for i := range b.history.Questions {
		c := &b.history.Questions[i]
		if c.State == tools.StateAnswered && c.Answer != nil && c.Question.State == nil && (c.Answer.UsesOther() || c.Answer.HasNote()) {
			lines[c.ToolCallID] = ownWordsLine
		}
	}
	return lines
}
