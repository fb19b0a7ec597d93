package prompt

import (
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/contextwindow"
	"github.com/askgate/askgate/tools"
)

// bridge is sent where a turn ended without a message of the model: the strictest providers want
// user and assistant to alternate, and a tool's result to be followed by something.
const bridge = "[This turn ended without a reply.]"

// goOn asks the model to continue a text of its own that was cut off. It is neither stored nor
// shown.
const goOn = "Continue"

// MaxCalls is how many calls one message of the prompt has at most: OpenAI accepts no more.
const MaxCalls = 128

// answerable returns a prompt that does not end with the model's own words.
func answerable(messages []model.Message) []model.Message {
	if n := len(messages); n > 0 && messages[n-1].Role == model.RoleAssistant {
		return append(messages, model.Message{Role: model.RoleUser, Content: goOn})
	}
	return messages
}

// rendered appends messages in the form that the strictest provider accepts: each call has exactly
// one result right behind it, no message is blank, and the roles alternate. It leaves out what
// programs said.
func rendered(dst []model.Message, history []chat.Message) []model.Message {
	dst = slices.Grow(dst, lengthOf(history))
	for i := range history {
		m := &history[i]
		if m.AskedBy != nil || tools.Blank(m.Content) && len(m.ToolCalls) == 0 {
			continue
		}
		if m.Role == chat.RoleUser {
			if n := len(dst); n > 0 && dst[n-1].Role != model.RoleAssistant {
				dst = append(dst, model.Message{Role: model.RoleAssistant, Content: bridge})
			}
			next := model.Message{Role: model.RoleUser, Content: m.Content + m.Attached + contextwindow.Instructed(m.Instructions)}
			if len(m.Files) > 0 {
				next.ID = m.ID
			}
			dst = append(dst, next)
			continue
		}
		dst = step(dst, m)
	}
	return dst
}

// step appends an assistant's message and the results of its calls.
func step(dst []model.Message, m *chat.Message) []model.Message {
	if len(m.ToolCalls) > MaxCalls {
		for _, group := range groups(m) {
			dst = step(dst, &group)
		}
		return dst
	}
	dst = append(answerable(dst), model.Message{
		Role: model.RoleAssistant, Content: m.Content, ToolCalls: calls(m.ToolCalls),
		Made: model.Made{By: m.MadeBy, State: m.State},
	})
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		result := c.Result
		if result == nil { // only if a turn was cut off; no call may stay without a result
			lost := chat.ErrorResult(&tools.Error{Code: tools.CodeInterrupted, Message: "The call was interrupted; it has no result."}, 0)
			result = &lost
		}
		dst = append(dst, model.Message{Role: model.RoleTool, ToolCallID: c.ID, Content: result.Content})
	}
	return dst
}

// lengthOf returns how many messages of a prompt a history becomes, or a few less.
func lengthOf(history []chat.Message) int {
	n := len(history)
	for i := range history {
		n += len(history[i].ToolCalls)
	}
	return n
}

func calls(stored []chat.ToolCall) []model.ToolCall {
	if len(stored) == 0 {
		return nil
	}
	list := make([]model.ToolCall, len(stored))
	for i, c := range stored {
		list[i] = model.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}
	}
	return list
}

// groups splits a step into groups of at most MaxCalls calls, the first with the text that the model
// wrote before. State belongs to all calls of a step together, so the groups of a split step have none.
func groups(m *chat.Message) []chat.Message {
	if len(m.ToolCalls) <= MaxCalls {
		return []chat.Message{*m}
	}
	list := []chat.Message{{Role: m.Role, Content: m.Content, ToolCalls: m.ToolCalls[:MaxCalls], MadeBy: m.MadeBy}}
	return append(list, groups(&chat.Message{Role: m.Role, ToolCalls: m.ToolCalls[MaxCalls:], MadeBy: m.MadeBy})...)
}
