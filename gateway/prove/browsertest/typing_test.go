//go:build browser

package browsertest

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	askTwo  = `{"question": "Which way?", "options": ["By train", "By bus"], "allow_other": false}`
	askOwn  = `{"question": "Which way?", "options": ["By train", "By bus"], "allow_other": true}`
	askText = `{"question": "Whose name?"}`
)

// asksLate is an upstream that says a word and then waits for the arguments of its question. If there are
// none, it calls the clock.
func asksLate(t *testing.T) (func(*site), chan string) {
	questions := make(chan string, 1)
	return upstream(t, func(_ string, results []string, d deltas) {
		if len(results) > 0 {
			d.words("Told: " + strings.Join(results, " | ") + ".")
			d.end("stop")
			return
		}
		d.words("One moment ")
		if q := <-questions; q != "" {
			d.calls("ask_user", q)
		} else {
			d.calls("clock", `{"timezone": "Europe/Berlin"}`)
		}
	}), questions
}

// runsLate opens a chat whose turn runs until it gets a question.
func runsLate(t *testing.T) (*page, chan<- string) {
	t.Helper()
	model, questions := asksLate(t)
	s := newSite(t, "", model, configured(t, map[string]string{"gateway.json": guideConfig, "tools.json": guideTools, "apps/travel.json": guideApp}))
	p := openChatPage(t, s, "", 1000)
	p.write("Go")
	p.says("One moment")
	t.Cleanup(func() { close(questions) })
	return p, questions
}

// key presses one key, described as a keyboard does, in whatever has the focus.
func (p *page) key(ev input.DispatchKeyEventParams) {
	p.t.Helper()
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, input.DispatchKeyEvent, ev)
		return chromedp.Void{}, err
	})
}

// composes shows a text of an input method that is not yet final.
func (p *page) composes(text string) {
	p.t.Helper()
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, input.ImeSetComposition, input.ImeSetCompositionParams{Text: text, SelectionStart: int64(len([]rune(text))), SelectionEnd: int64(len([]rune(text)))})
		return chromedp.Void{}, err
	})
}

// inserts gives the final text.
func (p *page) inserts(text string) {
	p.t.Helper()
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: text})
		return chromedp.Void{}, err
	})
}

// blurred takes the focus from everything.
const blurred = "document.activeElement.shadowRoot?.activeElement?.blur(); document.activeElement.blur()"

// A question that arrives in mid-sentence leaves the message, its focus and an input method's composition
// as they are. The card comes above it, without focus, and the message is not for the question: it waits,
// also after a reload, or when the chat is opened from the side or from a link.
func TestAMessageBegunBeforeAQuestionStays(t *testing.T) {
	t.Parallel()
	p, questions := runsLate(t)
	p.js("find('#message').focus(); globalThis.field = find('#message')")
	p.keys("Also n")
	p.composes("にほ")
	p.until("field.value === 'Also nにほ'")
	questions <- askTwo
	p.until("find('#question') && find('.title') && !find('section.early')")
	p.until("field.isConnected && document.activeElement === field && field.value === 'Also nにほ'")
	p.inserts("日本")
	p.keys(" 2t")
	p.until("field.value === 'Also n日本 2t' && !find('.pick:checked')")
	if !eval[bool](p, "Boolean(find('#question').compareDocumentPosition(field) & Node.DOCUMENT_POSITION_FOLLOWING)") {
		t.Error("the card is not above the composer")
	}
	waits := "find('#instead-hint').textContent.trim().startsWith('Your message is sent when the question is closed')"
	p.until(waits + " && field.getAttribute('aria-describedby').includes('instead-hint')")
	p.shot("page-message-stays")
	p.accessible("message stays")
	p.resize(375)
	p.fits("message stays")
	p.shot("page-phone-message-stays")
	p.resize(1000)

	stays := "find('#message')?.value === 'Also n日本 2t' && find('#question') && document.querySelector('.instead') && " + waits
	chat := eval[string](p, "location.hash")
	p.do(chromedp.Reload())
	p.until(stays)
	p.js("find('#new').click()")
	p.until("find('.greeting')")
	p.js("find('#side nav a').click()")
	p.until(stays)
	p.js("find('#new').click()")
	p.until("find('.greeting')")
	p.js("location.hash = %s", chat)
	p.until(stays)

	// Only an explicit choice makes it a message for this question, also after a reload.
	answers := "find('#message')?.value === 'Also n日本 2t' && !document.querySelector('.instead') && find('#instead-hint').textContent.includes('answers it')"
	p.click(".instead button")
	p.until("document.activeElement.id === 'message' && " + answers)
	p.do(chromedp.Reload())
	p.until(answers)
	p.js("find('#instead-hint button').click()")
	p.until("document.activeElement.id === 'question' && " + stays)

	// An emptied composer keeps the focus until the question is answered, and the answer leaves the message.
	p.js("find('#message').select()")
	p.keys(kb.Backspace)
	p.until("find('#message').value === '' && document.activeElement.id === 'message'")
	p.keys("Thanks")
	p.click(".option")
	p.says("Told: By train")
	p.until("find('#message').value === 'Thanks' && !document.querySelector('#question, #instead-hint')")
}

