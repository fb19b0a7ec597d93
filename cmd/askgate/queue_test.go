package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/sse"
)

// A message that arrives while a turn runs is stored, shown as
// waiting, and gets its own stream.
func TestMessageWaitsForTheTurn(t *testing.T) {
	asked, proceed := make(chan struct{}), make(chan struct{})
	model := modeltest.NewFunc(t, func(n int, r modeltest.Request) modeltest.Response {
		if n == 0 {
			close(asked)
			<-proceed
			return modeltest.Answer("first")
		}
		return modeltest.Answer("second")
	})
	p := start(t, model.URL, map[string]string{
		"apps/patient.json": `{"id": "patient", "clarifications": {"onMessageWhileRunning": "queue"}}`,
	})
	first := p.do("POST", "/v1/apps/patient/chats/c1/messages", `{"message":"one"}`) // its head comes before the model's answer
	defer first.Body.Close()
	<-asked
	second := p.do("POST", "/v1/apps/patient/chats/c1/messages", `{"message":"two"}`)
	if second.StatusCode != 200 || !strings.HasPrefix(second.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("status %d, %s", second.StatusCode, second.Header.Get("Content-Type"))
	}
	var snapshot struct {
		Status string
		Queued []struct{ ID, Content string }
	}
	if err := json.NewDecoder(p.do("GET", "/v1/apps/patient/chats/c1", "").Body).Decode(&snapshot); err != nil {
		t.Fatal(err)
	}
	if snapshot.Status != "running" || len(snapshot.Queued) != 1 || snapshot.Queued[0].Content != "two" {
		t.Errorf("%+v", snapshot)
	}
	close(proceed)
	var names []string
	for ev, err := range sse.Read(second.Body) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, ev.Name)
		if ev.Name == "user.message" && !strings.Contains(string(ev.Data), snapshot.Queued[0].ID) {
			t.Errorf("the message that waited was %s: %s", snapshot.Queued[0].ID, ev.Data)
		}
	}
	if got := strings.Join(names, " "); got != "turn.start user.message chunk done" {
		t.Errorf("the second message's stream: %s", got)
	}
}
