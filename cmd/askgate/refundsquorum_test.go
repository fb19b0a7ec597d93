package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/sse"
)

// byTwo has two of finance decide about each refund.
const byTwo = `{"by": {"role": "finance"}, "quorum": 2}`

// twoTills starts two nodes of a shop on one PostgreSQL and Redis.
func twoTills(t *testing.T, pays *till, approval string) [2]*process {
	t.Helper()
	model, files := teller(t), refunds(t, pays, approval, "")
	env := []string{"ASKGATE_STORE=" + emptyPostgres(t), "ASKGATE_REDIS=" + testenv.Redis(t)}
	return [2]*process{start(t, model, files, env...), start(t, model, files, env...)}
}

// follow opens a stream of events and returns the next one that is not a snapshot at each call.
func (p *process) follow(who, path string, header ...string) func() sse.Event {
	p.t.Helper()
	resp := p.do("GET", path, "", append(header, "Authorization", "Bearer ag_"+who)...)
	if resp.StatusCode != http.StatusOK {
		p.t.Fatalf("%s %s: %s", who, path, resp.Status)
	}
	seen, opened := make(chan sse.Event, 1000), make(chan struct{})
	go func() {
		defer close(seen)
		var once sync.Once
		for ev, err := range sse.Read(resp.Body) {
			if err != nil {
				return // the stream is cut at the end of the test
			}
			once.Do(func() { close(opened) })
			if ev.Name != "" && ev.Name != "snapshot" {
				ev.Data = slices.Clone(ev.Data)
				seen <- ev
			}
		}
	}()
	<-opened
	return func() sse.Event { return <-seen }
}

// deciders returns who has decided, as a question or a problem with a question says.
func deciders(fields map[string]any) string {
	if c, is := fields["clarification"].(map[string]any); is {
		fields = c
	}
	var list []string
	all, _ := fields["decisions"].([]any)
	for _, d := range all {
		d, _ := d.(map[string]any)
		list = append(list, fmt.Sprint(d["by"], "=", d["value"]))
	}
	return strings.Join(list, " ")
}

