//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// instantly opens a card on which one click answers.
func instantly(t *testing.T, ask object) *page {
	t.Helper()
	p := open(t, cardSite(t), 800)
	p.until("globalThis.ready")
	p.js(clockwork)
	p.reopenInstantly(ask)
	return p
}

// reopenInstantly replaces the card by a new one on which one click answers.
func (p *page) reopenInstantly(ask object) {
	p.t.Helper()
	p.reopen(ask)
	p.js("grace.length = 0; card.instant = true; await card.updateComplete")
	p.start()
}

// waits checks that something was chosen, and nothing sent.
func (p *page) waits(label string) {
	p.t.Helper()
	p.until("find('#undo')?.textContent === 'Undo' && find('.option.chosen .label').textContent.trim() === %s && find('[role=status]').textContent.includes(%s)", label, label)
	if n := eval[int](p, "answers.length"); n != 0 {
		p.t.Fatalf("%d answers before the time to undo is over", n)
	}
}

func TestOneClickAnswersAfterTheTimeToUndo(t *testing.T) {
	t.Parallel()
	which := question("select", "Which?", object{"options": languages, "allow_other": true})
	p := instantly(t, asked(which))
	for _, tt := range []struct {
		name string
		ask  object
		do   func(p *page)
		want string
	}{
		{"a click", which, func(p *page) { p.click(".option:nth-child(2)"); p.waits("German"); p.js("due()") }, `{"value":"de"}`},
		{"two clicks are one", which, func(p *page) {
			p.click(".option:nth-child(2)")
			p.click(".option:nth-child(2)")
			p.waits("German")
			p.js("due()")
		}, `{"value":"de"}`},
		{"another in its place", which, func(p *page) {
			p.click(".option:nth-child(2)")
			p.waits("German")
			p.click(".option:nth-child(1)")
			p.waits("French")
			p.js("due()")
		}, `{"value":"fr"}`},
		{"Enter on what arrows led to", which, func(p *page) {
			p.keys(kb.ArrowDown, kb.ArrowDown)
			p.until("card.shadowRoot.activeElement === find('#pick-2') && !find('.pick:checked') && !find('#undo')") // only highlighted
			p.keys(kb.Enter)
			p.waits("Spanish")
			p.keys(kb.Enter) // pressed twice
			p.waits("Spanish")
			p.js("due()")
		}, `{"value":"es"}`},
		{"a digit, and Enter to be done", which, func(p *page) { p.keys("2"); p.waits("German"); p.keys(kb.Enter) }, `{"value":"de"}`},
		{"yes", question("confirm", "Sure?", nil), func(p *page) { p.click(".option"); p.waits("Yes"); p.js("due()") }, `{"value":true}`},
		{"a search", question("select", "Where?", object{"options": countries}), func(p *page) {
			p.keys("swi", kb.Enter)
			p.until("card.shadowRoot.activeElement === find('.pick') && !find('#undo')")
			p.keys(kb.Enter)
			p.waits("Switzerland")
			p.js("due()")
		}, `{"value":"ch"}`},
		{"as before", question("select", "Which?", object{"options": languages, "earlier": object{"value": "de", "label": "German", "answeredAt": "2026-02-06T10:30:00.000Z"}}), func(p *page) {
			p.click(".earlier button")
			p.waits("German")
			p.js("due()")
		}, `{"value":"de"}`},
		{"the default", question("select", "Which?", object{"options": languages, "default": "de"}), func(p *page) {
			p.until("find('button.main')")
			p.click(".option:nth-child(2)")
			p.js("due()")
		}, `{"value":"de"}`},
		{"own text by Send", which, func(p *page) {
			p.keys("5", "La", kb.Escape, "5", "tin") // its number leads back to it
			p.click(".option:nth-child(2)")          // now it only chooses
			p.until("find('#pick-1').checked && !find('#undo')")
			p.keys("5")
			p.click("button.main")
		}, `{"other":"Latin"}`},
		{"a note by Send", which, func(p *page) {
			p.click(".option:nth-child(2)")
			p.waits("German")
			p.click(".add")
			p.until("!find('#undo') && find('#pick-1').checked")
			p.js("due()")
			p.keys("formal")
			p.click("button.main")
		}, `{"value":"de","note":"formal"}`},
		{"the page is left", which, func(p *page) { p.click(".option:nth-child(2)"); p.js("dispatchEvent(new Event('pagehide')); due()") }, `{"value":"de"}`},
		{"the card is taken away", which, func(p *page) {
			p.click(".option:nth-child(2)")
			p.js("card.before(card); await 0; globalThis.moved = answers.length; const at = card.parentNode; card.remove(); await 0; await 0; due(); at.append(card)")
			p.until("moved === 0")
		}, `{"value":"de"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.t = t
			p.reopenInstantly(asked(tt.ask))
			tt.do(p)
			p.answered(tt.want)
		})
	}
	p.t = t

	// The page has moved on to another question: the answer still names its own.
	p.reopenInstantly(asked(which))
	p.click(".option:nth-child(2)")
	p.waits("German")
	p.set("clarification", with(asked(question("text", "And now?", nil)), "clarificationId", "clr_2"))
	p.answered(`{"value":"de"}`)
	p.until("find('.title').textContent === 'And now?' && !find('#undo') && !find('.spinner')")
}

// On a phone as well, the card does not jump away under the finger that chose.
func TestUndoTakesNoMoreRoomThanWhatItReplaces(t *testing.T) {
	t.Parallel()
	p := instantly(t, asked(question("select", "Which?", object{"options": languages})))
	for _, width := range []int64{800, 340} {
		p.resize(width)
		const height = "card.getBoundingClientRect().height"
		before := eval[float64](p, height)
		p.keys("2")
		p.waits("German")
		if after := eval[float64](p, height); after > before+24 {
			t.Errorf("%d wide: %v pixels high, and %v when something is chosen", width, before, after)
		}
		p.keys(kb.Escape)
		p.until("!find('#undo')")
	}
}

func TestWhatIsUndoneIsNotSent(t *testing.T) {
	t.Parallel()
	which := asked(question("select", "Which?", object{"options": languages}))
	p := instantly(t, which)
	for name, undo := range map[string]func(){
		"the button": func() { p.click("#undo") }, "Escape": func() { p.keys(kb.Escape) },
		"Escape anywhere": func() { p.js("card.shadowRoot.activeElement.blur()"); p.keys(kb.Escape) },
		"the keyboard":    func() { p.js("find('#undo').focus(); due()"); p.waits("German"); p.keys(kb.Enter) }, // there, no time runs out
	} {
		t.Run(name, func(t *testing.T) {
			p.t = t
			p.reopenInstantly(which)
			p.keys("2")
			p.waits("German")
			undo()
			p.until("!find('#undo') && !find('.option.chosen') && find('[role=status]').textContent.includes('Undone')")
			p.until("card.shadowRoot.activeElement?.matches('.pick')")
			p.js("due(); dispatchEvent(new Event('pagehide'))")
			if n := eval[int](p, "answers.length"); n != 0 {
				t.Errorf("%d answers", n)
			}
		})
	}
	p.t = t

	// The choice is still there after a crash, ready to be sent.
	p.reopenInstantly(which)
	p.keys("2")
	p.waits("German")
	p.do(chromedp.Reload())
	p.until("globalThis.ready")
	p.js(clockwork)
	p.js("card.instant = true")
	p.set("clarification", which)
	p.until("find('#pick-1').checked && find('button.main') && !find('#undo')")

	// Another answer came first.
	p.reopenInstantly(which)
	p.keys("2")
	p.waits("German")
	p.js("Object.assign(card, {state: 'answered', answer: {value: 'fr'}}); await card.updateComplete; due()")
	p.until("find('.answer').textContent === 'French' && find('.notice').textContent.includes('another window') && find('[role=status]').textContent.includes('another window')")
	if n := eval[int](p, "answers.length"); n != 0 {
		t.Errorf("%d answers", n)
	}
}

// A question that allows several choices, or that must be read first, is sent by its button.
func TestOneClickAnswersNothingElse(t *testing.T) {
	t.Parallel()
	p := instantly(t, asked(question("text", "Who?", nil)))
	for name, ask := range map[string]object{
		"several": asked(question("multiselect", "Which?", object{"options": languages})), "a form": hanging(), "a preview": asked(question("select", "Which?", object{"options": previewed()})),
		"a secret": asked(question("select", "Which?", object{"options": languages, "secret": "pin"})), "for good": asked(question("select", "Which?", object{"options": languages, "kept": "unasked"})),
	} {
		p.reopenInstantly(ask)
		p.js("find('.pick').click(); await card.updateComplete; due()")
		if !eval[bool](p, "find('button.main') !== null && find('#undo') === null && answers.length === 0") {
			t.Errorf("%s: one click was enough", name)
		}
	}
	p.reopenInstantly(with(editable(), "remember", "chat"))
	if got := eval[string](p, "[...card.shadowRoot.querySelectorAll('.decide')].map((b) => b.textContent.trim()).join()"); got != "Allow once,Always allow in this chat,Deny" {
		t.Errorf("the buttons are %s", got)
	}
	p.keys("3")
	p.until("card.shadowRoot.activeElement === find('#refuse') && answers.length === 0")
	p.keys(kb.Enter)
	p.answered(`{"value":false}`)
	p.reopenInstantly(with(editable(), "remember", "chat"))
	p.click("#allow")
	p.answered(`{"value":true,"once":true}`)
	p.reopenInstantly(with(editable(), "remember", "chat"))
	p.click("#always")
	p.answered(`{"value":true}`)
	p.reopenInstantly(editable())
	p.until("!find('#always')")
}

// Skip and "Prefer not to answer" also close a question by one click, and can be undone like a
// choice.
func TestWhatClosesAQuestionCanBeUndone(t *testing.T) {
	t.Parallel()
	closing := func(label string) func(p *page) {
		return func(p *page) {
			p.js("[...card.shadowRoot.querySelectorAll('button')].find((b) => b.textContent.trim() === %s).click(); await card.updateComplete", label)
			p.until("find('#undo') && find('.soon').textContent.includes(%s) && find('[role=status]').textContent.includes(%s) && card.shadowRoot.activeElement?.matches('.pick, #input')", label, label)
			if n := eval[int](p, "answers.length"); n != 0 {
				p.t.Fatalf("%d answers before the time to undo is over", n)
			}
		}
	}
	skip, decline := closing("Skip"), closing("Prefer not to answer")
	may := object{"options": languages, "allow_skip": true}
	which := asked(question("select", "Which?", may))
	p := instantly(t, which)
	for _, tt := range []struct {
		name string
		ask  object
		do   func(p *page)
		want string
	}{
		{"skipped", which, func(p *page) { skip(p); p.js("due()") }, `{"skipped":true}`},
		{"declined", which, func(p *page) { decline(p); p.js("due()") }, `{"declined":true}`},
		{"a text, with its note", asked(question("text", "Who?", object{"allow_skip": true})), func(p *page) {
			p.js("find('.add').click(); await card.updateComplete")
			p.keys("later")
			skip(p)
			p.keys(kb.Enter) // held, or pressed twice: the empty field requires nothing
			p.until("!find('.error')")
			p.js("due()")
		}, `{"skipped":true,"note":"later"}`},
		{"undone", which, func(p *page) {
			skip(p)
			p.click("#undo")
			p.until("!find('#undo') && find('[role=status]').textContent.includes('Undone')")
			p.js("due()")
			p.keys("2", kb.Enter)
		}, `{"value":"de"}`},
		{"a choice in its place", which, func(p *page) { decline(p); p.keys("2"); p.waits("German"); p.js("due()") }, `{"value":"de"}`},
		{"and the default is none", asked(question("select", "Which?", object{"options": languages, "allow_skip": true, "default": "de"})), func(p *page) {
			skip(p)
			p.keys(kb.Enter) // on the default
			p.waits("German")
			p.js("due()")
		}, `{"value":"de"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.t = t
			p.reopenInstantly(tt.ask)
			tt.do(p)
			p.answered(tt.want)
		})
	}
	p.t = t

	// A choice that was not sent does not appear as chosen after a reload.
	p.reopenInstantly(which)
	skip(p)
	p.do(chromedp.Reload())
	p.until("globalThis.ready")
	p.set("clarification", which)
	p.click("button.main")
	p.until("find('.error')")
	if n := eval[int](p, "answers.length"); n != 0 {
		t.Errorf("%d answers", n)
	}
}

