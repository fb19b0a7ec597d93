package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/tools"
)

// A program asks a role. A holder sees the question and answers it; the program itself may not.
func TestAskingWhoeverIsOnCall(t *testing.T) {
	p := start(t, "", asksByMCP(t, ""))
	ci := newAsker(t, p.url, "ASKGATE_KEY=ag_ci", "ASKGATE_APP=work")
	alice := newAsker(t, p.url, "ASKGATE_KEY=ag_alice", "ASKGATE_APP=work")
	bob := newAsker(t, p.url, "ASKGATE_KEY=ag_bob", "ASKGATE_APP=work")
	asking := ci.start("", "ask", "Deploy?", "--type", "confirm", "--to", "role:oncall", "--as", "deploy", "--json")
	var id string
	waitFor(t, func() bool {
		_, stdout, _ := alice.run("", "pending")
		id, _, _ = strings.Cut(stdout, "\t")
		return id != ""
	})
	for who, c := range map[*asker]int{ci: 1, bob: 1} {
		if code, stdout, stderr := who.run(`{"value":true}`, "answer", id); code != c || stdout != "" || stderr == "" {
			t.Errorf("exit %d: %s%s", code, stdout, stderr)
		}
	}
	if code, stdout, stderr := bob.run("", "pending"); code != 0 || stdout != "" {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := alice.run("", "answer", id, "yes"); code != 0 {
		t.Errorf("exit %d: %s", code, stderr)
	}
	code, stdout, stderr := asking.end()
	var c struct {
		State      string
		AnsweredBy struct{ Subject string } `json:"answeredBy"`
	}
	if err := json.Unmarshal([]byte(stdout), &c); code != 0 || err != nil || c.State != "answered" || c.AnsweredBy.Subject != "alice" {
		t.Errorf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if code, _, stderr := bob.run("", "ask", "Deploy?", "--to", "alice"); code != 1 || !strings.Contains(stderr, "mayAsk") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// A tool call is approved from the terminal with its digest.
func TestAnApprovalByTheTerminal(t *testing.T) {
	for answer, want := range map[string]string{"yes": `"outcome":"allowed"`, "no": `"outcome":"refused"`} {
		p := start(t, "", map[string]string{
			"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["calculator"]}`,
			"tools.json":       `[{"id": "calculator", "type": "builtin", "needsApproval": true}]`,
		})
		p.send("helper", "c1", `{"message":"calculate 2  +  3"}`)
		id := waiting(t, p.url)
		a := newAsker(t, p.url)
		if _, stdout, _ := a.run("", "pending"); !strings.HasSuffix(stdout, ` [yes|no]; calculator { "expression": "2  +  3" }`+"\n") {
			t.Errorf("what is decided about is not shown: %q", stdout)
		}
		if code, _, stderr := a.run("", "answer", id, answer); code != 0 {
			t.Errorf("exit %d: %s", code, stderr)
		}
		if _, body := call(t, "GET", p.url+"/v1/clarifications/"+id, ""); !strings.Contains(body, want) {
			t.Errorf("%s", body)
		}
	}
}

// The line of a call that several must allow says how many have, and who, in one line.
func TestTheLineOfACallSaysWhoHasAllowedIt(t *testing.T) {
	c := client.Clarification{ID: "clr_1", App: "helper", Kind: tools.KindApproval, ToolName: "pay", ArgumentsText: "{}", Quorum: 3}
	for _, want := range []string{"; pay {}; 0 of 3 have allowed", "; pay {}; 1 of 3 have allowed: carol", `; pay {}; 2 of 3 have allowed: carol, d ave`} {
		if got := summary(&c); !strings.HasSuffix(got, want) {
			t.Errorf("got %q, want the end %q", got, want)
		}
		c.Decisions = append(c.Decisions, client.Decision{By: []string{"carol", "d\nave", "erin"}[len(c.Decisions)], Value: true})
	}
	if err := json.Unmarshal([]byte(`{"clarificationId": "clr_1", "alsoAsks": [{"role": "lead", "at": "2026-11-29T10:00:00.000Z"}]}`), &c); err != nil {
		t.Fatal(err)
	}
	if got, want := summary(&c), "; since 2026-11-29T10:00:00Z, role:lead may answer, too"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want the end %q", got, want)
	}
}