// A yes on one node leaves the question open, and the other node, the owner and the holders see it at once;
// the second yes of the same person is refused with the question. Others see none of it.
func TestAQuorumAcrossNodes(t *testing.T) {
	pays := newTill(t)
	nodes := twoTills(t, pays, byTwo)
	owner, holder, stranger := nodes[1].follow("alice", "/v1/events"), nodes[1].follow("dave", "/v1/events"), nodes[1].follow("eve", "/v1/events")
	list := nodes[0].says("c1", `refund {"amount":1}`)
	id, c := onlyAsked(t, list)
	if c["quorum"] != 2.0 || c["decisions"] != nil || c["editable"] == true {
		t.Errorf("asked %v", c)
	}
	if status, got := nodes[0].answers("bob", id, `{"value": true}`); status != 200 || got["state"] != "pending" || got["quorum"] != 2.0 || deciders(got) != "bob=true" || got["answer"] != nil {
		t.Fatalf("the first yes: %d %v", status, got)
	}
	for _, p := range nodes {
		if status, got := p.answers("bob", id, `{"value": true, "note": "again"}`); status != 409 || got["code"] != "already_decided" || deciders(got) != "bob=true" {
			t.Errorf("the second yes of bob: %d %v", status, got)
		}
	}
	if status, got := nodes[1].answers("alice", id, `{"value": true}`); status == 200 {
		t.Errorf("the owner, who is not of finance: %d %v", status, got)
	}
	if status, got := nodes[1].answers("eve", id, `{"value": true}`); status != 404 {
		t.Errorf("a stranger: %d %v", status, got)
	}
	// A viewer who comes back to the other node gets what was missed, and the snapshot has it.
	back := nodes[1].follow("alice", "/v1/apps/shop/chats/c1/events", "Last-Event-ID", list[len(list)-1].ID)
	for _, want := range []string{"turn.start", "clarification.decided", "done"} {
		if ev := back(); ev.Name != want || want == "clarification.decided" && !strings.Contains(string(ev.Data), `"by":"bob"`) {
			t.Fatalf("replayed %s %s, want %s", ev.Name, ev.Data, want)
		}
	}
	if _, snapshot := nodes[1].as("alice", "GET", "/v1/apps/shop/chats/c1", ""); deciders(snapshot) != "bob=true" {
		t.Errorf("the snapshot has %v", snapshot["clarification"])
	}
	_, waits := nodes[1].as("carol", "GET", "/v1/clarifications", "")
	if items, _ := waits["items"].([]any); len(items) != 1 || deciders(items[0].(map[string]any)) != "bob=true" {
		t.Errorf("carol's list has %v", waits)
	}
	if paid := pays.take(); paid != "" {
		t.Fatalf("paid %s after one yes", paid)
	}
	if status, got := nodes[1].answers("carol", id, `{"value": true}`); status != 200 || got["state"] != "answered" || deciders(got) != "bob=true carol=true" {
		t.Fatalf("the second yes: %d %v", status, got)
	}
	nodes[0].settled("c1")
	if paid := pays.take(); paid != `{"amount":1}` {
		t.Errorf("paid %s", paid)
	}
	for who, next := range map[string]func() sse.Event{"alice": owner, "dave": holder} {
		var names []string
		for len(names) == 0 || names[len(names)-1] != "clarification.resolved" {
			ev := next()
			if ev.Name == "" {
				t.Fatalf("%s's stream ends after %v", who, names)
			}
			if ev.Name == "clarification.decided" && (!strings.Contains(string(ev.Data), id) || !strings.Contains(string(ev.Data), `"by":"bob"`)) {
				t.Errorf("%s is told %s", who, ev.Data)
			}
			if strings.HasPrefix(ev.Name, "clarification") {
				names = append(names, ev.Name)
			}
		}
		if got := strings.Join(names, " "); got != "clarification clarification.decided clarification.resolved" {
			t.Errorf("%s is told %s", who, got)
		}
	}
	// The first event of eve's stream is her own.
	nodes[0].do("POST", "/v1/apps/shop/chats/hers/messages", `{"message": "refund {\"amount\":2}"}`, "Authorization", "Bearer ag_eve")
	if ev := stranger(); !strings.Contains(string(ev.Data), `"chatId":"hers"`) || strings.Contains(string(ev.Data), id) {
		t.Errorf("a stranger is told %s %s", ev.Name, ev.Data)
	}
}

// Two people who decide on two nodes at the same instant: one leaves the question open, the other closes it,
// and the call is made once. Of a yes and a no, the call is never made.
func TestTwoDecideAtTheSameInstant(t *testing.T) {
	pays := newTill(t)
	nodes := twoTills(t, pays, byTwo)
	for round := range 12 {
		chat, second := fmt.Sprint("c", round), round%3 != 2
		id, _ := onlyAsked(t, nodes[round%2].says(chat, fmt.Sprintf(`refund {"amount":%d}`, round)))
		var states [2]string
		var both sync.WaitGroup
		for i, who := range []string{"bob", "carol"} {
			both.Go(func() {
				status, got := nodes[i].answers(who, id, fmt.Sprintf(`{"value": %v}`, i == 0 || second))
				states[i] = fmt.Sprint(status, " ", got["state"])
			})
		}
		both.Wait()
		nodes[0].settled(chat)
		_, kept := nodes[1].as("dave", "GET", "/v1/clarifications/"+id, "")
		want, paid := "", pays.take()
		if second {
			want = fmt.Sprintf(`{"amount":%d}`, round)
			slices.Sort(states[:])
			if states != [2]string{"200 answered", "200 pending"} || strings.Count(deciders(kept), "true") != 2 {
				t.Errorf("round %d: %q, kept %s", round, states, deciders(kept))
			}
		} else if states[1] != "200 answered" || !strings.HasSuffix(deciders(kept), "carol=false") {
			t.Errorf("round %d: %q, kept %s", round, states, deciders(kept))
		}
		if paid != want {
			t.Errorf("round %d: paid %q, want %q", round, paid, want)
		}
	}
}

