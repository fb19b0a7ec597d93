package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// got is a complete response, or a refusal.
type got struct {
	Status int    `json:"-"`
	ChatID string `json:"-"`
	Retry  string `json:"-"` // X-Should-Retry
	ID     string
	State  string `json:"status"`
	Output []struct {
		Type, ID, Name, Arguments string
		CallID                    string `json:"call_id"`
		Content                   []struct{ Text string }
	}
	Conversation struct{ ID string }
	Error        *struct{ Message, Code, Param, Type string }
}

func (g *got) text() (all string) {
	for _, o := range g.Output {
		for _, c := range o.Content {
			all += c.Text
		}
	}
	return all
}

type object = map[string]any

// respond sends a request for a complete response.
func respond(t *testing.T, g *fronttest.Gateway, body object, headers ...string) *got {
	t.Helper()
	if body["model"] == nil {
		body["model"] = fronttest.App
	}
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return send(t, g, data, headers...)
}

func send(t *testing.T, g *fronttest.Gateway, data []byte, headers ...string) *got {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.URL+"/v1/responses", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	r := &got{Status: resp.StatusCode, ChatID: resp.Header.Get("X-Chat-Id"), Retry: resp.Header.Get("X-Should-Retry")}
	if err := json.Unmarshal(out, r); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return r
}

func user2(text string) object { return object{"role": "user", "content": text} }
func said2(text string) object {
	return object{"type": "message", "role": "assistant", "content": []object{{"type": "output_text", "text": text}}}
}

var askUser = []object{{"type": "function", "name": "ask_user"}}

func answer(call, output string) []object {
	return []object{{"type": "function_call_output", "call_id": call, "output": output}}
}

func (g *got) wants(t *testing.T, status int, code, word string) {
	t.Helper()
	if g.Status != status || g.Error == nil || g.Error.Code != code || !strings.Contains(g.Error.Message+" "+g.Error.Param, word) {
		t.Errorf("want a refusal with %d %s that has %q: %+v %+v", status, code, word, g, g.Error)
	}
}

func (g *got) says(t *testing.T, words ...string) {
	t.Helper()
	for _, w := range words {
		if g.Status != http.StatusOK || !strings.Contains(g.text(), w) {
			t.Errorf("want %q: %+v %+v", w, g, g.Error)
		}
	}
}

// A client without functions is asked in words, part by part, and answers in words.
func TestResponsesAskInWords(t *testing.T) {
	g := fronttest.Start(t, nil)
	r := respond(t, g, object{"input": "ask"})
	r.says(t, "One moment. ", "Which city?", "1. Berlin, Germany", "2. Paris, France")
	r = respond(t, g, object{"input": "2", "previous_response_id": r.ID})
	r.says(t, "par")

	r = respond(t, g, object{"input": "form", "previous_response_id": r.ID})
	r.says(t, "Your name?")
	if strings.Contains(r.text(), "age") {
		t.Errorf("all parts of a form come at once: %s", r.text())
	}
	before := g.Requests()
	r = respond(t, g, object{"input": "Ada", "previous_response_id": r.ID})
	r.says(t, "Your age?")
	if g.Requests() != before {
		t.Error("the next part of a form costs a request")
	}
	respond(t, g, object{"input": "36", "previous_response_id": r.ID}).says(t, "Ada", "36")

	r = respond(t, g, object{"input": "approve", "conversation": "mine"})
	r.says(t, `"timezone": "UTC"`)
	respond(t, g, object{"input": "no", "previous_response_id": r.ID}).says(t, "So it is")
}

// A typed text does not answer a question that the previous response did not show: after an older
// response, it begins a fork there.
func TestAWordIsForTheQuestionThatWasSeen(t *testing.T) {
	g := fronttest.Start(t, nil)
	r := respond(t, g, object{"input": "ask"})
	if other := respond(t, g, object{"input": "Rome", "conversation": r.ChatID}); other.Status != http.StatusOK {
		t.Fatalf("%+v", other.Error)
	}
	asked := respond(t, g, object{"input": "approve", "conversation": r.ChatID})
	late := respond(t, g, object{"input": "yes", "previous_response_id": r.ID})
	late.says(t, "yes")
	if s := g.Snapshot(fronttest.App, r.ChatID); s["status"] != "awaiting_input" || late.ChatID == r.ChatID {
		t.Errorf("a yes to another question allows a call: the chat is %v", s["status"])
	}
	if done := respond(t, g, object{"input": "yes", "previous_response_id": asked.ID}); len(done.Output) == 0 || done.Output[0].Type != "mcp_call" {
		t.Errorf("a yes to the question that was shown: %+v", done)
	}
}

