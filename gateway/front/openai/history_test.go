package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// messages are those of a request, by the first letter of a line: what the user or the assistant
// says, or a call that it makes.
func messages(lines ...string) []map[string]any {
	var all []map[string]any
	for _, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		switch who {
		case "u":
			all = append(all, map[string]any{"role": "user", "content": text})
		case "a":
			all = append(all, map[string]any{"role": "assistant", "content": text})
		case "call":
			all = append(all, map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": text}}})
		case "t":
			all = append(all, map[string]any{"role": "tool", "tool_call_id": "clr_1", "content": text})
		}
	}
	return all
}

func toldBy(t testing.TB, lines ...string) history {
	t.Helper()
	data, err := json.Marshal(map[string]any{"model": "work", "messages": messages(lines...)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	return r.said
}

// stored is a chat in the same letters; q asks a question, with its state as the value.
func stored(lines ...string) *store.View {
	v := new(store.View)
	for i, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		turn := "t"
		switch who {
		case "u":
			v.Messages = append(v.Messages, chat.Message{Role: chat.RoleUser, Content: text, TurnID: turn})
		case "a":
			v.Messages = append(v.Messages, chat.Message{Role: chat.RoleAssistant, Content: text, TurnID: turn})
		case "q", "typed", "form":
			call := fmt.Sprint("call_", i)
			c := chat.Clarification{ID: fmt.Sprint("clr_", i), ToolCallID: call, TurnID: turn, State: tools.State(text)}
			c.Question = tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{ID: "q1", Question: "Where?", InputType: tools.Text}}}
			if who == "form" {
				c.Question.Parts = append(c.Question.Parts, tools.Part{ID: "q2", Question: "When?", InputType: tools.Text})
			}
			if who == "typed" || who == "form" {
				c.AnsweredBy = &chat.By{Channel: chat.ChannelMessage}
			}
			v.Clarifications = append(v.Clarifications, c)
			v.Messages = append(v.Messages, chat.Message{Role: chat.RoleAssistant, TurnID: turn, ToolCalls: []chat.ToolCall{{ID: call}}})
		}
	}
	return v
}

