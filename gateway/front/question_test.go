package front_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// A question is found by the id that went out with it, and by no other.
func TestAQuestionIsFoundOnlyByTheIDThatWentOut(t *testing.T) {
	server := &tools.Asker{Kind: tools.AskerServer}
	for name, test := range map[string]struct {
		of   chat.Clarification
		sent string // by fronts that use Question.ID
	}{
		"ask_user":           {chat.Clarification{Question: tools.Question{Kind: tools.KindQuestion}, ToolName: "ask_user"}, "call_1"},
		"the client's tool":  {chat.Clarification{Question: tools.Question{Kind: tools.KindInput}, ToolName: "locate"}, "call_1"},
		"an approval":        {chat.Clarification{Question: tools.Question{Kind: tools.KindApproval}, ToolName: "clock"}, "clr_1"},
		"a server's, midway": {chat.Clarification{Question: tools.Question{Kind: tools.KindQuestion, AskedBy: server}, ToolName: "maps"}, "clr_1"},
	} {
		test.of.ID, test.of.ToolCallID, test.of.State = "clr_1", "call_1", tools.StatePending
		view := &store.View{Clarifications: []chat.Clarification{test.of}}
		if id := front.NewQuestion(chat.NewAsked(&test.of)).ID; id != test.sent {
			t.Errorf("%s goes out as %s", name, id)
		}
		for _, id := range []string{"clr_1", "call_1", "clr_2", ""} {
			if found := front.Find(view, id, front.ByQuestion) != nil; found != (id == test.sent) {
				t.Errorf("%s is found by %q: %v", name, id, found)
			}
			if found := front.Find(view, id, front.ByClarification) != nil; found != (id == "clr_1") {
				t.Errorf("%s is found by %q where its own id went out: %v", name, id, found)
			}
		}
	}
	if front.Find(nil, "call_1", front.ByQuestion) != nil || front.OfCall(nil, "call_1") != nil {
		t.Error("something is found where no chat exists")
	}
}

// Models reuse ids of calls: an id means the question that is open, otherwise the newest.
func TestOfQuestionsWithOneIDTheOpenOneIsFound(t *testing.T) {
	view := &store.View{}
	for i, state := range []tools.State{tools.StateAnswered, tools.StatePending, tools.StateAnswered} {
		view.Clarifications = append(view.Clarifications, chat.Clarification{
			ID: string(rune('a' + i)), ToolCallID: "call_1", ToolName: "ask_user", Question: tools.Question{Kind: tools.KindQuestion}, State: state,
		})
	}
	if of := front.Find(view, "call_1", front.ByQuestion); of == nil || of.ID != "b" {
		t.Errorf("%+v", of)
	}
	view.Clarifications[1].State = tools.StateSkipped
	if of := front.Find(view, "call_1", front.ByQuestion); of == nil || of.ID != "c" {
		t.Errorf("%+v", of)
	}
}
