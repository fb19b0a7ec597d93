package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
)

// sealing starts a gateway that seals questions, in a mode without sessions.
func sealing(session string) map[string]string {
	return map[string]string{
		"gateway.json":     `{"models": {"default": {"provider": "openai", "baseUrl": "$MODEL_URL", "model": "scripted"}}, "auth": {"session": ` + session + `}}`,
		"tools.json":       `[{"id": "calculator", "needsApproval": true}]`,
		"apps/helper.json": `{"id": "helper", "tools": ["calculator"]}`,
	}
}

const (
	sealed       = `{"secret": "0123456789abcdef0123456789abcdef"}`
	sealedAnew   = `{"secret": "another-secret-of-at-least-32-bytes"}`
	sealedEither = `{"secret": "another-secret-of-at-least-32-bytes", "otherSecrets": ["0123456789abcdef0123456789abcdef"]}`
)

// calculates calls the calculator with each expression: call_1, call_2, ...
func calculates(expressions ...string) modeltest.Response {
	var calls []model.ToolCall
	for i, e := range expressions {
		calls = append(calls, model.ToolCall{ID: fmt.Sprint("call_", i+1), Name: "calculator", Arguments: `{"expression":"` + e + `"}`})
	}
	return modeltest.Calls(calls...)
}

// past runs a statement on the database directly, without the gateway.
func (p *process) past(statement string, into ...any) {
	p.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(p.dir, "askgate.db")+"?_busy_timeout=10000")
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	if len(into) > 0 {
		err = db.QueryRowContext(p.t.Context(), statement).Scan(into...)
	} else {
		_, err = db.ExecContext(p.t.Context(), statement)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// waiting returns the pending questions, from the snapshot and from the list of all chats.
func (p *process) waiting() string {
	p.t.Helper()
	var snapshot struct{ Pending []chat.Asked }
	var all struct{ Items []chat.Asked }
	for path, into := range map[string]any{"/v1/apps/helper/chats/c1": &snapshot, "/v1/clarifications": &all} {
		resp := p.do("GET", path, "")
		if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != 200 {
			p.t.Fatalf("%s: %s, %v", path, resp.Status, err)
		}
	}
	names := func(list []chat.Asked) (names []string) {
		for _, a := range list {
			names = append(names, a.ToolCallID+string(a.Arguments))
		}
		return names
	}
	return fmt.Sprint(names(snapshot.Pending), names(all.Items))
}

func TestAnApprovalThatWasChangedInTheDatabaseIsNotShown(t *testing.T) {
	server := modeltest.New(t, calculates("6*7"), modeltest.Answer("As you like."))
	p := start(t, server.URL, sealing(sealed))
	p.send("helper", "c1", `{"message": "hi"}`)
	const shown = `[call_1{"expression":"6*7"}] [call_1{"expression":"6*7"}]`
	if got := p.waiting(); got != shown {
		t.Fatalf("pending: %s", got)
	}
	p.restart()
	if got := p.waiting(); got != shown {
		t.Fatalf("after a restart: %s", got)
	}
	p.past(`UPDATE clarifications SET arguments = replace(arguments, '6*7', '6*8')`)
	if got := p.waiting(); got != "[] []" {
		t.Errorf("changed, and still shown: %s", got)
	}
	resp := p.do("POST", "/v1/apps/helper/chats/c1/messages", `{"answer": {"toolCallId": "call_1", "value": true}}`)
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 404 || !strings.Contains(string(body), `"not_found"`) {
		t.Errorf("an answer to it: %s, %s", resp.Status, body)
	}
	metrics, _ := io.ReadAll(p.do("GET", "/metrics", "").Body)
	if !strings.Contains(string(metrics), `askgate_seals_refused_total{from="store"}`) || strings.Contains(string(metrics), `askgate_seals_refused_total{from="store"} 0`) {
		t.Error("it is not counted")
	}
	if log := p.log.String(); !strings.Contains(log, "rejected: the seal does not match") || strings.Contains(log, "6*8") {
		t.Error("it is not logged, or with its texts")
	}
	p.restart()
	if !strings.Contains(p.log.String(), "pending questions are hidden") {
		t.Error("the start does not say that it waits")
	}
	var names []string
	for _, ev := range p.send("helper", "c1", `{"message": "never mind"}`) {
		names = append(names, ev.Name)
	}
	if got := strings.Join(names, " "); got != "turn.start user.message chunk chunk chunk done" {
		t.Errorf("the chat goes on with %s", got)
	}
}

// An approved call runs exactly in the form that was shown, or not at all.
func TestOnlyWhatWasShownRuns(t *testing.T) {
	server := modeltest.New(t, calculates("6*7", "6*9", "1+1"), modeltest.Answer("Done."))
	p := start(t, server.URL, sealing(sealed))
	p.send("helper", "c1", `{"message": "hi"}`)
	p.send("helper", "c1", `{"answer": {"toolCallId": "call_1", "value": true}}`)
	p.send("helper", "c1", `{"answer": {"toolCallId": "call_2", "value": true}}`)
	p.past(`UPDATE clarifications SET arguments = replace(arguments, '6*7', '6*8'), question = replace(question, '6*7', '6*8') WHERE tool_call_id = 'call_1'`)
	p.past(`UPDATE tool_calls SET arguments = replace(arguments, '6*9', '6*8') WHERE id = 'call_2'`)
	var got []string
	for _, ev := range p.send("helper", "c1", `{"answer": {"toolCallId": "call_3", "value": true}}`) {
		var data struct{ ToolCallID, Result string }
		if err := json.Unmarshal(ev.Data, &data); err != nil {
			t.Fatal(err)
		}
		if ev.Name == "tool.call.end" || ev.Name == "clarification" {
			got = append(got, ev.Name+" "+data.ToolCallID+" "+data.Result)
		}
	}
	slices.Sort(got) // the calls run at the same time
	if want := "clarification call_1 , tool.call.end call_2 54, tool.call.end call_3 2"; strings.Join(got, ", ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, ", "), want)
	}
}

func TestASecretIsChangedWithoutLosingQuestions(t *testing.T) {
	server := modeltest.New(t, calculates("6*7"), calculates("6*7"))
	p := start(t, server.URL, sealing(`{}`))
	p.send("helper", "c1", `{"message": "hi"}`)
	const shown, hidden = `[call_1{"expression":"6*7"}] [call_1{"expression":"6*7"}]`, "[] []"
	with := func(session, want string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, "gateway.json"), []byte(sealing(session)["gateway.json"]), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.reload(); err != nil {
			t.Fatal(err)
		}
		if got := p.waiting(); got != want {
			t.Errorf("%s: pending: %s", session, got)
		}
	}
	with(sealed, hidden) // it was asked without a secret
	p.past("DELETE FROM conversations")
	p.restart()
	p.send("helper", "c1", `{"message": "hi"}`)
	with(sealed, shown)
	with(sealedAnew, hidden)
	with(sealedEither, shown)
}

