package agui_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// agent holds what a client shows: it sends the whole history.
type agent struct {
	t      *testing.T
	g      *fronttest.Gateway
	thread string
	all    []map[string]any
	header []string // of the next request
	chat   string   // X-Chat-Id of the last response
	stream string
	status int
	asked  string // the call that waits
}

func (a *agent) run() {
	a.t.Helper()
	if a.post(); a.status != http.StatusOK {
		a.t.Errorf("%d %s", a.status, a.stream)
	}
}

func (a *agent) post() {
	a.t.Helper()
	messages, err := json.Marshal(a.all)
	if err != nil {
		a.t.Fatal(err)
	}
	body := strings.Replace(input(a.thread, strings.Trim(string(messages), "[]"), ""), `"tools":[]`, `"tools":[{"name":"ask_user","description":"","parameters":{}}]`, 1)
	req, err := http.NewRequestWithContext(a.t.Context(), "POST", a.g.URL+"/v1/apps/"+fronttest.App+"/ag-ui", strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(a.header); i += 2 {
		req.Header.Set(a.header[i], a.header[i+1])
	}
	a.header = nil
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	a.chat, a.stream, a.asked = resp.Header.Get("X-Chat-Id"), string(data), ""
	if a.status = resp.StatusCode; a.status != http.StatusOK {
		return
	}
	for _, e := range events(a.t, a.stream) {
		switch e["type"] {
		case "TEXT_MESSAGE_START":
			a.all = append(a.all, map[string]any{"id": e["messageId"], "role": "assistant", "content": ""})
		case "TEXT_MESSAGE_CONTENT":
			last := a.all[len(a.all)-1]
			last["content"] = last["content"].(string) + e["delta"].(string)
		case "TOOL_CALL_START":
			a.asked = e["toolCallId"].(string)
			call := map[string]any{"id": a.asked, "type": "function", "function": map[string]any{"name": e["toolCallName"], "arguments": "{}"}}
			if last := a.all[len(a.all)-1]; last["id"] != e["parentMessageId"] {
				a.all = append(a.all, map[string]any{"id": e["parentMessageId"], "role": "assistant"})
			}
			a.all[len(a.all)-1]["toolCalls"] = []any{call}
		}
	}
}

// say sends a user's message; if the message is already shown, the history ends with it.
func (a *agent) say(id, text string) {
	a.t.Helper()
	a.show(id, text)
	a.run()
}

// refused is a message that is refused.
func (a *agent) refused(id, text string) {
	a.t.Helper()
	a.show(id, text)
	if a.post(); a.status < 400 {
		a.t.Errorf("taken: %s", a.stream)
	}
}

func (a *agent) show(id, text string) {
	for i := range a.all {
		if a.all[i]["id"] == id {
			a.all = a.all[:i:i]
			break
		}
	}
	a.all = append(a.all, map[string]any{"id": id, "role": "user", "content": text})
}

func (a *agent) answer(text string) {
	a.t.Helper()
	a.all = append(a.all, map[string]any{"id": "t" + a.asked + text, "role": "tool", "toolCallId": a.asked, "content": text})
	a.run()
}

func (a *agent) has(what, chat, want string) {
	a.t.Helper()
	var texts []string
	for _, m := range a.g.Snapshot(fronttest.App, chat)["messages"].([]any) {
		if m := m.(map[string]any); m["role"] == "user" {
			texts = append(texts, m["content"].(string))
		}
	}
	if got := strings.Join(texts, ", "); got != want {
		a.t.Errorf("%s: chat %s has %q, want %q", what, chat, got, want)
	}
}

func (a *agent) costs(what string, requests int, do func()) {
	a.t.Helper()
	before := a.g.Requests()
	if do(); a.g.Requests()-before != requests {
		a.t.Errorf("%s: %d requests to the model, want %d: %s", what, a.g.Requests()-before, requests, a.stream)
	}
}

// A history that ends with an older message of the user's begins a branch there, and what follows
// belongs to that branch.
func TestBranches(t *testing.T) {
	g := fronttest.Start(t, nil)
	t.Run("edits and other replies", func(t *testing.T) {
		a := &agent{t: t, g: g, thread: "branches"}
		a.say("u1", "plain one")
		a.say("u2", "plain two")
		a.say("u3", "plain three")
		whole := a.all
		a.costs("an edit", 1, func() { a.say("u2", "plain other") })
		edited := a.chat
		a.has("the branch", edited, "plain one, plain other")
		a.has("the chat", "branches", "plain one, plain two, plain three")
		a.costs("another reply", 1, func() { a.say("u2", "plain other") })
		again := a.chat
		if edited == "branches" || again == edited {
			t.Errorf("branches %s, %s", edited, again)
		}
		a.costs("what follows", 1, func() { a.say("u4", "plain four") })
		a.has("what follows", again, "plain one, plain other, plain four")
		a.all = whole
		a.costs("the first again", 1, func() { a.say("u5", "plain five") })
		a.has("the first again", "branches", "plain one, plain two, plain three, plain five")
		a.all = nil
		a.costs("without a history", 1, func() { a.say("u6", "plain six") })
		a.has("without a history", "branches", "plain one, plain two, plain three, plain five, plain six")
	})
	t.Run("a repeated request costs nothing", func(t *testing.T) {
		a := &agent{t: t, g: g, thread: "repeats"}
		a.say("u1", "plain")
		a.costs("sent again by a library", 0, func() { a.header = []string{"X-Stainless-Retry-Count", "1"}; a.say("u1", "plain") })
		a.costs("another reply", 1, func() { a.header = []string{"Idempotency-Key", "k"}; a.say("u1", "plain") })
		branch := a.chat
		a.costs("with the same key", 0, func() { a.header = []string{"Idempotency-Key", "k"}; a.say("u1", "plain") })
		if a.chat != branch || branch == "repeats" {
			t.Errorf("in %s, not %s", a.chat, branch)
		}
	})
	t.Run("answers", func(t *testing.T) {
		a := &agent{t: t, g: g, thread: "asking"}
		a.say("u1", "ask")
		first, call := a.all, a.asked
		a.say("u1", "ask")
		branch, second, other := a.chat, a.all, a.asked
		a.all, a.asked = first, call
		a.costs("the first answer", 1, func() { a.answer("par") })
		if a.chat != "asking" || g.Snapshot(fronttest.App, branch)["status"] != "awaiting_input" {
			t.Errorf("in %s; the branch: %v", a.chat, g.Snapshot(fronttest.App, branch)["status"])
		}
		a.all, a.asked = second, other
		a.costs("the second answer", 1, func() { a.answer("ber") })
		if a.chat != branch || branch == "asking" || !strings.Contains(a.stream, "ber") {
			t.Errorf("in %s: %s", a.chat, a.stream)
		}
	})
	t.Run("an edited answer", func(t *testing.T) { editedAnswer(t, g) })
	t.Run("a form", func(t *testing.T) { repeatedForm(t, g) })
	t.Run("an edited decision", func(t *testing.T) { editedDecision(t, g) })
	t.Run("ids", func(t *testing.T) {
		a := &agent{t: t, g: g, thread: "ids"}
		for i := range 3 {
			a.say(fmt.Sprint("u", i), "plain")
		}
		seen := map[any]bool{}
		for _, m := range a.all {
			if seen[m["id"]] {
				t.Errorf("%v twice", m["id"])
			}
			seen[m["id"]] = true
		}
	})
}

// A typed answer is also an answer when it is edited or repeated: in a branch.
func editedAnswer(t *testing.T, g *fronttest.Gateway) {
	a := &agent{t: t, g: g, thread: "typed"}
	a.say("u1", "ask")
	a.costs("typed", 1, func() { a.say("u2", "Paris, France") })
	a.costs("as a library sends it again", 0, func() { a.header = []string{"X-Stainless-Retry-Count", "1"}; a.say("u2", "Paris, France") })
	if a.chat != "typed" {
		t.Errorf("in %s", a.chat)
	}
	edit := func(what string, requests int, text, option string) string {
		a.costs(what, requests, func() { a.say("u2", text) })
		if a.has(what, a.chat, "ask"); a.chat == "typed" || !strings.Contains(a.stream, option) {
			t.Errorf("%s: in %s: %s", what, a.chat, a.stream)
		}
		return a.chat
	}
	edited := edit("edited", 1, "Berlin, Germany", "ber")
	a.header = []string{"X-Stainless-Retry-Count", "1"}
	if again := edit("the edit, as a library sends it again", 0, "Berlin, Germany", "ber"); again != edited {
		t.Errorf("the repeat is in %s, not %s", again, edited)
	}
	if again := edit("the same answer once more", 1, "Berlin, Germany", "ber"); again == edited {
		t.Error("repeating the answer did not begin a branch")
	}
	a.say("u3", "plain")
	if edit("edited behind what followed", 1, "Paris, France", "par"); a.chat == edited {
		t.Error("an edit changes its chat")
	}
	a.has("the chat", "typed", "ask")
	if s := g.Snapshot(fronttest.App, "typed"); s["status"] != "idle" {
		t.Errorf("the chat: %v", s["status"])
	}
}

// When a library resends the last answer to a form in words, it gets the same response, and
// replaces no other answer.
func repeatedForm(t *testing.T, g *fronttest.Gateway) {
	a := &agent{t: t, g: g, thread: "forms"}
	a.say("u1", "form")
	a.answer(`{"error": "closed"}`)
	a.say("u2", "Ada")
	a.costs("the last part", 1, func() { a.say("u3", "36") })
	a.costs("as a library sends it again", 0, func() { a.header = []string{"X-Stainless-Retry-Count", "1"}; a.say("u3", "36") })
	if a.chat != "forms" || !strings.Contains(a.stream, "Ada") {
		t.Errorf("in %s: %s", a.chat, a.stream)
	}
	if a.refused("u3", "37"); !strings.Contains(a.stream, "not_forkable") {
		t.Errorf("edited: %s", a.stream)
	}
}

// A branch does not reuse the decision of an approval: it asks for it again.
func editedDecision(t *testing.T, g *fronttest.Gateway) {
	a := &agent{t: t, g: g, thread: "decided"}
	a.say("u1", "approve")
	a.costs("a yes", 1, func() { a.say("u2", "yes") })
	a.costs("edited", 1, func() { a.say("u2", "no") })
	branch := a.chat
	a.costs("the edit, as a library sends it again", 0, func() { a.header = []string{"X-Stainless-Retry-Count", "1"}; a.say("u2", "no") })
	if a.chat != branch {
		t.Errorf("the repeat is in %s, not %s", a.chat, branch)
	}
	a.costs("the first decision again", 1, func() { a.say("u2", "yes") })
	branch = a.chat
	a.costs("likewise", 0, func() { a.header = []string{"X-Stainless-Retry-Count", "1"}; a.say("u2", "yes") })
	if a.chat != branch {
		t.Errorf("the repeat of that is in %s, not %s", a.chat, branch)
	}
	if a.has("the branch", a.chat, "approve"); a.chat == "decided" || a.asked == "" || g.Snapshot(fronttest.App, a.chat)["status"] != "awaiting_input" {
		t.Errorf("in %s: %s", a.chat, a.stream)
	}
}
