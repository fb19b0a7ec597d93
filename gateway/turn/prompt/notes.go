package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// noteFrom is the number of remaining questions from which on the model is informed of it.
const noteFrom = 2

// noted adds notes to messages: how many questions the model may still ask, behind the last result
// of each step that a request of the same turn followed, as the number was then. Notes are derived
// from what is stored, and stay where they were sent: each request begins with the previous one,
// byte for byte, so providers' caches stay valid.
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
	messages = slices.Clone(messages) // the history keeps its own messages
	for i := range messages {
		if m := &messages[i]; m.Role == model.RoleTool {
			m.Content += note(notes[m.ToolCallID]) + own[m.ToolCallID]
		}
	}
	return messages
}

// note returns a line of its own, such as no tool's text has (tools.Quoted), or "" without
// sentences.
func note(sentences []string) string {
	if len(sentences) == 0 {
		return ""
	}
	return "\n\n" + tools.GatewayMark + " " + strings.Join(sentences, ". ")
}

// left returns the notes on how many questions the model may still ask, by call id.
func (b *Builder) left() map[string][]string {
	notes := map[string][]string{}
	caps, before := &b.App.Clarifications, len(b.history.Questions)
	if before+noteFrom < min(caps.PerConversation, caps.PerTurn) {
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
		if len(m.ToolCalls) == 0 || inTurn > noteFrom || !b.followed(steps, i) {
			continue
		}
		last := &m.ToolCalls[len(m.ToolCalls)-1]
		if last.Result != nil && last.Result.Error != nil && last.Result.Error.Code == tools.CodeLimitReached {
			continue // the result already reports it
		}
		notes[last.ID] = []string{leftNote(left, inTurn)}
	}
	return notes
}

// followed reports whether a request of the same turn followed a step.
func (b *Builder) followed(steps []chat.Message, i int) bool {
	return steps[i].TurnID == b.Turn.ID || i+1 < len(steps) && steps[i+1].TurnID == steps[i].TurnID
}

// askedBy returns how many questions a step asked.
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

// hintWith is the number of the single question in a turn whose result asks the model to ask
// everything else at once. After the first, it is too early: one question may have been enough.
const hintWith = 2

// hints returns the hints for models that ask one question after another, by call id. Like the notes
// of left, they are derived from what is stored (see noted).
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

// oneByOne returns the calls that asked the hintWith-th single question of their turns and left the
// model room to ask more. A question is single if its step asked no other: each step that asks is
// the last of its run.
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

// ownWordsLine follows an answer in the person's own words, unchanged in every request.
const ownWordsLine = "\n\nMemory: these are the user's own words. If they also apply to later chats, store them with remember."

// ownWords returns the lines that follow answers in the person's own words, by call id, if the model
// may remember them.
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