// A history identifies the chat that it belongs to, and no other.
func TestAHistoryFitsItsChat(t *testing.T) {
	lines := func(s ...string) []string { return s }
	own := code(&stored("u: a", "q: pending").Clarifications[0])
	for _, test := range []struct {
		name          string
		told, stored  []string
		fits, partial bool
		place         string // the chat's content there
	}{
		{"the same", lines("u: a", "a: b", "u: c"), lines("u: a", "a: b"), true, false, ""},
		{"white space", lines("u: a  a ", "a:  b\n\nb", "u: c"), lines("u: a a", "a: b b "), true, false, ""},
		{"in steps", lines("u: a", "a: b c", "u: d"), lines("u: a", "a: b", "a:  ", "a: c"), true, false, ""},
		{"in steps without a space", lines("u: a", "a: bc", "u: d"), lines("u: a", "a: b", "a: c"), true, false, ""},
		{"a greeting", lines("a: Hello!", "u: a", "a: b", "u: c"), lines("u: a", "a: b"), true, false, ""},
		{"other words of a person's", lines("u: a", "a: b", "u: c"), lines("u: x", "a: b"), false, false, ""},
		{"other words of the assistant's", lines("u: a", "a: b", "u: c"), lines("u: a", "a: x"), false, false, ""},
		{"more words", lines("u: a", "a: bb", "u: c"), lines("u: a", "a: b"), false, false, ""},
		{"a chat that says less", lines("u: a", "a: b", "u: c", "a: d", "u: e"), lines("u: a", "a: b"), false, false, ""},
		{"a chat that went on", lines("u: a", "a: b", "u: c"), lines("u: a", "a: b", "u: x", "a: d"), true, false, "other"},
		{"a chat that has it already", lines("u: a", "a: b", "u: c"), lines("u: a", "a: b", "u: c", "a: d"), true, false, "again"},
		{"a client that left", lines("u: a", "a: b", "u: c"), lines("u: a", "a: bc"), true, true, ""},
		{"a client that left once", lines("u: a", "a: b", "u: c", "a: d", "u: e"), lines("u: a", "a: bc", "u: c", "a: d"), true, true, ""},
		{"an answer that failed", lines("u: a", "a: b", "u: c", "u: d"), lines("u: a", "a: b", "u: c", "a: half"), true, false, ""},
		{"and then went on", lines("u: a", "u: b", "a: c", "u: d"), lines("u: a", "a: half", "u: b", "a: c"), true, false, ""},
		{"a text question", lines("u: a", "a: Where? Reply.", "u: Rome", "a: b", "u: c"), lines("u: a", "q: answered", "a: b"), true, false, ""},
		{"that waits", lines("u: a", "a: Where? Reply.", "u: Rome"), lines("u: a", "q: pending"), true, false, ""},
		{"behind words", lines("u: a", "a: So. Where? Reply.", "u: Rome"), lines("u: a", "a: So.", "q: pending"), true, false, ""},
		{"that was left", lines("u: a", "a: Where? Reply.", "u: b", "a: c", "u: d"), lines("u: a", "q: superseded", "u: b", "a: c"), true, false, ""},
		{"that was answered elsewhere", lines("u: a", "a: Where? Reply.", "u: b"), lines("u: a", "q: answered", "a: c"), true, false, ""},
		{"of another chat", lines("u: a", "a: What? Reply.", "u: b"), lines("u: a", "q: pending"), false, false, ""},
		{"with a long end", lines("u: a", "a: Where? "+strings.Repeat("x", 2000), "u: b"), lines("u: a", "q: pending"), false, false, ""},
		{"a form", lines("u: a", "a: Where? 1", "u: Rome", "a: When? 2", "u: now", "a: b", "u: c"), lines("u: a", "form: answered", "a: b"), true, false, ""},
		{"a form on its way", lines("u: a", "a: Where? 1", "u: Rome", "a: When? 2", "u: now"), lines("u: a", "form: pending"), true, false, ""},
		{"a form asked again", lines("u: a", "a: Where? 1", "u: Rome", "a: Where? 1", "u: Oslo", "a: When? 2", "u: now"), lines("u: a", "form: pending"), true, false, ""},
		{"a form that was left", lines("u: a", "a: Where? 1", "u: Rome", "a: When? 2", "u: b", "a: c", "u: d"), lines("u: a", "form: superseded", "u: b", "a: c"), true, false, ""},
		{"told again without a run", lines("u: a", "a: Where?", "u: x", "a: Where?", "u: y"), lines("u: a", "q: answered", "a: And:", "q: pending"), true, false, ""},
		{"an edit behind a question", lines("u: a", "a: Where? Reply.", "u: Rome", "a: b", "u: x"), lines("u: a", "q: answered", "a: b", "u: c", "a: d"), true, false, "other"},
		{"another answer", lines("u: a", "a: Where? Reply.", "u: Oslo"), lines("u: a", "typed: answered", "a: b", "u: c", "a: d"), true, false, "answer"},
		{"another message than left a question", lines("u: a", "a: Where? Reply.", "u: x"), lines("u: a", "q: superseded", "u: b", "a: c"), true, false, "other"},
		{"another part of a form", lines("u: a", "a: Where? 1", "u: Rome", "a: When? 2", "u: later"), lines("u: a", "form: answered", "a: b"), true, false, "answer"},
		{"an earlier message again", lines("u: a", "a: b", "u: c"), lines("u: a", "a: b", "u: c", "a: d", "u: e", "a: f"), true, false, "again"},
		{"a list of questions", lines("u: a", "a: Where? Reply.", "u: Rome", "a: ↪ [BCDF] Where? – ↪ [XZXZ] Where?", "u: Oslo"), lines("u: a", "q: pending"), true, false, ""},
		{"the code of another question", lines("u: a", "a: Where? [BCDF] Reply.", "u: Rome"), lines("u: a", "q: pending"), false, false, ""},
		{"its code", lines("u: a", "a: Where? ["+own+"] Reply.", "u: Rome"), lines("u: a", "q: pending"), true, false, ""},
		{"a code after a list", lines("u: a", "a: Where? Reply.", "u: Rome", "a: ↪ ["+own+"] Where?", "u: "+own+" Oslo", "a: b", "u: c"), lines("u: a", "q: answered", "a: b"), true, false, ""},
		{"a code of another after a list", lines("u: a", "a: Where? Reply.", "u: Rome", "a: ↪ [BCDF] Where?", "u: BCDF Oslo", "a: b", "u: c"), lines("u: a", "q: answered", "a: b"), false, false, ""},
		{"a call", lines("u: a", "call: clr_1", "t: Rome", "a: b", "u: c"), lines("u: a", "q: answered", "a: b"), true, false, ""},
		{"words behind a call's result", lines("u: a", "a: Where? Reply.", "call: clr_1", "t: Rome", "a: b", "u: c"), lines("u: a", "q: answered", "a: b", "u: c", "a: d"), true, false, "again"},
		{"a call's result that was none", lines("u: a", "call: clr_1", "t: Error", "a: Where? Reply.", "u: Rome", "a: b", "u: c"), lines("u: a", "typed: answered", "a: b"), true, false, ""},
		{"asked again by the message that left it", lines("u: a", "a: Where? Reply.", "u: b", "a: Where? Reply.", "u: c"), lines("u: a", "q: superseded", "u: b", "q: pending"), true, false, ""},
		{"with a code in the chat that it is a branch of", lines("u: a", "a: Where? [BCDF] Reply.", "u: c", "a: Where? ["+own+"] Reply.", "u: d"), lines("u: a", "q: pending"), true, false, ""},
		{"a call answered in words", lines("u: a", "call: clr_1", "u: Rome", "a: b", "u: c"), lines("u: a", "typed: answered", "a: b"), true, false, ""},
		{"a call that was left", lines("u: a", "call: clr_1", "u: b", "a: c", "u: d"), lines("u: a", "q: superseded", "u: b", "a: c"), true, false, ""},
	} {
		got := toldBy(t, test.told...).fits(stored(test.stored...))
		place := ""
		switch {
		case got.place.same:
			place = "again"
		case got.place.message != nil:
			place = "other"
		case got.place.asked != nil:
			place = "answer"
		}
		if got.fits != test.fits || got.fits && got.partial != test.partial || place != test.place {
			t.Errorf("%s: %+v, at its place %q", test.name, got, place)
		}
	}
}

