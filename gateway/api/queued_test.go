package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// waiting is what a snapshot says about messages that wait.
func (s *server) waiting(chatPath string, headers ...string) (ids, texts []string) {
	s.t.Helper()
	var of struct {
		Queued []struct{ ID, Content string }
	}
	if err := json.Unmarshal(s.call("GET", chatPath, "", headers...).body, &of); err != nil {
		s.t.Fatal(err)
	}
	for _, q := range of.Queued {
		ids, texts = append(ids, q.ID), append(texts, q.Content)
	}
	return ids, texts
}

func TestAMessageThatWaitsOverHTTP(t *testing.T) {
	s, c := realServer(t, withKeys, nil), loadSchemas(t)
	alice, other := []string{"Authorization", "Bearer ag_alice"}, []string{"Authorization", "Bearer ag_ops"}
	const path = "/v1/apps/plain/chats/c1"
	s.run(c, "c1", `{"message":"text"}`, alice...)
	next := s.inbox(c, alice...)
	s.wantEvent(next, "snapshot", `"pending":[{`)
	for _, text := range []string{"second", "third", "fourth"} {
		res := s.open(http.MethodPost, path+"/messages", `{"message": "`+text+`", "queue": true, "idempotencyKey": "`+text+`"}`, alice...)
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.StatusCode)
		}
		_ = res.Body.Close() // it still waits
		s.wantEvent(next, "chat.queue", `{"app":"plain","chatId":"c1"}`)
	}
	ids, texts := s.waiting(path, alice...)
	if strings.Join(texts, " ") != "second third fourth" {
		t.Fatal(texts)
	}
	s.call("DELETE", path+"/queued/"+ids[0], "", other...).wantProblem(t, 404, "not_found")
	s.call("POST", path+"/queued/"+ids[0]+"/send", `{}`, other...).wantProblem(t, 404, "not_found")
	if r := s.call("DELETE", path+"/queued/"+ids[0], "", alice...); r.StatusCode != http.StatusNoContent || len(r.body) > 0 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	s.wantEvent(next, "chat.queue", "c1")
	s.call("DELETE", path+"/queued/"+ids[0], "", alice...).wantProblem(t, 404, "not_found")
	s.post("c1", `{"message": "second", "queue": true, "idempotencyKey": "second"}`, alice...).wantProblem(t, 409, "taken_back")

	for _, body := range []string{`{"message": "x"}`, `[]`, `{"lastEventId": 1}`, `{"lastEventId"`} {
		s.call("POST", path+"/queued/"+ids[2]+"/send", body, alice...).wantProblem(t, 400, "invalid_request")
	}
	if r := s.call("POST", path+"/queued/"+ids[2]+"/send", "", alice...); r.StatusCode != http.StatusNoContent {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	s.wantEvent(next, "clarification.resolved", `"outcome":"superseded"`)
	s.call("POST", path+"/queued/"+ids[2]+"/send", `{}`, alice...).wantProblem(t, 409, "already_begun")
	s.call("DELETE", path+"/queued/"+ids[2], "", alice...).wantProblem(t, 409, "already_begun")
}

func TestOnlyAMessageAsksToBeQueued(t *testing.T) {
	var engine fakeEngine
	s := newServer(t, nil, withEngine(&engine))
	for _, body := range []string{
		`{"answer": {"value": "x"}, "queue": true}`, `{"answers": [{"toolCallId": "c", "value": "x"}], "queue": true}`, `{"message": "x", "queue": "true"}`, `{"message": "x", "queue": null}`,
	} {
		s.post("c1", body).wantProblem(t, 400, "invalid_request")
	}
	s.post("c1", `{"message": "x"}`)
	s.post("c1", `{"message": "x", "queue": false}`)
	s.post("c1", `{"message": "x", "queue": true}`)
	sent := engine.commands
	if sent[0].Queue || sent[1].Queue || !sent[2].Queue || sent[0].Hash != sent[1].Hash || sent[0].Hash == sent[2].Hash {
		t.Errorf("%+v", sent)
	}
}