// However a question ends otherwise after a first yes, no later yes makes the call, and the question keeps who
// had allowed it.
func TestAYesDoesNotOutliveItsQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		app, state string
		end        func(p *process, id string)
	}{
		"message": {`, "clarifications": {"onMessageWhilePending": "supersede"}`, "superseded", func(p *process, _ string) { p.says("c1", `refund {"amount":2}`) }},
		"admin":   {"", "cancelled", func(p *process, id string) { p.as("root", "POST", "/v1/admin/clarifications/"+id+"/cancel", "") }},
		"time":    {`, "clarifications": {"expiresIn": "3s"}`, "expired", func(*process, string) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pays := newTill(t)
			p := start(t, teller(t), refunds(t, pays, byTwo, c.app))
			id, _ := onlyAsked(t, p.says("c1", `refund {"amount":1}`))
			if status, got := p.answers("bob", id, `{"value": true}`); status != 200 || got["state"] != "pending" {
				t.Fatalf("%d %v", status, got)
			}
			p.as("alice", "POST", "/v1/apps/shop/chats/c1/stop", "") // there is no run to stop, so it changes nothing
			c.end(p, id)
			var kept map[string]any
			waitFor(t, func() bool {
				_, kept = p.as("carol", "GET", "/v1/clarifications/"+id, "")
				return kept["state"] != "pending"
			})
			if kept["state"] != c.state || deciders(kept) != "bob=true" {
				t.Errorf("ended as %v with %q", kept["state"], deciders(kept))
			}
			if status, late := p.answers("carol", id, `{"value": true}`); status != 410 || late["code"] != "clarification_closed" {
				t.Errorf("a late yes: %d %v", status, late)
			}
			if paid := pays.take(); paid != "" {
				t.Errorf("paid %s", paid)
			}
		})
	}
}

// In the terminal, a line says who has allowed a call and how many must, an answer says that it still waits,
// and a result takes the place of the call.
func TestAQuorumAndAResultInTheTerminal(t *testing.T) {
	pays := newTill(t)
	p := start(t, teller(t), refunds(t, pays, byTwo, ""))
	id, _ := onlyAsked(t, p.says("c1", `refund {"amount":1}`))
	bob, carol := newAsker(t, p.url, "ASKGATE_KEY=ag_bob"), newAsker(t, p.url, "ASKGATE_KEY=ag_carol")
	if _, stdout, stderr := bob.run("", "pending"); !strings.Contains(stdout, id) || !strings.HasSuffix(stdout, "; 0 of 2 have allowed\n") {
		t.Errorf("%s%s", stdout, stderr)
	}
	if code, _, stderr := bob.run("", "answer", id, "yes"); code != 0 || !strings.Contains(stderr, "still waits") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if code, _, stderr := bob.run("", "answer", id, "yes"); code != 1 || stderr == "" {
		t.Errorf("a second yes: exit %d: %s", code, stderr)
	}
	if _, stdout, stderr := carol.run("", "pending"); !strings.HasSuffix(stdout, "; 1 of 2 have allowed: bob\n") {
		t.Errorf("%s%s", stdout, stderr)
	}
	for _, wrong := range [][]string{{"answer", id, "yes", "--result", "x"}, {"answer", id, "--result", ""}} {
		if code, _, stderr := carol.run("", wrong...); code == 0 || stderr == "" {
			t.Errorf("%v: exit %d: %s", wrong, code, stderr)
		}
	}
	if code, _, stderr := carol.run("", "answer", id, "--result", "A voucher, then."); code != 0 {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if text := fmt.Sprint(p.settled("c1")["messages"]); !strings.Contains(text, "A voucher, then.") || pays.take() != "" {
		t.Errorf("%s", text)
	}
	if _, kept := p.as("carol", "GET", "/v1/clarifications/"+id, ""); fmt.Sprint(kept["approval"].(map[string]any)["outcome"]) != "responded" {
		t.Errorf("%v", kept)
	}
}
