package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

func messagesOf(g *fronttest.Gateway, chat string) int {
	return len(g.Snapshot(fronttest.App, chat)["messages"].([]any))
}

// A history with another last message is a fork there, and the chat stays unchanged.
func TestAnEditIsABranch(t *testing.T) {
	g := fronttest.Start(t, nil)
	for _, headers := range [][]string{nil, {"X-Chat-Id", "mine"}} {
		c := newClient(t, g, headers...)
		first := c.say("plain")
		c.say("tool")
		c.say("plain again")
		c.history = c.history[:2]
		edited := c.say("think")
		edited.has(t, "stop", "Good morning.")
		if edited.chat == first.chat || messagesOf(g, edited.chat) != 4 {
			t.Errorf("the branch is %s, with %d messages", edited.chat, messagesOf(g, edited.chat))
		}
		if n := messagesOf(g, first.chat); n != 7 {
			t.Errorf("the chat has %d messages", n)
		}
		if next := c.say("plain"); next.chat != edited.chat {
			t.Errorf("the branch goes on in %s, not %s", next.chat, edited.chat)
		}
		if headers != nil { // without a history, it is the branch that was written to last
			last := newClient(t, g, headers...)
			if r := last.say("plain once more"); r.chat != edited.chat {
				t.Errorf("without a history it is %s, not %s", r.chat, edited.chat)
			}
		}
	}
}

// The same message again, after the same history, asks the model again, unless its sender cannot
// have seen the response.
func TestRegenerate(t *testing.T) {
	g := fronttest.Start(t, nil)
	c := newClient(t, g)
	c.say("plain")
	first := c.say("tool")
	again := func(headers ...string) reply {
		t.Helper()
		other := newClient(t, g, headers...)
		return other.post(map[string]any{"messages": c.history[:3]})
	}
	free(t, g, "a request that its library sends again", func() {
		if r := again("X-Stainless-Retry-Count", "1"); r.chat != first.chat || r.text != first.text {
			t.Errorf("%+v is not %+v", r, first)
		}
	})
	before := g.Requests()
	r := again("X-Stainless-Retry-Count", "0")
	r.has(t, "stop", "So it is: 5.")
	if r.chat == first.chat || g.Requests() == before || messagesOf(g, first.chat) != 5 || messagesOf(g, r.chat) != 5 {
		t.Errorf("repeated in %s, as in %s", r.chat, first.chat)
	}
	keyed := again("Idempotency-Key", "r1")
	free(t, g, "the same key", func() {
		if r := again("Idempotency-Key", "r1"); r.chat != keyed.chat {
			t.Errorf("the same key is in %s, not %s", r.chat, keyed.chat)
		}
	})
	if keyed.chat == r.chat || keyed.chat == first.chat {
		t.Errorf("another key does not begin another branch: %s", keyed.chat)
	}
	if next := c.say("think"); next.chat == "" || next.status != 200 {
		t.Errorf("%+v", next)
	}
}

