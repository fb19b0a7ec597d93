package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

// By the store's clock, a question of one node is escalated, once, on whichever node: its new role's holders do
// not see it before, are told on the other node at once, and answer there. All others are told who is asked, too.
func TestAnEscalationAcrossNodes(t *testing.T) {
	pays := newTill(t)
	store, set := mistimed(t)
	files := refunds(t, pays, `{"by": {"role": "finance"}, "escalate": [{"after": "50s", "to": {"role": "lead"}}, {"after": "1d", "to": {"role": "admin"}}]}`, "")
	files["gateway.json"] = strings.Replace(files["gateway.json"], `"subject": "eve", "roles": []`, `"subject": "eve", "roles": ["lead"]`, 1)
	model, env := teller(t), []string{"ASKGATE_STORE=" + store, "ASKGATE_REDIS=" + testenv.Redis(t)}
	nodes := [2]*process{start(t, model, files, env...), start(t, model, files, env...)}
	list := nodes[0].says("c1", `refund {"amount":1}`)
	id, c := onlyAsked(t, list)
	if c["alsoAsks"] != nil {
		t.Errorf("asked %v", c)
	}
	holder, lead := nodes[1].follow("dave", "/v1/events"), nodes[1].follow("eve", "/v1/events")
	for _, who := range []string{"eve", "root"} {
		if status, got := nodes[1].answers(who, id, `{"value": true}`); status != 404 {
			t.Errorf("%s, before: %d %v", who, status, got)
		}
	}
	set(50 * time.Second)
	const also = `"alsoAsks":[{"role":"lead","at":"`
	if ev := lead(); ev.Name != "clarification" || !strings.Contains(string(ev.Data), id) || !strings.Contains(string(ev.Data), also) || strings.Contains(string(ev.Data), "mayAnswer") {
		t.Fatalf("the lead is told %s %s", ev.Name, ev.Data)
	}
	if ev := holder(); ev.Name != "clarification.escalated" || !strings.Contains(string(ev.Data), also) {
		t.Errorf("the holder of the first role is told %s %s", ev.Name, ev.Data)
	}
	owner := nodes[0].follow("alice", "/v1/apps/shop/chats/c1/events", "Last-Event-ID", list[len(list)-1].ID)
	for _, want := range []string{"turn.start", "clarification.escalated", "done"} {
		if ev := owner(); ev.Name != want || want == "clarification.escalated" && !strings.Contains(string(ev.Data), also) {
			t.Fatalf("the owner is told %s %s, want %s", ev.Name, ev.Data, want)
		}
	}
	for _, p := range nodes {
		_, waits := p.as("eve", "GET", "/v1/clarifications", "")
		_, snapshot := p.as("alice", "GET", "/v1/apps/shop/chats/c1", "")
		_, one := p.as("eve", "GET", "/v1/clarifications/"+id, "")
		for what, in := range map[string]any{"the lead's list": waits, "the owner's snapshot": snapshot, "the question": one} {
			if data, _ := json.Marshal(in); !strings.Contains(string(data), `"alsoAsks":[{"at":"`) || strings.Contains(string(data), `"role":"admin"`) {
				t.Errorf("%s has %s", what, data)
			}
		}
	}
	if status, got := nodes[0].answers("root", id, `{"value": true}`); status != 404 {
		t.Errorf("whom a later step asks: %d %v", status, got)
	}
	if status, got := nodes[1].answers("eve", id, `{"value": true}`); status != 200 || got["state"] != "answered" {
		t.Fatalf("the lead: %d %v", status, got)
	}
	if status, got := nodes[0].answers("bob", id, `{"value": false}`); status != 409 || got["code"] != "already_answered" {
		t.Errorf("after the first answer: %d %v", status, got)
	}
	nodes[0].settled("c1")
	if paid := pays.take(); paid != `{"amount":1}` {
		t.Errorf("paid %s", paid)
	}
	if ev := holder(); ev.Name != "clarification.resolved" {
		t.Errorf("the holder of the first role is told %s %s", ev.Name, ev.Data)
	}
	if ev := lead(); ev.Name != "clarification.resolved" {
		t.Errorf("the lead is told %s %s", ev.Name, ev.Data)
	}
}
