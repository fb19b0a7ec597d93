package sqldb_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/tools"
)

// TestTheReportShowsNoForgedText: a question that the gateway did not write is not used as an
// example.
func TestTheReportShowsNoForgedText(t *testing.T) {
	onEach(t, func(t *testing.T, u string) {
		d := openSealed(t, u, seal.Secrets{Own: sealSecret})
		ask(t, d, 0)
		for _, forged := range []bool{false, true} {
			if forged {
				directly(t, u)("UPDATE clarifications SET tool_name = arguments")
			}
			found, err := d.Overview().Questions(t.Context(), time.Time{}, "", 1)
			if err != nil {
				t.Fatal(err)
			}
			if row := found.Rows[0]; row.Asked != 1 || (row.Example == nil) != forged {
				t.Errorf("forged: %v; the row is %+v", forged, row)
			}
		}
	})
}

// ask stores a question, and for three questions in four an answer.
func ask(t *testing.T, d *sqldb.DB, i int) {
	t.Helper()
	c := chat.Clarification{
		ID: "clr_" + strconv.Itoa(i), TurnID: "turn_1", ToolCallID: "call_1", ToolName: "ask_user", Arguments: "{}", Number: 1, Max: 5, Model: "large",
		Question: tools.Question{Kind: tools.KindQuestion, AskedBy: &tools.Asker{Kind: tools.AskerModel, Name: "large"},
			Parts: []tools.Part{{ID: "q1", Question: "Which format?", InputType: tools.Select,
				Options: []tools.Option{{Label: "PDF", Value: "pdf", Recommended: true}, {Label: "HTML", Value: "html"}}}}},
		State: tools.StatePending, AskedAt: now.Add(time.Duration(i) * time.Minute),
	}
	if err := d.UpdateLazily(t.Context(), ref("c"+strconv.Itoa(i%50)), func(tx store.Tx) error { return tx.AddClarification(c) }); err != nil {
		t.Fatal(err)
	}
	if i%4 == 0 {
		return
	}
	value := []string{"pdf", "html", "svg"}[i/8%3]
	c.State, c.Answer, c.AnsweredAt = tools.StateAnswered, &tools.Answer{Value: json.RawMessage(strconv.Quote(value))}, c.AskedAt.Add(time.Duration(i)*time.Second)
	if err := d.UpdateLazily(t.Context(), ref("c"+strconv.Itoa(i%50)), func(tx store.Tx) error { return tx.Clarifications().Save(c) }); err != nil {
		t.Fatal(err)
	}
}
