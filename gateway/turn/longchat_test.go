package turn_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// known notes how many messages runs say that they know of their chat.
type known struct {
	store.Store
	last *int
}

func (k known) Recent(ctx context.Context, ref chat.Ref, span func([]chat.Fit) store.Span) (*store.Recent, error) {
	return k.Store.Recent(ctx, ref, func(fits []chat.Fit) store.Span {
		s := span(fits)
		*k.last = 0
		if s.Known != nil {
			*k.last = len(s.Known.Messages)
		}
		return s
	})
}

// longChat is a chat of 20 turns on a node that knows it. says sends a message and returns what the
// model is sent.
func longChat(t *testing.T) (h *house, knew *int, says func(h *house, text string) []model.Message) {
	knew = new(int)
	h = build(t, `{}`, func(s store.Store) store.Store { return known{s, knew} })
	h.fill(1, 20)
	return h, knew, func(h *house, text string) []model.Message {
		t.Helper()
		h.model.add(saysText(text))
		h.drive(h.message(text))
		return h.sent(-1).Messages
	}
}

func saysText(text string) answer { return says("You said " + text + ".") }

// wantContinued fails unless the later of two requests of a chat begins with the messages of the
// earlier.
func wantContinuedBy(t *testing.T, what string, earlier, later []model.Message) {
	t.Helper()
	if len(later) < len(earlier) {
		t.Fatalf("%s: %d messages after %d", what, len(later), len(earlier))
	}
	for i := range earlier {
		if !reflect.DeepEqual(earlier[i], later[i]) {
			t.Errorf("%s: message %d is %+v on the node that knows the chat, and %+v on another", what, i, earlier[i], later[i])
		}
	}
}

// TestANodeThatKnowsAChatSendsWhatAnotherSends: whatever happened in a long chat, the node that knows
// most of it sends the model the same as a node that reads all of it.
func TestANodeThatKnowsAChatSendsWhatAnotherSends(t *testing.T) {
	h, knew, says := longChat(t)
	const free = "a text that is dropped, behind which a program spoke" // its position stays free
	for i, happens := range []struct {
		name string
		do   func()
	}{
		{"a message", func() {}},
		{"a call", func() { h.model.add(asks("count_1"), saysText("1")); h.drive(h.message("count")) }},
		{"a question", func() {
			h.model.add(asks("call_1"), saysText("zebra"))
			h.drive(h.message("ask"))
			h.drive(h.answer("call_1", "zebra"))
		}},
		{"a question that is superseded", func() { h.model.add(asks("call_2")); h.drive(h.message("ask")) }},
		{"an approval", func() {
			h.model.add(asks("guard_1"), saysText("done"))
			h.drive(h.message("guard"))
			h.drive(h.allows("guard_1"))
		}},
		{"a turn that fails", func() { h.drive(h.message("fail")) }},
		{"a turn that is stopped", func() {
			reached := make(chan struct{})
			h.model.add(hangs("Well", reached))
			_, _, ended := h.start(h.message("stop"))
			<-reached
			if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
				t.Fatal(err)
			}
			<-ended
		}},
		{"an answer that is deleted", func() { h.deleteAnswer("call_1") }},
		{"an answer that is deleted elsewhere", func() {
			h.model.add(asks("call_3"), saysText("okapi"))
			h.drive(h.message("ask"))
			h.drive(h.answer("call_3", "okapi"))
			says(h, "then")
			h.node(stream.NewLocal()).deleteAnswer("call_3")
		}},
		{free, func() {
			h.model.add(fails(away, text("Half a")), saysText("all"))
			h.drive(h.message("fail"))
			if _, err := h.engine.PostMessage(t.Context(), h.engine.Setup(), h.ref, "deploy", tools.Asker{Kind: tools.AskerProgram, Name: "deploy"}, "Deployed."); err != nil {
				t.Fatal(err)
			}
			h.drive(h.resume())
		}},
	} {
		happens.do()
		says(h, fmt.Sprint("first ", i))
		own := says(h, fmt.Sprint("second ", i))
		if free := happens.name == free; *knew < 40 != free {
			t.Errorf("%s: the run knows %d messages of the chat", happens.name, *knew)
		}
		wantContinuedBy(t, happens.name, own, says(h.node(stream.NewLocal()), fmt.Sprint("third ", i)))
	}
	if sent := inJSON(t, h.sent(-1).Messages); strings.Contains(sent, "okapi\"") || strings.Count(sent, "[deleted]") != 2 {
		t.Errorf("deleted answers: %s", sent)
	}
}

// TestADeletedAnswerIsNotKnown: the next run does not begin with what this node knew of the chat if an
// answer was deleted, here or on another node, whichever node announces it.
func TestADeletedAnswerIsNotKnown(t *testing.T) {
	for name, deletes := range map[string]func(h *house){
		"here":                          func(h *house) { h.deleteAnswer("call_1") },
		"on a node that shares the hub": func(h *house) { h.node(h.engine.Hub).deleteAnswer("call_1") },
		"on another":                    func(h *house) { h.node(stream.NewLocal()).deleteAnswer("call_1") },
	} {
		t.Run(name, func(t *testing.T) {
			h, _, says := longChat(t)
			h.model.add(asks("call_1"), saysText("nothing"))
			h.drive(h.message("ask"))
			h.drive(h.answer("call_1", "zebra"))
			if got := inJSON(t, says(h, "more")); !strings.Contains(got, "zebra") {
				t.Fatalf("the model was not sent the answer: %s", got)
			}
			deletes(h)
			if got := inJSON(t, says(h, "and more")); strings.Contains(got, "zebra") || !strings.Contains(got, "[deleted]") {
				t.Errorf("the model is sent %s", got)
			}
		})
	}
}
