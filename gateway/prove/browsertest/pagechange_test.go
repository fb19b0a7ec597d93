//go:build browser

package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const askWhich = `{"question":"Which language?","options":[{"label":"French","value":"fr"},{"label":"German","value":"de"},{"label":"Spanish","value":"es"}]}`

// lingering is a model that asks, repeats the answer, and then goes on until it is stopped, except
// after one answer.
func lingering(t *testing.T, except string) func(*site) {
	over := make(chan struct{})
	set := upstream(t, func(_ string, results []string, d deltas) {
		if len(results) == 0 {
			d.calls("ask_user", askWhich)
			return
		}
		d.text("You answered: " + results[0])
		if results[0] != except {
			<-over
			return
		}
		d.end("stop")
	})
	t.Cleanup(func() { close(over) })
	return set
}

// chosen asks on the page, and chooses the second option: its time to undo does not pass.
func (p *page) chosen(message string) (chat string) {
	p.t.Helper()
	p.js(clockwork)
	p.js(`globalThis.posts = [];
		globalThis.instead = (url, init) => { if (init?.method === "POST" && /messages$|fork$/.test(url)) posts.push(JSON.parse(init.body)); }`)
	p.write(message)
	p.until("find('#pick-1')")
	p.click(".option:nth-child(2)")
	p.until("find('#undo')")
	return eval[string](p, "location.hash.split('/')[1]")
}

// posted checks how many answers the page has sent.
func (p *page) posted(want int) {
	p.t.Helper()
	if n := eval[int](p, "posts.filter((body) => body.answer).length"); n != want {
		p.t.Errorf("the page has sent %d answers, want %d", n, want)
	}
}

// stored returns the answers of a chat's questions, and how its turn ended.
func (p *page) stored(chat string) string {
	p.t.Helper()
	return eval[string](p, `real("/v1/apps/assistant/chats/" + %s).then((r) => r.json()).then((s) =>
		[...s.messages.flatMap((m) => m.toolCalls ?? []).map((c) => c.clarification?.answer?.value ?? c.clarification?.state), s.status, s.finishReason].join(" "))`, chat)
}

// Twice in a row, while the assistant works: each time, it stops, and the chat that is left keeps
// its answer.
func TestAnAnswerIsChangedWhileTheAssistantWorks(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", lingering(t, "French (fr)"))
	p := openChatPage(t, s, "", 1000)
	first := p.chosen("translate")
	p.js("due()")
	p.says("You answered: German (de)")
	chats := []string{first}
	for _, key := range []string{"3", "1"} { // Spanish, then French
		p.until("find('#stop') && find('.work')")
		p.pushes("Change")
		p.until("document.querySelector('#change')?.shadowRoot.activeElement && document.querySelector('#change ~ .hint').textContent.includes('stops the assistant')")
		if len(chats) == 1 {
			p.accessible("a change while the assistant works")
			p.shot("page-change-running")
		}
		p.keys(key, kb.Enter)
		p.until("location.hash.split('/')[1] !== %s && find('.transcript')?.innerText.includes('You answered: ' + %s)", chats[len(chats)-1], map[string]string{"3": "Spanish", "1": "French"}[key])
		chats = append(chats, eval[string](p, "location.hash.split('/')[1]"))
	}
	p.idle()
	for i, want := range []string{"de idle cancelled", "es idle cancelled", "fr idle stop"} {
		if got := p.stored(chats[i]); got != want {
			t.Errorf("chat %d: %q, want %q", i, got, want)
		}
	}
	if n := eval[int](p, "posts.filter((body) => body.stop).length"); n != 2 {
		t.Errorf("%d forks", n)
	}
}

// What waits for the turn that a change stops is in the composer, and goes with the person to the new chat.
func TestAChangePutsWhatWaitsBackIntoTheComposer(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", lingering(t, "Spanish (es)"))
	p := openChatPage(t, s, "", 1000)
	chat := p.chosen("translate")
	p.js("due()")
	p.says("You answered: German (de)")
	p.write("and more")
	p.until(waiting + " === 'and more' && find('#message').value === ''")
	p.js("find('#message').focus()")
	p.keys("a draft")
	p.pushes("Change")
	p.until("document.querySelector('#change')?.shadowRoot.activeElement")
	p.keys("3", kb.Enter)
	p.until("location.hash.split('/')[1] !== %s && find('.transcript')?.innerText.includes('You answered: Spanish')", chat)
	p.until("find('#message').value === 'and more\\n\\na draft' && !find('.queued')")
	p.idle()
	if got := p.stored(chat); got != "de idle cancelled" {
		t.Errorf("the chat that was left: %q", got)
	}
}

// A change that is refused stops nothing, and is still on the card.
func TestAChangeThatIsRefusedStopsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", lingering(t, "French (fr)"))
	p := openChatPage(t, s, "", 400)
	chat := p.chosen("translate")
	p.js("due()")
	p.says("You answered: German (de)")
	p.pushes("Change")
	p.until("document.querySelector('#change')?.shadowRoot.activeElement")
	p.js(`globalThis.refuse = {status: 429, code: "rate_limited", detail: "Wait a moment."}`)
	p.keys("1", kb.Enter)
	p.until("document.querySelector('#change').shadowRoot.querySelector('.alert')?.textContent === 'Wait a moment.' && find('#stop')")
	if got := p.stored(chat); got != "de running " {
		t.Errorf("the chat: %q", got)
	}
	p.fits("a refused change")
	p.js("globalThis.refuse = null")
	p.click("#change ~ .hint button") // Cancel
	p.until("!document.querySelector('#change')")
	p.click("#stop")
	p.idle()
}

