package sqldb_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/tools"
)

const (
	sealSecret  = "0123456789abcdef0123456789abcdef"
	otherSecret = "another-secret-of-at-least-32-bytes"
)

func openSealed(t *testing.T, url string, secrets seal.Secrets) *sqldb.DB {
	t.Helper()
	d, err := sqldb.Open(t.Context(), url, sqldb.Options{
		Signer: seal.NewHMAC("questions", func() seal.Secrets { return secrets }, nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// asks stores a question in a chat whose turn waits for it.
func asks(t *testing.T, d *sqldb.DB, id string) {
	t.Helper()
	at := time.UnixMilli(1_000_000_000_000)
	if err := d.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		tx.Conversation().Fence = 1
		if err := tx.BeginTurn(chat.Turn{ID: "turn_1", State: chat.TurnPaused}); err != nil {
			return err
		}
		return tx.AddClarification(chat.Clarification{
			ID: id, TurnID: "turn_1", ToolCallID: "call_1", ToolName: "delete_file", Arguments: `{"path":"a"}`, Number: 1, Max: 5,
			Question: tools.Question{
				Kind: tools.KindApproval, Parts: []tools.Part{{Question: "Delete <a>?", InputType: tools.Confirm}},
				AskedBy: &tools.Asker{Kind: tools.AskerTool, Name: "delete_file"},
				State:   json.RawMessage(`{"seal":"0123456789012345678901234567890123456789012"}`),
			},
			State: tools.StatePending, AskedFence: 1, AskedAt: at, ExpiresAt: at.Add(time.Hour),
		})
	}); err != nil {
		t.Fatal(err)
	}
}

// shown returns where the question is found: everywhere, or nowhere.
func shown(t *testing.T, d *sqldb.DB, id string) string {
	t.Helper()
	var found []string
	note := func(where string, list []chat.Clarification, err error) {
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", where, err)
		}
		for _, c := range list {
			if c.ID == id {
				found = append(found, where)
			}
		}
	}
	view, err := d.View(t.Context(), ref("c"))
	if err != nil {
		t.Fatal(err)
	}
	note("view", view.Clarifications, nil)
	part, err := d.ViewPart(t.Context(), ref("c"), store.Part{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	note("part", part.Clarifications, nil)
	one, err := d.Clarification(t.Context(), id)
	note("one", []chat.Clarification{one}, err)
	of := ref("c")
	list, _, err := d.Clarifications(t.Context(), of.Tenant, of.Subject, store.Which{}, store.Page{Limit: 10})
	note("subject", list, err)
	for _, which := range []store.Which{{Status: store.StatusAll}, {Status: store.StatusAll, ChatID: of.ChatID}} {
		list, _, err = d.Clarifications(t.Context(), of.Tenant, of.Subject, which, store.Page{Limit: 10})
		note("listed", list, err)
	}
	list, _, err = d.Overview().AllPending(t.Context(), store.Page{Limit: 10})
	note("all", list, err)
	list, err = d.Due().Expired(t.Context(), time.Now(), 10)
	note("expired", list, err)
	if err := d.Update(t.Context(), of, func(tx store.Tx) error {
		list, err := tx.Clarifications().Pending()
		note("tx", list, err)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, " ")
}

const everywhere = "view part one subject listed listed all expired tx"

func TestAChangedQuestionIsNotThere(t *testing.T) {
	onEach(t, func(t *testing.T, u string) {
		own := seal.Secrets{Own: sealSecret}
		d := openSealed(t, u, own)
		asks(t, d, "clr_0")
		if got := shown(t, d, "clr_0"); got != everywhere {
			t.Fatalf("as it is stored, shown in: %s", got)
		}
		do := directly(t, u)
		text := func(s string) string { return "'" + s + "'" }
		question := func(from, to string) string { return fmt.Sprintf("question = replace(question, '%s', '%s')", from, to) }
		if !strings.HasPrefix(u, "sqlite:") {
			text = func(s string) string { return "convert_to('" + s + "', 'UTF8')" }
			question = func(from, to string) string {
				return fmt.Sprintf("question = convert_to(replace(convert_from(question, 'UTF8'), '%s', '%s'), 'UTF8')", from, to)
			}
		}
		for name, set := range map[string]string{
			"text":      question("Delete", "Keep"),
			"asker":     question(`"kind":"tool"`, `"kind":"model"`),
			"name":      question(`"name":"delete_file"`, `"name":"read_file"`),
			"state":     question(`"state":{`, `"state":{"a":1,`),
			"no JSON":   question("{", "["),
			"no seal":   question(`,"seal":"`, `,"seals":"`),
			"arguments": "arguments = " + text(`{"path":"b"}`),
			"tool":      "tool_name = " + text("read_file"),
			"call":      "tool_call_id = " + text("call_2"),
			"turn":      "turn_id = " + text("turn_2"),
			"number":    "number = 2",
			"max":       "max = 6",
			"time":      "asked_at = asked_at + 1",
			"expiry":    "expires_at = expires_at + 1",
		} {
			do("CREATE TABLE saved AS SELECT * FROM clarifications")
			do("UPDATE clarifications SET " + set)
			if got := shown(t, d, "clr_0"); got != "" {
				t.Errorf("%s changed, still shown in: %s", name, got)
			}
			if n, err := d.Forged(t.Context()); n != 1 || err != nil {
				t.Errorf("%s changed, %d are counted, %v", name, n, err)
			}
			do("DELETE FROM clarifications")
			do("INSERT INTO clarifications SELECT * FROM saved")
			do("DROP TABLE saved")
		}
		if got := shown(t, d, "clr_0"); got != everywhere {
			t.Errorf("restored, shown in: %s", got)
		}
		do("UPDATE clarifications SET id = " + text("clr_1"))
		if got := shown(t, d, "clr_1"); got != "" {
			t.Errorf("under another id, shown in: %s", got)
		}
	})
}

// A question that was asked before there was a secret, or with the previous one, is not lost, but
// it is not accepted if its seal does not match.
func TestSecretsDecideWhatIsShown(t *testing.T) {
	onEach(t, func(t *testing.T, u string) {
		asks(t, open(t, u), "clr_0") // before there was one
		for name, c := range map[string]struct {
			secrets seal.Secrets
			shown   bool
		}{
			"none":     {seal.Secrets{}, true},
			"a secret": {seal.Secrets{Own: sealSecret}, false},
		} {
			if got := shown(t, openSealed(t, u, c.secrets), "clr_0"); (got == everywhere) != c.shown || (got == "") == c.shown {
				t.Errorf("without a seal, %s: shown in: %s", name, got)
			}
		}
		directly(t, u)("DELETE FROM clarifications")
		asks(t, openSealed(t, u, seal.Secrets{Own: sealSecret}), "clr_1")
		for name, c := range map[string]struct {
			secrets seal.Secrets
			shown   bool
		}{
			"the secret":      {seal.Secrets{Own: sealSecret}, true},
			"none any more":   {seal.Secrets{}, true},
			"another":         {seal.Secrets{Own: otherSecret}, false},
			"another as well": {seal.Secrets{Own: otherSecret, Others: []string{sealSecret}}, true},
		} {
			if got := shown(t, openSealed(t, u, c.secrets), "clr_1"); (got == everywhere) != c.shown || (got == "") == c.shown {
				t.Errorf("with a seal, %s: shown in: %s", name, got)
			}
		}
		if got := shown(t, open(t, u), "clr_1"); got != everywhere {
			t.Errorf("by a store that checks no seals, shown in: %s", got)
		}
	})
}

// A chat that continues without a question that is not genuine does not get it back later.
func TestAForgedQuestionIsOverWhenItsTurnGoesOn(t *testing.T) {
	onEach(t, func(t *testing.T, u string) {
		asks(t, open(t, u), "clr_0")
		d := openSealed(t, u, seal.Secrets{Own: sealSecret})
		look := func(state chat.TurnState) {
			t.Helper()
			if err := d.Update(t.Context(), ref("c"), func(tx store.Tx) error {
				tx.Turn().State = state
				_, err := tx.Clarifications().Pending()
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		look(chat.TurnPaused)
		if n, err := d.Forged(t.Context()); n != 1 || err != nil {
			t.Errorf("while the turn waits, %d wait, %v", n, err)
		}
		look(chat.TurnRunning)
		if n, err := d.Forged(t.Context()); n != 0 || err != nil {
			t.Errorf("when it continued, %d wait, %v", n, err)
		}
	})
}

// Questions that are not genuine do not keep the others waiting.
func TestExpiryGoesPastForgedQuestions(t *testing.T) {
	onEach(t, func(t *testing.T, u string) {
		plain := open(t, u)
		for i := range 5 {
			asks(t, plain, fmt.Sprint("clr_0", i))
		}
		d := openSealed(t, u, seal.Secrets{Own: sealSecret})
		asks(t, d, "clr_1")
		asks(t, d, "clr_2")
		for limit, want := range map[int]int{1: 1, 2: 2, 3: 2, 7: 2} {
			if due, err := d.Due().Expired(t.Context(), time.Now(), limit); err != nil || len(due) != want {
				t.Errorf("limit %d: %d are due, want %d; %v", limit, len(due), want, err)
			}
		}
	})
}

// The rows that list an escalated question for further roles give no right: they are not sealed, but the question
// that names the roles is.
func TestAForgedEscalationListsNothing(t *testing.T) {
	onEach(t, func(t *testing.T, u string) {
		d := openSealed(t, u, seal.Secrets{Own: sealSecret})
		if err := d.Update(t.Context(), ref("c"), func(tx store.Tx) error {
			return tx.AddClarification(chat.Clarification{
				ID: "clr_0", TurnID: "turn_1", ToolCallID: "call_1", ToolName: "pay", Arguments: `{}`, State: tools.StatePending, AskedAt: time.UnixMilli(1), For: "finance",
				Question:   tools.Question{Kind: tools.KindApproval, Parts: []tools.Part{{Question: "Pay?", InputType: tools.Confirm}}, Escalate: []tools.Escalation{{After: time.Second, Role: "lead"}}},
				Escalation: chat.Escalation{Escalated: []chat.Escalated{{At: time.UnixMilli(1001), Fence: 1}}},
			})
		}); err != nil {
			t.Fatal(err)
		}
		do := directly(t, u)
		text := func(s string) string { return "'" + s + "'" }
		if !strings.HasPrefix(u, "sqlite:") {
			text = func(s string) string { return "convert_to('" + s + "', 'UTF8')" }
		}
		do("INSERT INTO also_asked SELECT conversation_id, clarification_id, tenant, " + text("thief") + ", asked_at, number FROM also_asked")
		for role, want := range map[string]int{"lead": 1, "thief": 0} {
			list, _, err := d.Clarifications(t.Context(), ref("c").Tenant, "holder", store.Which{Roles: []string{role}}, store.Page{Limit: 10})
			if err != nil || len(list) != want {
				t.Errorf("%s: %d, %v, want %d", role, len(list), err, want)
			}
		}
	})
}
