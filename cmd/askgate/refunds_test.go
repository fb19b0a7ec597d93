package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/sse"
)

// till pays refunds back, and keeps what it paid.
type till struct {
	*httptest.Server
	mu   sync.Mutex
	paid []string
}

func newTill(t *testing.T) *till {
	p := &till{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.paid = append(p.paid, string(body))
		_, _ = w.Write([]byte(`"paid"`))
	}))
	t.Cleanup(p.Close)
	return p
}

// take returns what was paid since the last time.
func (p *till) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	paid := strings.Join(p.paid, " ")
	p.paid = nil
	return paid
}

// teller is a model that calls a tool for each line "TOOL ARGUMENTS" of a message, and repeats results.
func teller(t *testing.T) string {
	return modeltest.NewFunc(t, func(n int, r modeltest.Request) modeltest.Response {
		last := r.Body.Messages[len(r.Body.Messages)-1]
		if last.Role != "user" {
			return modeltest.Answer("Read: " + last.Text())
		}
		var calls []model.ToolCall
		for line := range strings.Lines(last.Text()) {
			tool, arguments, _ := strings.Cut(strings.TrimSpace(line), " ")
			calls = append(calls, model.ToolCall{ID: fmt.Sprintf("call_%d_%d", n, len(calls)), Name: tool, Arguments: arguments})
		}
		return modeltest.Calls(calls...)
	}).URL
}

// refundRules allow small refunds at once and huge ones never. Two of finance decide about large ones, and
// the user about all others.
const refundRules = `{"rules": [
	{"when": {"properties": {"amount": {"type": "number", "minimum": 0, "maximum": 50}}, "required": ["amount"]}, "then": "allow"},
	{"when": {"properties": {"amount": {"type": "number", "exclusiveMinimum": 5000}}, "required": ["amount"]}, "then": "deny", "reason": {"en": "Above 5,000 no refund is possible here.", "de": "Über 5.000 ist hier keine Erstattung möglich."}},
	{"when": {"properties": {"amount": {"type": "number", "exclusiveMinimum": 500}}, "required": ["amount"]}, "then": "ask", "by": {"role": "finance"}, "quorum": 2, "reason": {"en": "Two of finance decide.", "de": "Zwei der Buchhaltung entscheiden."}}
], "otherwise": "ask"}`

// refunds is the configuration of a shop, whose keys are alice, eve, who has no role, bob, carol and dave
// of finance, and root, an admin. approval is needsApproval of the tool refund, and app the app's own keys.
func refunds(t *testing.T, pays *till, approval, app string) map[string]string {
	t.Helper()
	var keys []string
	for _, who := range []string{"alice", "eve", "bob finance", "carol finance", "dave finance", "root admin,admin:texts,metrics"} {
		subject, roles, _ := strings.Cut(who, " ")
		list, _ := json.Marshal(strings.FieldsFunc(roles, func(r rune) bool { return r == ',' }))
		keys = append(keys, fmt.Sprintf(`{"id": %q, "hash": "sha256:%x", "tenant": "acme", "subject": %q, "roles": %s}`, subject, sha256.Sum256([]byte("ag_"+subject)), subject, list))
	}
	return map[string]string{
		"gateway.json": `{"auth": {"mode": "apiKeys", "session": {"secret": "0123456789abcdef0123456789abcdef"}, "keys": [` + strings.Join(keys, ", ") + `]},
			"audit": {"enabled": true, "texts": true}, "limits": {"requestsPerMinute": 100000, "burst": 100000}}`,
		"apps/shop.json": `{"id": "shop", "name": "Shop", "tools": ["refund"]` + app + `}`,
		"tools.json":     refundTool(pays.URL, approval),
	}
}

// refundTool is a tools.json with the tool refund.
func refundTool(url, approval string) string {
	return `[{"id": "refund", "type": "http", "name": "Refund", "description": "Pays back.", "unfounded": "allow", "respond": true, "editable": true,
		"parameters": {"type": "object", "properties": {"order": {"type": "string"}, "amount": {}}, "required": ["amount"]},
		"http": {"method": "POST", "url": "` + url + `", "allowPrivate": true}, "needsApproval": ` + approval + `}]`
}

// says sends a message as alice, and reads the whole stream.
func (p *process) says(chat, message string, more ...string) []sse.Event {
	p.t.Helper()
	body, _ := json.Marshal(message)
	resp := p.do("POST", "/v1/apps/shop/chats/"+chat+"/messages", `{"message": `+string(body)+strings.Join(more, "")+`}`, "Authorization", "Bearer ag_alice")
	if resp.StatusCode != http.StatusOK {
		problem, _ := io.ReadAll(resp.Body)
		p.t.Fatalf("%s: %s: %s", message, resp.Status, problem)
	}
	return events(p.t, resp.Body)
}