// Sent with Enter while the card is above it, such a message waits, and the question stays open.
func TestAMessageBegunBeforeAQuestionWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	p, questions := runsLate(t)
	p.js("find('#message').focus()")
	p.keys("Also Sunday")
	questions <- askTwo
	p.until("find('#question') && find('.title') && !find('section.early') && document.activeElement.id === 'message'")
	p.keys(kb.Enter)
	p.until(waiting + " === 'Also Sunday' && document.querySelector('#question') && find('#message').value === ''")
	p.until(bubbles + " === 'Go'")
	p.click(".option")
	p.says("Told: By train")
	p.until(bubbles + " === 'Go | Also Sunday' && !document.querySelector('.queued, #question')")
}

// A message on its way is not a draft: its question may arrive before the response to it, and then takes the
// composer's place. Only a message that is refused stays, below the question.
func TestAMessageOnItsWayIsNoDraft(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.write("calculate 2+3")
	p.says("2+3")
	p.idle()
	for _, tt := range []struct{ response, after string }{
		{"response", "!document.querySelector('#message') && card.shadowRoot.activeElement"},
		{`new Response('{"status": 422, "code": "invalid_request"}', {status: 422, headers: {"Content-Type": "application/problem+json"}})`, "find('#message')?.value === 'select' && find('#trouble .alert')"},
	} {
		p.js(`instead = async (url, init) => {
			if (init?.method !== "POST" || !url.endsWith("/messages")) return;
			const response = await real(url, init);
			await new Promise((resolve) => { globalThis.respond = resolve; });
			return ` + tt.response + `;
		}`)
		p.write("select")
		p.until("globalThis.respond && find('#question') && card.shadowRoot.activeElement && !document.querySelector('#message')")
		p.js("instead = null; respond(); delete globalThis.respond")
		p.until(tt.after)
		p.start()
		p.keys("1", kb.Enter)
		p.until("!find('#question')")
		p.idle()
	}
}

// A message that was written for one question is not taken for the answer to the next.
func TestAMessageForOneQuestionIsNotForTheNext(t *testing.T) {
	t.Parallel()
	questions := []string{askTwo, askText}
	s := newSite(t, "", upstream(t, func(_ string, results []string, d deltas) {
		if len(results) < 2 {
			d.calls("ask_user", questions[len(results)])
			return
		}
		d.end("stop")
	}))
	p := openChatPage(t, s, "", 1000)
	p.write("Go")
	p.until("find('.pick')")
	p.click(".instead button")
	p.until("document.activeElement.id === 'message'")
	p.keys("By the first one")
	p.until("find('#instead-hint').textContent.includes('answers it')")
	chat := eval[string](p, "location.hash.split('/')[1]")
	if status, body := s.post(chat, object{"answer": object{"toolCallId": "call_1", "value": "By bus"}}); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	p.until("find('#input') && find('#message').value === 'By the first one' && find('#instead-hint').textContent.includes('is sent when the question is closed')")
}

