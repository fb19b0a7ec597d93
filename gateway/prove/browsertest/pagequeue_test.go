//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// holding is a model that answers each message with its text. It does not finish its answer to one that
// begins with "hold" before let is closed.
func holding(t *testing.T) (set func(*site), let chan struct{}) {
	let = make(chan struct{})
	set = upstream(t, func(said string, _ []string, d deltas) {
		said, _, _ = strings.Cut(said, "\n")
		d.text("To " + said)
		if strings.HasPrefix(said, "hold") {
			<-let
		}
		d.text(".")
		d.end("stop")
	})
	t.Cleanup(func() { // before the model's server is closed, which waits for its answers
		select {
		case <-let:
		default:
			close(let)
		}
	})
	return set, let
}

// waiting is an expression for the texts that wait. presses presses the n-th of their buttons of a name.
const waiting = "[...document.querySelectorAll('.queued .bubble')].map((b) => b.textContent).join(' | ')"

func (p *page) presses(name string, n int) {
	p.t.Helper()
	p.until("document.querySelectorAll('.queued [data-' + %s + ']')[%s]?.disabled === false", name, n)
	p.js("document.querySelectorAll('.queued [data-' + %s + ']')[%s].click()", name, n)
}

// Messages that are sent while a turn runs wait, also on another device, and can be taken back on
// either.
func TestAMessageWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	model, let := holding(t)
	s := newSite(t, "", model)
	p := openChatPage(t, s, "", 1000)
	p.write("hold on")
	p.says("To hold on")
	q := openChatPage(t, s, eval[string](p, "location.hash"), 1000)
	q.says("To hold on")
	p.write("too early")
	p.until(waiting + " === 'too early' && find('#message').value === ''")
	p.write("and more")
	for _, on := range []*page{p, q} {
		on.until(waiting + " === 'too early | and more'")
	}
	p.until("find('#message').value === '' && !find('.closes')")
	p.shot("page-queued")
	p.accessible("queued")
	p.resize(375)
	p.fits("queued")
	p.resize(1000)
	q.js("find('#message').focus()")
	q.keys("a draft")
	q.presses("back", 0)
	q.until("find('#message').value === 'too early\\n\\na draft' && document.activeElement.id === 'message' && " + waiting + " === 'and more'")
	p.until(waiting + " === 'and more'")
	p.do(chromedp.Reload())
	p.until(waiting + " === 'and more'")
	close(let)
	p.says("To and more.")
	for _, on := range []*page{p, q} {
		on.until("!find('.queued') && [...document.querySelectorAll('.user .bubble')].map((b) => b.textContent).join(' | ') === 'hold on | and more'")
	}
}

