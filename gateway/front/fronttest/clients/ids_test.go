package clients

import (
	"encoding/json"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// A question and an approval are answered by the id that went out with them. Their other id, which
// a client can know from elsewhere, finds neither, in no front. The native API tells both.
func TestOnlyTheIDThatWentOutIsAnswered(t *testing.T) {
	g := fronttest.Start(t, nil)
	for _, test := range []struct {
		front, app string
		client     fronttest.New
	}{
		{"ag-ui", fronttest.App, AGUI}, {"ag-ui-interrupts", fronttest.Keyed, AGUIInterrupts}, {"ai-sdk", fronttest.App, AISDK}, {"ai-sdk-approvals", fronttest.Keyed, AISDK},
		{"openai-chat", fronttest.App, OpenAIChat}, {"openai-responses", fronttest.App, Responses},
	} {
		for _, message := range []string{"ask", "approve"} {
			chat := test.front + "-" + message
			asked := test.client(g, test.app, "").Say(t, chat, message).Asked
			if len(asked) != 1 {
				t.Fatalf("%s: asked %+v", chat, asked)
			}
			answer := func(id string) fronttest.Seen {
				q := asked[0]
				q.ID = id
				if message == "ask" {
					return test.client(g, test.app, "").Answer(t, chat, q, json.RawMessage(`{"answers":{"city":"par"}}`))
				}
				return test.client(g, test.app, "").Decide(t, chat, q, true)
			}
			waits := g.Snapshot(test.app, chat)["pending"].([]any)[0].(map[string]any)
			others := 0
			for _, field := range []string{"clarificationId", "toolCallId"} {
				id := waits[field].(string)
				if id == asked[0].ID {
					continue
				}
				others++
				before := g.Requests()
				if seen := answer(id); seen.Status < 400 || g.Requests() != before || g.Snapshot(test.app, chat)["status"] != "awaiting_input" {
					t.Errorf("%s, which goes out as %s, is answered by its %s %s: %+v", chat, asked[0].ID, field, id, seen)
				}
			}
			if others != 1 {
				t.Errorf("%s goes out as %s, which is none of its ids", chat, asked[0].ID)
			}
			if seen := answer(asked[0].ID); seen.Status != 200 || seen.Finish != fronttest.Stop {
				t.Errorf("%s is not answered by its own id: %+v", chat, seen)
			}
		}
	}
}