// Whatever is typed while no text field has the focus goes into the composer, which opens below the card,
// or into the card's own text field. The browser inserts it: AltGr, dead keys and input methods work.
func TestWhatIsTypedFindsItsField(t *testing.T) {
	t.Parallel()
	none := int64(kb.ModifierNone)
	press := func(key string, modifiers int64) func(*page) {
		return func(p *page) {
			p.key(input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Text: key, Modifiers: modifiers})
		}
	}
	for _, tt := range []struct {
		name  string
		ask   string
		focus string
		do    func(*page)
		want  string
	}{
		{"a letter on an option", askTwo, "find('.pick').focus()", press("t", none), "document.activeElement.id === 'message' && find('#message').value === 't'"},
		{"a letter on the page", askTwo, blurred, press("n", none), "document.activeElement.id === 'message' && find('#message').value === 'n'"},
		{"a digit on the page", askTwo, blurred, press("2", none), "find('#message').value === '2' && !find('.pick:checked')"},
		{"AltGr", askTwo, "find('.pick').focus()", press("€", none), "find('#message').value === '€'"},
		{"AltGr on Windows", askTwo, "find('.pick').focus()", func(p *page) { // Chromium inserts such a character on Windows only
			p.js("addEventListener('keypress', (e) => { globalThis.inserts = e.key + e.target.id; })")
			press("€", int64(kb.ModifierAlt|kb.ModifierCtrl))(p)
		}, "globalThis.inserts === '€message'"},
		{"Option", askTwo, blurred, press("å", int64(kb.ModifierAlt)), "find('#message').value === 'å'"},
		{"a dead key", askTwo, "find('.pick').focus()", func(p *page) {
			p.key(input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Dead"})
			p.until("document.activeElement.id === 'message'")
			p.inserts("é")
		}, "find('#message').value === 'é'"},
		{"an input method", askTwo, blurred, func(p *page) {
			p.key(input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Process", WindowsVirtualKeyCode: 229})
			p.until("document.activeElement.id === 'message'")
			p.composes("に")
			p.inserts("日")
		}, "find('#message').value === '日'"},
		{"own words", askOwn, "find('.pick').focus()", func(p *page) { p.strike("On foot") }, "find('#other').value === 'On foot' && find('#pick-other').checked && !document.querySelector('#message')"},
		{"own words, from the page", askOwn, blurred, press("O", none), "find('#other').value === 'O'"},
		{"a text question", askText, "find('button.main').focus()", func(p *page) { p.strike("t2") }, "find('#input').value === 't2' && !document.querySelector('#message')"},
		{"a shortcut of the browser", askTwo, blurred, press("f", int64(kb.ModifierAlt)), "!document.querySelector('#message')"},
		{"on an approval", "", "find('#allow').focus()", func(p *page) { p.strike("n1y") }, "card.shadowRoot.activeElement.id === 'allow' && !document.querySelector('#message') && !answered"},
		{"next to an approval", "", blurred, func(p *page) { p.strike("n1y") }, "document.activeElement === document.body && !document.querySelector('#message') && !answered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, questions := runsLate(t)
			questions <- tt.ask
			p.until("find('.title') && card.shadowRoot.activeElement && !find('section.early')")
			p.js("globalThis.answered = false; card.addEventListener('askgate-answer', () => { globalThis.answered = true; }); await card.updateComplete")
			theme := eval[string](p, "String(document.documentElement.dataset.theme) + location.hash")
			p.js(tt.focus)
			tt.do(p)
			p.until(tt.want)
			if now := eval[string](p, "String(document.documentElement.dataset.theme) + location.hash"); now != theme {
				t.Errorf("a key did something else: %s, was %s", now, theme)
			}
		})
	}
}

// What is typed in the half second in which a new card ignores keys was meant for a message, and gets
// there; on an approval it goes nowhere.
func TestWhatIsTypedAsACardAppearsIsAMessage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ ask, keys, want string }{
		"a choice":    {askTwo, "n2\t", "find('#message').value === 'n2' && !find('.pick:checked')"},
		"a text":      {askText, "2n", "find('#message').value === '2n' && find('#input').value === ''"},
		"a digit":     {askTwo, "2", "!document.querySelector('#message') && !find('.pick:checked')"},
		"an approval": {"", "n2y\r", "!document.querySelector('#message') && find('#allow')"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, questions := runsLate(t)
			p.js(halfSecond)
			questions <- tt.ask
			p.until("find('.title') && find('section.early') && card.shadowRoot.activeElement")
			p.strike(tt.keys)
			p.until(tt.want)
			p.until("find('section.early')")
		})
	}
}

// A key that is held answers one question, not the one after it as well.
func TestAHeldKeyAnswersOnce(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	which := question("select", "Which?", object{"options": languages})
	p.reopen(asked(which, question("multiselect", "Which?", object{"options": languages}), which))
	p.js("card.instant = true; await card.updateComplete")
	p.start()
	p.keys("2")
	p.until("find('.title') && find('[type=checkbox]')")
	held := func(key, text string, code int64) {
		for range 3 {
			p.key(input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Text: text, WindowsVirtualKeyCode: code, AutoRepeat: new(true)})
		}
		p.js("await card.updateComplete")
	}
	held("2", "2", '2')
	p.until("find('[type=checkbox]') && !find('.pick:checked')")
	p.keys("1", kb.Enter)
	p.until("find('.title') && find('[type=radio]')")
	held("Enter", "\r", '\r')
	p.until("find('[type=radio]') && !find('.error') && !find('.pick:checked')")
	p.keys("1")
	p.until("find('.review')")
	held("Enter", "\r", '\r')
	p.until("find('.review') && answers.length === 0")
	p.keys(kb.Enter)
	p.answered(`{"answers":[{"value":"de"},{"values":["fr"]},{"value":"fr"}]}`)
}
