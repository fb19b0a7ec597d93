package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
)

const forkPath = "/v1/apps/plain/chats/c1/fork"

func TestTheWishToForkIsReadStrictly(t *testing.T) {
	var engine fakeEngine
	s := newServer(t, files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "limits": {"turnsPerMinutePerApp": 4, "requestsPerMinute": 6000, "burst": 100}}`}, withEngine(&engine))
	for _, body := range []string{
		` `, `[]`, `{}`, `{"message": "x"}`, `{"messageId": ""}`, `{"messageId": 1}`, `{"messageId": "m", "clarificationId": "c"}`,
		`{"messageId": "m", "answer": {"value": "x"}}`, `{"messageId": "m", "message": " "}`, `{"clarificationId": "c"}`,
		`{"clarificationId": "c", "answer": {"value": "x"}, "message": "x"}`, `{"clarificationId": "c", "answer": "x"}`,
		`{"clarificationId": "c", "answer": {"value": "x", "toolCallId": "call"}}`, `{"messageId": "m", "newChatId": "a b"}`,
		`{"messageId": "m", "newChatId": "` + strings.Repeat("a", 65) + `"}`, `{"messageId": "m", "idempotencyKey": ""}`, `{"messageId": "m", "lastEventId": "1"}`, `{"messageId": "m", "stop": 1}`,
	} {
		s.call("POST", forkPath, body).wantProblem(t, 400, "invalid_request")
	}
	s.call("POST", forkPath, `{"messageId": "m", "message": "`+strings.Repeat("x", 32_001)+`"}`).wantProblem(t, 413, "too_large")
	s.call("POST", forkPath, `{"messageId": "m"}`, "Accept", "text/html").wantProblem(t, 406, "not_acceptable")
	if len(engine.commands) != 0 {
		t.Fatalf("%d commands", len(engine.commands))
	}
	for _, body := range []string{
		`{"messageId": "m"}`, `{"messageId": "m", "idempotencyKey": "k"}`, `{"idempotencyKey": "k", "messageId": "m"}`,
		`{"clarificationId": "q", "answer": {"answers": [{"value": 1}, {"skipped": true}]}, "newChatId": "c2", "interactive": false, "locale": "de"}`,
	} {
		if r := s.call("POST", forkPath, body); r.StatusCode != 200 {
			t.Fatalf("%d %s", r.StatusCode, r.body)
		}
	}
	s.call("POST", forkPath, `{"messageId": "m"}`).wantProblem(t, 429, "rate_limited") // it counts as a turn
	plain, first, again, change := engine.commands[0], engine.commands[1], engine.commands[2], engine.commands[3]
	if at := plain.Fork.From; at != (chat.Fork{ChatID: "c1", MessageID: "m"}) || plain.Fork.Message != nil || !plain.Interactive {
		t.Errorf("%+v", plain.Fork)
	}
	if first.Ref != again.Ref || first.Hash != again.Hash || first.Ref.ChatID == "c1" || first.Ref.ChatID == plain.Ref.ChatID {
		t.Errorf("%+v, %+v, then %+v", plain.Ref, first.Ref, again.Ref)
	}
	if change.Ref.ChatID != "c2" || len(change.Fork.Answer.Answers) != 2 || change.Interactive || change.Language != "de" || change.Hash == first.Hash {
		t.Errorf("%+v", change)
	}
}

// An answer is changed the way clients do it: the response matches the schemas in both modes.
func TestAForkAnswersWithTheRunOfTheNewChat(t *testing.T) {
	s, c := realServer(t, nil, nil), loadSchemas(t)
	asked := find(t, s.run(c, "c1", `{"message":"select"}`), "clarification")
	s.run(c, "c1", `{"answer":{"value":"fr"}}`)
	id := asked["clarificationId"].(string)
	r := s.call("POST", forkPath, `{"clarificationId": "`+id+`", "answer": {"value": "es"}, "newChatId": "c2"}`)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	var names []string
	for _, ev := range events(t, string(r.body)) {
		c.check("Events/properties/"+ev.Name, ev.Data)
		names = append(names, ev.Name)
		if !strings.Contains(string(ev.Data), `"chatId":"c2"`) {
			t.Errorf("%s %s", ev.Name, ev.Data)
		}
	}
	if names = slices.Compact(names); !slices.Equal(names, []string{"turn.start", "clarification.resolved", "tool.call.end", "chunk", "done"}) {
		t.Errorf("events %q", names)
	}
	snapshot := s.call("GET", "/v1/apps/plain/chats/c2", "")
	c.check("Snapshot", snapshot.body)
	if want := `"forkedFrom":{"chatId":"c1","clarificationId":"` + id + `"}`; !strings.Contains(string(snapshot.body), want) || strings.Contains(string(snapshot.body), `"fr"}`) {
		t.Errorf("%s", snapshot.body)
	}
	list := s.call("GET", "/v1/apps/plain/chats", "")
	c.check("ChatList", list.body)
	if strings.Count(string(list.body), `"forkedFrom"`) != 1 {
		t.Errorf("%s", list.body)
	}
	var old struct{ Messages []struct{ ID string } }
	if err := json.Unmarshal(s.call("GET", "/v1/apps/plain/chats/c1", "").body, &old); err != nil {
		t.Fatal(err)
	}
	r = s.call("POST", forkPath, `{"messageId": "`+old.Messages[0].ID+`", "message": "confirm"}`, "Accept", "application/json")
	c.check("RunResult", r.body)
	var result struct{ ChatID, FinishReason string }
	if err := json.Unmarshal(r.body, &result); err != nil || !strings.HasPrefix(result.ChatID, "fork-") || result.FinishReason != "clarification" {
		t.Errorf("%s", r.body)
	}
	s.call("POST", forkPath, `{"messageId": "`+old.Messages[0].ID+`", "newChatId": "c2"}`).wantProblem(t, 409, "chat_exists")
	s.call("POST", forkPath, `{"messageId": "`+old.Messages[1].ID+`"}`).wantProblem(t, 422, "not_forkable")
	s.call("POST", forkPath, `{"clarificationId": "`+id+`", "answer": {"value": "xx"}}`).wantProblem(t, 422, "invalid_answer")
	s.call("POST", "/v1/apps/plain/chats/none/fork", `{"messageId": "`+old.Messages[0].ID+`"}`).wantProblem(t, 404, "not_found")
}

func FuzzFork(f *testing.F) {
	for _, seed := range []string{
		`{"messageId":"m"}`, `{"messageId":"m","message":"x","newChatId":"c2"}`, `{"clarificationId":"c","answer":{"value":"x"}}`,
		`{"clarificationId":"c","answer":{"answers":[{"value":1}]},"locale":"de","interactive":false}`, `{"messageId":"m","messageId":"m"}`, `{`, "\xff", `{"newChatId":"\ud800"}`,
	} {
		f.Add([]byte(seed))
	}
	engine := &fakeEngine{}
	a, _, _ := newAPI(f, nil, withEngine(engine))
	handler := a.Handler()
	f.Fuzz(func(t *testing.T, body []byte) {
		engine.commands = nil
		r := httptest.NewRequest(http.MethodPost, forkPath, strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		switch {
		case w.Code == http.StatusOK:
			f := engine.commands[0].Fork
			if f == nil || f.From.ChatID != "c1" || (f.From.MessageID == "") == (f.From.ClarificationID == "") || (f.Answer != nil) != (f.From.ClarificationID != "") {
				t.Errorf("%q: %+v", body, f)
			}
		case len(engine.commands) > 0 || !slices.Contains([]int{400, 413, 429}, w.Code):
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}
