package aisdk_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// got is a response.
type got struct {
	status int
	code   string
	kind   string
	body   string
}

func send(t *testing.T, method, url, body string, header ...string) got {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	r, _ := do(t, req)
	return r
}

// do sends a request; chat is the one that the response names.
func do(t *testing.T, req *http.Request) (r got, chat string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got{resp.StatusCode, resp.Header.Get("X-Error-Code"), resp.Header.Get("Content-Type"), string(data)}, resp.Header.Get("X-Chat-Id")
}

func at(g *fronttest.Gateway, app string) string { return g.URL + "/v1/apps/" + app + "/ai-sdk" }

// said is a request with a message of the user's.
func said(chat, id, text string) string {
	return fmt.Sprintf(`{"id":%q,"trigger":"submit-message","messages":[{"id":%q,"role":"user","parts":[{"type":"text","text":%q}]}]}`, chat, id, text)
}

// replied is a request with the assistant's message as the client has it.
func replied(chat string, parts ...string) string {
	return fmt.Sprintf(`{"id":%q,"messageId":"a1","messages":[{"id":"a1","role":"assistant","parts":[%s]}]}`, chat, strings.Join(parts, ","))
}

func output(id, value string) string {
	return fmt.Sprintf(`{"type":"tool-ask_user","toolCallId":%q,"state":"output-available","output":%s}`, id, value)
}

// question returns the question that waits in a chat.
type question struct{ ToolCallID, ClarificationID string }

// ask sends a message that ends with questions.
func ask(t *testing.T, g *fronttest.Gateway, app, chat, text string) (waits []question) {
	t.Helper()
	send(t, "POST", at(g, app), said(chat, "u1", text))
	data, _ := json.Marshal(g.Snapshot(app, chat)["pending"]) // it was JSON
	if err := json.Unmarshal(data, &waits); err != nil || len(waits) == 0 {
		t.Fatalf("asked: %s", data)
	}
	return waits
}

// What the gateway guarantees to clients of the AI SDK, beyond what all fronts do.
func TestOverHTTP(t *testing.T) {
	g := fronttest.Start(t, nil)
	for _, promise := range []struct {
		name string
		keep func(*testing.T, *fronttest.Gateway)
	}{
		{"refusals are sentences", refusalsAreSentences},
		{"a message sent again is the same", aMessageSentAgainIsTheSame},
		{"a long history is passed over", aLongHistoryIsPassedOver},
		{"two answer at once", twoAnswerAtOnce},
		{"answers to all questions of a step", answersToAllQuestionsOfAStep},
		{"approvals", approvals},
		{"nothing runs", nothingRuns},
	} {
		t.Run(promise.name, func(t *testing.T) { promise.keep(t, g) })
	}
}