// On the page: each answer reaches its chat exactly once, whatever happens to the page.
func TestOnThePageOneClickAnswers(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.js(clockwork)
	ask := func() {
		t.Helper()
		p.write("select")
		p.until("find('#pick-1') && !card.shadowRoot.querySelector('button.main')")
		p.click(".option:nth-child(2)")
		p.until("find('#undo')")
	}
	ask()
	chat := eval[string](p, "location.hash")
	p.js("find('#new').click()") // another chat
	p.until("find('.greeting')")
	p.js("location.hash = %s", chat)
	p.says("You answered: German (de)")
	p.idle()

	ask()
	q := p.alongside(s.url + "/" + chat)
	q.until("find('.title')")
	p.do(chromedp.Navigate("about:blank")) // left
	q.until("log().filter((line) => line.includes('You answered: German (de)')).length === 2")
	q.idle()
	if n := eval[int](q, "log().filter((line) => line.includes('You answered')).length"); n != 2 {
		t.Errorf("%d answers", n)
	}

	// The network is gone at the time of sending: the choice is sent when it is back.
	p.visit(s.url + "/" + chat)
	p.js(clockwork)
	p.idle()
	ask()
	s.disconnect()
	p.js("due()")
	p.until("document.querySelector('.unsent')")
	s.reconnect()
	for _, p := range []*page{p, q} {
		p.until("log().filter((line) => line.includes('You answered: German (de)')).length === 3")
		p.idle()
	}

	// Another window is faster: the user who had chosen here is notified.
	p.visit(s.url + "/" + chat)
	p.js(clockwork)
	p.idle()
	ask()
	q.until("find('#pick-0')")
	q.start()
	q.keys("1", kb.Enter)
	q.says("You answered: French")
	p.says("You answered: French")
	p.until("log().some((line) => line.includes('another window'))")
}