// Where the admin set that such messages are refused, they stay in the composer.
func TestAMessageMayBeRefusedWhileATurnRuns(t *testing.T) {
	t.Parallel()
	model, _ := holding(t)
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"clarifications": {"onMessageWhileRunning": "reject"}}`}), model)
	p := openChatPage(t, s, "", 1000)
	p.write("hold on")
	p.says("To hold on")
	p.write("too early")
	p.until("find('#trouble').textContent.includes('still working') && find('#message').value === 'too early' && !find('.queued')")
}

// Stop ends the turn, and what waits for it is in the composer again: nothing begins that no one wants.
func TestStopPutsWhatWaitsBackIntoTheComposer(t *testing.T) {
	t.Parallel()
	model, _ := holding(t)
	s := newSite(t, "", configured(t, map[string]string{"apps/reader.json": `{"id": "reader", "name": "Reader", "attachments": {"maxFiles": 3, "maxBytes": 2000, "accept": ["text/*"]}}`}), model)
	p := openChatPage(t, s, "#reader/c1", 1000)
	p.write("hold on")
	p.says("To hold on")
	p.js(attachHelpers)
	p.js(`choose(["notes.txt", "first"])`)
	p.until("chips() === 'notes.txt 5 byte'")
	p.write("two")
	p.until(waiting + " === 'two' && chips() === ''")
	p.write("three")
	p.until(waiting + " === 'two | three'")
	p.js("find('#message').focus()")
	p.keys("four")
	p.click("#stop")
	p.until("find('#message').value === 'two\\n\\nthree\\n\\nfour' && chips() === 'notes.txt 5 byte' && !find('.queued')")
	p.until("!find('#stop') && find('.notice')")
	p.js("find('#message').focus()")
	p.keys(kb.Enter)
	p.says("To two.")
	p.until("sent() === 'hold on | notes.txt+two\\n\\nthree\\n\\nfour'")
}

// Sent now, a message stops the turn and comes before the others, which go on waiting.
func TestAMessageIsSentNow(t *testing.T) {
	t.Parallel()
	model, let := holding(t)
	s := newSite(t, "", model)
	p := openChatPage(t, s, "", 1000)
	p.write("hold on")
	p.says("To hold on")
	p.write("two")
	p.until(waiting + " === 'two' && find('#message').value === ''")
	p.write("hold three")
	p.until(waiting + " === 'two | hold three'")
	p.presses("now", 1)
	p.says("To hold three")
	p.until(waiting + " === 'two'")
	close(let)
	p.says("To two.")
	p.until("!find('.queued') && [...document.querySelectorAll('.user .bubble')].map((b) => b.textContent).join(' | ') === 'hold on | hold three | two'")
}

// Where a question is open, a message waits for its end. The page says beforehand that sending the
// message now closes the question.
func TestAMessageWaitsForAQuestion(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"clarifications": {"onMessageWhilePending": "queue"}}`}))
	p := openChatPage(t, s, "", 1000)
	p.write("number")
	p.until("find('#input')")
	p.click(".instead button")
	p.until("find('#instead-hint').textContent.includes('Your message is sent when the question is closed')")
	p.write("7")
	p.until("find('.queued .bubble').textContent === '7' && find('#input')") // the question is still there
	p.shot("page-queued-behind-question")
	p.accessible("queued behind a question")
	p.do(chromedp.Reload())
	p.until("find('.queued .bubble').textContent === '7' && find('#input')")
	p.until("find('.queued .closes').textContent.includes('closes the open question without an answer')")
	p.presses("back", 0)
	p.until("find('#message')?.value === '7' && find('#input') && !find('.queued')") // in view, although a question is open
	p.js("find('#message').focus()")
	p.keys(kb.Enter)
	p.until("find('.queued .bubble')?.textContent === '7' && find('#input')")
	p.start()
	p.keys("5", kb.Enter)
	p.says("You answered: 5")
	p.until("!document.querySelector('.queued') && [...document.querySelectorAll('.user .bubble')].at(-1).textContent === '7'")

	p.until("!find('#stop') && find('.instead button')") // which is another question of the demo
	p.click(".instead button")
	p.write("text")
	p.presses("now", 0)
	p.until("!find('.queued') && [...document.querySelectorAll('.user .bubble')].at(-1).textContent === 'text'")
	p.until("log().some((l) => l.includes('The chat went on without an answer'))")
}

// A message that the gateway has taken out of the queue is in the composer, even if no response says so.
func TestAMessageIsTakenBackWithoutAResponse(t *testing.T) {
	t.Parallel()
	model, let := holding(t)
	s := newSite(t, "", model)
	p := openChatPage(t, s, "", 1000)
	p.write("hold on")
	p.says("To hold on")
	p.write("two")
	p.until(waiting + " === 'two' && find('#message').value === ''")
	p.write("three")
	p.until(waiting + " === 'two | three' && find('#message').value === ''")
	lost := `globalThis.instead = async (url, init) => {
		if (init?.method !== "DELETE") return undefined;
		if (%s) globalThis.instead = null;
		await real(url, init);
		throw new TypeError("lost");
	}`
	p.js(lost, true) // the first response
	p.presses("back", 0)
	p.until("find('#message').value === 'two' && " + waiting + " === 'three'")
	p.js(lost, false) // all of them
	p.presses("back", 0)
	p.until("!find('.queued') && find('#message').value === 'two'")
	p.js("globalThis.instead = null")
	close(let)
	p.until("find('#message').value === 'three\\n\\ntwo'")
}

// A message that is taken back while another is written in place of an answer does not become the answer.
func TestAMessageThatIsTakenBackIsForNoQuestion(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.write("number")
	p.until("find('#input')")
	p.click(".instead button")
	p.until("find('#message')")
	p.js("find('#message').focus()")
	p.keys("7")
	p.click("#instead-hint button") // back to the question
	p.until("find('.instead button') && find('#message').value === '7'")
	p.js("find('#message').focus()")
	p.keys(kb.Enter)
	p.until(waiting + " === '7' && find('#input')")
	p.click(".instead button")
	p.until("find('#instead-hint').textContent.includes('answers it')")
	p.presses("back", 0)
	p.until("find('#message')?.value === '7' && document.activeElement.id === 'message' && find('#instead-hint').textContent.includes('is sent when the question is closed')")
	p.keys(kb.Enter)
	p.until(waiting + " === '7' && find('#input')")
}
