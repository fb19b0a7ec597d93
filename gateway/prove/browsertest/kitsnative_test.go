//go:build browser

package browsertest

import "testing"

// These kits support no protocol of the gateway: their pages use its client, or Chat Completions.

const fullHeight = "<style>html, body, #root { height: 100%; margin: 0 }</style>"

func TestDeepChat(t *testing.T) {
	t.Parallel()
	k := kit{source: "deepchat.js", packages: kitPackages + "deep-chat", composer: "#text-input", shadow: "deep-chat"}
	k.asksAndAnswers(t)
	t.Run("and is answered in its composer", k.answeredInTheComposer)
	t.Run("and runs nothing that a model writes", k.runsNothing)
}

func TestChatscope(t *testing.T) {
	t.Parallel()
	k := kit{source: "chatscope.jsx", packages: kitPackages + "chatscope", composer: "[contenteditable]", head: fullHeight}
	k.asksAndAnswers(t)
	t.Run("and is answered in its composer", k.answeredInTheComposer)
	t.Run("and runs nothing that a model writes", k.runsNothing)
}

// answeredInTheComposer types the answer into the composer, without using the card.
func (k kit) answeredInTheComposer(t *testing.T) {
	t.Parallel()
	p := openKit(t, k)
	p.say("both please")
	p.asked()
	p.say("2")
	p.once("So it is: 5 and Paris, France (par).")
	p.closed("Paris, France")
	done := []string{"user: both please", "calculator = 5", "ask_user = Paris, France (par) answered", "assistant: So it is: 5 and Paris, France (par)."}
	p.has(2, done...)
	p.reload()
	p.once("So it is: 5 and Paris, France (par).")
	p.closed("Paris, France")
	p.has(2, done...)
}

// runsNothing checks that the page treats a model's output as text, as it arrives and after a
// reload.
func (k kit) runsNothing(t *testing.T) {
	t.Parallel()
	p := openKit(t, k)
	p.say("html please")
	p.until("text.includes('Look:') && text.includes('there.')")
	p.say("plain")
	p.once("Good morning.")
	for range 2 {
		if eval[bool](p.page, "globalThis.ran === true || place.querySelector('[onerror]') !== null") {
			t.Error("the page runs a model's output")
		}
		p.reload()
		p.once("Good morning.")
	}
}

// NLUX shows only text: the gateway asks in words.
func TestNLUX(t *testing.T) {
	t.Parallel()
	k := kit{source: "nlux.jsx", packages: kitPackages + "nlux", composer: "textarea", head: fullHeight}
	asked := func(p *kitPage) {
		p.t.Helper()
		p.once("Which city?")
		p.once("Berlin, Germany")
		p.once("Paris, France")
	}
	t.Run("and runs nothing that a model writes", k.runsNothing)
	t.Run("asks, answers and comes back", func(t *testing.T) {
		t.Parallel()
		p := openKit(t, k)
		p.say("ask me")
		p.once("One moment.")
		asked(p)
		p.say("2")
		p.once("So it is: Paris, France (par).")
		ask := []string{"user: ask me", "assistant: One moment.", "ask_user = Paris, France (par) answered", "assistant: So it is: Paris, France (par)."}
		p.has(2, ask...)
		for range 2 {
			p.reload()
			p.once("So it is: Paris, France (par).")
			p.once("One moment.")
			p.once("Which city?")
			p.once("ask me")
		}
		p.has(2, ask...)
		p.say("plain talk")
		p.once("Good morning.")
		p.has(3, append(ask, "user: plain talk", "assistant: Good morning.")...)
	})
	t.Run("and comes back to a question", func(t *testing.T) {
		t.Parallel()
		p := openKit(t, k)
		p.say("both please")
		asked(p)
		both := []string{"user: both please", "calculator = 5", "ask_user = pending"}
		for range 2 {
			p.reload()
			p.once("both please")
			asked(p)
		}
		p.has(1, both...)
		p.say("1")
		p.once("So it is: 5 and Berlin, Germany (ber).")
		done := []string{"user: both please", "calculator = 5", "ask_user = Berlin, Germany (ber) answered", "assistant: So it is: 5 and Berlin, Germany (ber)."}
		p.has(2, done...)
		p.reload()
		p.once("So it is: 5 and Berlin, Germany (ber).")
		p.has(2, done...)
	})
}
