package aisdk_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// page holds what useChat shows: it sends the whole history, or its end.
type page struct {
	t       *testing.T
	g       *fronttest.Gateway
	app, id string
	all     []shown
	only    int      // messages to send; 0: all
	header  []string // of the next request
	chat    string   // X-Chat-Id of the last response
	last    got
}

// shown is a message on the page.
type shown struct {
	ID    string           `json:"id"`
	Role  string           `json:"role"`
	Parts []map[string]any `json:"parts"`
}

func newPage(t *testing.T, g *fronttest.Gateway, id string) *page {
	return &page{t: t, g: g, app: fronttest.App, id: id}
}

// post sends what the page shows, and shows the reply.
func (p *page) post(more string) {
	p.t.Helper()
	list := p.all
	if p.only > 0 {
		list = list[max(0, len(list)-p.only):]
	}
	messages, err := json.Marshal(list)
	if err != nil {
		p.t.Fatal(err)
	}
	body := fmt.Sprintf(`{"id":%q,"messages":%s%s}`, p.id, messages, more)
	req, err := http.NewRequestWithContext(p.t.Context(), "POST", at(p.g, p.app), strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(p.header); i += 2 {
		req.Header.Set(p.header[i], p.header[i+1])
	}
	p.header = nil
	p.last, p.chat = do(p.t, req)
	if p.last.status == http.StatusOK {
		p.show()
	}
}

// show reads the stream as the client does.
func (p *page) show() {
	var m *shown
	for line := range strings.SplitSeq(p.last.body, "\n") {
		var c struct {
			Type, MessageID, Delta, ToolCallID, ToolName string
			ProviderExecuted                             bool
			Input                                        any
		}
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &c) != nil {
			continue
		}
		switch c.Type {
		case "start":
			if last := &p.all[len(p.all)-1]; last.ID != c.MessageID {
				p.all = append(p.all, shown{ID: c.MessageID, Role: "assistant"})
			}
			m = &p.all[len(p.all)-1]
		case "text-delta":
			m.Parts = append(m.Parts, map[string]any{"type": "text", "text": c.Delta})
		case "tool-input-available":
			if !c.ProviderExecuted {
				m.Parts = append(m.Parts, map[string]any{"type": "tool-" + c.ToolName, "toolCallId": c.ToolCallID, "state": "input-available", "input": c.Input})
			}
		}
	}
}

func message(id, text string) shown {
	return shown{ID: id, Role: "user", Parts: []map[string]any{{"type": "text", "text": text}}}
}

// say is sendMessage, edit is sendMessage with a messageId, and again is regenerate.
func (p *page) say(id, text string) {
	p.t.Helper()
	p.all = append(p.all, message(id, text))
	p.post(`,"trigger":"submit-message"`)
}

func (p *page) edit(id, text string) {
	p.t.Helper()
	p.cut(id)
	p.all = append(p.all, message(id, text))
	p.post(fmt.Sprintf(`,"trigger":"submit-message","messageId":%q`, id))
}

func (p *page) again(id string) {
	p.t.Helper()
	at := p.cut(id)
	p.all = append(p.all, at)
	p.post(`,"trigger":"regenerate-message"`)
}

// cut removes a message and all that follow it.
func (p *page) cut(id string) shown {
	for i := range p.all {
		if m := p.all[i]; m.ID == id {
			p.all = append([]shown(nil), p.all[:i]...)
			return m
		}
	}
	p.t.Fatalf("no message %s", id)
	return shown{}
}

// answer is addToolOutput of the question that waits.
func (p *page) answer(value any) {
	p.t.Helper()
	m := &p.all[len(p.all)-1]
	for _, part := range m.Parts {
		if part["state"] == "input-available" {
			part["state"], part["output"] = "output-available", value
		}
	}
	p.post(fmt.Sprintf(`,"trigger":"submit-message","messageId":%q`, m.ID))
}

