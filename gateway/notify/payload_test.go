package notify_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/tools"
)

func TestWhatIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, r := open(t), new(receiver)
		n := start(t, db, db, r, standard(`, "texts": true, "answerLink": true`))
		c := ask(t, db, "c", "clr_1")
		time.Sleep(time.Second)
		answer(t, db, "c")
		tell(t, db, "c", chat.News{Type: chat.EventDone, TurnID: "turn_clr_1", FinishReason: chat.FinishStop, Hooks: []chat.Hook{{Webhook: "a", Event: config.WebhookTurnEnded}}}, nil)
		time.Sleep(2 * time.Second)
		all := r.received()
		if len(all) != 3 {
			t.Fatalf("%d requests", len(all))
		}
		ids := map[string]bool{}
		for i, want := range []string{
			`{"type":"clarification.asked","data":{"clarificationId":"clr_1","app":"app","chatId":"c","turnId":"turn_clr_1","tenant":"acme","to":"alice","state":"pending","askedBy":{"kind":"model","name":"default"},"expiresAt":null,"answerLink":"LINK","questions":[{"id":"q1","question":"MARKER & question?","input_type":"text","allow_other":false,"allow_skip":false}]}}`,
			`{"type":"clarification.resolved","data":{"clarificationId":"clr_1","app":"app","chatId":"c","turnId":"turn_clr_1","tenant":"acme","to":"alice","state":"answered","askedBy":{"kind":"model","name":"default"},"expiresAt":null,"questions":[{"id":"q1","question":"MARKER & question?","input_type":"text","allow_other":false,"allow_skip":false}],"answer":{"value":"MARKER answer"}}}`,
			`{"type":"turn.ended","data":{"app":"app","chatId":"c","turnId":"turn_clr_1","tenant":"acme","to":"alice","state":"ended","finishReason":"stop"}}`,
		} {
			g := all[i]
			verify(t, g)
			ids[g.header.Get("webhook-id")] = true
			var sent map[string]any
			if err := json.Unmarshal([]byte(g.body), &sent); err != nil {
				t.Fatal(err)
			}
			if at, err := time.Parse(time.RFC3339, sent["timestamp"].(string)); err != nil || time.Since(at) > time.Minute {
				t.Errorf("timestamp %v: %v", sent["timestamp"], err)
			}
			delete(sent, "timestamp")
			data := sent["data"].(map[string]any)
			if link, ok := data["answerLink"].(string); ok {
				sealed, found := strings.CutPrefix(link, "https://ask.example.org/answer/")
				l, ok := notify.OpenLink(&n.config().Gateway.Auth.Session, sealed)
				if !found || !ok || !l.Of(&c) || l.Expired(c.AskedAt.Add(7*24*time.Hour-time.Minute)) || !l.Expired(c.AskedAt.Add(7*24*time.Hour)) {
					t.Errorf("the link %q is %+v", link, l)
				}
				data["answerLink"] = "LINK"
			}
			var wanted map[string]any
			if err := json.Unmarshal([]byte(want), &wanted); err != nil {
				t.Fatal(err)
			}
			got, _ := json.Marshal(sent)
			text, _ := json.Marshal(wanted)
			if string(got) != string(text) || g.header.Get("Content-Type") != "application/json" {
				t.Errorf("sent %s\nwant %s", got, text)
			}
		}
		if len(ids) != 3 || n.outcomes() != "3 delivered 0 failed 0 given_up" {
			t.Errorf("ids %v, %s", ids, n.outcomes())
		}
	})
}

