package front_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// What a client says of a call answers the question that the call is, and none that the call
// waits for or asks: those are answered by their own ids.
func TestAnOutputAnswersOnlyTheQuestionThatItsCallIs(t *testing.T) {
	server := &tools.Asker{Kind: tools.AskerServer}
	for name, test := range map[string]struct {
		of   chat.Clarification
		call bool // it goes out with the id of its call
	}{
		"ask_user":           {chat.Clarification{Question: tools.Question{Kind: tools.KindQuestion}, ToolName: "ask_user"}, true},
		"the client's tool":  {chat.Clarification{Question: tools.Question{Kind: tools.KindInput}, ToolName: "locate"}, true},
		"an approval":        {chat.Clarification{Question: tools.Question{Kind: tools.KindApproval}, ToolName: "clock"}, false},
		"a server's, midway": {chat.Clarification{Question: tools.Question{Kind: tools.KindQuestion, AskedBy: server}, ToolName: "maps"}, false},
	} {
		test.of.ID, test.of.ToolCallID, test.of.State = "clr_1", "call_1", tools.StatePending
		view := &store.View{Clarifications: []chat.Clarification{test.of}}
		sent := "clr_1"
		if test.call {
			sent = "call_1"
		}
		if id := front.NewQuestion(chat.NewAsked(&test.of)).ID; id != sent {
			t.Errorf("%s goes out as %s", name, id)
		}
		if front.FindAsked(view, "clr_1") == nil {
			t.Errorf("%s is not found by its own id", name)
		}
		if found := front.FindAsked(view, "call_1") != nil; found != test.call {
			t.Errorf("%s is found by its call: %v", name, found)
		}
	}
	if front.FindAsked(nil, "call_1") != nil {
		t.Error("something is found where no chat is")
	}
}