// stored returns the content of a chat: the user's texts, and the number of messages.
func (p *page) stored(chat string) string {
	p.t.Helper()
	var texts []string
	for _, m := range p.g.Snapshot(p.app, chat)["messages"].([]any) {
		if m := m.(map[string]any); m["role"] == "user" {
			texts = append(texts, m["content"].(string))
		}
	}
	return strings.Join(texts, ", ")
}

// costs fails unless the given action causes that many requests to the model.
func (p *page) costs(what string, requests int, do func()) {
	p.t.Helper()
	before := p.g.Requests()
	if do(); p.g.Requests()-before != requests || p.last.status != http.StatusOK {
		p.t.Errorf("%s: %d requests to the model, want %d: %+v", what, p.g.Requests()-before, requests, p.last)
	}
}

func (p *page) has(what, chat, want string) {
	p.t.Helper()
	if got := p.stored(chat); got != want {
		p.t.Errorf("%s: chat %s has %q, want %q", what, chat, got, want)
	}
}

// The history that a page shows decides: an edit and a request for another reply begin a branch,
// identified by the ids of messages alone, and what follows belongs to the branch.
func TestBranches(t *testing.T) {
	g := fronttest.Start(t, nil)
	for _, only := range []int{0, 2} {
		t.Run(fmt.Sprint("messages sent: ", only), func(t *testing.T) {
			p := newPage(t, g, fmt.Sprint("branches-", only))
			p.only = only
			p.costs("a message", 1, func() { p.say("u1", "plain one") })
			p.costs("a second", 1, func() { p.say("u2", "plain two") })
			p.costs("a third", 1, func() { p.say("u3", "plain three") })
			if p.chat != p.id {
				t.Errorf("the chat is %s", p.chat)
			}
			whole := p.all
			p.costs("an edit", 1, func() { p.edit("u2", "plain other") })
			edited := p.chat
			if edited == p.id {
				t.Fatal("an edit begins no branch")
			}
			p.has("the branch", edited, "plain one, plain other")
			p.has("the chat", p.id, "plain one, plain two, plain three")
			p.costs("what follows", 1, func() { p.say("u4", "plain four") })
			p.has("what follows", edited, "plain one, plain other, plain four")
			p.costs("another reply", 1, func() { p.again("u4") })
			again := p.chat
			p.has("another reply", again, "plain one, plain other, plain four")
			if again == edited || again == p.id {
				t.Errorf("another reply is in %s", again)
			}
			p.costs("and another", 1, func() { p.again("u4") })
			if p.chat == again || p.chat == edited {
				t.Errorf("the second is in %s", p.chat)
			}
			p.costs("after it", 1, func() { p.say("u5", "plain five") })
			p.has("after it", p.chat, "plain one, plain other, plain four, plain five")
			p.all = whole
			p.costs("the first again", 1, func() { p.say("u6", "plain six") })
			if p.chat != p.id {
				t.Errorf("what a page shows of the first is in %s", p.chat)
			}
			p.has("the first again", p.id, "plain one, plain two, plain three, plain six")
			p.costs("of the middle", 1, func() { p.again("u2") })
			p.has("of the middle", p.chat, "plain one, plain two")
			p.cut("u2")
			p.costs("behind what is older", 1, func() { p.say("u7", "plain seven") })
			p.has("behind what is older", p.chat, "plain one, plain seven")
			if only == 0 {
				p.all = nil
				p.costs("without a history", 1, func() { p.say("u8", "plain eight") })
				p.has("without a history", p.chat, "plain one, plain seven, plain eight")
			}
		})
	}
	t.Run("a repeated request costs nothing", func(t *testing.T) { repeats(t, g) })
	t.Run("answers", func(t *testing.T) { answersInBranches(t, g) })
	t.Run("an edited answer", func(t *testing.T) { editedAnswer(t, g) })
	t.Run("coming back", func(t *testing.T) { comingBack(t, g) })
}