// "store": false keeps nothing after the turn is over, and everything that the turn needs until
// then.
func TestResponsesThatAreNotStored(t *testing.T) {
	g := fronttest.Start(t, nil)
	gone := func(chat string) {
		t.Helper()
		resp, err := http.Get(g.URL + "/v1/apps/work/chats/" + chat)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("chat %s is still there", chat)
		}
	}
	r := respond(t, g, object{"input": "plain", "store": false})
	r.says(t, "Good morning")
	gone(r.ChatID)
	respond(t, g, object{"input": "plain", "previous_response_id": r.ID}).wants(t, 404, "not_found", "previous_response_id")

	r = respond(t, g, object{"input": "ask", "store": false, "tools": askUser})
	g.Crash()
	if s := g.Snapshot(fronttest.App, r.ChatID); s["status"] != "awaiting_input" {
		t.Errorf("while the question waits the chat is %v", s["status"])
	}
	respond(t, g, object{"input": answer(r.Output[1].CallID, "par")}).says(t, "par")
	gone(r.ChatID)

	respond(t, g, object{"input": "fail", "store": false}).wants(t, 502, "model_error", "")
	codex := []string{"Originator", "codex_cli_rs", "Session-Id", "0199-session"}
	r = respond(t, g, object{"input": "plain", "store": false}, codex...)
	if r.says(t, "Good morning"); r.ChatID != "0199-session" {
		t.Errorf("the session's chat is %s", r.ChatID)
	}
	r = respond(t, g, object{"input": []object{user2("plain"), said2("Good morning, dear."), user2("tool")}, "store": false}, codex...)
	if n := len(g.Snapshot(fronttest.App, "0199-session")["messages"].([]any)); n != 5 || r.ChatID != "0199-session" {
		t.Errorf("the session has %d messages, and %s", n, r.ChatID)
	}
	list, err := http.Get(g.URL + "/v1/apps/work/chats")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Body.Close()
	if out, _ := io.ReadAll(list.Body); strings.Contains(string(out), "0199-session") {
		t.Errorf("it is listed: %s", out)
	}

	kept := respond(t, g, object{"input": "plain", "conversation": "kept"})
	respond(t, g, object{"input": "plain", "store": false, "previous_response_id": kept.ID}).wants(t, 400, "invalid_request", "stored")
}

// Several calls are answered in one request; old ones in it are ignored.
func TestAnswersInOneRequest(t *testing.T) {
	g := fronttest.Start(t, nil)
	r := respond(t, g, object{"input": "ask", "tools": askUser})
	call := r.Output[1].CallID
	input := append(answer("call_of_old", "x"), answer(call, `{"answers":{"city":"ber"}}`)...)
	respond(t, g, object{"input": input, "previous_response_id": r.ID}).says(t, "ber")
	respond(t, g, object{"input": input, "previous_response_id": r.ID}).wants(t, 409, "already_answered", "")

	// An agent that called many tools sends all their results each time.
	long := respond(t, g, object{"input": "ask", "tools": askUser})
	input = nil
	for range 200 {
		input = append(input, answer("call_of_old", "x")...)
	}
	respond(t, g, object{"input": append(input, answer(long.Output[1].CallID, "par")...)}).says(t, "par")

	respond(t, g, object{"input": "ask", "conversation": "c", "tools": askUser})
	respond(t, g, object{"input": answer("call_1", "par"), "conversation": "c"}).wants(t, 404, "not_found", "") // the model's own id
	respond(t, g, object{"input": answer("call_1", "par")}).wants(t, 404, "not_found", "")

	r = respond(t, g, object{"input": "ask", "tools": askUser})
	added := append(answer(r.Output[1].CallID, "par"), object{"role": "user", "content": "only in spring"})
	respond(t, g, object{"input": added}).says(t, "par", "only in spring")
}