// Signing out sends the answer first: it is on its way before the page forgets its user.
func TestSigningOutSendsWhatOneClickChose(t *testing.T) {
	t.Parallel()
	const key = "ag_browser_test_leaves_0123456789"
	s := newSite(t, "", configured(t, map[string]string{
		"gateway.json": `{"auth": {"mode": "apiKeys", "keys": [{"id": "ada", "hash": "` + hashOf(key) + `", "tenant": "t", "subject": "ada"}]}}`,
	}))
	signIn := func(p *page) {
		p.until("find('#key')")
		p.js("find('#key').focus()")
		p.keys(key, kb.Enter)
		p.until("find('#message, #question')")
	}
	p := openChatPage(t, s, "", 1000)
	signIn(p)
	p.js(clockwork)
	p.write("select")
	p.until("find('#pick-1')")
	chat := eval[string](p, "location.hash")
	p.click(".option:nth-child(2)")
	p.until("find('#undo')")
	p.js(`globalThis.order = [];
		globalThis.instead = async (url, init) => {
			if (init?.method === "DELETE") order.push("signed out");
			if (init?.method !== "POST" || !url.endsWith("/messages")) return;
			await new Promise((resolve) => globalThis.release = resolve);
			order.push("answered");
		}`)
	p.js("[...document.querySelectorAll('#side button')].find((b) => b.textContent === 'Sign out').click()")
	p.until("globalThis.release")
	p.js("await real('/v1/session')")
	p.js("release()")
	p.until("find('#key')")
	if order := eval[string](p, "order.join()"); order != "answered,signed out" {
		t.Errorf("what was chosen is sent before the user is signed out; seen: %s", order)
	}
	if kept := eval[string](p, "JSON.stringify(sessionStorage)"); strings.Contains(kept, "clr_") {
		t.Errorf("the next user has %s", kept)
	}
	p.js("location.hash = %s", chat)
	signIn(p)
	p.says("You answered: German (de)")
}