// Libraries repeat requests automatically: the same run is streamed again.
func repeats(t *testing.T, g *fronttest.Gateway) {
	p := newPage(t, g, "repeats")
	p.say("u1", "plain")
	p.costs("sent again by a library", 0, func() { p.header = []string{"X-Stainless-Retry-Count", "1"}; p.again("u1") })
	p.costs("for the first time", 1, func() { p.header = []string{"Idempotency-Key", "k"}; p.again("u1") })
	branch, body := p.chat, p.last.body
	p.costs("with the same key", 0, func() { p.header = []string{"Idempotency-Key", "k"}; p.again("u1") })
	if p.chat != branch || !strings.Contains(p.last.body, p.all[len(p.all)-1].ID) || body == "" {
		t.Errorf("in %s, not %s", p.chat, branch)
	}
	p.costs("with another key", 1, func() { p.header = []string{"Idempotency-Key", "l"}; p.again("u1") })
	p.costs("an edit", 1, func() { p.edit("u1", "plain too") })
	p.costs("the same edit, as a library sends it again", 0, func() { p.header = []string{"X-Stainless-Retry-Count", "2"}; p.edit("u1", "plain too") })
	p.costs("the same edit once more", 1, func() { p.edit("u1", "plain too") })
}

// An answer goes to the branch that asked, whichever was written to last; in the others, the
// question keeps waiting.
func answersInBranches(t *testing.T, g *fronttest.Gateway) {
	p := newPage(t, g, "asking")
	p.say("u1", "ask")
	first := append([]shown(nil), p.all...)
	p.again("u1")
	branch := p.chat
	if branch == p.id {
		t.Fatalf("%+v", p.last)
	}
	second := p.all
	p.all = first
	p.costs("the first answer", 1, func() { p.answer("par") })
	if p.chat != p.id || !strings.Contains(p.last.body, "Paris") && !strings.Contains(p.last.body, "par") {
		t.Errorf("in %s: %s", p.chat, p.last.body)
	}
	if g.Snapshot(p.app, branch)["status"] != "awaiting_input" {
		t.Errorf("the branch: %v", g.Snapshot(p.app, branch)["status"])
	}
	p.all = second
	p.costs("the second answer", 1, func() { p.answer("ber") })
	if p.chat != branch || strings.Contains(p.last.body, `par`) {
		t.Errorf("in %s: %s", p.chat, p.last.body)
	}
	before := g.Requests()
	if p.answer("par"); p.last.status != http.StatusConflict && p.last.code != "nothing_to_resume" || g.Requests() != before {
		t.Errorf("answered again: %+v", p.last)
	}
}

// A typed answer is still an answer when it is edited.
func editedAnswer(t *testing.T, g *fronttest.Gateway) {
	p := newPage(t, g, "typed")
	p.say("u1", "ask")
	p.costs("typed", 1, func() { p.say("u2", "Paris, France") })
	if p.chat != p.id {
		t.Errorf("in %s", p.chat)
	}
	p.costs("edited", 1, func() { p.edit("u2", "Berlin, Germany") })
	if p.chat == p.id || !strings.Contains(p.last.body, "ber") {
		t.Errorf("in %s: %s", p.chat, p.last.body)
	}
	p.has("the branch", p.chat, "ask")
}

// A client that comes back gets what happens in the branch that was written to last.
func comingBack(t *testing.T, g *fronttest.Gateway) {
	p := newPage(t, g, "back")
	p.say("u1", "plain")
	p.edit("u1", "plain too")
	branch := p.chat
	if r := send(t, "GET", at(g, p.app)+"/back/stream", ""); r.status != http.StatusNoContent {
		t.Errorf("%+v", r)
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", at(g, p.app)+"/back/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, chat := do(t, req); chat != branch {
		t.Errorf("in %s, not %s", chat, branch)
	}
	p.id = branch
	p.all = nil
	p.costs("by the branch's own name", 1, func() { p.say("u9", "plain nine") })
	p.has("by the branch's own name", branch, "plain too, plain nine")
}
