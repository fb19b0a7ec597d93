package turn

import (
	"fmt"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// maxCalls is how many calls of one step are carried out, and how many stand in one message
// of the prompt: OpenAI takes no more.
const maxCalls = 128

var tooMany = &tools.Error{
	Code:    tools.CodeCancelled,
	Message: fmt.Sprintf("This call was not run: only the first %d calls of one step are. Make it again if it is still needed.", maxCalls),
}

// groups are a step's calls as the prompt tells them, each with what the model wrote before.
func groups(m *chat.Message) []chat.Message {
	if len(m.ToolCalls) <= maxCalls {
		return []chat.Message{*m}
	}
	list := []chat.Message{{Role: m.Role, Content: m.Content, ToolCalls: m.ToolCalls[:maxCalls]}}
	return append(list, groups(&chat.Message{Role: m.Role, ToolCalls: m.ToolCalls[maxCalls:]})...)
}