// Another answer in place of an earlier one begins a branch; a decision is asked for again.
func TestAnotherAnswer(t *testing.T) {
	g := fronttest.Start(t, nil)
	t.Run("a question", func(t *testing.T) {
		c := newClient(t, g)
		first := c.say("ask")
		c.say("2").has(t, "stop", "par")
		c.say("plain")
		c.history = c.history[:2]
		other := c.say("1")
		other.has(t, "stop", "ber")
		if other.chat == first.chat || messagesOf(g, first.chat) != 5 {
			t.Errorf("in %s, the chat is %s", other.chat, first.chat)
		}
		c.history = c.history[:2]
		c.say("Rome").has(t, "stop", "Rome")
	})
	t.Run("a part of a form", func(t *testing.T) {
		c := newClient(t, g)
		first := c.say("form")
		c.say("Ada")
		c.say("36").has(t, "stop", "Ada", "36")
		c.history = c.history[:2]
		free(t, g, "the next part", func() { c.say("Eve").has(t, "stop", "Your age?") })
		last := c.say("37")
		last.has(t, "stop", "Eve", "37")
		if last.chat == first.chat {
			t.Error("the form was answered twice")
		}
		c.history = c.history[:4]
		if r := c.say("no number at all"); r.status != http.StatusUnprocessableEntity || r.code != "invalid_answer" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("an approval", func(t *testing.T) {
		c := newClient(t, g)
		first := c.say("approve")
		c.say("no")
		c.history = c.history[:2]
		again := c.say("yes")
		again.has(t, "stop", "clock", "yes or no")
		if again.chat == first.chat || stateOf(g, first.chat) != "answered" || stateOf(g, again.chat) != "pending" {
			t.Errorf("%s is %v, %s is %v", first.chat, stateOf(g, first.chat), again.chat, stateOf(g, again.chat))
		}
	})
}

// ask has a chat ask by the native API.
func ask(t *testing.T, g *fronttest.Gateway, chat, text string) {
	t.Helper()
	resp, err := http.Post(g.URL+"/v1/apps/work/chats/"+chat+"/messages", "application/json", strings.NewReader(fmt.Sprintf(`{"message":%q}`, text)))
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", resp, err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

var codes = regexp.MustCompile(`\[([A-Z]{4})\]`)

// Where a message may be meant for several questions, it answers none of them: they are listed, and
// a code identifies the one that is meant.
func TestSeveralQuestionsThatReadTheSame(t *testing.T) {
	g := fronttest.Start(t, nil)
	for word, told := range map[string]string{
		"ask":     "One moment. \n\nWhich city?\n\n1. Berlin, Germany\n2. Paris, France\n\nReply.",
		"approve": "",
	} {
		t.Run(word, func(t *testing.T) {
			text := word + " trip"
			ask(t, g, word+"1", text)
			ask(t, g, word+"2", text)
			if told == "" {
				shown := newClient(t, g, "X-Chat-Id", word+"1")
				told = shown.say("?").text // an approval is shown before it is decided
			}
			c := newClient(t, g)
			c.history = []said{user(text), assistant(told)}
			var list reply
			free(t, g, "a list", func() { list = c.say("yes") })
			found := codes.FindAllStringSubmatch(list.text, -1)
			if list.status != http.StatusOK || len(found) < 2 || found[0][1] == found[1][1] {
				t.Fatalf("%+v", list)
			}
			for _, chat := range []string{"1", "2"} {
				if stateOf(g, word+chat) != "pending" {
					t.Errorf("%s took an answer", word+chat)
				}
			}
			got := c.say(found[0][1] + " Rome")
			if word == "approve" {
				got.has(t, "stop", "clock", found[0][1])
				got = c.say("yes")
				got.has(t, "stop", "20")
			} else {
				got.has(t, "stop", "Rome")
			}
			other := map[string]string{word + "1": word + "2", word + "2": word + "1"}[got.chat]
			if other == "" || stateOf(g, got.chat) != "answered" || stateOf(g, other) != "pending" {
				t.Errorf("the answer is in %q", got.chat)
			}
			if next := c.say("plain"); next.chat != got.chat {
				t.Errorf("then it is %s, not %s", next.chat, got.chat)
			}
		})
	}
}

// A question that is asked while the same one waits goes out with a code, so that each answer finds
// its own question.
func TestAQuestionIsToldWithItsCode(t *testing.T) {
	g := fronttest.Start(t, nil)
	a, b := newClient(t, g), newClient(t, g)
	first, second := a.say("ask trip"), b.say("ask trip")
	if codes.MatchString(first.text) || !codes.MatchString(second.text) {
		t.Fatalf("%q, then %q", first.text, second.text)
	}
	one, two := a.say("Rome"), b.say("Oslo")
	one.has(t, "stop", "Rome")
	two.has(t, "stop", "Oslo")
	if one.chat != first.chat || two.chat != second.chat {
		t.Errorf("answers in %s and %s, want %s and %s", one.chat, two.chat, first.chat, second.chat)
	}
	third := newClient(t, g)
	third.say("ask trip")
	a.history = a.history[:2] // goes back to what the third is asked as well
	edited := a.say("Bern")
	edited.has(t, "stop", "Bern")
	if r := third.say("Paris"); !strings.Contains(r.text, "Paris") {
		t.Errorf("%+v", r)
	}
}

// The client's own id of a chat excludes the chats of others, and decides nothing.
func TestOpenWebUIsChats(t *testing.T) {
	g := fronttest.Start(t, nil)
	one, two := newClient(t, g, "X-OpenWebUI-Chat-Id", "1"), newClient(t, g, "X-OpenWebUI-Chat-Id", "2")
	a, b := one.say("plain"), two.say("plain")
	title := newClient(t, g, "X-OpenWebUI-Chat-Id", "1").say("plain title")
	if c := one.say("tool"); c.chat != a.chat || title.chat == a.chat {
		t.Errorf("%s is not %s; the title is in %s", c.chat, a.chat, title.chat)
	}
	if d := two.say("tool"); d.chat != b.chat {
		t.Errorf("%s is not %s", d.chat, b.chat)
	}
	clone := newClient(t, g, "X-OpenWebUI-Chat-Id", "3")
	clone.history = slices.Clone(one.history[:2])
	if e := clone.say("think"); e.chat == a.chat || e.chat == b.chat {
		t.Error("a chat of another is continued")
	}
	old := newClient(t, g)
	f := old.say("plain old")
	old.headers["X-OpenWebUI-Chat-Id"] = "4"
	if h := old.say("tool"); h.chat != f.chat {
		t.Errorf("what was used with no id is %s, not %s", h.chat, f.chat)
	}
}
