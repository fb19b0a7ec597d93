package follow

import (
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// seen is what a viewer was shown of a chat's stored state: ids, and no texts, since it is
// kept for as long as the viewer looks on. nil: nothing was shown.
type seen struct {
	last      chat.EventID
	first     string            // the oldest message here; those before it were shown, too
	messages  map[string][]bool // by id: which of its calls had a result
	questions map[string]bool   // by id
}

func newSeen(view *store.View) *seen {
	s := &seen{last: view.Conversation.LastEvent, messages: map[string][]bool{}, questions: map[string]bool{}}
	newest := view.Messages[max(0, len(view.Messages)-MaxMessages):]
	if len(newest) > 0 {
		s.first = newest[0].ID
	}
	for i := range newest {
		var settled []bool
		for _, c := range newest[i].ToolCalls {
			settled = append(settled, c.Result != nil)
		}
		s.messages[newest[i].ID] = settled
	}
	for i := range view.Clarifications {
		s.questions[view.Clarifications[i].ID] = true
	}
	return s
}

// begins is the index of the first message that may have something new.
func (s *seen) begins(view *store.View) int {
	if s == nil {
		return 0
	}
	return max(0, slices.IndexFunc(view.Messages, func(m chat.Message) bool { return m.ID == s.first }))
}

func (s *seen) message(id string) (settled []bool, known bool) {
	if s == nil {
		return nil, false
	}
	settled, known = s.messages[id]
	return settled, known
}

func (s *seen) question(id string) bool { return s != nil && s.questions[id] }