// onlyAsked returns the only clarification among events, and its id.
func onlyAsked(t *testing.T, list []sse.Event) (id string, c map[string]any) {
	t.Helper()
	all := found(list, "clarification")
	if len(all) != 1 {
		t.Fatalf("asked %s; events %v", all, named(list))
	}
	if err := json.Unmarshal([]byte(all[0]), &c); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(c["clarificationId"]), c
}

// answers answers a question as a person.
func (p *process) answers(who, id, answer string) (status int, fields map[string]any) {
	p.t.Helper()
	return p.as(who, "POST", "/v1/clarifications/"+id+"/answer", answer)
}

// write replaces a file of the configuration, and loads it.
func (p *process) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := p.reload(); err != nil {
		p.t.Fatal(err)
	}
}

// settled waits until alice's chat waits for no turn, and returns it.
func (p *process) settled(chat string) (snapshot map[string]any) {
	p.t.Helper()
	waitFor(p.t, func() bool {
		_, snapshot = p.as("alice", "GET", "/v1/apps/shop/chats/"+chat, "")
		return snapshot["status"] == "idle"
	})
	return snapshot
}

// The first rule that fits decides, with exact numbers, and the same in the event, the audit and the metrics.
func TestRulesDecideWhoIsAsked(t *testing.T) {
	pays := newTill(t)
	p := start(t, teller(t), refunds(t, pays, refundRules, ""))
	for arguments, want := range map[string]string{
		`{"amount":50}`:                     `allow`,
		`{"amount":0}`:                      `allow`,
		`{"amount":-1}`:                     `ask -1`,
		`{"amount":"20"}`:                   `ask -1`,
		`{"amount":50.0000000000000000001}`: `ask -1`,
		`{"amount":500}`:                    `ask -1`,
		`{"amount":500.01}`:                 `ask 2 finance 2 Zwei der Buchhaltung entscheiden.`,
		`{"amount":5e3}`:                    `ask 2 finance 2 Zwei der Buchhaltung entscheiden.`,
		`{"amount":5000.0000000000000001}`:  `deny Über 5.000 ist hier keine Erstattung möglich.`,
	} {
		chat := fmt.Sprintf("c%x", sha256.Sum256([]byte(arguments)))[:20]
		list := p.says(chat, "refund "+arguments, `, "locale": "de"`)
		got, paid := "", pays.take()
		switch questions, ended := found(list, "clarification"), strings.Join(found(list, "tool.call.end"), ""); {
		case len(questions) == 1:
			_, c := onlyAsked(t, list)
			got = fmt.Sprint("ask ", c["rule"])
			if role, _ := c["waitsFor"].(map[string]any); role != nil {
				got += fmt.Sprint(" ", role["role"], " ", c["quorum"], " ", c["reason"])
			}
		case strings.Contains(ended, `"NOT_PERMITTED"`):
			var end struct{ Error struct{ Message string } }
			if err := json.Unmarshal([]byte(ended), &end); err != nil {
				t.Fatal(err)
			}
			got = "deny " + end.Error.Message
		case paid == arguments:
			got = "allow"
		}
		if got != want || (paid != "") != (want == "allow") {
			t.Errorf("%s: %s, paid %q; want %s", arguments, got, paid, want)
		}
	}
}