// Whatever happens while an answer can be undone: one answer is stored, and no other is sent.
func TestWhatHappensWhileAnAnswerCanBeUndone(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	for name, do := range map[string]func(chat string){
		"a stop, which ends no waiting turn": func(chat string) {
			if status := eval[int](p, `real("/v1/apps/assistant/chats/" + %s + "/stop", {method: "POST"}).then((r) => r.status)`, chat); status != 204 {
				t.Errorf("the stop got %d", status)
			}
			p.js("due()")
			p.says("You answered: German (de)")
			p.posted(1)
		},
		"an answer by the API": func(chat string) {
			if status, stream := s.post(chat, object{"answer": object{"value": "fr"}}); status != 200 {
				t.Errorf("%d %s", status, stream)
			}
			p.until("log().some((line) => line.includes('another window')) && !find('#undo')")
			p.js("due(); dispatchEvent(new Event('pagehide'))")
			p.posted(0)
			p.says("You answered: French (fr)")
		},
		"another tab, in which the answer can be undone, too": func(chat string) {
			q := p.alongside(s.url + "/#assistant/" + chat)
			q.until("find('#pick-0')")
			q.js(clockwork)
			q.click(".option:nth-child(1)")
			q.until("find('#undo')")
			p.until("find('#undo')") // nothing has been stored: the question is open in both
			q.js("due()")
			q.says("You answered: French (fr)")
			p.until("log().some((line) => line.includes('another window')) && !find('#undo')")
			p.js("due()")
			p.posted(0)
		},
		"a reload": func(string) {
			p.do(chromedp.Reload())
			p.says("You answered: German (de)")
			p.js("globalThis.posts = []")
		},
		"the gateway is killed": func(string) {
			s.kill()
			p.js("due()")
			p.until("find('.unsent') && !find('#undo')") // kept until the gateway is back
			s.run()
			p.says("You answered: German (de)")
			p.js("globalThis.posts = []")
		},
		"the gateway is killed, and is back in time": func(string) {
			s.kill()
			s.run()
			p.until("find('#undo')")
			p.js("due()")
			p.says("You answered: German (de)")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p.t = t
			p.visit(s.url + "/")
			p.until("find('#message')")
			p.js("find('#new').click()")
			p.until("find('.greeting')")
			do(p.chosen("select"))
			p.idle()
			chat := eval[string](p, "location.hash.split('/')[1]")
			if got := p.stored(chat); got != "de idle stop" && got != "fr idle stop" {
				t.Errorf("the chat: %q", got)
			}
			if n := eval[int](p, "log().filter((line) => line.startsWith('You answered')).length"); n != 1 {
				t.Errorf("the model was told %d answers", n)
			}
		})
	}
	p.t = t
}

// A question that is closed without an answer says that the one that was chosen here was not sent.
func TestAQuestionThatIsSupersededWhileAnAnswerCanBeUndoneSaysSo(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"clarifications": {"onMessageWhilePending": "supersede"}}`}))
	p := openChatPage(t, s, "", 1000)
	chat := p.chosen("select")
	if status, stream := s.post(chat, object{"message": "number"}); status != 200 {
		t.Fatalf("%d %s", status, stream)
	}
	p.until("log().some((line) => line.includes('Your answer was not sent')) && find('#news').textContent.includes('Your answer was not sent')")
	p.js("due(); dispatchEvent(new Event('pagehide'))")
	p.posted(0)
	if got := p.stored(chat); got != "superseded pending awaiting_input " {
		t.Errorf("the chat: %q", got)
	}
}

// The choice in the menu holds for all windows of the browser, at once and after a reload.
func TestOneClickCanBeSlowerOrOff(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.until("find('#message')")
	p.write("select")
	p.until("find('#pick-1') && !card.shadowRoot.querySelector('button.main') && card.undoTime === 1200")
	q := p.alongside(eval[string](p, "location.href"))
	q.until("find('#pick-1')")
	choose := func(value string) {
		t.Helper()
		p.js("const s = find('#one-click'); s.value = %s; s.dispatchEvent(new Event('change'))", value)
	}
	choose("5000")
	for _, p := range []*page{p, q} {
		p.until("card.undoTime === 5000 && card.instant")
	}
	choose("off")
	for _, p := range []*page{p, q} {
		p.until("!card.instant && card.shadowRoot.querySelector('button.main')")
	}
	p.do(chromedp.Reload())
	p.until("find('#one-click')?.value === 'off' && find('#pick-1') && !card.instant")
	p.click(".option:nth-child(2)")
	p.until("find('#pick-1').checked && card.shadowRoot.querySelector('button.main') && !find('#undo')")
	p.click("button.main")
	p.says("You answered: German (de)")
	p.accessible("one click is off")
	if kept := eval[string](p, fmt.Sprintf("localStorage.getItem(%q)", "askgate:one-click")); kept != "off" {
		t.Errorf("kept as %q", kept)
	}
	choose("")
	if kept := eval[bool](p, fmt.Sprintf("localStorage.getItem(%q) === null", "askgate:one-click")); !kept {
		t.Error("the usual time is kept as if it were chosen")
	}
}
