package api_test

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/turn"
)

// persuaded is a model that goes on only after the answer "es": after any other, it waits until the
// turn is stopped.
type persuaded struct {
	model.Model
	waits chan struct{}
}

func (w persuaded) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	if last := req.Messages[len(req.Messages)-1]; last.Role != model.RoleTool || strings.Contains(last.Content, "(es)") {
		return w.Model.Stream(ctx, req)
	}
	return func(yield func(model.Delta, error) bool) {
		w.waits <- struct{}{}
		<-ctx.Done()
		yield(model.Delta{}, ctx.Err())
	}
}

func TestAForkMayStopTheTurnThatRuns(t *testing.T) {
	m := persuaded{waits: make(chan struct{})}
	s, c := realServer(t, nil, func(o *turn.Options) {
		setup := o.Setup()
		m.Model = setup.Models["default"]
		setup.Models["default"] = m
	}), loadSchemas(t)
	id := find(t, s.run(c, "c1", `{"message":"select"}`), "clarification")["clarificationId"].(string)
	answered := make(chan reply)
	go func() { answered <- s.post("c1", `{"answer":{"value":"fr"}}`) }()
	<-m.waits

	point := `"clarificationId": "` + id + `", "newChatId": "c2", "idempotencyKey": "key"`
	s.call("POST", forkPath, `{`+point+`, "answer": {"value": "es"}}`).wantProblem(t, 409, "turn_in_progress")
	s.call("POST", forkPath, `{`+point+`, "answer": {"value": "xx"}, "stop": true}`).wantProblem(t, 422, "invalid_answer")
	s.call("POST", forkPath, `{`+point+`, "answer": {"value": "es"}, "stop": "yes"}`).wantProblem(t, 400, "invalid_request")
	if now := s.call("GET", "/v1/apps/plain/chats/c1", ""); !strings.Contains(string(now.body), `"status":"running"`) {
		t.Fatalf("a refused fork stopped the turn: %s", now.body)
	}

	r := s.call("POST", forkPath, `{`+point+`, "answer": {"value": "es"}, "stop": true}`)
	if r.StatusCode != http.StatusOK || !strings.Contains(string(r.body), "Spanish (es)") {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	if old := <-answered; !strings.Contains(string(old.body), `"finishReason":"cancelled"`) {
		t.Errorf("the turn of the first answer was not stopped: %s", old.body)
	}
	again := s.call("POST", forkPath, `{`+point+`, "answer": {"value": "es"}, "stop": true}`)
	if string(again.body) != string(r.body) {
		t.Errorf("the same request again:\n%s\nbefore:\n%s", again.body, r.body)
	}
	old := s.call("GET", "/v1/apps/plain/chats/c1", "")
	c.check("Snapshot", old.body)
	if !strings.Contains(string(old.body), `"answer":{"value":"fr"}`) || strings.Contains(string(old.body), `"answer":{"value":"es"}`) {
		t.Errorf("the old chat: %s", old.body)
	}
}