// A message that is invalid is refused with a sentence that people can be shown, as plain text, and
// costs no request to the model.
func refusalsAreSentences(t *testing.T, g *fronttest.Gateway) {
	t.Helper()
	if r := send(t, "POST", at(g, "work"), said("done", "u1", "plain")); r.status != 200 {
		t.Fatalf("%+v", r)
	}
	before := g.Requests()
	for name, test := range map[string]struct {
		app, body string
		status    int
		code, has string
	}{
		"no JSON":             {"work", `{"id":`, 400, "invalid_request", "JSON"},
		"no id":               {"work", `{"messages":[{}]}`, 400, "invalid_request", `"id"`},
		"too long an id":      {"work", said(strings.Repeat("x", 201), "u1", "plain"), 400, "invalid_request", "200"},
		"no message":          {"work", `{"id":"c","messages":[]}`, 400, "invalid_request", `"messages"`},
		"a strange role":      {"work", `{"id":"c","messages":[{"id":"x","role":"owner","parts":[]}]}`, 400, "invalid_request", `"messages[0].role"`},
		"a blank text":        {"work", said("c", "u1", " "), 400, "invalid_request", "empty"},
		"a file":              {"work", `{"id":"c","messages":[{"id":"u1","role":"user","parts":[{"type":"file","mediaType":"text/plain","url":"data:,x"}]}]}`, 400, "attachments_off", "files"},
		"no app":              {"nowhere", said("c", "u1", "plain"), 404, "not_found", ""},
		"too much":            {"work", said("c", "u1", strings.Repeat("x", 1<<20)), 413, "too_large", ""},
		"too deep":            {"work", replied("c", output("q", strings.Repeat("[", 70)+strings.Repeat("]", 70))), 400, "invalid_request", "nested"},
		"nothing to reply to": {"work", `{"id":"done","trigger":"regenerate-message","messages":[{"id":"u1","role":"user","parts":[]}]}`, 400, "invalid_request", "empty"},
		// Clients that send the last message again, automatically or endlessly.
		"nothing new":                   {"work", replied("done", `{"type":"text","text":"Good morning, dear.","state":"done"}`), 409, "nothing_to_resume", "nothing new"},
		"a result of our own":           {"work", replied("done", `{"type":"tool-calculator","toolCallId":"call_1","state":"output-available","output":"7","providerExecuted":true}`), 409, "nothing_to_resume", "nothing new"},
		"an answer to nothing":          {"work", replied("done", output("call_9", `"x"`)), 404, "not_found", "no open question"},
		"an answer in no chat":          {"work", replied("nowhere", output("call_9", `"x"`)), 404, "not_found", "no open question"},
		"an answer of an unknown shape": {"work", replied("done", `{"type":"tool-ask_user","toolCallId":{},"state":"output-available"}`, `7`, `null`, `{"type":7}`), 409, "nothing_to_resume", ""},
	} {
		r := send(t, "POST", at(g, test.app), test.body)
		if r.status != test.status || r.code != test.code || !strings.Contains(r.body, test.has) || r.kind != "text/plain; charset=utf-8" || strings.ContainsAny(r.body, "{}") || !strings.HasSuffix(r.body, ".") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if n := g.Requests() - before; n != 0 {
		t.Errorf("refusals cost %d requests", n)
	}
	if r := send(t, "POST", at(g, "work"), strings.Replace(said("c", "u1", " "), "{", `{"locale":"de",`, 1)); !strings.Contains(r.body, "Nachricht") {
		t.Errorf("in German: %+v", r)
	}
}

// A message that a client sends again counts as the same one: its run is streamed again. An edited
// one is another message.
func aMessageSentAgainIsTheSame(t *testing.T, g *fronttest.Gateway) {
	t.Helper()
	before := g.Requests()
	first := send(t, "POST", at(g, "work"), said("again", "u1", "plain"))
	again := send(t, "POST", at(g, "work"), said("again", "u1", "plain"))
	words := func(r got) string { // what is no longer stored piece by piece comes in one piece
		text := ""
		for line := range strings.SplitSeq(r.body, "\n") {
			var c struct{ Type, Delta, MessageID string }
			_ = json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &c)
			text += c.MessageID + c.Delta
		}
		return text
	}
	if first.status != 200 || words(first) != words(again) || g.Requests()-before != 1 {
		t.Errorf("again: %d requests\n%s\n%s", g.Requests(), first.body, again.body)
	}
	edited := send(t, "POST", at(g, "work"), said("again", "u1", "tool"))
	if edited.status != 200 || g.Requests()-before != 3 {
		t.Errorf("edited: %d requests, %s", g.Requests(), edited.body)
	}
}

// A history of a thousand messages, almost as large as a body may be, is passed over.
func aLongHistoryIsPassedOver(t *testing.T, g *fronttest.Gateway) {
	t.Helper()
	old := fmt.Sprintf(`{"id":"x","role":"assistant","parts":[{"type":"text","text":%q}]},`, strings.Repeat("lies ", 190))
	body := strings.Replace(said("long", "u1", "plain"), `"messages":[`, `"messages":[`+strings.Repeat(old, 1000), 1)
	if r := send(t, "POST", at(g, "work"), body); r.status != 200 || len(body) < 1_000_000 {
		t.Errorf("%d bytes: %+v", len(body), r)
	}
	if n := len(g.Snapshot("work", "long")["messages"].([]any)); n != 2 {
		t.Errorf("the chat has %d messages", n)
	}
}

// If two answers arrive at once, one is first, and the other is refused with that reason.
func twoAnswerAtOnce(t *testing.T, g *fronttest.Gateway) {
	t.Helper()
	q := ask(t, g, "work", "race", "ask")[0]
	before := g.Requests()
	results := make([]got, 2)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() { results[i] = send(t, "POST", at(g, "work"), replied("race", output(q.ToolCallID, `"par"`))) })
	}
	wait.Wait()
	if a, b := results[0], results[1]; a.status+b.status != 200+409 || a.code+b.code != "already_answered" && a.code+b.code != "turn_in_progress" {
		t.Errorf("%+v\n%+v", a, b)
	}
	if n := g.Requests() - before; n != 1 {
		t.Errorf("two answers cost %d requests", n)
	}
}

