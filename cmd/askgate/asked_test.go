package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/sse"
)

// askers is a configuration in which ci may ask alice and the role oncall, which bob and
// carol have; a holder of the role finance must approve transfers of money.
func askers() map[string]string {
	key := func(subject, more string) string {
		return fmt.Sprintf(`{"id": %q, "hash": "sha256:%x", "tenant": "acme", "subject": %q%s}`, subject, sha256.Sum256([]byte("ag_"+subject)), subject, more)
	}
	return map[string]string{
		"gateway.json": `{"auth": {"mode": "apiKeys", "roles": {"robots": {"mayAsk": ["role:oncall"]}}, "keys": [` + strings.Join([]string{
			key("ci", `, "roles": ["robots"], "mayAsk": ["alice"]`), key("alice", ""), key("bob", `, "roles": ["oncall", "finance"]`), key("carol", `, "roles": ["oncall"]`), key("dave", ""),
			key("erin", `, "roles": ["finance"]`),
		}, ", ") + `]}}`,
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user", "calculator"]}`,
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}, {"id": "calculator", "needsApproval": {"by": {"role": "finance"}}}]`,
	}
}

// as sends a request as a subject and reads the whole response.
func (p *process) as(subject, method, path, body string, header ...string) (status int, fields map[string]any) {
	p.t.Helper()
	resp := p.do(method, path, body, append(header, "Authorization", "Bearer ag_"+subject)...)
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &fields); err != nil {
			p.t.Fatalf("%s %s: %v: %s", method, path, err, data)
		}
	}
	return resp.StatusCode, fields
}

// ask asks a question as ci.
func (p *process) ask(body string) (id string, asked map[string]any) {
	p.t.Helper()
	status, asked := p.as("ci", "POST", "/v1/apps/helper/clarifications", body)
	if status != http.StatusCreated {
		p.t.Fatalf("%d %v", status, asked)
	}
	return fmt.Sprint(asked["clarificationId"]), asked
}

// A script asks and waits, the person answers in a browser, and the script gets the answer. No
// model is called.
func TestAScriptIsAnswered(t *testing.T) {
	p := start(t, modeltest.New(t).URL, askers())
	id, asked := p.ask(`{"to": "alice", "question": "Deploy now?", "options": ["yes", "no"], "askedBy": {"name": "deploy", "title": "CI #4711"}, "idempotencyKey": "k"}`)
	by, _ := asked["askedBy"].(map[string]any)
	if _, turn := asked["turnId"]; turn || by["kind"] != "program" || by["title"] != "CI #4711" || asked["state"] != "pending" || !strings.HasPrefix(fmt.Sprint(asked["toolCallId"]), "call_") {
		t.Errorf("%v", asked)
	}
	if status, again := p.as("ci", "POST", "/v1/apps/helper/clarifications", `{"idempotencyKey": "k", "askedBy": {"title": "CI #4711", "name": "deploy"}, "options": ["yes", "no"], "question": "Deploy now?", "to": "alice"}`); status != 200 || again["clarificationId"] != id {
		t.Errorf("again: %d %v", status, again)
	}
	if status, other := p.as("ci", "POST", "/v1/apps/helper/clarifications", `{"to": "alice", "question": "Another?", "idempotencyKey": "k"}`); status != 409 || other["code"] != "idempotency_conflict" {
		t.Errorf("another: %d %v", status, other)
	}
	path := "/v1/clarifications/" + id
	chat := fmt.Sprintf("/v1/apps/helper/chats/%s", asked["chatId"])

	// The person's screen shows the question.
	view := p.do("GET", chat+"/events", "", "Authorization", "Bearer ag_alice")
	next := make(chan sse.Event)
	go func() {
		defer close(next)
		for ev, err := range sse.Read(view.Body) {
			if err != nil {
				return
			}
			ev.Data = append([]byte(nil), ev.Data...)
			next <- ev
		}
	}()
	if ev := <-next; ev.Name != "snapshot" || !strings.Contains(string(ev.Data), id) || !strings.Contains(string(ev.Data), "CI #4711") {
		t.Fatalf("%s %s", ev.Name, ev.Data)
	}
	if status, _ := p.as("alice", "POST", path+"/seen", ""); status != 204 {
		t.Errorf("seen: %d", status)
	}
	waited := make(chan map[string]any)
	go func() {
		_, ended := p.as("ci", "GET", path+"?wait=300", "")
		waited <- ended
	}()
	if status, answered := p.as("alice", "POST", path+"/answer", `{"value": "no", "note": "after lunch"}`); status != 200 || answered["state"] != "answered" {
		t.Fatalf("%d %v", status, answered)
	}
	ended := <-waited
	if answer, _ := ended["answer"].(map[string]any); ended["state"] != "answered" || answer["value"] != "no" || answer["note"] != "after lunch" || ended["seenAt"] == nil {
		t.Errorf("%v", ended)
	}
	if status, said := p.as("ci", "POST", path+"/messages", `{"message": "Not deployed."}`); status != 201 || said["chatId"] != asked["chatId"] {
		t.Errorf("%d %v", status, said)
	}
	var names []string
	for ev := range next {
		names = append(names, ev.Name)
		if strings.Contains(string(ev.Data), "turnId") {
			t.Errorf("there is no turn: %s", ev.Data)
		}
		if len(names) == 4 {
			break
		}
	}
	if got := strings.Join(names, " "); got != "clarification.resolved done asker.message done" {
		t.Errorf("the person's screen: %s", got)
	}
	// Afterwards no one can change it, and the asker cannot read the person's chat.
	if status, late := p.as("alice", "POST", path+"/answer", `{"value": "yes"}`); status != 409 || late["code"] != "already_answered" {
		t.Errorf("%d %v", status, late)
	}
	if status, late := p.as("ci", "POST", path+"/cancel", ""); status != 409 || late["code"] != "already_answered" {
		t.Errorf("%d %v", status, late)
	}
	if status, _ := p.as("ci", "GET", chat, ""); status != 404 {
		t.Errorf("the asker reads the chat: %d", status)
	}
	if status, kept := p.as("alice", "GET", chat, ""); status != 200 || !strings.Contains(fmt.Sprint(kept["messages"]), "Not deployed.") {
		t.Errorf("%d %v", status, kept)
	}
	if status, again := p.as("ci", "POST", "/v1/apps/helper/clarifications", `{"to": "alice", "question": "Deploy now?", "options": ["yes", "no"], "askedBy": {"name": "deploy", "title": "CI #4711"}, "idempotencyKey": "k"}`); status != 200 || again["state"] != "answered" {
		t.Errorf("after the end: %d %v", status, again)
	}
}

// A question has one answer, wherever the person answers: also in the chat, as JSON or as a stream. A
// withdrawn question accepts none.
func TestAProgramsQuestionIsAnsweredInItsChat(t *testing.T) {
	p := start(t, modeltest.New(t).URL, askers())
	first, asked := p.ask(`{"to": "alice", "question": "One?", "chatId": "c1"}`)
	second, _ := p.ask(`{"to": "alice", "question": "Two?", "chatId": "c1"}`)
	third, _ := p.ask(`{"to": "alice", "question": "Three?", "chatId": "c1"}`)
	if asked["clarificationNumber"] != 0.0 || asked["maxClarifications"] != 0.0 {
		t.Errorf("%v", asked)
	}
	status, result := p.as("alice", "POST", "/v1/apps/helper/chats/c1/messages", `{"answer": {"clarificationId": "`+first+`", "value": "1"}}`, "Accept", "application/json")
	if _, turn := result["turnId"]; status != 200 || turn || result["status"] != "awaiting_input" {
		t.Errorf("%d %v", status, result)
	}
	resp := p.do("POST", "/v1/apps/helper/chats/c1/messages", `{"answer": {"clarificationId": "`+second+`", "declined": true}}`, "Authorization", "Bearer ag_alice")
	var names []string
	for _, ev := range events(t, resp.Body) {
		names = append(names, ev.Name)
	}
	if got := strings.Join(names, " "); got != "clarification.resolved done" {
		t.Errorf("the stream: %s", got)
	}
	if status, gone := p.as("ci", "POST", "/v1/clarifications/"+third+"/cancel", ""); status != 200 || gone["state"] != "cancelled" {
		t.Errorf("%d %v", status, gone)
	}
	for _, call := range []string{"alice POST /answer", "ci POST /cancel"} {
		who, path, _ := strings.Cut(call, " POST ")
		if status, late := p.as(who, "POST", "/v1/clarifications/"+third+path, `{"value": "x"}`); status != 410 || late["state"] != "cancelled" {
			t.Errorf("%s: %d %v", call, status, late)
		}
	}
	if status, _ := p.as("alice", "DELETE", "/v1/apps/helper/chats/c1", ""); status != 204 {
		t.Fatal(status)
	}
	if status, _ := p.as("ci", "GET", "/v1/clarifications/"+first, ""); status != 404 {
		t.Errorf("of an erased chat: %d", status)
	}
}

// The first holder of a role who answers decides; all see who it was.
func TestTheFirstOfARoleAnswers(t *testing.T) {
	p := start(t, modeltest.New(t).URL, askers())
	id, asked := p.ask(`{"to": {"role": "oncall"}, "question": "Who takes it?", "askedBy": {"name": "alert"}}`)
	if asked["waitsFor"].(map[string]any)["role"] != "oncall" {
		t.Errorf("%v", asked)
	}
	for who, want := range map[string]bool{"bob": true, "carol": true, "dave": false, "ci": false} {
		_, list := p.as(who, "GET", "/v1/clarifications", "")
		if found := strings.Contains(fmt.Sprint(list["items"]), id); found != want {
			t.Errorf("%s: %v", who, list)
		}
		if _, chats := p.as(who, "GET", "/v1/apps/helper/chats", ""); strings.Contains(fmt.Sprint(chats), "ask-") {
			t.Errorf("%s has a chat of it: %v", who, chats)
		}
	}
	var won, lost sync.Map
	var group sync.WaitGroup
	for _, who := range []string{"bob", "carol"} {
		group.Go(func() {
			switch status, fields := p.as(who, "POST", "/v1/clarifications/"+id+"/answer", `{"value": "`+who+`"}`); status {
			case 200:
				won.Store(who, fields)
			case 409:
				lost.Store(who, fields)
			default:
				t.Errorf("%s: %d %v", who, status, fields)
			}
		})
	}
	group.Wait()
	var winner, loser string
	won.Range(func(who, _ any) bool { winner += who.(string); return true })
	lost.Range(func(who, fields any) bool {
		loser += who.(string)
		problem := fields.(map[string]any)
		if by, _ := problem["answeredBy"].(map[string]any); problem["code"] != "already_answered" || by["subject"] != winner || problem["answeredAt"] == nil {
			t.Errorf("%v", problem)
		}
		return true
	})
	if winner+loser != "bobcarol" && winner+loser != "carolbob" {
		t.Fatalf("won %q, lost %q", winner, loser)
	}
	for _, who := range []string{"bob", "carol", "ci"} {
		status, kept := p.as(who, "GET", "/v1/clarifications/"+id, "")
		if by, _ := kept["answeredBy"].(map[string]any); status != 200 || by["subject"] != winner {
			t.Errorf("%s: %d %v", who, status, kept)
		}
	}
	if status, _ := p.as("dave", "GET", "/v1/clarifications/"+id, ""); status != 404 {
		t.Errorf("dave: %d", status)
	}
}

// The person who wants a call cannot approve it in any way. A holder of the role can, and then the turn
// continues by itself.
func TestSomebodyElseApproves(t *testing.T) {
	scripted := modeltest.NewFunc(t, func(n int, _ modeltest.Request) modeltest.Response {
		if n == 0 {
			return modeltest.Calls(model.ToolCall{ID: "call_1", Name: "calculator", Arguments: `{"expression": "6*7"}`})
		}
		return modeltest.Answer("It is 42.")
	})
	p := start(t, scripted.URL, askers())
	status, paused := p.as("bob", "POST", "/v1/apps/helper/chats/c1/messages", `{"message": "Reckon"}`, "Accept", "application/json")
	asked, _ := paused["clarification"].(map[string]any)
	waits, _ := asked["waitsFor"].(map[string]any)
	if status != 200 || waits["role"] != "finance" {
		t.Fatalf("%d %v", status, paused)
	}
	id := fmt.Sprint(asked["clarificationId"])
	path := "/v1/clarifications/" + id
	for who, want := range map[string]bool{"erin": true, "carol": false} {
		if _, list := p.as(who, "GET", "/v1/clarifications", ""); strings.Contains(fmt.Sprint(list["items"]), id) != want {
			t.Errorf("%s: %v", who, list)
		}
	}
	for _, try := range []struct{ who, path, body string }{
		{"bob", path + "/answer", `{"value": "yes"}`}, {"bob", "/v1/apps/helper/chats/c1/messages", `{"answer": {"clarificationId": "` + id + `", "value": "yes"}}`},
		{"bob", "/v1/apps/helper/chats/c1/messages", `{"message": "yes", "clarificationId": "` + id + `"}`}, {"bob", path + "/cancel", ``}, {"bob", path + "/seen", ``},
		{"erin", path + "/cancel", ``},
	} {
		if status, refused := p.as(try.who, "POST", try.path, try.body); status != 403 || refused["code"] != "forbidden" {
			t.Errorf("%s %s %s: %d %v", try.who, try.path, try.body, status, refused)
		}
	}
	if status, _ := p.as("carol", "POST", path+"/answer", `{"value": "yes"}`); status != 404 {
		t.Errorf("carol: %d", status)
	}
	if status, changed := p.as("erin", "POST", path+"/answer", `{"value": "yes", "digest": "sha256:0"}`); status != 409 || changed["code"] != "approval_changed" {
		t.Errorf("%d %v", status, changed)
	}
	status, decided := p.as("erin", "POST", path+"/answer", fmt.Sprintf(`{"value": "yes", "digest": %q}`, asked["digest"]))
	if approval, _ := decided["approval"].(map[string]any); status != 200 || approval["by"] != "erin" || approval["outcome"] != "allowed" {
		t.Fatalf("%d %v", status, decided)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/v1/apps/helper/chats/c1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer ag_bob")
	resp, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for ev, err := range sse.Read(resp.Body) { // the run may be over, or not
		if err != nil {
			t.Fatal(err)
		}
		if ev.Name == "done" || ev.Name == "snapshot" && strings.Contains(string(ev.Data), `"status":"idle"`) {
			break
		}
	}
	_, snapshot := p.as("bob", "GET", "/v1/apps/helper/chats/c1", "")
	if text := fmt.Sprint(snapshot["messages"]); !strings.Contains(text, "It is 42.") || !strings.Contains(text, "by:erin") {
		t.Errorf("%v", snapshot)
	}
}

// A question survives a restart. A waiting request returns the stored question, and the program asks
// again.
func TestAQuestionOutlivesTheGateway(t *testing.T) {
	p := start(t, modeltest.New(t).URL, askers())
	id, _ := p.ask(`{"to": "alice", "question": "Deploy?", "input_type": "confirm"}`)
	path := "/v1/clarifications/" + id
	p.restart()
	if status, kept := p.as("ci", "GET", path+"?wait=0", ""); status != 200 || kept["state"] != "pending" {
		t.Fatalf("%d %v", status, kept)
	}
	if status, _ := p.as("alice", "POST", path+"/answer", `{"value": true}`); status != 200 {
		t.Fatal(status)
	}
	p.restart()
	if status, kept := p.as("ci", "GET", path+"?wait=300", ""); status != 200 || kept["state"] != "answered" {
		t.Errorf("%d %v", status, kept)
	}
}

// Programs have limits of their own, and can use the admin's templates.
func TestCapsAndTemplatesOfPrograms(t *testing.T) {
	files := askers()
	files["apps/quiet.json"] = `{"id": "quiet", "name": "Quiet", "tools": ["ask_user"], "clarifications": {"perConversation": 0, "perAskerPerDay": 2, "perPrincipalPerDay": 3, "expiresIn": "1h"}}`
	files["tools.json"] = `[{"id": "ask_user", "type": "ask_user", "templates": {"city": {"question": "Which city in {country}?", "input_type": "select", "options": [{"label": "A"}, {"label": "B"}]}}},
		{"id": "calculator", "needsApproval": {"by": {"role": "finance"}}}]`
	p := start(t, modeltest.New(t).URL, files)
	const path = "/v1/apps/quiet/clarifications"
	for _, body := range []string{`{"to": "alice", "template": "city", "values": {"country": "France"}}`, `{"to": "alice", "template": "city", "country": "Spain", "expiresIn": "2h"}`} {
		status, asked := p.as("ci", "POST", path, body)
		if status != 201 || !strings.HasPrefix(fmt.Sprint(asked["question"]), "Which city in ") || asked["expiresAt"] == nil || asked["searchable"] != nil {
			t.Fatalf("%d %v", status, asked)
		}
	}
	limited := func(who, body string) {
		t.Helper()
		resp := p.do("POST", path, body, "Authorization", "Bearer ag_"+who)
		var problem struct{ Code string }
		if err := json.NewDecoder(resp.Body).Decode(&problem); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != 429 || problem.Code != "clarification_limit" || resp.Header.Get("Retry-After") == "" {
			t.Errorf("%d %+v %v", resp.StatusCode, problem, resp.Header)
		}
	}
	limited("ci", `{"to": "alice", "question": "A third?"}`)
	limited("ci", `{"to": {"role": "oncall"}, "question": "A third?"}`)
	if status, _ := p.as("alice", "POST", path, `{"question": "One more?"}`); status != 201 {
		t.Errorf("the person's own program: %d", status)
	}
	limited("alice", `{"question": "Yet another?"}`)
	if status, refused := p.as("ci", "POST", path, `{"to": "alice", "template": "city"}`); status != 422 || refused["code"] != "invalid_clarification" {
		t.Errorf("%d %v", status, refused)
	}
	if _, list := p.as("alice", "GET", "/v1/clarifications", ""); len(list["items"].([]any)) != 3 {
		t.Errorf("%v", list)
	}
}