// Without texts, no format contains a word of the question or the answer.
func TestNoTextsUnlessWanted(t *testing.T) {
	for _, format := range []string{"standard", "slack", "ntfy"} {
		for _, texts := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				db, r := open(t), new(receiver)
				start(t, db, db, r, standard(fmt.Sprintf(`, "format": %q, "texts": %t, "answerLink": true`, format, texts)))
				ask(t, db, "c", "clr_1")
				answer(t, db, "c")
				time.Sleep(5 * time.Second)
				all := r.received()
				if len(all) != 2 {
					t.Fatalf("%d requests", len(all))
				}
				for i, g := range all {
					verify(t, g)
					sent := g.body + fmt.Sprint(g.header)
					if strings.Contains(sent, "MARKER") != texts {
						t.Errorf("%s, texts %t: %s", format, texts, sent)
					}
					if asked := i == 0; format != "standard" && (!strings.Contains(sent, "webhook.") || strings.Contains(sent, "/answer/") != asked || strings.Contains(sent, "/#app/c") == asked) {
						t.Errorf("%s: %s", format, sent)
					}
					if format == "slack" && (!strings.Contains(g.body, "Helper &lt;1&gt;") || texts && i == 0 && !strings.Contains(g.body, "MARKER &amp; question?")) {
						t.Errorf("slack would read markup: %s", g.body)
					}
					if format == "ntfy" && (g.header.Get("Title") != "Helper <1>" || !strings.HasPrefix(g.header.Get("Content-Type"), "text/plain")) {
						t.Errorf("ntfy: %v", g.header)
					}
				}
			})
		}
	}
}

// Who reads a message of a team chat sees who asks and, with texts, what would be called.
func TestMessagesNameTheAskerAndTheCall(t *testing.T) {
	for _, format := range []string{"slack", "ntfy"} {
		for _, texts := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				db, r := open(t), new(receiver)
				start(t, db, db, r, standard(fmt.Sprintf(`, "format": %q, "texts": %t`, format, texts)))
				ask(t, db, "c", "clr_1", func(c *chat.Clarification) {
					c.TurnID, c.Asker, c.Question.AskedBy = "", "ci", &tools.Asker{Kind: tools.AskerProgram, Name: "deploy", Title: "CI\n#4711"}
				})
				ask(t, db, "d", "clr_2", func(c *chat.Clarification) {
					c.Question.Kind, c.ToolName, c.Arguments = tools.KindApproval, "refund", `{"amount":120,"customer":"c-17"}`
					c.Question.AskedBy = &tools.Asker{Kind: tools.AskerTool, Name: "refund"}
				})
				time.Sleep(5 * time.Second)
				all := r.received()
				if len(all) != 2 {
					t.Fatalf("%d requests", len(all))
				}
				sent := all[0].body + all[1].body
				if !strings.Contains(sent, "webhook.asked of CI #4711 (Helper ") || strings.Contains(sent, "refund (") != texts || strings.Contains(sent, "amount: 120, customer: ") != texts {
					t.Errorf("%s, texts %t: %s", format, texts, sent)
				}
			})
		}
	}
}

// Parts that turned out not to apply are not sent once the question is answered.
func TestWhatWasNotAskedIsNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, r := open(t), new(receiver)
		start(t, db, db, r, standard(`, "format": "ntfy", "texts": true`))
		ask(t, db, "c", "clr_1", func(c *chat.Clarification) {
			c.Question.Parts = append(c.Question.Parts, tools.Part{ID: "q2", Question: "HANGING?", InputType: tools.Text, When: &tools.When{Question: "q1", Is: []string{"x"}}})
		})
		answer(t, db, "c")
		time.Sleep(5 * time.Second)
		if all := r.received(); len(all) != 2 || !strings.Contains(all[0].body, "HANGING?") || strings.Contains(all[1].body, "HANGING?") || !strings.Contains(all[1].body, "MARKER") {
			t.Errorf("%+v", all)
		}
	})
}

// A role's question links to the inbox: an answer link is for one person only.
func TestARoleIsAskedInTheInbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, r := open(t), new(receiver)
		start(t, db, db, r, standard(`, "answerLink": true`))
		ask(t, db, "c", "clr_1", func(c *chat.Clarification) { c.For = "oncall" })
		time.Sleep(time.Second)
		if all := r.received(); len(all) != 1 || !strings.Contains(all[0].body, `"to":{"role":"oncall"}`) || !strings.Contains(all[0].body, `"answerLink":"https://ask.example.org/?inbox"`) {
			t.Errorf("%+v", all)
		}
	})
}