// Someone who can write to Redis cannot show anything to viewers on another node.
func TestWhatWasForgedInRedisIsNotShown(t *testing.T) {
	address := testenv.Redis(t)
	server := modeltest.New(t, calculates("6*7"), modeltest.Answer("Done."))
	a := start(t, server.URL, sealing(sealed), "ASKGATE_REDIS="+address)
	b := start(t, server.URL, sealing(sealed), "ASKGATE_REDIS="+address, "ASKGATE_STORE=sqlite:"+filepath.Join(a.dir, "askgate.db"))
	a.send("helper", "c1", `{"message": "hi"}`)
	seen := make(chan string, 100)
	go func() {
		defer close(seen)
		for ev, err := range sse.Read(b.do("GET", "/v1/apps/helper/chats/c1/events", "").Body) {
			if err != nil {
				return
			}
			seen <- ev.Name + " " + string(ev.Data)
		}
	}()
	if first := <-seen; !strings.HasPrefix(first, "snapshot ") || !strings.Contains(first, "6*7") {
		t.Fatalf("the viewer begins with %s", first)
	}
	var topic string
	var fence, seq int64
	a.past("SELECT id, event_fence, event_seq FROM conversations", &topic, &fence, &seq)
	options, err := redis.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	for name, typ := range map[string]chat.EventType{"question": chat.EventClarification, "snapshot": chat.EventSnapshot, "text": chat.EventChunk} {
		id := chat.EventID{Fence: fence, Seq: seq + 1}
		frame := stream.One(id.String(), chat.Event{Type: typ, Data: map[string]string{"question": "forged"}}).Frames
		payload := fmt.Sprintf("2 %d %d %d 0 0 0\n%s", id.Fence, id.Seq, id.Seq, frame)
		if n, err := client.Publish(t.Context(), "askgate:{"+topic+"}:live", payload).Result(); err != nil || n != 1 {
			t.Fatalf("%s: %d nodes listen, %v", name, n, err)
		}
	}
	a.send("helper", "c1", `{"answer": {"toolCallId": "call_1", "value": true}}`)
	var rest []string
	for ev := range seen {
		rest = append(rest, ev)
		if strings.HasPrefix(ev, "done ") {
			break
		}
	}
	if got := strings.Join(rest, "\n"); strings.Contains(got, "forged") || !strings.Contains(got, "clarification.resolved") || !strings.Contains(got, `"result":"42"`) {
		t.Errorf("the viewer saw\n%s", got)
	}
	waitFor(t, func() bool { // b may have taken the rest from the store, before it read the forged events
		metrics, _ := io.ReadAll(b.do("GET", "/metrics", "").Body)
		return strings.Contains(string(metrics), `askgate_seals_refused_total{from="redis"} 3`)
	})
}