// Each way in which a call is decided about is counted, and recorded with the rule.
func TestEachDecisionIsCountedAndRecorded(t *testing.T) {
	pays := newTill(t)
	p := start(t, teller(t), refunds(t, pays, refundRules, ""))
	p.says("c1", `refund {"amount":20}`)
	p.says("c2", `refund {"amount":6000}`)
	for chat, answer := range map[string]string{"c3": `{"value": true}`, "c4": `{"value": false}`, "c5": `{"value": false, "result": "A voucher, then."}`} {
		id, _ := onlyAsked(t, p.says(chat, `refund {"amount":100}`))
		if status, closed := p.answers("alice", id, answer); status != 200 || closed["state"] != "answered" {
			t.Fatalf("%s: %d %v", answer, status, closed)
		}
		end := fmt.Sprint(p.settled(chat)["messages"])
		if chat == "c5" && (!strings.Contains(end, "A voucher, then.") || !strings.Contains(end, "not made")) {
			t.Errorf("in place of the call: %s", end)
		}
	}
	if paid := pays.take(); paid != `{"amount":20} {"amount":100}` {
		t.Errorf("paid %s", paid)
	}
	metrics, err := io.ReadAll(p.do("GET", "/metrics", "", "Authorization", "Bearer ag_root").Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, decision := range []string{"allowed_by_rule", "denied_by_rule", "allowed", "refused", "responded"} {
		if want := `askgate_approvals_total{app="shop",decision="` + decision + `",tool="refund"} 1`; !strings.Contains(string(metrics), want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	resp := p.do("GET", "/v1/admin/audit", "", "Authorization", "Bearer ag_root")
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		var r struct {
			What, ChatID, Outcome, Reason string
			Rule                          *int
			Approved                      *bool
			Responded                     bool
			Arguments                     json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Rule == nil {
			t.Fatalf("%v: %s", err, line)
		}
		approved := "-"
		if r.Approved != nil {
			approved = fmt.Sprint(*r.Approved)
		}
		got = append(got, fmt.Sprintf("%s %s %q %d %s %v %q %s", r.ChatID, r.What, r.Outcome, *r.Rule, approved, r.Responded, r.Reason, r.Arguments))
	}
	slices.Sort(got)
	want := []string{
		`c1 ruled "allowed" 0 - false "" {"amount":20}`,
		`c2 ruled "denied" 1 - false "Above 5,000 no refund is possible here." {"amount":6000}`,
		`c3 asked "" -1 - false "" {"amount":100}`, `c3 resolved "answered" -1 true false "" `,
		`c4 asked "" -1 - false "" {"amount":100}`, `c4 resolved "answered" -1 false false "" `,
		`c5 asked "" -1 - false "" {"amount":100}`, `c5 resolved "answered" -1 false true "" `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A configuration that changes between a person's yes and the call: what it denies by then is not made,
// and what it gives another reason for is asked again.
func TestRulesThatChangeBetweenTheYesAndTheCall(t *testing.T) {
	const rule = `{"rules": [{"when": {"properties": {"order": {"const": "A"}}, "required": ["order"]}, "then": %q%s}], "otherwise": "ask"}`
	for name, c := range map[string]struct{ after, want string }{
		"the same": {fmt.Sprintf(rule, "ask", `, "reason": "Look twice."`), `paid`},
		"denied":   {fmt.Sprintf(rule, "deny", `, "reason": "Not today."`), `NOT_PERMITTED`},
		"reason":   {fmt.Sprintf(rule, "ask", `, "reason": "Look thrice."`), `Look thrice.`},
		"quorum":   {fmt.Sprintf(rule, "ask", `, "reason": "Look twice.", "by": {"role": "finance"}, "quorum": 2`), `"quorum":2`},
		"allowed":  {fmt.Sprintf(rule, "allow", ""), `paid`},
	} {
		t.Run(name, func(t *testing.T) {
			pays := newTill(t)
			files := refunds(t, pays, fmt.Sprintf(rule, "ask", `, "reason": "Look twice."`), "")
			p := start(t, teller(t), files)
			list := p.says("c1", "refund {\"order\":\"A\",\"amount\":1}\nrefund {\"order\":\"B\",\"amount\":2}")
			ids := map[string]string{}
			for _, text := range found(list, "clarification") {
				var q struct {
					ID        string `json:"clarificationId"`
					Arguments struct{ Order string }
				}
				if err := json.Unmarshal([]byte(text), &q); err != nil {
					t.Fatal(err)
				}
				ids[q.Arguments.Order] = q.ID
			}
			if len(ids) != 2 {
				t.Fatalf("asked %v", named(list))
			}
			if status, closed := p.answers("alice", ids["A"], `{"value": true}`); status != 200 {
				t.Fatalf("%d %v", status, closed)
			}
			p.write("tools.json", refundTool(pays.URL, c.after))
			resp := p.do("POST", "/v1/apps/shop/chats/c1/messages", `{"answer": {"clarificationId": "`+ids["B"]+`", "value": false}}`, "Authorization", "Bearer ag_alice")
			list = events(t, resp.Body)
			var text strings.Builder
			for _, ev := range list {
				if ev.Name == "clarification" || strings.Contains(string(ev.Data), "call_0_0") {
					text.Write(ev.Data)
				}
			}
			paid := pays.take()
			if !strings.Contains(text.String(), c.want) || (paid == `{"order":"A","amount":1}`) != (c.want == "paid") || paid != "" && c.want != "paid" {
				t.Errorf("paid %q, told %s", paid, text.String())
			}
		})
	}
}