// The question that a person has seen is identified by the last words of the assistant, or by its
// call.
func TestTheQuestionThatWasSeen(t *testing.T) {
	view := stored("u: a", "q: answered", "u: b", "form: pending")
	for _, test := range []struct {
		last string
		id   string
		part int
	}{
		{"a: Where? Reply.", "clr_3", 0}, // both have the same text: the newest
		{"a: When? Reply.", "clr_3", 1},
		{"call: clr_1", "clr_1", -1},
		{"call: clr_3", "clr_3", -1},
		{"call: call_3", "", 0}, // the model's own id of the call, which was never sent out
		{"a: Something else.", "", 0},
		{"a: Where? " + strings.Repeat("x", 2000), "", 0},
	} {
		got := toldBy(t, "u: a", test.last, "u: c").shown(view)
		id := ""
		if got.Clarification != nil {
			id = got.ID
		}
		if id != test.id || got.part != test.part {
			t.Errorf("%.30s shows %s, part %d, want %s, part %d", test.last, id, got.part, test.id, test.part)
		}
	}
	view.Clarifications[0].AskedFence, view.Clarifications[1].AskedFence = 2, 1
	if got := toldBy(t, "u: a", "a: Where? Reply.", "u: c").shown(view); got.Clarification == nil || got.ID != "clr_1" {
		t.Errorf("of two with the same text, the newest is %+v", got)
	}
	if got := toldBy(t, "u: a", "call: clr_1", "t: x", "a: b", "u: c").shown(view); got.Clarification != nil {
		t.Errorf("a call before other words is still shown: %+v", got)
	}
}

// chats holds a caller's chats, one thousand and more, each with the same beginning.
type chats struct {
	callersChats
	t            *testing.T
	listed, read int
	of           func(id string) *store.View
}

func (c *chats) Now() time.Time { return time.Time{} }

func (c *chats) List(page store.Page) ([]store.Listed, string, error) {
	if page.Limit < 1 || page.Limit > 1000 {
		c.t.Errorf("a page of %d", page.Limit)
	}
	list := make([]store.Listed, page.Limit)
	for i := range list {
		list[i].ChatID, list[i].Beginning = fmt.Sprint("c", c.listed+i), "a"
	}
	c.listed += page.Limit
	return list, "more", nil
}

func (c *chats) Recent(id string, part store.Part) (*store.View, error) {
	if part.Limit == 0 || part.Bytes == 0 {
		c.t.Errorf("all of a chat is read: %+v", part)
	}
	c.read++
	return c.of(id), nil
}