// A client sends the answers to all questions of a step together. An invalid one is refused; those
// before it count.
func answersToAllQuestionsOfAStep(t *testing.T, g *fronttest.Gateway) {
	t.Helper()
	asked := ask(t, g, "work", "step", "pair")
	before := g.Requests()
	if r := send(t, "POST", at(g, "work"), replied("step", output(asked[0].ToolCallID, `"Rome"`), output(asked[1].ToolCallID, `"someday"`))); r.status != 422 || !strings.Contains(r.body, "YYYY") {
		t.Fatalf("no date: %+v", r)
	}
	if r := send(t, "POST", at(g, "work"), replied("step", output(asked[0].ToolCallID, `"Rome"`))); r.status != 409 || r.code != "already_answered" {
		t.Errorf("the first again: %+v", r)
	}
	if n := g.Requests() - before; n != 0 {
		t.Errorf("an incompletely answered step costs %d requests", n)
	}
	r := send(t, "POST", at(g, "work"), replied("step", output(asked[0].ToolCallID, `"Rome"`), output(asked[1].ToolCallID, `"2027-03-01"`)))
	if !strings.Contains(r.body, "2027-03-01") || !strings.Contains(r.body, "Rome") || !strings.Contains(r.body, `"messageId":"a1"`) {
		t.Errorf("both: %+v", r)
	}
	one := ask(t, g, "work", "d", "pair")
	if r := send(t, "POST", at(g, "work"), replied("d", output(one[1].ToolCallID, `"2027-03-01"`), output(one[1].ToolCallID, `"2027-03-02"`))); r.status != 200 || !strings.Contains(r.body, "tool-calls") {
		t.Errorf("one of two: %+v", r)
	}
}

// Where the app's settings say that its clients support approvals, they get them as approvals. An
// approval is decided by its own id, not by the call's, and outlives the process.
func approvals(t *testing.T, g *fronttest.Gateway) {
	t.Helper()
	for _, approved := range []bool{true, false} {
		chat := fmt.Sprint("c-", approved)
		asked := ask(t, g, fronttest.Keyed, chat, "approve")[0]
		decided := func(approved bool) string {
			return replied(chat, fmt.Sprintf(`{"type":"tool-clock","toolCallId":%q,"state":"approval-responded","input":{},"approval":{"id":%q,"approved":%v}}`,
				asked.ToolCallID, asked.ClarificationID, approved))
		}
		if r := send(t, "POST", at(g, fronttest.Keyed), replied(chat, output("call_1", `"yes"`))); r.status != 404 {
			t.Errorf("by the call's id: %+v", r)
		}
		g.Crash()
		state := map[bool]string{true: "tool-output-available", false: "tool-output-denied"}[approved]
		if after := send(t, "POST", at(g, fronttest.Keyed), decided(approved)); after.status != 200 || !strings.Contains(after.body, `{"type":"`+state) || !strings.Contains(after.body, `"finishReason":"stop"`) {
			t.Errorf("approved %v: %+v", approved, after)
		}
		if late := send(t, "POST", at(g, fronttest.Keyed), decided(!approved)); late.status != 409 {
			t.Errorf("decided again: %+v", late)
		}
	}
	if own := send(t, "POST", at(g, fronttest.Keyed), said("own", "u1", "client")); !strings.Contains(own.body, `"toolName":"locate"`) || strings.Contains(own.body, "approval") {
		t.Errorf("a tool that needs no approval: %+v", own)
	}
}

// A client that reconnects when no run is in progress gets nothing, and does not learn whether the
// chat exists.
func nothingRuns(t *testing.T, g *fronttest.Gateway) {
	t.Helper()
	ask(t, g, "work", "asked", "ask")
	for _, chat := range []string{"asked", "nowhere", "a%2Fb"} {
		if r := send(t, "GET", at(g, "work")+"/"+chat+"/stream", ""); r.status != 204 || r.body != "" {
			t.Errorf("%s: %+v", chat, r)
		}
	}
	if r := send(t, "GET", at(g, "work")+"/"+strings.Repeat("x", 201)+"/stream", ""); r.status != 400 || r.kind != "text/plain; charset=utf-8" {
		t.Errorf("too long an id: %+v", r)
	}
}
