package turn

import (
	"fmt"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// tellFrom is how many questions a model has left when it is first told.
const tellFrom = 2

// told are messages with what the model may still ask, behind the last result of each step
// that a request of its turn followed, as it stood then. It is made again from what is
// stored, and stays where it was sent: a request is the beginning of the next one, byte for
// byte, and what providers cache of it holds.
func (r *Run) told(messages []model.Message) []model.Message {
	notes := r.notes()
	if len(notes) == 0 {
		return messages
	}
	messages = slices.Clone(messages) // the history keeps its own
	for i := range messages {
		if m := &messages[i]; m.Role == model.RoleTool {
			m.Content += notes[m.ToolCallID]
		}
	}
	return messages
}

// notes are what stands behind results, by call id.
func (r *Run) notes() map[string]string {
	if !r.turn.Interactive || !r.setup.Catalog.Asks(r.app.ID) {
		return nil
	}
	caps, before := &r.app.Clarifications, r.history.batch(r.turn.ID).AskedConversation
	if before+tellFrom < min(caps.PerConversation, caps.PerTurn) {
		return nil
	}
	asked := map[string]int{} // by call
	for i := range r.history.questions {
		asked[r.history.questions[i].ToolCallID]++
	}
	steps := slices.DeleteFunc(slices.Clone(r.history.view.Messages), func(m chat.Message) bool { return m.AskedBy != nil })
	for i := range steps {
		before -= askedBy(&steps[i], asked)
	}
	notes := map[string]string{}
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
		followed := m.TurnID == r.turn.ID || i+1 < len(steps) && steps[i+1].TurnID == m.TurnID
		if len(m.ToolCalls) == 0 || inTurn > tellFrom || !followed {
			continue
		}
		last := &m.ToolCalls[len(m.ToolCalls)-1]
		if last.Result != nil && last.Result.Error != nil && last.Result.Error.Code == tools.CodeLimitReached {
			continue // it says so itself
		}
		notes[last.ID] = leftNote(left, inTurn)
	}
	return notes
}

// askedBy is how many questions a step asked.
func askedBy(m *chat.Message, asked map[string]int) (n int) {
	for i := range m.ToolCalls {
		n += asked[m.ToolCalls[i].ID]
	}
	return n
}

// leftNote is a line of its own, which no tool's text has (tools.Quoted).
func leftNote(conversation, turn int) string {
	questions := "questions"
	if conversation == 1 {
		questions = "question"
	}
	return fmt.Sprintf("\n\n%s You may ask %d more %s in this conversation, %d in this turn", tools.GatewayMark, conversation, questions, turn)
}
