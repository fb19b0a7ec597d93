package storetest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/textsearch"
)

// testSearchQuestions: a question is found by its words, options and answer, and no word of a secret, of
// an approval, of arguments or of a deleted chat is.
func testSearchQuestions(t *testing.T, s store.Store) {
	asks := func(r chat.Ref, c chat.Clarification, parts ...tools.Part) {
		t.Helper()
		update(t, s, r, func(tx store.Tx) error {
			tx.Conversation().UpdatedAt = at(2)
			c.ConversationID, c.Ref, c.Question.Parts = tx.Conversation().ID, r, parts
			return tx.AddClarification(c)
		})
	}
	answers := func(r chat.Ref, id string, a tools.Answer) {
		t.Helper()
		update(t, s, r, func(tx store.Tx) error {
			c, err := tx.Clarifications().Find(id)
			if err != nil {
				return err
			}
			c.State, c.Answer, c.AnsweredAt, c.DoneFence = tools.StateAnswered, &a, at(3), 7
			return tx.Clarifications().Save(c)
		})
	}
	say(t, s, ref("chosen"), at(1), "Paint my house")
	first := question("clr_s1", 1, at(1))
	first.Arguments = `{"argument":"walrus"}`
	asks(ref("chosen"), first,
		tools.Part{ID: "q1", Question: "Which tone?", Context: "For the façade", InputType: tools.Select, Options: []tools.Option{{Label: "Ochre", Value: "o", Description: "warm"}, {Label: "Teal", Value: "t"}}},
		tools.Part{ID: "q2", Question: "Which gate code?", InputType: tools.Text, Secret: "code"},
		tools.Part{ID: "q3", Question: "Whose house?", InputType: tools.Text},
		tools.Part{ID: "q4", Question: "Which plan?", InputType: tools.File})
	answers(ref("chosen"), "clr_s1", tools.Answer{Note: "whole", Answers: []tools.Answer{
		{Value: json.RawMessage(`"t"`), Note: "as last year", Options: []tools.Option{{Label: "Turquoise", Value: "q"}}}, {Value: json.RawMessage(`"opensesame"`), Note: "hush"},
		{Value: json.RawMessage(`"Grandmother's \"lodge\""`), Other: "villa"}, {Value: json.RawMessage(`"fil_x"`), File: &tools.Attachment{Name: "attic.pdf"}},
	}})
	number := question("clr_s2", 2, at(1))
	asks(ref("chosen"), number, tools.Part{ID: "q1", Question: "How many coats?", InputType: tools.Number})
	answers(ref("chosen"), "clr_s2", tools.Answer{Value: json.RawMessage(`4711`)})
	approval := question("clr_s3", 3, at(1))
	approval.Question.Kind, approval.ToolName, approval.Arguments = tools.KindApproval, "paint", `{"color":"magenta"}`
	asks(ref("chosen"), approval, tools.Part{ID: "q1", Question: "Allow painting with magenta?", InputType: tools.Confirm})
	detailed := question("clr_s4", 4, at(1))
	detailed.Question.Details = "rm -rf /etc"
	asks(ref("chosen"), detailed, tools.Part{ID: "q1", Question: "Run it?", InputType: tools.Confirm})
	asks(ref("program"), asked("clr_s5", "", at(1)), tools.Part{ID: "q1", Question: "Deploy to Ganymede?", InputType: tools.Confirm})

	for query, want := range map[string]string{
		"which tone": "chosen", "facade": "chosen", "ochre": "chosen", "warm teal": "chosen", "last year": "chosen", "turquoise": "chosen", "grandmother's": "chosen", "villa": "chosen",
		"attic": "chosen", "4711": "chosen", "paint ochre coats": "chosen", "ganymede": "program",
		"gate": "", "opensesame": "", "hush": "", "whole": "", "walrus": "", "magenta": "", "etc": "", "fil_x": "", "grandfather": "",
	} {
		if got := strings.Join(found(t, s, ref(""), query, 9), " "); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	for query, want := range map[string]string{"teal": "clr_s1", "coats": "clr_s2", "house": "", "house lodge": "clr_s1"} {
		list, _, err := s.Search(t.Context(), "acme", "alice", "translator", textsearch.NewWords(query), store.Page{Limit: 9})
		if err != nil || len(list) != 1 || list[0].ClarificationID != want || list[0].Snippet == nil {
			t.Errorf("%q is of the question %q: %+v, %v", query, want, list, err)
		}
	}
	if err := s.Delete(t.Context(), ref("chosen"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, ref(""), "ochre", 9); got != nil {
		t.Errorf("a question of a deleted chat is found: %v", got)
	}
}