// The search for a chat is bounded, and prefers the chat that matches exactly over one that
// contains more.
func TestTheSearchForAChat(t *testing.T) {
	search := func(all *chats, lines ...string) *store.View {
		t.Helper()
		d, err := (&sought{callersChats: all, said: toldBy(t, lines...)}).which()
		if err != nil {
			t.Fatal(err)
		}
		return d.view
	}
	all := &chats{t: t, of: func(string) *store.View { return stored("u: a", "a: x") }}
	if v := search(all, "u: a", "a: b", "u: c"); v != nil || all.read > maxCandidates || all.listed > maxListed {
		t.Errorf("%v: %d of %d", v, all.read, all.listed)
	}
	all = &chats{t: t, of: func(id string) *store.View {
		return map[string]*store.View{"c1": stored("u: a", "a: bc"), "c7": stored("u: a", "a: b"), "c8": stored("u: a", "a: b")}[id]
	}}
	if v := search(all, "u: a", "a: b", "u: c"); v == nil || v.Messages[1].Content != "b" {
		t.Errorf("found %+v", v)
	}
	other := &chats{t: t, of: func(string) *store.View { t.Error("a chat with another beginning is read"); return nil }}
	if v := search(other, "u: b", "a: b", "u: c"); v != nil || other.listed != maxListed {
		t.Errorf("%v, %d", v, other.listed)
	}
	if v := search(other, "u: a"); v != nil {
		t.Error("a conversation that begins has a chat")
	}
	big := &chats{t: t, of: func(string) *store.View { return stored("u: a", "a: "+strings.Repeat("x", 3<<20)) }}
	if search(big, "u: a", "a: b", "u: c"); big.read > maxReadAll/(3<<20)+2 {
		t.Errorf("%d chats of 3 MiB are read", big.read)
	}
}

func TestDraftsOfForms(t *testing.T) {
	c := &chat.Clarification{Question: tools.Question{Parts: make([]tools.Part, 2)}}
	for draft, n := range map[string]int{
		`{"parts":1,"answers":[{"value":"x"}]}`: 1, `{"parts":1,"answers":[{},{}]}`: 0, `{"parts":2,"answers":[{}]}`: 0,
		`{"card":1,"drafts":[]}`: 0, `7`: 0, `null`: 0, ``: 0, `{"parts":1,"answers":{}}`: 0,
	} {
		c.Draft = json.RawMessage(draft)
		if got := front.Kept(c); len(got) != n {
			t.Errorf("%s holds %d answers, want %d", draft, len(got), n)
		}
	}
	c.ExpiresAt = time.Now().Add(-time.Minute)
	c.State = tools.StatePending
	if open := waiting(&store.View{Clarifications: []chat.Clarification{*c}}, time.Now()); len(open) > 0 {
		t.Error("an overdue question waits")
	}
}

func FuzzRead(f *testing.F) {
	for _, lines := range [][]string{{"u: a"}, {"u: a", "a: b", "t: c"}, {"a: x", "call: clr_1", "u: y"}} {
		data, _ := json.Marshal(map[string]any{"model": "work", "messages": messages(lines...), "tools": []any{map[string]any{"function": map[string]any{"name": "ask_user"}}}})
		f.Add(data)
	}
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x"},7]},{"role":[]}],"tool_choice":{},"n":null,"stream_options":null}`))
	view := stored("u: a", "a: b", "form: pending", "q: answered", "typed: answered", "u: c")
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := read(data)
		if err != nil {
			return
		}
		if r.model == "" || r.message == nil && len(r.outputs) == 0 {
			t.Errorf("read %+v", r)
		}
		for i, l := range r.said {
			if l.user != (i%2 == 0) || len(l.texts) == 0 || !l.user && len(l.texts) > 1 {
				t.Fatalf("line %d of %+v", i, r.said)
			}
		}
		r.said.shown(view)
		if r.said.answer() != nil {
			r.said.begins("a")
			r.said.fits(view)
		}
	})
}

// TestAHistoryIsComparedOnce with each question of a chat, however many messages the assistant
// wrote: the number of texts composed does not grow with the product of both.
func TestAHistoryIsComparedOnce(t *testing.T) {
	const n = 100 // messages, and questions
	view := stored("u: a")
	for i := range n {
		view.Messages = append(view.Messages, stored(fmt.Sprint("a: answer ", i)).Messages...)
		view.Clarifications = append(view.Clarifications, chat.Clarification{ID: fmt.Sprint(i), Question: tools.Question{
			Kind: tools.KindQuestion, Parts: []tools.Part{{Question: fmt.Sprint("Question ", i)}},
		}})
	}
	view.Clarifications[n-1].Question.Parts[0].Question = "Which one is it?"
	h := toldBy(t, "u: a", "a: Which one is it?", "u: c")
	if allocs := testing.AllocsPerRun(1, func() { h.fits(view) }); allocs > 30*n {
		t.Errorf("%v allocations for %d questions", allocs, n)
	}
}
