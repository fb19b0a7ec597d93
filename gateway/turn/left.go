package turn

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

// told are messages with what the model may still ask, behind the last result of each step
// that a request of its turn followed, as it stood then. It is made again from what is
// stored, and stays where it was sent: a request is the beginning of the next one, byte for
// byte, and what providers cache of it holds.
func (r *Run) told(messages []model.Message) []model.Message {
	notes := map[string][]string{}
	if r.turn.Interactive && r.setup.Catalog.Asks(r.app.ID) {
		notes = r.left()
		for id, hint := range r.hints() {
			notes[id] = append(notes[id], hint)
		}
	}
	own := r.ownWords()
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
func (r *Run) left() map[string][]string {
	notes := map[string][]string{}
	caps, before := &r.app.Clarifications, r.history.batch(r.turn.ID).AskedConversation
	if before+tellFrom < min(caps.PerConversation, caps.PerTurn) {
		return notes
	}
	asked := map[string]int{} // by call
	for i := range r.history.questions {
		asked[r.history.questions[i].ToolCallID]++
	}
	steps := r.history.steps()
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
		if len(m.ToolCalls) == 0 || inTurn > tellFrom || !r.followed(steps, i) {
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
func (r *Run) followed(steps []chat.Message, i int) bool {
	return steps[i].TurnID == r.turn.ID || i+1 < len(steps) && steps[i+1].TurnID == steps[i].TurnID
}

// steps are the messages of people and of the model.
func (h *history) steps() []chat.Message {
	return slices.DeleteFunc(slices.Clone(h.view.Messages), func(m chat.Message) bool { return m.AskedBy != nil })
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
