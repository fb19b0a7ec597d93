package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// all are the clients, by the front's name.
var all = map[string]fronttest.New{
	"ag-ui":            AGUI,
	"ag-ui-interrupts": AGUIInterrupts,
	"ai-sdk":           AISDK,
	"native":           Native,
	"openai-chat":      OpenAIChat,
	"openai-responses": Responses,
}

func TestFronts(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) { fronttest.Run(t, all[name]) })
	}
}

// Formats that have a place for how far a call has come show it.
func TestProgressIsShown(t *testing.T) {
	g := fronttest.Start(t, nil)
	place := map[string]bool{"ag-ui": true, "ag-ui-interrupts": true, "ai-sdk": true, "native": true}
	for name, client := range all {
		if seen := client(g, fronttest.Remote, "").Say(t, name, "far"); len(seen.Progress) > 0 != place[name] {
			t.Errorf("%s shows %+v, want some: %v", name, seen, place[name])
		}
	}
}

// A question that one client was asked is answered by any other, and leads to the same chat;
// the client that was asked is told so when it answers, too, and goes on.
func TestAnyFrontAnswersAnyQuestion(t *testing.T) {
	g := fronttest.Start(t, nil)
	for _, kind := range []struct{ ask, answer string }{
		{"ask", `{"answers":{"city":"par"}}`},
		{"form", `{"answers":{"name":"Ada","age":36}}`},
	} {
		var want []any
		for _, asks := range slices.Sorted(maps.Keys(all)) {
			for _, answers := range slices.Sorted(maps.Keys(all)) {
				t.Run(fmt.Sprintf("%s by %s, answered by %s", kind.ask, asks, answers), func(t *testing.T) {
					chat := kind.ask + "-" + asks + "-" + answers
					asker, answerer := all[asks](g, fronttest.App, ""), all[answers](g, fronttest.App, "")
					seen := asker.Say(t, chat, kind.ask)
					if len(seen.Asked) != 1 {
						t.Fatalf("asked: %+v", seen)
					}
					q := seen.Asked[0]
					known := q // as the answering client knows it
					known.ID = g.Snapshot(fronttest.App, chat)["pending"].([]any)[0].(map[string]any)[idOf(answers)].(string)
					if after := answerer.Answer(t, chat, known, json.RawMessage(kind.answer)); after.Status != 200 || after.Finish != fronttest.Stop {
						t.Fatalf("answered: %+v", after)
					}
					got := transcript(g.Snapshot(fronttest.App, chat))
					if want == nil {
						want = got
					}
					if !reflect.DeepEqual(got, want) {
						t.Errorf("the chat is\n%v\nwant\n%v", got, want)
					}
					before := g.Requests()
					if late := asker.Answer(t, chat, q, json.RawMessage(kind.answer)); late.Status != 409 || late.Refusal == "" {
						t.Errorf("who was asked answers, too: %+v", late)
					}
					if g.Requests() != before {
						t.Error("a late answer costs a request")
					}
					if next := asker.Say(t, chat, "plain"); next.Text != "Good morning, dear." {
						t.Errorf("who was asked goes on: %+v", next)
					}
				})
			}
		}
	}
}

// idOf is the field of a question whose value a front tells its clients as the question's id.
func idOf(front string) string {
	if strings.HasPrefix(front, "openai-") {
		return "clarificationId"
	}
	return "toolCallId"
}

// transcript is what a chat says, without ids and times.
func transcript(snapshot map[string]any) (said []any) {
	for _, m := range snapshot["messages"].([]any) {
		message := m.(map[string]any)
		line := []any{message["role"], message["content"]}
		calls, _ := message["toolCalls"].([]any)
		for _, c := range calls {
			call := c.(map[string]any)
			line = append(line, call["toolName"], call["result"])
		}
		said = append(said, line)
	}
	return said
}
