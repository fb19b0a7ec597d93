package openai

import (
	"fmt"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// Of a great many ids, the newest are looked up; the others are not even compared.
func TestTheNewestIDsAreLookedUp(t *testing.T) {
	ids := []string{"clr_a", "clr_new"}
	for i := range 20 * maxIDs {
		ids = append(ids, fmt.Sprintf("clr_%d", i), "call_of_another")
	}
	ids = append(ids, "clr_new", "clr_new")
	var s sought
	s.identify(ids)
	if len(s.ids) != maxIDs || s.ids[0] != "clr_new" || s.ids[maxIDs-1] != fmt.Sprintf("clr_%d", 19*maxIDs+1) {
		t.Errorf("%d ids, from %s to %s", len(s.ids), s.ids[0], s.ids[len(s.ids)-1])
	}
}

// family is a call in a chat with many branches, of which the middle one has asked.
type family struct {
	callersChats
	read int
	at   string
}

func (*family) Ref() chat.Ref { return chat.Ref{ChatID: "root"} }

func (*family) Branches(...store.Line) (all []store.Branch, err error) {
	for i := range store.MaxBranches {
		all = append(all, store.Branch{Conversation: chat.Conversation{Ref: chat.Ref{ChatID: fmt.Sprintf("branch-%d", i)}}})
	}
	return all, nil
}

func (f *family) Recent(id string, _ store.Part) (*store.View, error) {
	f.read++
	v := &store.View{}
	if id == fmt.Sprintf("branch-%d", store.MaxBranches/2) {
		v.Clarifications = []chat.Clarification{{ID: "clr_asked"}}
	}
	return v, nil
}

func (f *family) Go(id string) error { f.at = id; return nil }

// However many calls a request answers, each branch of its chat is read once.
func TestABranchIsReadOnceForAllCalls(t *testing.T) {
	calls := make([]string, 0, maxOutputs)
	for i := range maxOutputs - 1 {
		calls = append(calls, fmt.Sprintf("clr_%d", i))
	}
	for last, read := range map[string]int{"clr_asked": store.MaxBranches/2 + 1, "clr_none": store.MaxBranches} {
		f := &family{}
		s := sought{callersChats: f, named: true}
		view, err := s.asking(append(calls, last))
		if err != nil || f.read != read || (view != nil) != (f.at != "") || (view != nil) != (last == "clr_asked") {
			t.Errorf("%s: %d reads, at %q, %v", last, f.read, f.at, err)
		}
	}
}

// many is a call whose caller has many chats with the same beginning, all of which ask the same
// question.
type many struct {
	callersChats
	read int
}

func (*many) List(page store.Page) (list []store.Listed, next string, err error) {
	for i := range page.Limit {
		list = append(list, store.Listed{Conversation: chat.Conversation{Ref: chat.Ref{ChatID: fmt.Sprintf("chat-%d", i)}}, Beginning: "plan a trip"})
	}
	return list, "", nil
}

func (m *many) Recent(string, store.Part) (*store.View, error) {
	m.read++
	c := chat.Clarification{ID: "clr_1", Question: tools.Question{Parts: []tools.Part{{Question: "Where to?"}}}}
	return &store.View{Clarifications: []chat.Clarification{c}}, nil
}

// Whether a question gets a code is known as soon as one other chat asks it.
func TestOneChatThatAsksTheSameIsEnough(t *testing.T) {
	m := &many{}
	s := sought{callersChats: m}
	view, _ := m.Recent("", store.Part{})
	view.Conversation.ChatID, m.read = "chat-7", 0
	q := chat.NewAsked(&view.Clarifications[0])
	if !s.elsewhere(view, &q) || m.read != 1 {
		t.Errorf("%d reads", m.read)
	}
	view.Clarifications[0].Question.Parts[0].Question = "When?"
	if q = chat.NewAsked(&view.Clarifications[0]); s.elsewhere(view, &q) || m.read != 1+maxCandidates {
		t.Errorf("%d reads", m.read)
	}
}