// The same message after the same response is the same run, as when its connection was lost. So is
// one with the same key, even if it began a chat.
func TestAResponseThatIsAskedForAgain(t *testing.T) {
	g := fronttest.Start(t, nil)
	first := respond(t, g, object{"input": "plain"}, "Idempotency-Key", "k")
	again := respond(t, g, object{"input": "plain"}, "Idempotency-Key", "k")
	if again.ID != first.ID || again.text() != first.text() {
		t.Errorf("with a key %s became %+v", first.ID, again)
	}
	next := respond(t, g, object{"input": "tool", "previous_response_id": first.ID})
	n := g.Requests()
	if again = respond(t, g, object{"input": "tool", "previous_response_id": first.ID}, "X-Stainless-Retry-Count", "1"); again.ID != next.ID || g.Requests() != n {
		t.Errorf("after the same response %s became %+v %+v", next.ID, again, again.Error)
	}
	if other := respond(t, g, object{"input": "tool", "previous_response_id": next.ID}); other.ID == next.ID || g.Requests() != n+2 {
		t.Errorf("the same message later: %+v", other)
	}
	if other := respond(t, g, object{"input": "tool", "previous_response_id": first.ID}); other.ChatID == first.ChatID || g.Requests() != n+4 {
		t.Errorf("repeated after an older response: %+v", other)
	}
	failed := respond(t, g, object{"input": "fail", "previous_response_id": next.ID})
	if failed.Status != http.StatusBadGateway || failed.Retry != "false" {
		t.Errorf("a failure is %+v", failed)
	}
	n = g.Requests()
	respond(t, g, object{"input": "fail", "previous_response_id": next.ID})
	if g.Requests() == n {
		t.Error("a failed request is not retried")
	}
}

// Requests that cannot be read, or whose references are unknown, are refused with a sentence, and
// cost nothing.
func TestBadRequestsForResponses(t *testing.T) {
	g := fronttest.Start(t, nil)
	mine := respond(t, g, object{"input": "plain", "conversation": "mine"})
	before := g.Requests()
	for _, test := range []struct {
		body   object
		status int
		code   string
		word   string
	}{
		{object{"model": "none", "input": "hi"}, 404, "model_not_found", "model"},
		{object{"model": 5, "input": "hi"}, 400, "invalid_request", "model"},
		{object{}, 400, "invalid_request", "input"},
		{object{"input": []object{}}, 400, "invalid_request", "input"},
		{object{"input": "  "}, 400, "invalid_request", "empty"},
		{object{"input": "hi", "conversation": strings.Repeat("x", 201)}, 400, "invalid_request", "200"},
		{object{"input": "hi", "conversation": "other", "previous_response_id": mine.ID}, 400, "invalid_request", "previous_response_id"},
		{object{"input": "hi", "previous_response_id": "resp_none_1"}, 404, "not_found", "previous_response_id"},
		{object{"input": "hi", "previous_response_id": "x"}, 404, "not_found", "previous_response_id"},
		{object{"input": answer("clr_none", "x")}, 404, "not_found", ""},
		{object{"input": answer("clr_none", "x"), "conversation": "mine"}, 404, "not_found", ""},
		{object{"input": []object{{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}}}, 400, "invalid_request", "new"},
	} {
		respond(t, g, test.body).wants(t, test.status, test.code, test.word)
	}
	respond(t, g, object{"input": "hi"}, "Idempotency-Key", strings.Repeat("x", 201)).wants(t, 400, "invalid_request", "Idempotency-Key")
	long := strings.Repeat("x", 201)
	for param, r := range map[string]*got{
		"X-Chat-Id":    respond(t, g, object{"input": "hi"}, "X-Chat-Id", long),
		"conversation": respond(t, g, object{"input": "hi", "conversation": long}),
		"input":        respond(t, g, object{"input": " "}),
	} {
		if r.wants(t, 400, "invalid_request", ""); r.Error != nil && r.Error.Param != param {
			t.Errorf("the refusal names %q, not %s", r.Error.Param, param)
		}
	}
	respond(t, g, object{"input": "hi", "conversation": "a"}, "X-Chat-Id", "b").wants(t, 400, "invalid_request", "conversation")
	send(t, g, []byte(`{"model":`)).wants(t, 400, "invalid_request", "JSON")
	send(t, g, []byte(`{"model":"work","input":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+`}`)).wants(t, 400, "invalid_request", "deep")
	send(t, g, []byte(`{"model":"work","input":"`+strings.Repeat("x", 1<<20)+`"}`)).wants(t, 413, "too_large", "")
	if n := g.Requests() - before; n > 0 {
		t.Errorf("refusals cost %d requests", n)
	}
}

// A thousand old items of 1 MiB in total are ignored.
func TestALongInput(t *testing.T) {
	g := fronttest.Start(t, nil)
	var items []object
	for i := range 999 {
		role := []string{"user", "assistant", "developer"}[i%3]
		items = append(items, object{"role": role, "content": fmt.Sprint(i, strings.Repeat("x", 900))})
	}
	items = append(items, object{"role": "user", "content": "plain"})
	r := respond(t, g, object{"input": items})
	r.says(t, "Good morning")
	if n := len(g.Snapshot(fronttest.App, r.ChatID)["messages"].([]any)); n != 2 {
		t.Errorf("the chat has %d messages", n)
	}
}
